// Batches read ahead of the step by input threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Prefetcher.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <system_error>

namespace mlcrt {

Prefetcher::Prefetcher(const BatchReader &reader, const PrefetchOptions &options, Prepare prepare)
    : reader_(reader), options_(options), prepare_(std::move(prepare)),
      slots_(static_cast<size_t>(std::max(options.slots, 1))), claimState_(reader.normalize(options.start)) {
  for (Slot &slot : slots_)
    reader_.prepare(slot.batch);
  for (int i = 0; i < options_.threads; ++i) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error &error) {
      if (threads_.empty())
        error_ = absl::ResourceExhaustedError(absl::StrCat("no thread for reading data: ", error.what()));
      break; // fewer threads give the same batches
    }
  }
}

Prefetcher::~Prefetcher() { stop(); }

bool Prefetcher::atEnd() const {
  return (options_.maxBatches >= 0 && claimed_ >= options_.maxBatches) ||
         (options_.epochs >= 0 && claimState_.epoch >= options_.epochs);
}

absl::Status Prefetcher::fillSlot(BatchReader &reader, int slot, ReaderState state, int64_t number) {
  Batch &batch = slots_[static_cast<size_t>(slot)].batch;
  batch.number_ = number;
  if (absl::Status status = reader.read(state, batch); !status.ok())
    return status;
  return prepare_ ? prepare_(slot, batch) : absl::OkStatus();
}

void Prefetcher::run() {
  BatchReader reader = reader_;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    auto slotOfNext = [this] { return static_cast<int>(claimed_ % static_cast<int64_t>(slots_.size())); };
    slotFree_.wait(lock, [&] {
      return stopping_ || failed_ || atEnd() || slots_[static_cast<size_t>(slotOfNext())].state == SlotState::Free;
    });
    if (stopping_ || failed_ || atEnd())
      return;
    const int index = slotOfNext();
    Slot &slot = slots_[static_cast<size_t>(index)];
    const ReaderState state = claimState_;
    const int64_t number = claimed_++;
    claimState_ = reader.normalize(reader.next(state));
    slot.state = SlotState::Filling;
    lock.unlock();
    absl::Status status = fillSlot(reader, index, state, number);
    lock.lock();
    failed_ = failed_ || !status.ok();
    slot.status = std::move(status);
    slot.state = SlotState::Ready;
    slotReady_.notify_all();
    if (failed_ || atEnd())
      slotFree_.notify_all();
  }
}

absl::StatusOr<Prefetcher::Item> Prefetcher::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (held_ >= 0) {
    slots_[static_cast<size_t>(held_)].state = SlotState::Free;
    held_ = -1;
    slotFree_.notify_one();
  }
  if (stopping_)
    return absl::CancelledError("reading was stopped");
  if (!error_.ok())
    return error_;
  if (delivered_ == claimed_ && atEnd())
    return Item{};
  const int index = static_cast<int>(delivered_ % static_cast<int64_t>(slots_.size()));
  Slot &slot = slots_[static_cast<size_t>(index)];
  if (options_.threads <= 0) {
    const ReaderState state = claimState_;
    claimState_ = reader_.normalize(reader_.next(state));
    slot.status = fillSlot(reader_, index, state, claimed_++);
    slot.state = SlotState::Ready;
  } else {
    slotReady_.wait(lock, [&] { return stopping_ || slot.state == SlotState::Ready; });
    if (stopping_)
      return absl::CancelledError("reading was stopped");
  }
  if (!slot.status.ok()) {
    error_ = slot.status;
    return error_;
  }
  ++delivered_;
  held_ = index;
  return Item{&slot.batch, index};
}

void Prefetcher::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  slotFree_.notify_all();
  slotReady_.notify_all();
  const std::lock_guard<std::mutex> lock(joinMutex_);
  for (std::thread &thread : threads_)
    if (thread.joinable())
      thread.join();
}

} // namespace mlcrt
