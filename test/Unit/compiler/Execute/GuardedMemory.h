// Memory that shows when code reads or writes beyond its end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_GUARDEDMEMORY_H
#define MLC_TEST_EXECUTE_GUARDEDMEMORY_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mlc::execute {

/// `size` bytes, aligned as the ABI asks, between two pages that fault. What lies between them and the bytes (less than
/// the alignment after the end) is filled with a pattern.
class GuardedMemory {
public:
  /// Every byte starts as `fill`.
  explicit GuardedMemory(size_t size, uint8_t fill);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&other) = delete;

  char *data() const { return bytes; }
  size_t size() const { return length; }
  /// From now on a write faults, or does not.
  void setReadOnly(bool readOnly);
  /// From now on every access faults, or those alone that setReadOnly says.
  void setAccessible(bool accessible);
  /// Whether the pattern around the bytes is as it was.
  bool isPatternIntact() const;
  /// Whether `address` lies in the bytes or between the two pages and them.
  bool holds(const void *address) const;
  /// Whether `address` lies in the pages that fault.
  bool isGuard(const void *address) const;

private:
  void protect();
  char *mapping;
  size_t mapped;
  char *bytes;
  size_t length;
  bool isReadOnly = false, isAccessible = true;
};

/// Runs `call`; returns the address whose access faulted and ended it, if one did. `call` must have no destructors to
/// run where it may fault.
std::optional<const void *> faultOf(llvm::function_ref<void()> call);

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_GUARDEDMEMORY_H
