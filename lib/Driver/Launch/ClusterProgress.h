// The summary line of mlc launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_LAUNCH_CLUSTERPROGRESS_H
#define LIB_DRIVER_LAUNCH_CLUSTERPROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlc {

/// Reads how far the chief is from what it prints, and says it in one line.
class ClusterProgress {
public:
  /// A line of the chief's standard error at a time in seconds. True if it tells progress ("step 100/2000  5 %  loss
  /// 0.3  ..."), which the summary then holds.
  bool readLine(llvm::StringRef line, double now);
  /// A line of its standard output; events "step" count.
  void readEvent(llvm::StringRef line, double now);

  /// "step 100/2000  5 %  loss 0.3  12.0 k examples/s  118 steps/s  3 tasks  0:12"; without steps yet only the end.
  std::string text(double now, size_t runningTasks) const;

private:
  void atStep(int64_t step, double now);

  std::string told_; ///< what the chief told, its step first
  std::optional<int64_t> step_;
  double stepTime_ = 0, stepsPerSecond_ = 0;
};

} // namespace mlc

#endif // LIB_DRIVER_LAUNCH_CLUSTERPROGRESS_H
