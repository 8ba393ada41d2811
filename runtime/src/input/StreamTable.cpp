// The batches of a stream.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/StreamTable.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

BatchStream::~BatchStream() = default;

absl::Status BatchStream::rewind() { return absl::FailedPreconditionError(name() + " can be read once"); }

absl::StatusOr<std::unique_ptr<StreamTable>>
StreamTable::create(std::shared_ptr<BatchStream> stream, std::vector<TensorSpec> features, const InputFormat *format) {
  absl::StatusOr<std::vector<ArrayPart>> parts = arrayParts(features);
  if (!parts.ok())
    return parts.status();
  std::unique_ptr<StreamTable> table(new StreamTable(std::move(stream), std::move(features), *std::move(parts)));
  if (format)
    table->format_ = *format;
  return table;
}

absl::StatusOr<StreamTable::Piece> StreamTable::next() {
  const int64_t most = stream_->batchRows();
  if (!chunk_) {
    absl::StatusOr<std::shared_ptr<const MemoryArrays>> arrays = stream_->next();
    if (!arrays.ok())
      return arrays.status();
    if (!*arrays)
      return Piece();
    MemoryArrays named = **arrays;
    ++pulled_;
    named.name = most > 0 ? absl::StrCat(name_, ": rows from ", pulledRows_ + 1, " on")
                          : absl::StrCat(name_, ": batch ", pulled_);
    auto chunk = std::make_shared<Chunk>(Chunk{ArrayTable::ofMemory(named, ArrayTable::Checksum::None), pulledRows_});
    if (absl::Status status = chunk->table.bind(features_, format_ ? &*format_ : nullptr); !status.ok())
      return status;
    pulledRows_ += chunk->table.rows();
    chunk_ = std::move(chunk);
  }
  Piece piece{chunk_, pulledRows_ - givenRows_};
  if (most > 0)
    piece.rows = std::min(piece.rows, most);
  givenRows_ += piece.rows;
  if (givenRows_ == pulledRows_)
    chunk_ = nullptr;
  return piece;
}

absl::Status StreamTable::rewind() {
  if (pulled_ == 0)
    return absl::OkStatus();
  if (absl::Status status = stream_->rewind(); !status.ok())
    return status;
  pulled_ = pulledRows_ = givenRows_ = 0;
  chunk_ = nullptr;
  return absl::OkStatus();
}

} // namespace mlcrt
