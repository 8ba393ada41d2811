// The batches of a stream that are on their way. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_STREAMTABLE_H
#define MLCRT_INPUT_STREAMTABLE_H

#include "absl/status/statusor.h"
#include "runtime/src/input/ArrayTable.h"
#include "runtime/src/input/BatchSource.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mlcrt {

/// Rows of a stream by their number in it: a batch is there from when it was pulled until it is taken.
class StreamTable {
public:
  /// More rows than any stream has; sums of a few do not overflow.
  static constexpr int64_t kMostRows = int64_t{1} << 60;

  /// A batch, and the number of its first row.
  struct Chunk {
    ArrayTable table;
    int64_t firstRow = 0;
  };

  /// `features` as Dataset::open has them; `format` as ArrayTable::bind, copied. Usage errors as arrayParts.
  static absl::StatusOr<std::unique_ptr<StreamTable>>
  create(std::shared_ptr<BatchStream> stream, std::vector<TensorSpec> features, const InputFormat *format);

  const std::vector<ArrayPart> &parts() const { return parts_; }

  /// Pulls the next batch; its number of rows, 0 at the end of the stream. One thread at a time. Errors of the stream;
  /// data errors as ArrayTable::bind, which name the number of the batch, too.
  absl::StatusOr<int64_t> pull();
  /// Begins with the stream's first batch, and row 0, again; nothing if no batch was pulled yet. What was not taken is
  /// gone. kFailedPrecondition: the stream can be read once; errors of the stream.
  absl::Status rewind();
  /// Ends a pull that waits.
  void stop() { stream_->stop(); }
  /// The batch that begins with row `firstRow`, which was pulled; null: it was taken before.
  std::shared_ptr<const Chunk> take(int64_t firstRow);
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
  int64_t pulledRows_ = 0, pulledBatches_ = 0;
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<const Chunk>> chunks_; ///< by their first row
};

} // namespace mlcrt

#endif // MLCRT_INPUT_STREAMTABLE_H
