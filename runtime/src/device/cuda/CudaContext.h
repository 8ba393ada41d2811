//===- CudaContext.h - A GPU as one program uses it: context, stream, errors --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDACONTEXT_H
#define MLCRT_DEVICE_CUDA_CUDACONTEXT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/device/cuda/CudaDriver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mlcrt {

/// What there is to know of a GPU before it is used.
struct CudaDeviceInfo {
  int device = 0;   ///< the driver's number of it
  int ordinal = 0;  ///< its place among those that the driver shows
  std::string name; ///< "NVIDIA H100 80GB HBM3"
  int chip = 0;     ///< 90 for sm_90
  int64_t totalBytes = 0;
  int64_t maxThreads = 1024;                       ///< of a block
  int64_t maxBlock[3] = {1024, 1024, 64};          ///< threads of a block, x, y, z
  int64_t maxGrid[3] = {2147483647, 65535, 65535}; ///< blocks, x, y, z
  int64_t maxSharedBytes = 48 << 10;               ///< of a block, what kernels have of their own included

  /// GPU number `ordinal` of those that the driver shows. kFailedPrecondition: there is none of that number, or its
  /// chip is older than kLeastCudaChip; errors of calls.
  static absl::StatusOr<CudaDeviceInfo> find(const CudaDriver &driver, int ordinal);
};

/// The primary context of a GPU and a stream of its own in it. Calls of the driver are checked here; after an error
/// that loses the context every further one fails.
class CudaContext {
public:
  /// `waitsForLaunches`: each launch is waited for (MLC_GPU_SYNC), so that an error is of the one it is told by.
  static absl::StatusOr<std::unique_ptr<CudaContext>> create(const CudaDriver &driver, const CudaDeviceInfo &info,
                                                             bool waitsForLaunches);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;

  const CudaDriver &driver() const { return driver_; }
  const CudaDeviceInfo &info() const { return info_; }
  CudaStream stream() const { return stream_; }
  CudaContextHandle handle() const { return context_; }

  /// Makes the context that of the calling thread, as all calls need it. kInternal: it is lost.
  absl::Status use();
  /// The same to give back what it has, lost or not.
  void enter() { driver_.cuCtxSetCurrent(context_); }
  /// OK for 0, else what failed: "cuLaunchKernel of kernel 'step' failed: CUDA_ERROR_..." (kInternal;
  /// kResourceExhausted where memory ran out). `what` is empty or what the call was of.
  absl::Status check(CudaResult result, const char *call, std::string_view what = {});
  /// Returns when all is done that the stream was asked for. Its copies are not where they should be before Staging
  /// has seen to that.
  absl::Status synchronize(std::string_view what = {});

  /// Notes what the stream was asked to launch.
  void launched(const std::string &kernel) { lastKernel_ = kernel; }
  const std::string &lastKernel() const { return lastKernel_; }
  bool waitsForLaunches() const { return waitsForLaunches_; }
  bool isLost() const { return !lostBy_.empty(); }

private:
  CudaContext(const CudaDriver &driver, const CudaDeviceInfo &info, bool waitsForLaunches)
      : driver_(driver), info_(info), waitsForLaunches_(waitsForLaunches) {}
  std::string lastLaunch() const;
  absl::Status lostError(const std::string &text) const;

  const CudaDriver &driver_;
  const CudaDeviceInfo info_;
  const bool waitsForLaunches_;
  CudaContextHandle context_ = nullptr;
  CudaStream stream_ = nullptr;
  std::string lastKernel_;        ///< empty: none yet
  std::string lostBy_;            ///< the call and the error that lost the context; empty: it is there
  bool isMachineAtFault_ = false; ///< in that
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDACONTEXT_H
