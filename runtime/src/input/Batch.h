// One batch of examples in buffers that are used again and again. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_BATCH_H
#define MLCRT_INPUT_BATCH_H

#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/CsvScanner.h"
#include "runtime/src/input/TfExample.h"
#include "runtime/src/input/ValueList.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Where a reader stands: `position` examples of epoch `epoch` are done. Part of checkpoints.
struct ReaderState {
  int64_t epoch = 0;
  int64_t position = 0;

  friend bool operator==(const ReaderState &a, const ReaderState &b) {
    return a.epoch == b.epoch && a.position == b.position;
  }
};

/// Bytes whose addresses stay until `clear`, which keeps the memory.
class StringArena {
public:
  /// `size` bytes without alignment.
  char *allocate(int64_t size);
  void clear() { block_ = 0, used_ = 0; }

private:
  struct Block {
    std::unique_ptr<char[]> data;
    int64_t size = 0;
  };
  std::vector<Block> blocks_;
  size_t block_ = 0;
  int64_t used_ = 0;
};

/// Memory of one thread that parses rows.
struct RowScratch {
  std::vector<CsvField> fields;
  std::vector<ExampleFeature> features;
  /// The record that was parsed last was cut into its cells, whatever these are.
  bool isSplit = false;
  /// Values dropped so far because a row had too many.
  int64_t droppedValues = 0;
};

/// Where the rows of a column go.
struct RowTarget {
  /// Of a column with a fixed number of values: the values of row 0, and the bytes from one row to the next.
  char *cells = nullptr;
  int64_t pitch = 0;
  /// Of a multi-valued column: the end of row 0's values, and the values.
  int64_t *ends = nullptr;
  ValueList *values = nullptr;
};

/// Features that a batch holds side by side (mlcrt_matrix): indices of requested features of one column each, with a
/// fixed number of values.
struct MatrixLayout {
  struct Column {
    size_t feature;
    int64_t offset; ///< elements
  };
  int32_t dtype = MLCRT_F32;
  int64_t width = 0; ///< elements of a row
  std::vector<Column> columns;
};

/// A batch. Columns have the order of the requested features and, as buffers, their dtype and rank; dims[0] = rows, or
/// the number of values of all rows. Addresses of buffers with rows do not change as long as the batch lives; those
/// with values do when the batch is read again. String cells point into the data set or into the batch's arena: valid
/// until the batch is read again.
class Batch {
public:
  int64_t rows() const { return rows_; }
  /// One for each requested feature.
  const std::vector<TensorView> &columns() const { return columns_; }
  std::vector<TensorView> &columns() { return columns_; }
  /// One for each matrix of the data set, of which columns are parts.
  const std::vector<TensorView> &matrices() const { return matrices_; }
  /// Number of each row's record in the data set, for Dataset::where.
  const std::vector<int64_t> &records() const { return records_; }
  /// The reader's state before and after this batch.
  ReaderState before() const { return before_; }
  ReaderState after() const { return after_; }
  /// Number of the batch since the start of the sequence it was read in.
  int64_t number() const { return number_; }

private:
  friend class BatchReader;
  friend class Dataset;
  friend class Prefetcher;

  struct Free {
    void operator()(void *data) const;
  };

  int64_t rows_ = 0, number_ = 0;
  int64_t capacity_ = 0;              ///< rows that there is room for
  std::shared_ptr<const void> chunk_; ///< of a stream: where its rows come from
  ReaderState before_, after_;
  std::vector<TensorView> columns_, matrices_;
  std::vector<std::unique_ptr<void, Free>> storage_;
  std::vector<int64_t> records_;
  std::vector<int64_t> streamRecords_; ///< the same within chunk_
  StringArena arena_;
  RowScratch scratch_;
  /// For each column of the data set that is read; values of the multi-valued ones in lists_.
  std::vector<RowTarget> targets_;
  std::vector<std::unique_ptr<ValueList>> lists_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_BATCH_H
