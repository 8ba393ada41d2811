//===- Environment.h - What the `env` pointer of compiled code is: pool, tables and the step's error ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ENVIRONMENT_H
#define MLCRT_CORE_ENVIRONMENT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Arena.h"
#include "runtime/src/core/LookupTables.h"
#include "runtime/src/core/Queue.h"
#include "runtime/src/core/StateFiles.h"
#include "runtime/src/core/StepSignals.h"
#include "runtime/src/core/ThreadPool.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

class Devices;

/// Why a step failed.
struct StepError {
  int32_t code = MLCRT_INTERNAL; ///< mlcrt_code
  int64_t row = -1;              ///< row of the batch at fault, or -1
  std::string message;
  std::string expected{}; ///< what would have been right, or empty
  std::string feature{};  ///< name of the feature at fault, or empty
  /// Of an error that no mlcrt_code tells apart, of a device or so; kOk: the one that follows from `code`.
  absl::StatusCode status = absl::StatusCode::kOk;
};

/// INTERNAL -> kInternal, INVALID_ARGUMENT -> kInvalidArgument, DATA_ERROR -> kDataLoss, OUT_OF_RANGE -> kOutOfRange,
/// CANCELLED -> kCancelled; the parts travel as a payload.
absl::Status toStatus(const StepError &error);
/// The parts that toStatus put into `status`; of another status the message, without a row.
StepError stepErrorOf(const absl::Status &status);

/// Lowers an error slot (abi.h) to `error`, if that is less.
void lowerErrorSlot(std::atomic<uint64_t> &slot, uint64_t error);

/// Runs called segments of an entry for code of others (services intermediate_set to intermediate_get).
class SegmentCaller {
public:
  virtual ~SegmentCaller() = default;
  /// Copies a tensor to an intermediate. kInternal: there is none of that name, or it has other dims in this call.
  virtual absl::Status setIntermediate(const char *name, const int64_t *dims, const void *data) = 0;
  /// kInternal: the entry has no such segment; errors of the segment are reported to the environment: its code.
  virtual absl::StatusOr<int32_t> callSegment(const char *name) = 0;
  /// kInternal: there is none of that name.
  virtual absl::StatusOr<TensorView> intermediate(const char *name) = 0;
};

/// One per EntryRunner. Services may be called from all threads of a segment at once.
class Environment {
public:
  /// `tables` and `queues` may be null if the artifact has none, `files` if it may use none.
  Environment(ThreadPool &pool, const LookupTables *tables, Queues *queues = nullptr, const StateFiles *files = nullptr)
      : pool_(pool), tables_(tables), queues_(queues), files_(files) {}

  ThreadPool &pool() const { return pool_; }
  const LookupTables *tables() const { return tables_; }
  Queues *queues() const { return queues_; }
  const StateFiles *files() const { return files_; }
  /// Null where nothing can be called.
  SegmentCaller *caller() const { return caller_; }
  void useCaller(SegmentCaller &caller) { caller_ = &caller; }
  /// What the thread that runs the segment is about to put into a queue, and what it took out last.
  Queue::Element &staged() { return staged_; }
  Queue::Element &taken() { return taken_; }

  /// Memory of the call's temporaries whose size only the call knows; for the thread that runs the segment.
  Arena &arena() { return arena_; }

  /// Bytes of the strings that the call makes, which loops do not give back: those of useTexts, or the environment's
  /// own.
  Arena &texts() { return *texts_; }
  Arena &ownTexts() { return ownTexts_; }
  void useTexts(Arena &texts) { texts_ = &texts; }

  /// Tensors that are about to be saved or loaded, and those that were loaded last.
  std::vector<NamedTensor> &stagedFile() { return stagedFile_; }
  std::vector<NamedTensor> &loadedFile() { return loadedFile_; }

  /// What the segment that runs says goes to `signals`, if there are any.
  void setSignals(const mlcrt_segment *segment, StepSignals *signals) {
    segment_ = segment;
    signals_ = signals;
  }
  int32_t await(int64_t operand);
  void done(int64_t operand) {
    if (signals_)
      signals_->done(segment_->operands[operand].index);
  }
  /// Why an await failed, which is then forgotten.
  absl::Status takeAwaited() { return std::exchange(awaited_, absl::OkStatus()); }

  /// The devices that the artifact's segments work on; null: it has none.
  Devices *devices() const { return devices_; }
  void useDevices(Devices &devices) { devices_ = &devices; }

  /// Added to every reported row: where a virtual shard begins in its batch.
  void setRowBase(int64_t base) { rowBase_ = base; }
  /// Records an error and returns its code. Of several, the one with the lowest row stays (one without a row gives way
  /// to one with a row; of equal rows the lesser text), so the outcome does not depend on threads. It lowers the error
  /// slot, too.
  int32_t report(StepError error);
  /// The call's error slot (abi.h), which compiled code lowers.
  std::atomic<uint64_t> &errorSlot() { return slot_; }
  /// The error of the slot, which then has none. `checks` are the artifact's.
  std::optional<StepError> take(const mlcrt_artifact *table = nullptr);

private:
  ThreadPool &pool_;
  const LookupTables *tables_;
  Queues *queues_;
  const StateFiles *files_;
  SegmentCaller *caller_ = nullptr;
  Queue::Element staged_, taken_;
  std::vector<NamedTensor> stagedFile_, loadedFile_;
  Arena arena_, ownTexts_;
  Arena *texts_ = &ownTexts_;
  const mlcrt_segment *segment_ = nullptr;
  StepSignals *signals_ = nullptr;
  absl::Status awaited_;
  int64_t rowBase_ = 0;
  Devices *devices_ = nullptr;
  std::atomic<uint64_t> slot_{MLCRT_NO_ERROR};
  static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(slot_) == sizeof(uint64_t));
  std::mutex mutex_;
  bool hasText_ = false; ///< error_ was reported
  StepError error_;      ///< its row is of the call
};

} // namespace mlcrt

#endif // MLCRT_CORE_ENVIRONMENT_H
