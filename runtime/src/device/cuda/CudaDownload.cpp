//===- CudaDownload.cpp - Copies from a GPU that nothing waits for but who reads them -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaDownload.h"

#include "runtime/src/device/cuda/CudaDevice.h"

#include <utility>

namespace mlcrt {

CudaDownload::~CudaDownload() {
  // What is on its way comes to the memory.
  static_cast<void>(finish());
  device_.destroyEvent(made_);
  device_.freePinned(memory_);
}

absl::Status CudaDownload::finish() {
  return std::exchange(isPending_, false) ? device_.waitFor(made_) : absl::OkStatus();
}

absl::Status CudaDownload::ask(const void *from, int64_t bytes) {
  if (bytes > size_) {
    if (absl::Status status = finish(); !status.ok())
      return status;
    device_.freePinned(std::exchange(memory_, nullptr));
    size_ = 0;
    absl::StatusOr<void *> memory = device_.allocatePinned(bytes);
    if (!memory.ok())
      return memory.status();
    memory_ = *memory;
    size_ = bytes;
  }
  absl::Status status = device_.copyBack(from, memory_, bytes, made_);
  isPending_ = made_ != nullptr;
  return status;
}

absl::StatusOr<const char *> CudaDownload::wait() {
  if (absl::Status status = finish(); !status.ok())
    return status;
  return static_cast<const char *>(memory_);
}

} // namespace mlcrt
