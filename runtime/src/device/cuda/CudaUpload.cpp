//===- CudaUpload.cpp - Copies to a GPU beside its work -----------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaUpload.h"

#include "runtime/src/device/cuda/CudaDevice.h"

namespace mlcrt {

/// A stream that does not wait for the default stream, and events that measure no time.
static constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2;

absl::StatusOr<std::unique_ptr<CudaCopyStream>> CudaCopyStream::create(CudaContext &context) {
  const CudaDriver &driver = context.driver();
  std::unique_ptr<CudaCopyStream> copies(new CudaCopyStream(context));
  if (absl::Status status = context.check(driver.cuStreamCreate(&copies->stream_, kStreamNonBlocking), "cuStreamCreate",
                                          "a stream for copies");
      !status.ok())
    return status;
  if (absl::Status status = context.check(driver.cuEventCreate(&copies->work_, kEventDisableTiming), "cuEventCreate");
      !status.ok())
    return status;
  copies->staging_ = std::make_unique<Staging>(context, copies->stream_);
  return copies;
}

CudaCopyStream::~CudaCopyStream() {
  const CudaDriver &driver = context_.driver();
  if (stream_)
    static_cast<void>(driver.cuStreamSynchronize(stream_)); // the buffers are read until then
  staging_.reset();
  if (work_)
    driver.cuEventDestroy_v2(work_);
  if (stream_)
    driver.cuStreamDestroy_v2(stream_);
}

absl::Status CudaCopyStream::copy(const void *from, CudaAddress to, int64_t bytes, bool afterWork) {
  const CudaDriver &driver = context_.driver();
  if (afterWork) {
    if (absl::Status status = context_.check(driver.cuEventRecord(work_, context_.stream()), "cuEventRecord");
        !status.ok())
      return status;
    if (absl::Status status = context_.check(driver.cuStreamWaitEvent(stream_, work_, 0), "cuStreamWaitEvent");
        !status.ok())
      return status;
  }
  return staging_->toDevice(from, to, bytes);
}

absl::Status CudaCopyStream::mark(CudaEvent event) {
  return context_.check(context_.driver().cuEventRecord(event, stream_), "cuEventRecord");
}

CudaUpload::~CudaUpload() {
  // What is on its way comes to memory that others get after this.
  if (isPending_)
    static_cast<void>(await());
  device_.destroyEvent(made_);
}

absl::StatusOr<void *> CudaUpload::bring(const void *from, int64_t bytes, int64_t alignment) {
  if (next_ == memory_.size())
    memory_.emplace_back();
  DeviceBytes &memory = memory_[next_];
  // Memory that someone had before may be in use by what the device was asked for.
  const bool isNew = memory.size() < bytes;
  if (isNew && isPending_)
    if (absl::Status status = await(); !status.ok())
      return status;
  if (absl::Status status = memory.reserve(device_, bytes, alignment); !status.ok())
    return status;
  if (absl::Status status = device_.copyAhead(from, memory.data(), bytes, isNew, made_); !status.ok())
    return status;
  isPending_ = true;
  ++next_;
  return memory.data();
}

absl::Status CudaUpload::await() {
  isPending_ = false;
  return device_.awaitEvent(made_);
}

} // namespace mlcrt
