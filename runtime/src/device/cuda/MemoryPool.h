//===- MemoryPool.h - Memory of a device, handed out in parts of few large pieces ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_MEMORYPOOL_H
#define MLCRT_DEVICE_CUDA_MEMORYPOOL_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace mlcrt {

/// Where a pool gets its pieces.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  /// The address of `bytes` > 0 bytes, 0 if there is not that much; other errors of the device.
  virtual absl::StatusOr<uint64_t> take(int64_t bytes) = 0;
  /// Gives a piece back that nothing uses, nor will use for what was asked for before.
  virtual void give(uint64_t address) = 0;
  /// Bytes that anyone may still take, and all that there are; -1: not known.
  virtual std::pair<int64_t, int64_t> freeAndTotal() = 0;
};

/// Parts of pieces, the smallest that fits. A part that was given back is handed out again at once: this is right for
/// devices that do in order what they are asked for. Parts and their neighbours are kept on the host; no address is
/// read. Not for several threads at once.
class MemoryPool {
public:
  /// Parts begin at multiples of this.
  static constexpr int64_t kGrain = 256;
  /// The size of the first piece, and of the largest one that is taken for more than one part. Between them a piece is
  /// as large as all before it.
  static constexpr int64_t kFirstPiece = int64_t{64} << 20, kLargestPiece = int64_t{1} << 30;

  /// `limit`: bytes of all pieces; `limitName` is what a user sets it by.
  MemoryPool(MemorySource &source, int64_t limit, const char *limitName)
      : source_(source), limit_(limit), limitName_(limitName) {}
  /// Gives all pieces back, parts that are in use included.
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;

  /// `bytes` >= 0, `alignment` a power of two. kResourceExhausted: the source or the limit has no more; the message
  /// says what was asked for, what is held and in use, and what is free. Errors of the source.
  absl::StatusOr<void *> allocate(int64_t bytes, int64_t alignment);
  /// Of null nothing. False: no part begins there.
  bool free(void *memory);

  int64_t held() const { return held_; }   ///< bytes of pieces
  int64_t limit() const { return limit_; } ///< that they have at most
  int64_t used() const { return used_; }   ///< bytes of parts
  int64_t numPieces() const { return static_cast<int64_t>(pieces_.size()); }

private:
  struct Part {
    int64_t bytes;
    bool isFree;
    bool beginsPiece; ///< the part before it is of another piece
  };
  using Parts = std::map<uint64_t, Part>;

  /// A part for `bytes` and alignment from what is free; 0: none fits.
  uint64_t find(int64_t bytes, int64_t alignment);
  /// Takes another piece with room for `bytes`. False: there is none.
  absl::StatusOr<bool> grow(int64_t bytes);
  absl::StatusOr<bool> takePiece(int64_t bytes);
  /// Gives back the pieces that no part in use is of.
  void giveUnused();
  /// Cuts a part in two; returns the second one.
  Parts::iterator cut(Parts::iterator part, int64_t bytes);
  void setFree(Parts::iterator part, bool isFree);
  absl::Status ranOut(int64_t bytes);

  MemorySource &source_;
  const int64_t limit_;
  const char *const limitName_;
  Parts parts_;                                 ///< by address
  std::set<std::pair<int64_t, uint64_t>> free_; ///< size and address of the free ones
  /// What the source gave, by the address of its first part: the source's address, bytes.
  std::map<uint64_t, std::pair<uint64_t, int64_t>> pieces_;
  int64_t held_ = 0, used_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_MEMORYPOOL_H
