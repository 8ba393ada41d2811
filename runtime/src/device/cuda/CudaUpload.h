//===- CudaUpload.h - Copies to a GPU beside its work -------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDAUPLOAD_H
#define MLCRT_DEVICE_CUDA_CUDAUPLOAD_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/CudaContext.h"
#include "runtime/src/device/cuda/Staging.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

class CudaDevice;

/// A stream for copies, with pinned buffers of its own.
class CudaCopyStream {
public:
  static absl::StatusOr<std::unique_ptr<CudaCopyStream>> create(CudaContext &context);
  ~CudaCopyStream();
  CudaCopyStream(const CudaCopyStream &) = delete;

  /// Asks for a copy, which comes after what the context's stream was asked for if `afterWork`.
  absl::Status copy(const void *from, CudaAddress to, int64_t bytes, bool afterWork);
  /// Notes in the event that all copies were made that it was asked for until now.
  absl::Status mark(CudaEvent event);

private:
  explicit CudaCopyStream(CudaContext &context) : context_(context) {}

  CudaContext &context_;
  CudaStream stream_ = nullptr;
  CudaEvent work_ = nullptr; ///< what the context's stream was asked for
  std::unique_ptr<Staging> staging_;
};

/// Copies by the device's copy stream, to memory of its pool. An event is after them; the device's stream waits for it
/// when they are awaited.
class CudaUpload : public DeviceUpload {
public:
  explicit CudaUpload(CudaDevice &device) : device_(device) {}
  ~CudaUpload() override;

  void restart() override { next_ = 0; }
  absl::StatusOr<void *> bring(const void *from, int64_t bytes, int64_t alignment) override;
  absl::Status await() override;

private:
  CudaDevice &device_;
  std::vector<DeviceBytes> memory_; ///< of the copies, in their order
  size_t next_ = 0;
  CudaEvent made_ = nullptr; ///< when they are made; null: none was yet
  bool isPending_ = false;   ///< copies that nobody awaited
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDAUPLOAD_H
