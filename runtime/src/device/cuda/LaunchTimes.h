//===- LaunchTimes.h - How long kernels take on a GPU ------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_LAUNCHTIMES_H
#define MLCRT_DEVICE_CUDA_LAUNCHTIMES_H

#include "absl/status/status.h"
#include "runtime/src/device/cuda/CudaContext.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlcrt {

/// Measures each launch of a context, one after another: a launch waits for the one before.
class LaunchTimes {
public:
  /// `path`: the file that write() makes.
  LaunchTimes(CudaContext &context, std::string path) : context_(context), path_(std::move(path)) {}
  ~LaunchTimes();
  LaunchTimes(const LaunchTimes &) = delete;

  /// Before a launch, and after it. kInternal: an error of the driver.
  absl::Status begin();
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

  CudaContext &context_;
  const std::string path_;
  CudaEvent begin_ = nullptr, end_ = nullptr;
  std::vector<Kernel> kernels_;
  std::map<std::string, size_t> numbers_;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_LAUNCHTIMES_H
