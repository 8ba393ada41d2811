//===- LaunchTimes.h - How long kernels take on a GPU ------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_LAUNCHTIMES_H
#define MLCRT_DEVICE_CUDA_LAUNCHTIMES_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/device/cuda/CudaContext.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlcrt {

/// Measures how long a context's stream takes for what it is asked for in between.
class EventTimer {
public:
  explicit EventTimer(CudaContext &context) : context_(context) {}
  ~EventTimer();
  EventTimer(const EventTimer &) = delete;

  /// kInternal: an error of the driver.
  absl::Status begin();
  /// Waits; milliseconds since begin(). `what` is what was asked for.
  absl::StatusOr<double> end(const std::string &what);

private:
  CudaContext &context_;
  CudaEvent begin_ = nullptr, end_ = nullptr;
};

/// Measures each launch of a context, one after another: a launch waits for the one before.
class LaunchTimes {
public:
  /// `path`: the file that write() makes.
  LaunchTimes(CudaContext &context, std::string path) : timer_(context), path_(std::move(path)) {}

  /// Before a launch, and after it. kInternal: an error of the driver.
  absl::Status begin() { return timer_.begin(); }
  absl::Status end(const std::string &kernel);
  /// A JSON object: "kernels" has, in the order of their first launches, name, number of launches, and milliseconds: of
  /// all together and of the shortest. kUnavailable: the file cannot be written.
  absl::Status write() const;

private:
  struct Kernel {
    std::string name;
    int64_t launches = 0;
    double milliseconds = 0, least = 0;
  };

  EventTimer timer_;
  const std::string path_;
  std::vector<Kernel> kernels_;
  std::map<std::string, size_t> numbers_;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_LAUNCHTIMES_H
