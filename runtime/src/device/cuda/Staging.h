//===- Staging.h - Copies between a GPU and host memory, by pinned buffers ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_STAGING_H
#define MLCRT_DEVICE_CUDA_STAGING_H

#include "absl/status/status.h"
#include "runtime/src/device/cuda/CudaContext.h"

#include <cstdint>
#include <vector>

namespace mlcrt {

/// The driver copies pageable host memory while the caller waits, and small pieces of it slowly. So copies go through a
/// few buffers of pinned memory: what goes to the GPU is put there at once and copied in the order of the stream, what
/// comes from it is taken out when the stream has been there. Buffers are filled in turn, small copies side by side;
/// one that is full is waited for when its turn comes again. Large copies so go in parts, of which the host copies one
/// while the GPU copies the other.
class Staging {
public:
  static constexpr int kBuffers = 2;
  static constexpr int64_t kBufferBytes = int64_t{4} << 20;

  /// Copies go to `stream`, one of the context's. Memory is taken at the first copy.
  Staging(CudaContext &context, CudaStream stream) : context_(context), stream_(stream) {}
  ~Staging();
  Staging(const Staging &) = delete;

  /// Host memory may change when the call is back.
  absl::Status toDevice(const void *from, CudaAddress to, int64_t bytes);
  /// Host memory has the bytes after finish(), at the latest.
  absl::Status fromDevice(CudaAddress from, void *to, int64_t bytes);
  /// Whether any of these bytes are on their way from the device.
  bool isAwaited(const void *begin, int64_t bytes) const;
  bool isAnyAwaited() const;
  /// When the stream has done all that it was asked for: takes out what came from the device. All buffers are empty.
  void finish();
  /// When the stream has failed: what was to come does not.
  void drop();

private:
  /// Bytes that came to a buffer, and where they go.
  struct Arrival {
    int64_t offset;
    void *to;
    int64_t bytes;
  };
  struct Buffer {
    char *memory = nullptr;
    CudaEvent event = nullptr;
    int64_t used = 0;
    bool isFull = false; ///< `event` is after its copies in the stream
    std::vector<Arrival> arrivals;
  };

  absl::Status takeMemory();
  /// The current buffer, with room for a byte at least.
  absl::Status makeRoom();
  static void empty(Buffer &buffer);

  CudaContext &context_;
  const CudaStream stream_;
  Buffer buffers_[kBuffers];
  int current_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_STAGING_H
