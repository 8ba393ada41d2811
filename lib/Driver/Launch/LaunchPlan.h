// What mlc launch starts: tasks with TF_CONFIG, addresses and logs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_LAUNCH_LAUNCHPLAN_H
#define LIB_DRIVER_LAUNCH_LAUNCHPLAN_H

#include "common/cli/CommandLine.h"
#include "common/cli/ExitCode.h"
#include "common/cluster/TfConfig.h"

#include <string>
#include <vector>

namespace mlc {

/// One process to start.
struct PlannedTask {
  std::string name; ///< "worker 0"
  std::string tfConfig;
  std::string log; ///< path of its log
};

/// All that is to be started; the chief first. Its directory of sockets and of the token goes with it, and
/// until then nobody else gets its ports.
class LaunchPlan {
public:
  LaunchPlan() = default;
  ~LaunchPlan();
  LaunchPlan(const LaunchPlan &) = delete;
  LaunchPlan &operator=(const LaunchPlan &) = delete;

  /// Checks the command line, finds the program, free addresses and a place for logs. Adds errors to `messages`; the
  /// code to exit with is Success without one.
  common::ExitCode prepare(const common::CommandLine &line, common::MessageList &messages);

  const std::string &program() const { return program_; }
  /// The arguments, the program's name as it was given first.
  const std::vector<std::string> &command() const { return command_; }
  const std::vector<PlannedTask> &tasks() const { return tasks_; }
  const std::string &logDirectory() const { return logDirectory_; }
  /// NAME=VALUE, for the environment of all tasks: the file of a token that is this job's alone.
  const std::string &tokenVariable() const { return tokenVariable_; }

private:
  bool findProgram(common::MessageList &messages);
  bool findAddresses(const common::ClusterSize &size, bool tcp, std::vector<std::string> &addresses,
                     common::MessageList &messages);
  bool makePrivateDirectory(common::MessageList &messages);
  bool makeLogDirectory(const common::CommandLine &line, common::MessageList &messages);

  std::string program_, logDirectory_, privateDirectory_, tokenVariable_;
  std::vector<std::string> command_;
  std::vector<PlannedTask> tasks_;
  std::vector<int> portHolders_; ///< sockets
};

} // namespace mlc

#endif // LIB_DRIVER_LAUNCH_LAUNCHPLAN_H
