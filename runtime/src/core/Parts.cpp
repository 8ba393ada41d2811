// The other parts of an entry that is placed on several devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Parts.h"

namespace mlcrt {

std::unique_ptr<OtherParts> OtherParts::create(Program &program, const mlcrt_entry &entry, int threads) {
  const mlcrt_artifact &table = program.artifact().table();
  std::unique_ptr<OtherParts> others;
  for (int64_t p = 0; p < table.num_parts; ++p) {
    const mlcrt_part &part = table.parts[p];
    if (&table.entries[part.entry] != &entry || part.part == part.entry)
      continue;
    if (!others)
      others.reset(new OtherParts(program, entry));
    others->parts_.push_back(std::make_unique<Part>(program, table.entries[part.part], threads));
  }
  if (others)
    for (std::unique_ptr<Part> &part : others->parts_)
      part->thread = std::thread([owner = others.get(), one = part.get()] { owner->serve(*one); });
  return others;
}

OtherParts::~OtherParts() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::unique_ptr<Part> &part : parts_)
    part->thread.join();
}

void OtherParts::serve(Part &part) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (uint64_t done = 0;;) {
    changed_.wait(lock, [&] { return stopped_ || run_ != done; });
    if (stopped_)
      return;
    done = run_;
    lock.unlock();
    absl::Status status = part.runner.run(*batch_, context_);
    if (!status.ok())
      note(status);
    lock.lock();
    if (--running_ == 0)
      changed_.notify_all();
  }
}

void OtherParts::start(const BatchView &batch, const CallContext &context) {
  turn_ = std::unique_lock<std::mutex>(program_.turnOf(entry_));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    batch_ = &batch;
    context_ = context;
    running_ = parts_.size();
    first_ = absl::OkStatus();
    ++run_;
  }
  changed_.notify_all();
}

void OtherParts::note(const absl::Status &status) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!first_.ok())
      return;
    first_ = status;
  }
  // Another part may wait for what this one does not do any more: for a message, or for an element of a queue.
  program_.queues().cancelAll();
}

absl::Status OtherParts::finish(absl::Status own) {
  if (!own.ok())
    note(own);
  absl::Status first;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
    first = first_;
  }
  // Nobody uses the channels of the entry now. After a failure there may be messages in them.
  const mlcrt_artifact &table = program_.artifact().table();
  for (int64_t c = 0; !first.ok() && c < table.num_channels; ++c)
    if (&table.entries[table.channels[c].entry] == &entry_)
      program_.queues().queue(table.channels[c].queue).reopen();
  turn_.unlock();
  return first;
}

} // namespace mlcrt
