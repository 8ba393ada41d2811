// Mappings and the handler of SIGBUS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/MappedFile.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace mlcrt {

/// Addresses of a mapping, for the handler. Ranges are chained for ever and used again: begin == 0 is a free one.
struct MappedFile::Range {
  std::atomic<uintptr_t> begin{0}, end{0};
  Range *next = nullptr;
};

/// All ranges. The handler reads; everything else holds the mutex.
struct MappedRanges {
  using Range = MappedFile::Range;

  std::atomic<Range *> first{nullptr};
  std::mutex mutex;
  struct sigaction previous = {};
  uintptr_t pageSize = 0;

  Range *add(uintptr_t begin, uintptr_t end);
  static void remove(Range *range) { range->begin = 0; }
  bool contains(uintptr_t address) const;
  void passOn(int signal, siginfo_t *info, void *context) const;
};

static_assert(std::atomic<uintptr_t>::is_always_lock_free, "read in a signal handler");

static MappedRanges ranges;

static void onBusError(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (!ranges.contains(address))
    return ranges.passOn(signal, info, context);
  void *page = reinterpret_cast<void *>(address & ~(ranges.pageSize - 1));
  if (::mmap(page, ranges.pageSize, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    return ranges.passOn(signal, info, context);
  errno = error;
}

bool MappedRanges::contains(uintptr_t address) const {
  for (const Range *range = first.load(); range; range = range->next)
    if (const uintptr_t begin = range->begin.load(); begin != 0 && begin <= address && address < range->end.load())
      return true;
  return false;
}

void MappedRanges::passOn(int signal, siginfo_t *info, void *context) const {
  if (previous.sa_flags & SA_SIGINFO)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // The access is made again when this returns, and ends the process as it would have.
  ::signal(signal, SIG_DFL);
}

MappedRanges::Range *MappedRanges::add(uintptr_t begin, uintptr_t end) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (pageSize == 0) {
    pageSize = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous);
  }
  Range *range = first.load();
  while (range && range->begin.load() != 0)
    range = range->next;
  const bool isNew = range == nullptr;
  if (isNew)
    range = new Range;
  range->end = end;
  range->begin = begin;
  if (isNew) {
    range->next = first.load();
    first = range;
  }
  return range;
}

MappedFile::MappedFile(int fd, int64_t size) {
  void *address = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED)
    return;
  data_ = static_cast<char *>(address);
  size_ = size;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  range_ = ranges.add(begin, begin + static_cast<uintptr_t>(size));
}

MappedFile::~MappedFile() {
  if (!data_)
    return;
  ::munmap(data_, static_cast<size_t>(size_));
  MappedRanges::remove(range_);
}

} // namespace mlcrt
