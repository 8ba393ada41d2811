// Batches of a data set by number or from a state. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_BATCHREADER_H
#define MLCRT_INPUT_BATCHREADER_H

#include "absl/status/status.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/Dataset.h"
#include "runtime/src/input/ExampleOrder.h"

#include <cstdint>
#include <memory>

namespace mlcrt {

/// How examples become batches.
struct BatchOptions {
  /// Rows of a batch, >= 1.
  int64_t batchSize = 128;
  /// Drops the short batch at the end of an epoch.
  bool dropRemainder = false;
  bool shuffle = false;
  uint64_t seed = 0;
  /// Rows of the largest batch that is read by its range, if it is larger.
  int64_t maxRows = 0;
};

/// A batch by its place in the order of examples, and its number in a run.
struct BatchRange {
  ReaderState begin;
  int64_t rows = 0;
  int64_t number = 0;
  std::shared_ptr<const void> chunk = nullptr; ///< of a stream: what holds the rows
};

/// Reads batches. A value that refers to the data set; batches do not depend on what was read before. One reader per
/// thread.
class BatchReader {
public:
  BatchReader(const Dataset &dataset, const BatchOptions &options);

  /// Batches of an epoch that begins at position 0; 0 if there is no whole batch and dropRemainder is set, or no
  /// record.
  int64_t batchesPerEpoch() const;
  /// The state before global batch `number` of a run that begins at {0, 0}. Needs batchesPerEpoch() > 0.
  ReaderState stateOf(int64_t number) const;
  /// Where the batch after `state` begins: `state`, or the start of the next epoch if `state` has no batch left.
  ReaderState normalize(ReaderState state) const;
  /// The state after the batch that begins at the normalized `state`.
  ReaderState next(ReaderState state) const;

  /// The normalized state after `batches` batches from `state`.
  ReaderState skip(ReaderState state, int64_t batches) const;
  /// Rows of the batch that begins at the normalized `state`.
  int64_t rowsAt(ReaderState state) const { return next(state).position - state.position; }

  /// Makes room in `batch` for this reader's batches.
  void prepare(Batch &batch) const;
  /// Reads the batch that begins at `state` into `batch`, prepared before. Allocates nothing but what strings with
  /// doubled quotes need beyond earlier batches. Data errors: a row that does not parse; no record at all.
  absl::Status read(ReaderState state, Batch &batch);
  /// The same for `rows` rows from `state`, as they are; kInvalidArgument if an epoch has not that many, or the batch
  /// no room; of a stream a batch has room for any number.
  absl::Status readRange(ReaderState state, int64_t rows, Batch &batch);

  const Dataset &dataset() const { return *dataset_; }
  const BatchOptions &options() const { return options_; }

private:
  int64_t batchesLeft(ReaderState state) const;
  const Dataset *dataset_;
  BatchOptions options_;
  ExampleOrder order_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_BATCHREADER_H
