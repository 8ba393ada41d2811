// Batches of a data set by number or from a state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/BatchReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

BatchReader::BatchReader(const Dataset &dataset, const BatchOptions &options)
    : dataset_(&dataset), options_(options), order_(dataset.size(), options.seed, options.shuffle) {}

int64_t BatchReader::batchesPerEpoch() const {
  return options_.dropRemainder ? dataset_->size() / options_.batchSize
                                : (dataset_->size() + options_.batchSize - 1) / options_.batchSize;
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
  dataset_->prepare(batch, std::min(options_.batchSize, dataset_->size()));
}

absl::Status BatchReader::read(ReaderState state, Batch &batch) {
  if (batchesPerEpoch() == 0)
    return usageError("", data_code::kEmpty,
                      absl::StrCat("the data has ", dataset_->size(),
                                   " rows, drop_remainder is set, and batch_size is ", options_.batchSize),
                      absl::StrCat("a batch_size of at most ", dataset_->size()));
  state = normalize(state);
  const ReaderState after = next(state);
  batch.before_ = state;
  batch.after_ = normalize(after);
  batch.records_.clear();
  for (int64_t position = state.position; position < after.position; ++position)
    batch.records_.push_back(order_.record(state.epoch, position));
  return dataset_->fill(batch);
}

} // namespace mlcrt
