//===- ValueTable.h - The different values of a column -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_VALUETABLE_H
#define LIB_FRONTEND_SPECINIT_VALUETABLE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlc::frontend {

/// Texts with what is known of each. A column of many values has this looked up per cell: texts lie after each other,
/// entries in the order in which they came, and nothing is allocated for one alone. Two texts of one hash, of 64 bits,
/// are taken for one: a look-up reads no text.
class ValueTable {
public:
  struct Value {
    uint64_t hash = 0;
    int64_t count = 0;
    uint64_t label = 0;
    double number = 0;
    bool oneLabel = true, isNumber = false, isInteger = false;
  };

  size_t size() const { return entries_.size(); }
  /// The value of a text, whose hash is given, and whether it is new. References hold until the next call.
  std::pair<Value &, bool> insert(llvm::StringRef text, uint64_t hash);
  /// The value of the text of a hash; null if it is not there.
  const Value *find(uint64_t hash) const;
  /// Removes the values whose hash is above `bound`.
  void keepBelow(uint64_t bound);
  /// Calls `visit` with each text and its value.
  template <typename Visit> void forEach(Visit visit) const {
    for (const Entry &entry : entries_)
      visit(textOf(entry), entry.value);
  }

private:
  struct Entry {
    size_t begin = 0;
    uint32_t size = 0;
    Value value;
  };
  /// Of an entry: its index from 1, 0 for none, and bits of the hash that place it in no slot.
  struct Slot {
    uint32_t entry = 0, tag = 0;
  };
  llvm::StringRef textOf(const Entry &entry) const { return llvm::StringRef(texts_).substr(entry.begin, entry.size); }
  size_t slotOf(uint64_t hash) const;
  void rebuild(size_t slots);

  std::string texts_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_; ///< a power of two of them, at most half of them taken
};

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_VALUETABLE_H
