// Batches of a data set by number or from a state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/BatchReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

BatchReader::BatchReader(const Dataset &dataset, const BatchOptions &options)
    : dataset_(&dataset), options_(options), order_(dataset.size(), options.seed, options.shuffle) {}

int64_t BatchReader::batchesLeft(ReaderState state) const {
  const int64_t rows = dataset_->size() - state.position;
  return options_.dropRemainder ? rows / options_.batchSize : (rows + options_.batchSize - 1) / options_.batchSize;
}

int64_t BatchReader::batchesPerEpoch() const { return batchesLeft({0, 0}); }

ReaderState BatchReader::skip(ReaderState state, int64_t batches) const {
  state = normalize(state);
  const int64_t left = batchesLeft(state), perEpoch = batchesPerEpoch();
  if (batches < left)
    return {state.epoch, state.position + batches * options_.batchSize};
  batches -= left;
  return {state.epoch + 1 + batches / perEpoch, batches % perEpoch * options_.batchSize};
}

ReaderState BatchReader::stateOf(int64_t number) const {
  const int64_t batches = batchesPerEpoch();
  return {number / batches, number % batches * options_.batchSize};
}

ReaderState BatchReader::normalize(ReaderState state) const {
  const int64_t left = dataset_->size() - state.position;
  const bool hasBatch = left >= options_.batchSize || (left > 0 && !options_.dropRemainder);
  return hasBatch || state.position == 0 ? state : ReaderState{state.epoch + 1, 0};
}

ReaderState BatchReader::next(ReaderState state) const {
  return {state.epoch, std::min(state.position + options_.batchSize, dataset_->size())};
}

void BatchReader::prepare(Batch &batch) const {
  dataset_->prepare(batch, std::min(std::max(options_.batchSize, options_.maxRows), dataset_->size()));
}

absl::Status BatchReader::read(ReaderState state, Batch &batch) {
  if (batchesPerEpoch() == 0)
    return usageError("", data_code::kEmpty,
                      absl::StrCat("the data has ", dataset_->size(),
                                   " rows, drop_remainder is set, and batch_size is ", options_.batchSize),
                      absl::StrCat("a batch_size of at most ", dataset_->size()));
  state = normalize(state);
  return readRange(state, rowsAt(state), batch);
}

absl::Status BatchReader::readRange(ReaderState state, int64_t rows, Batch &batch) {
  if (rows < 1 || state.epoch < 0 || state.position < 0 || state.position > dataset_->size() - rows ||
      (!dataset_->stream() && rows > std::max(options_.batchSize, options_.maxRows)))
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", rows, " rows from example ", state.position,
                                                   " of epoch ", state.epoch, ": an epoch has ", dataset_->size()));
  batch.before_ = state;
  batch.after_ = normalize({state.epoch, state.position + rows});
  batch.records_.clear();
  for (int64_t position = state.position; position < state.position + rows; ++position)
    batch.records_.push_back(order_.record(state.epoch, position));
  return dataset_->fill(batch);
}

} // namespace mlcrt
