// Batches read ahead of the step by input threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Prefetcher.h"

#include "runtime/src/core/RunObservation.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <system_error>

namespace mlcrt {

Prefetcher::Prefetcher(const BatchReader &reader, const PrefetchOptions &options, Prepare prepare)
    : reader_(reader), options_(options), prepare_(std::move(prepare)),
      slots_(static_cast<size_t>(std::max(options.slots, 1))), claimState_(reader.normalize(options.start)) {
  if (StreamTable *stream = reader_.dataset().stream())
    readStream(*stream);
  for (Slot &slot : slots_)
    reader_.prepare(slot.batch);
  for (int i = 0; i < options_.threads; ++i) {
    try {
      threads_.emplace_back([this, i] { run(i); });
    } catch (const std::system_error &error) {
      if (threads_.empty())
        error_ = absl::ResourceExhaustedError(absl::StrCat("no thread for reading data: ", error.what()));
      break; // fewer threads give the same batches
    }
  }
}

Prefetcher::~Prefetcher() { stop(); }

/// A stream says itself which batch comes next; a source that there is says what its number is.
void Prefetcher::readStream(StreamTable &stream) {
  options_.source = [&stream, numbers = options_.source, most = options_.maxBatches,
                     next = BatchRange{}]() mutable -> absl::StatusOr<std::optional<BatchRange>> {
    if (numbers) {
      absl::StatusOr<std::optional<BatchRange>> range = numbers();
      if (!range.ok() || !*range)
        return range;
      next.number = (*range)->number;
    } else if (most >= 0 && next.number >= most) {
      return std::nullopt;
    }
    absl::StatusOr<StreamTable::Piece> piece = stream.next();
    if (!piece.ok())
      return piece.status();
    if (piece->rows == 0)
      return std::nullopt;
    BatchRange range = next;
    range.rows = piece->rows;
    range.chunk = std::move(piece->chunk);
    next.begin.position += range.rows;
    ++next.number;
    return range;
  };
  options_.stopSource = [&stream, stopNumbers = options_.stopSource] {
    if (stopNumbers)
      stopNumbers();
    stream.stop();
  };
}

bool Prefetcher::atEnd() const {
  if (options_.source)
    return hasEnded_;
  return (options_.maxBatches >= 0 && claimed_ >= options_.maxBatches) ||
         (options_.epochs >= 0 && claimState_.epoch >= options_.epochs &&
          claimed_ >= static_cast<int64_t>(options_.first.size()));
}

bool Prefetcher::isClaimable() const { return !isAsking_ && slots_[slotOf(claimed_)].state == SlotState::Free; }

absl::StatusOr<std::optional<BatchRange>> Prefetcher::claim(BatchReader &reader, std::unique_lock<std::mutex> &lock) {
  if (options_.source) {
    isAsking_ = true;
    lock.unlock();
    absl::StatusOr<std::optional<BatchRange>> range = options_.source();
    lock.lock();
    isAsking_ = false;
    if (range.ok() && !*range)
      hasEnded_ = true;
    else
      ++claimed_;
    return range;
  }
  BatchRange range;
  const int64_t number = claimed_++;
  if (number < static_cast<int64_t>(options_.first.size())) {
    range = options_.first[static_cast<size_t>(number)];
  } else {
    range.begin = claimState_;
    claimState_ = reader.normalize(reader.next(claimState_));
  }
  range.number = number;
  return range;
}

absl::Status Prefetcher::fillSlot(BatchReader &reader, int slot, const BatchRange &range) {
  const TimelineSpan span(options_.observation, "read");
  Batch &batch = slots_[static_cast<size_t>(slot)].batch;
  batch.number_ = range.number;
  batch.chunk_ = range.chunk;
  absl::Status status =
      range.rows > 0 ? reader.readRange(range.begin, range.rows, batch) : reader.read(range.begin, batch);
  if (!status.ok())
    return status;
  return prepare_ ? prepare_(slot, batch) : absl::OkStatus();
}

int Prefetcher::ready() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto count =
      std::count_if(slots_.begin(), slots_.end(), [](const Slot &slot) { return slot.state == SlotState::Ready; });
  return static_cast<int>(count - (delivered_ - givenBack_));
}

void Prefetcher::run(int thread) {
  const TimelineThread named(options_.observation, absl::StrCat("input ", thread));
  BatchReader reader = reader_;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    slotFree_.wait(lock, [&] { return stopping_ || failed_ || atEnd() || isClaimable(); });
    if (stopping_ || failed_ || atEnd())
      return;
    const int index = static_cast<int>(slotOf(claimed_));
    Slot &slot = slots_[static_cast<size_t>(index)];
    absl::StatusOr<std::optional<BatchRange>> range = claim(reader, lock);
    if (range.ok() && !*range) {
      slotReady_.notify_all();
      slotFree_.notify_all();
      return;
    }
    slot.state = SlotState::Filling;
    if (options_.source)
      slotFree_.notify_one();
    lock.unlock();
    absl::Status status = range.ok() ? fillSlot(reader, index, **range) : range.status();
    lock.lock();
    failed_ = failed_ || !status.ok();
    slot.status = std::move(status);
    slot.state = SlotState::Ready;
    slotReady_.notify_all();
    if (failed_ || atEnd())
      slotFree_.notify_all();
  }
}

absl::StatusOr<Prefetcher::Item> Prefetcher::next(int kept) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (; delivered_ - givenBack_ > kept; ++givenBack_) {
    slots_[slotOf(givenBack_)].state = SlotState::Free;
    slotFree_.notify_one();
  }
  if (stopping_)
    return absl::CancelledError("reading was stopped");
  if (!error_.ok())
    return error_;
  auto isDone = [this] { return delivered_ == claimed_ && atEnd(); };
  if (isDone())
    return Item{};
  const int index = static_cast<int>(slotOf(delivered_));
  Slot &slot = slots_[static_cast<size_t>(index)];
  if (options_.threads <= 0) {
    absl::StatusOr<std::optional<BatchRange>> range = claim(reader_, lock);
    if (range.ok() && !*range)
      return Item{};
    slot.status = range.ok() ? fillSlot(reader_, index, **range) : range.status();
    slot.state = SlotState::Ready;
  } else {
    slotReady_.wait(lock, [&] { return stopping_ || slot.state == SlotState::Ready || isDone(); });
    if (stopping_)
      return absl::CancelledError("reading was stopped");
    if (slot.state != SlotState::Ready)
      return Item{};
  }
  if (!slot.status.ok()) {
    error_ = slot.status;
    return error_;
  }
  ++delivered_;
  return Item{&slot.batch, index};
}

int Prefetcher::readySlot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t index = slotOf(delivered_);
  const Slot &slot = slots_[index];
  const bool isHeld = delivered_ - givenBack_ == static_cast<int64_t>(slots_.size());
  return !isHeld && slot.state == SlotState::Ready && slot.status.ok() && error_.ok() ? static_cast<int>(index) : -1;
}

void Prefetcher::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  if (options_.stopSource)
    options_.stopSource();
  slotFree_.notify_all();
  slotReady_.notify_all();
  const std::lock_guard<std::mutex> lock(joinMutex_);
  for (std::thread &thread : threads_)
    if (thread.joinable())
      thread.join();
}

} // namespace mlcrt
