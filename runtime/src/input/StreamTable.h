// The batches of a stream. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_STREAMTABLE_H
#define MLCRT_INPUT_STREAMTABLE_H

#include "absl/status/statusor.h"
#include "runtime/src/input/ArrayTable.h"
#include "runtime/src/input/BatchSource.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

/// Gives the batches of a stream; rows have their number in it.
class StreamTable {
public:
  /// More rows than any stream has; sums of a few do not overflow.
  static constexpr int64_t kMostRows = int64_t{1} << 60;

  /// What the stream gave at once, and the number of its first row.
  struct Chunk {
    ArrayTable table;
    int64_t firstRow = 0;
  };
  /// Rows of a chunk that are a batch.
  struct Piece {
    std::shared_ptr<const Chunk> chunk;
    int64_t rows = 0;
  };

  /// `features` as Dataset::open has them; `format` as ArrayTable::bind, copied. Usage errors as arrayParts.
  static absl::StatusOr<std::unique_ptr<StreamTable>>
  create(std::shared_ptr<BatchStream> stream, std::vector<TensorSpec> features, const InputFormat *format);

  const std::vector<ArrayPart> &parts() const { return parts_; }

  /// The batch after the last one; without rows at the end of the stream. One thread at a time. Errors of the stream;
  /// data errors as ArrayTable::bind, which name the number of the batch, or the rows, too.
  absl::StatusOr<Piece> next();
  /// Begins with the stream's first batch, and row 0, again; nothing if there was no batch yet. kFailedPrecondition:
  /// the stream can be read once; errors of the stream.
  absl::Status rewind();
  /// Ends a call of next() that waits.
  void stop() { stream_->stop(); }
  /// "NAME: record N", N from 1 on.
  Origin where(int64_t row) const { return {name_, 0, 0, row + 1}; }

private:
  StreamTable(std::shared_ptr<BatchStream> stream, std::vector<TensorSpec> features, std::vector<ArrayPart> parts)
      : stream_(std::move(stream)), name_(stream_->name()), features_(std::move(features)), parts_(std::move(parts)) {}

  const std::shared_ptr<BatchStream> stream_;
  const std::string name_;
  const std::vector<TensorSpec> features_;
  const std::vector<ArrayPart> parts_;
  std::optional<InputFormat> format_;
  int64_t pulled_ = 0, pulledRows_ = 0; ///< chunks, and their rows
  std::shared_ptr<const Chunk> chunk_;  ///< the last one, while it has rows that were not given
  int64_t givenRows_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_STREAMTABLE_H
