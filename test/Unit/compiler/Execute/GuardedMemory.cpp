// Memory that shows when code reads or writes beyond its end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GuardedMemory.h"
#include "mlcrt/abi.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace mlc::execute;

static constexpr char kPattern = '\xc7';

static size_t pageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

GuardedMemory::GuardedMemory(size_t size, uint8_t fill) : length(size) {
  size_t page = pageSize(), inner = (size + page - 1) / page * page;
  mapped = inner + 2 * page;
  mapping = static_cast<char *>(
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0));
  std::memset(mapping + page, kPattern, inner);
  size_t padded = (size + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
  bytes = mapping + page + inner - padded;
  std::memset(bytes, fill, size);
  mprotect(mapping, page, PROT_NONE);
  mprotect(mapping + page + inner, page, PROT_NONE);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), mapped(other.mapped), bytes(other.bytes), length(other.length),
      isReadOnly(other.isReadOnly), isAccessible(other.isAccessible) {}

GuardedMemory::~GuardedMemory() {
  if (mapping)
    munmap(mapping, mapped);
}

void GuardedMemory::protect() {
  const int rights = !isAccessible ? PROT_NONE : isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  mprotect(mapping + pageSize(), mapped - 2 * pageSize(), rights);
}

void GuardedMemory::setReadOnly(bool readOnly) {
  isReadOnly = readOnly;
  protect();
}

void GuardedMemory::setAccessible(bool accessible) {
  isAccessible = accessible;
  protect();
}

bool GuardedMemory::isPatternIntact() const {
  auto isPattern = [](char byte) { return byte == kPattern; };
  return std::all_of(mapping + pageSize(), bytes, isPattern) &&
         std::all_of(bytes + length, mapping + mapped - pageSize(), isPattern);
}

bool GuardedMemory::holds(const void *address) const {
  auto *at = static_cast<const char *>(address);
  return at >= mapping + pageSize() && at < mapping + mapped - pageSize();
}

bool GuardedMemory::isGuard(const void *address) const {
  auto *at = static_cast<const char *>(address);
  return at >= mapping && at < mapping + mapped && !holds(address);
}

static sigjmp_buf faultReturn;
static const void *volatile faultAddress;

static void onFault(int, siginfo_t *info, void *) {
  faultAddress = info->si_addr;
  siglongjmp(faultReturn, 1);
}

std::optional<const void *> mlc::execute::faultOf(llvm::function_ref<void()> call) {
  struct sigaction action = {}, before;
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
  std::optional<const void *> fault;
  if (sigsetjmp(faultReturn, /*savesigs=*/1) == 0)
    call();
  else
    fault = faultAddress;
  sigaction(SIGSEGV, &before, nullptr);
  return fault;
}
