// The parsed columns of a data set. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_COLUMNSTORE_H
#define MLCRT_INPUT_COLUMNSTORE_H

#include "absl/status/status.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/ColumnBinding.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlcrt {

/// Owns the rows of columns, filled by chunks of rows, each by one thread.
class ColumnStore {
public:
  /// Rows that are filled as one task.
  static constexpr int64_t kChunk = 1 << 14;

  /// Makes room for `rows` rows. kResourceExhausted names the column there is no memory for.
  absl::Status allocate(const std::vector<BoundColumn> &columns, int64_t rows);
  /// Where the rows of chunk `chunk` go, from row chunk * kChunk on. Different chunks may be filled at once.
  std::vector<RowTarget> chunk(int64_t chunk);
  /// After all chunks are filled: puts the values of multi-valued columns together.
  void finish();
  /// Keeps rows `kept` (ascending) alone: row i becomes what row kept[i] was. The others have no values.
  void keep(const std::vector<int64_t> &kept);
  /// Copies rows `rows` to `out`, one target for each column.
  void gather(const std::vector<int64_t> &rows, const std::vector<RowTarget> &out) const;

private:
  struct Free {
    void operator()(char *data) const;
  };
  struct Column {
    int64_t rowBytes = 0;
    std::unique_ptr<char, Free> cells; ///< of a column with a fixed number of values
    // Of a multi-valued one: per row the end in its chunk's list, after finish() in the one list.
    std::vector<int64_t> ends;
    std::vector<ValueList> chunks;
  };
  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_COLUMNSTORE_H
