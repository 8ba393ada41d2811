// One task of a local cluster as a process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_LAUNCH_TASKPROCESS_H
#define LIB_DRIVER_LAUNCH_TASKPROCESS_H

#include "LaunchPlan.h"

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>

namespace mlc {

/// How a process ended.
struct TaskEnd {
  int status = 0; ///< as a shell says it: 128 + N of signal N
  int signal = 0; ///< that ended it, or 0

  /// "done", "exit status 5" or "killed by signal 9 (Killed)".
  std::string text() const;
  /// Whether it was told to stop, by whomever, and did in order.
  bool isStopped() const;
};

/// A process of its own group, which gets SIGKILL when this program ends in whatever way; it has to be started by the
/// main thread. Its end must be asked for by poll() before this goes.
class TaskProcess {
public:
  using Clock = std::chrono::steady_clock;

  /// Starts the task, its output appended to its log, or with `piped` to be read from output(); `variables`
  /// (NAME=VALUE) are added to its environment. An errno value, or 0.
  static int start(const LaunchPlan &plan, const PlannedTask &task, bool piped,
                   const std::vector<std::string> &variables, std::unique_ptr<TaskProcess> &process);
  ~TaskProcess();
  TaskProcess(const TaskProcess &) = delete;
  TaskProcess &operator=(const TaskProcess &) = delete;

  const PlannedTask &task() const { return task_; }
  pid_t pid() const { return pid_; }
  bool isRunning() const { return pid_ > 0 && !isEnded_; }
  const TaskEnd &end() const { return end_; }
  double seconds() const;

  /// Looks whether it has ended; true once.
  bool poll();
  /// To the task alone, which is told to end by it; marked as passed on (common/cluster/ForwardedSignal.h).
  void signal(int number);
  bool isTold() const { return isTold_; }
  /// To all of its group, which are then none.
  void kill();

  /// Read ends of its standard output and error, or -1; they do not block.
  int output(bool error) const { return output_[error]; }
  /// Appends to the log what was read from them.
  void log(const std::string &text);
  /// The last lines that this run added to the log.
  std::vector<std::string> lastLines(size_t count) const;

private:
  explicit TaskProcess(const PlannedTask &task) : task_(task) {}

  const PlannedTask &task_;
  pid_t pid_ = -1;
  bool isEnded_ = false, isTold_ = false;
  TaskEnd end_;
  Clock::time_point started_ = Clock::now(), endedAt_;
  int log_ = -1;
  int64_t logStart_ = 0;
  int output_[2] = {-1, -1};
};

} // namespace mlc

#endif // LIB_DRIVER_LAUNCH_TASKPROCESS_H
