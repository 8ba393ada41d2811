//===- RowSet.h - The distinct rows that ids name ---------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ROWSET_H
#define MLCRT_CORE_ROWSET_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlcrt {

/// Ids of the rows of a table, each once, and the places that ids have among them. Memory is kept from step to step.
///
/// Up to kMostMarked rows a bit for each of them is set, and a bit for each 64 of these, which are read back in order:
/// the cost is that of the ids, not of the rows. For tables of more rows, whose bits would take megabytes each, ids are
/// sorted by digits.
class RowSet {
public:
  static constexpr int64_t kMostMarked = int64_t{1} << 24;

  /// Of a table of `rows` >= 0 rows.
  explicit RowSet(int64_t rows);
  int64_t rows() const { return rows_; }

  /// Adds `count` ids. Those outside of [0, rows) name nothing: what reads rows by them says what is wrong.
  void add(const int64_t *ids, size_t count);
  /// All that were added since the last call, ascending and distinct. Valid until the next call of `add` or `take`.
  const std::vector<int64_t> &take();
  /// What `take` gave last.
  const std::vector<int64_t> &taken() const { return found_; }
  /// Writes to `places` those that ids have in what `take` gave last, to which they were added; those that name nothing
  /// stay as they are. Comes before the next `add`.
  void number(const int64_t *ids, size_t count, int64_t *places);
  /// Nobody will call `number` for what was taken. The next `add` does it else, when the memory is in no cache any
  /// more.
  void clear();

private:
  bool isMarked() const { return rows_ <= kMostMarked; }
  void sortAdded();
  void hashFound();

  /// Of 64 rows.
  struct Marks {
    uint64_t bits = 0;
    int64_t before = 0; ///< bits of those before, if some are set here; in the same line of the cache
  };

  int64_t rows_;
  std::vector<Marks> marks_;
  std::vector<uint64_t> groups_;       // bits of elements of marks_ that have some
  std::vector<int64_t> added_, spare_; // ids as they came, where no bits are set; of their sort
  std::vector<int64_t> found_;         // the result
  std::vector<uint32_t> places_;       // where no bits are set: a hash table of 1 + places in found_; 0 is free
  bool isTaken_ = false;               // the bits that are set are those of found_
};

} // namespace mlcrt

#endif // MLCRT_CORE_ROWSET_H
