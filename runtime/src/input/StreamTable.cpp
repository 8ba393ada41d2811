// The batches of a stream that are on their way.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/StreamTable.h"

#include "absl/strings/str_cat.h"

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

absl::StatusOr<int64_t> StreamTable::pull() {
  absl::StatusOr<std::shared_ptr<const MemoryArrays>> arrays = stream_->next();
  if (!arrays.ok())
    return arrays.status();
  if (!*arrays)
    return 0;
  MemoryArrays named = **arrays;
  named.name = absl::StrCat(name_, ": batch ", ++pulledBatches_);
  auto chunk = std::make_shared<Chunk>(Chunk{ArrayTable::ofMemory(named, ArrayTable::Checksum::None), pulledRows_});
  if (absl::Status status = chunk->table.bind(features_, format_ ? &*format_ : nullptr); !status.ok())
    return status;
  const int64_t rows = chunk->table.rows();
  pulledRows_ += rows;
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t firstRow = chunk->firstRow;
  chunks_.emplace(firstRow, std::move(chunk));
  return rows;
}

absl::Status StreamTable::rewind() {
  if (pulledBatches_ == 0)
    return absl::OkStatus();
  if (absl::Status status = stream_->rewind(); !status.ok())
    return status;
  pulledRows_ = pulledBatches_ = 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  chunks_.clear();
  return absl::OkStatus();
}

std::shared_ptr<const StreamTable::Chunk> StreamTable::take(int64_t firstRow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = chunks_.find(firstRow);
  if (found == chunks_.end())
    return nullptr;
  std::shared_ptr<const Chunk> chunk = std::move(found->second);
  chunks_.erase(found);
  return chunk;
}

} // namespace mlcrt
