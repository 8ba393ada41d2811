// Batches read ahead of the step by input threads. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_PREFETCHER_H
#define MLCRT_INPUT_PREFETCHER_H

#include "absl/status/statusor.h"
#include "runtime/src/input/BatchReader.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace mlcrt {

class RunObservation;

/// How far and with what a prefetcher reads ahead.
struct PrefetchOptions {
  /// Input threads; 0: the batch is read by whoever calls next().
  int threads = 1;
  /// Batches in flight, the consumer's included; >= 1 (>= 2 to read ahead).
  int slots = 3;
  /// Where the first batch begins.
  ReaderState start;
  /// Batches that come before that one; their numbers are ignored.
  std::vector<BatchRange> first;
  /// Says which batch comes next, or that none does, instead of the fields above and below; called by one thread at a
  /// time, without a lock, and may wait. `stopSource` makes it return.
  std::function<absl::StatusOr<std::optional<BatchRange>>()> source;
  std::function<void()> stopSource;
  /// Batches before the end; -1: no limit.
  int64_t maxBatches = -1;
  /// The sequence ends at the end of epoch `epochs - 1`; -1: no limit.
  int64_t epochs = -1;
  /// Gets the times of batches; null: nobody looks. Outlives the prefetcher.
  const RunObservation *observation = nullptr;
};

/// A bounded ring of batches. The sequence of batches and of errors is that of one thread, whatever the number of
/// threads. Input threads sleep while the ring is full. One consumer.
class Prefetcher {
public:
  /// Called on an input thread for each batch, before it is handed out: `slot` < slots is the ring's slot, so a caller
  /// can keep buffers per slot. Calls for different slots may overlap.
  using Prepare = std::function<absl::Status(int slot, Batch &batch)>;

  /// What next() hands out, until a later call gives it back. `batch` is null at the end of the sequence.
  struct Item {
    Batch *batch = nullptr;
    int slot = -1;
  };

  /// `reader` is copied; its data set must outlive this. `prepare` may be empty. Of a stream, `first`, `start` and
  /// `epochs` do not count, and a source says the number of the next batch alone.
  Prefetcher(const BatchReader &reader, const PrefetchOptions &options, Prepare prepare = {});
  /// Stops.
  ~Prefetcher();
  Prefetcher(const Prefetcher &) = delete;
  Prefetcher &operator=(const Prefetcher &) = delete;

  /// The next batch, in order. Gives the slots of those before back, but for the last `kept` < slots. An error is
  /// returned at its batch's turn, and again by every later call. After stop(): kCancelled.
  absl::StatusOr<Item> next(int kept = 0);

  /// The slot of the batch that next() would hand out without waiting; -1: there is none yet, or an error. It stays as
  /// it is until that batch was handed out.
  int readySlot();
  /// Batches that next() would hand out without waiting.
  int ready();

  /// Ends the input threads after the batches they work on, and joins them. May be called at any time, from any thread
  /// but an input thread, and again.
  void stop();

private:
  enum class SlotState { Free, Filling, Ready };
  struct Slot {
    Batch batch;
    absl::Status status;
    SlotState state = SlotState::Free;
  };

  bool atEnd() const;
  size_t slotOf(int64_t batch) const { return static_cast<size_t>(batch % static_cast<int64_t>(slots_.size())); }
  void readStream(StreamTable &stream);
  void run(int thread);
  bool isClaimable() const;
  /// Takes the next batch of the sequence; lets go of the lock while a source is asked. Nothing at the end.
  absl::StatusOr<std::optional<BatchRange>> claim(BatchReader &reader, std::unique_lock<std::mutex> &lock);
  absl::Status fillSlot(BatchReader &reader, int slot, const BatchRange &range);

  BatchReader reader_;
  PrefetchOptions options_;
  Prepare prepare_;
  std::vector<Slot> slots_;

  std::mutex mutex_;
  std::condition_variable slotFree_, slotReady_;
  ReaderState claimState_;
  int64_t claimed_ = 0, delivered_ = 0, givenBack_ = 0; ///< batches so far
  bool isAsking_ = false, hasEnded_ = false;            // of the source
  bool stopping_ = false, failed_ = false;
  absl::Status error_;
  std::mutex joinMutex_;
  std::vector<std::thread> threads_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_PREFETCHER_H
