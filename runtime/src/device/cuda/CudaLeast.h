//===- CudaLeast.h - The less of two numbers in a GPU's memory ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDALEAST_H
#define MLCRT_DEVICE_CUDA_CUDALEAST_H

#include "absl/status/status.h"
#include "runtime/src/device/cuda/CudaContext.h"

namespace mlcrt {

/// A kernel by which error slots of several GPUs become one. It is in a module of its own: images have the kernels of
/// the model alone.
class CudaLeast {
public:
  explicit CudaLeast(CudaContext &context) : context_(context) {}
  ~CudaLeast();
  CudaLeast(const CudaLeast &) = delete;

  /// Asks the context's stream for it: the number of 64 bits at `number` becomes the one at `other` if that is less.
  /// Errors of the driver.
  absl::Status lower(CudaAddress number, CudaAddress other);

private:
  absl::Status load();

  CudaContext &context_;
  CudaModule module_ = nullptr; ///< null: not loaded yet
  CudaFunction kernel_ = nullptr;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDALEAST_H
