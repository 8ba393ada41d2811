//===- CudaNeeds.h - What kernels get beside what a launch has ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDANEEDS_H
#define MLCRT_DEVICE_CUDA_CUDANEEDS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/kernel_needs.h"
#include "runtime/src/device/cuda/CudaContext.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// A descriptor (the driver's CUtensorMap), as the driver fills it.
struct alignas(64) CudaTensorMap {
  static constexpr size_t kWords = 16;
  int64_t words[kWords];
};
static_assert(sizeof(CudaTensorMap) == 128, "the driver's size");

/// What a kernel's image says that the kernel gets beside what a launch has (mlcrt/kernel_needs.h).
class CudaNeeds {
public:
  /// Reads it from an image that was loaded; most kernels need nothing. kInternal: what stands there is no such table,
  /// or an error of the driver; kFailedPrecondition: the driver makes no descriptors.
  static absl::StatusOr<CudaNeeds> read(CudaContext &context, CudaModule module, const std::string &kernel);

  /// Bytes of shared memory.
  int64_t sharedBytes() const { return sharedBytes_; }
  size_t numMaps() const { return maps_.size(); }
  /// The descriptors of tensors for a launch with these arguments; they stay until the next call. kInternal: the table
  /// asks for other arguments, or an error of the driver, such as for an address that is no multiple of 16.
  absl::StatusOr<const std::vector<CudaTensorMap> *> encode(CudaContext &context, const std::string &kernel,
                                                            const int64_t *arguments, int64_t count);

private:
  int64_t sharedBytes_ = 0;
  std::vector<mlcrt_tensor_map> maps_;
  std::vector<CudaTensorMap> encoded_;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDANEEDS_H
