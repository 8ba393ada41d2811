//===- CudaConditions.h - What decides for conditional nodes of graphs --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDACONDITIONS_H
#define MLCRT_DEVICE_CUDA_CUDACONDITIONS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/device/cuda/CudaContext.h"

namespace mlcrt {

/// The kernel that tells the conditional nodes of graphs what a byte of the device's memory says. It calls a function
/// that the driver has where it has such nodes, and is in a module of its own, as the driver refuses one with a
/// function that it does not know.
class CudaConditions {
public:
  explicit CudaConditions(CudaContext &context) : context_(context) {}
  ~CudaConditions();
  CudaConditions(const CudaConditions &) = delete;

  /// The kernel, one thread of it: (address of the byte, handle of side 1, handle of side 2, sides: of 1, 2 or both);
  /// side 1 is told whether the byte is not 0, side 2 whether it is. kUnimplemented: the driver or the GPU has no such
  /// nodes, or not this function; errors of the driver.
  absl::StatusOr<CudaFunction> kernel();

private:
  absl::Status load();
  CudaResult tryNode();

  CudaContext &context_;
  CudaModule module_ = nullptr; ///< null: not loaded yet, or it cannot be
  CudaFunction kernel_ = nullptr;
  absl::Status status_; ///< why it cannot be
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDACONDITIONS_H
