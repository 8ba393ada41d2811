//===- RowSet.h - The distinct rows that ids name ---------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ROWSET_H
#define MLCRT_CORE_ROWSET_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlcrt {

/// Ids of the rows of a table, each once. Memory is kept from step to step.
///
/// Up to kMostMarked rows a bit for each of them is set, and a bit for each 64 of these, which are read back in order:
/// the cost is that of the ids, not of the rows. For tables of more rows, whose bits no cache holds, ids are sorted by
/// digits.
class RowSet {
public:
  static constexpr int64_t kMostMarked = int64_t{1} << 20;

  /// Of a table of `rows` >= 0 rows.
  explicit RowSet(int64_t rows);

  /// Adds `count` ids. Those outside of [0, rows) name nothing: what reads rows by them says what is wrong.
  void add(const int64_t *ids, size_t count);
  /// All that were added since the last call, ascending and distinct. Valid until the next one.
  const std::vector<int64_t> &take();

private:
  bool isMarked() const { return rows_ <= kMostMarked; }
  void sortAdded();

  int64_t rows_;
  std::vector<uint64_t> marks_, groups_; // of rows, and of elements of marks_ that are not 0
  std::vector<int64_t> added_, spare_;   // ids as they came, where no bits are set; of their sort
  std::vector<int64_t> found_;           // the result
};

} // namespace mlcrt

#endif // MLCRT_CORE_ROWSET_H
