//===- CudaDownload.h - Copies from a GPU that nothing waits for but who reads them -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDADOWNLOAD_H
#define MLCRT_DEVICE_CUDA_CUDADOWNLOAD_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/device/cuda/CudaDriver.h"

#include <cstdint>

namespace mlcrt {

class CudaDevice;

/// Copies by the device's stream to pinned memory, which grows to the largest one, and an event after them.
class CudaDownload : public DeviceDownload {
public:
  explicit CudaDownload(CudaDevice &device) : device_(device) {}
  ~CudaDownload() override;
  CudaDownload(const CudaDownload &) = delete;

  absl::Status ask(const void *from, int64_t bytes) override;
  absl::StatusOr<const char *> wait() override;

private:
  absl::Status finish();

  CudaDevice &device_;
  void *memory_ = nullptr; ///< pinned
  int64_t size_ = 0;
  CudaEvent made_ = nullptr; ///< when the copy is made; null: none was asked for yet
  bool isPending_ = false;   ///< a copy that nobody waited for
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDADOWNLOAD_H
