//===- PartsOfFiles.cpp - Parts of files, read by several threads --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/PartsOfFiles.h"
#include "lib/Frontend/SpecInit/PackedFile.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace mlc::frontend;

static constexpr size_t kPartBytes = size_t{1} << 20;

namespace {
/// Parts on their way from the thread that reads files to those that read rows.
class Queue {
public:
  explicit Queue(unsigned threads) : capacity_(2 * threads) {}

  /// False if no more are wanted.
  bool push(FilePart part) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return parts_.size() < capacity_ || isStopped_; });
    if (!isStopped_)
      parts_.push_back(std::move(part));
    changed_.notify_all();
    return !isStopped_;
  }
  /// False at the end.
  bool pop(FilePart &part) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !parts_.empty() || isStopped_; });
    if (parts_.empty())
      return false;
    part = std::move(parts_.front());
    parts_.pop_front();
    changed_.notify_all();
    return true;
  }
  void stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    isStopped_ = true;
    changed_.notify_all();
  }

private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FilePart> parts_;
  bool isStopped_ = false;
};
} // namespace

/// Cuts one file; false if no more parts are wanted, or it cannot be read.
static bool cutFile(const std::string &path, size_t number, const PartReader &reader, int64_t &nextPart, Queue &queue,
                    FileProblem &problem) {
  PackedFile file(path, reader.isPlain);
  std::string pending;
  bool isFirst = true;
  for (bool isLast = false; !isLast;) {
    // Rows that do not end are looked at again only with as many bytes more.
    for (size_t needed = std::max(kPartBytes, 2 * pending.size()); !isLast && pending.size() < needed;) {
      llvm::StringRef bytes = file.next();
      isLast = bytes.empty();
      pending += bytes;
    }
    if (!file.problem().empty()) {
      problem = {number, file.problem()};
      return false;
    }
    const size_t size = isLast ? pending.size() : reader.wholeRows(pending);
    if (size == 0 && !isLast)
      continue;
    std::string rest = pending.substr(size);
    pending.resize(size);
    if (!queue.push({nextPart++, number, std::exchange(isFirst, false), isLast, std::move(pending)}))
      return false;
    pending = std::move(rest);
  }
  return true;
}

FileProblem mlc::frontend::readParts(const std::vector<std::string> &files, unsigned threads,
                                     const PartReader &reader) {
  Queue queue(threads);
  std::vector<std::thread> workers;
  for (unsigned thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      for (FilePart part; queue.pop(part);)
        if (!reader.read(thread, part))
          queue.stop();
    });
  FileProblem problem;
  int64_t nextPart = 0;
  for (size_t i = 0; i < files.size(); ++i)
    if (!cutFile(files[i], i, reader, nextPart, queue, problem))
      break;
  queue.stop();
  for (std::thread &worker : workers)
    worker.join();
  return problem;
}
