// The examples of a list of files: opened, indexed, checked, parsed. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_DATASET_H
#define MLCRT_INPUT_DATASET_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/ArrayTable.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/RowSelection.h"
#include "runtime/src/input/StreamTable.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// How a data set is opened.
struct DatasetOptions {
  /// Directory of record indexes; empty: none is kept. See defaultCacheDir().
  std::string cacheDir;
  /// Unpacked bytes of all files up to which they are held in memory and parsed once, when opened; above, files are
  /// mapped and each batch is parsed from them. Both give the same batches.
  int64_t memoryLimit = int64_t{1} << 30;
  /// Threads that parse when opening, >= 1. No result depends on it.
  int threads = 1;
  /// The records that are examples; none: all.
  std::optional<RowSelection> selection = {};
  /// Gets remarks for the user; may be empty.
  NoteSink note;
  /// Rows with an error are dropped, however many, in place of what max_bad_rows says.
  bool dropBadRows = false;
  /// Features of records that batches hold side by side.
  std::vector<MatrixLayout> matrices;
  /// Files without a row, or whose rows are all dropped, are no error.
  bool mayBeEmpty = false;
};

/// The records of a list of files, as rows of the requested features. Thread-safe once open.
class Dataset {
public:
  /// Opens `files`. `features` are the wanted columns (name, dtype, rank; dims[0] is symbol 0, the product of the
  /// others the column's elements; for parts of multi-valued columns as abi.h says), in the order in which batches hold
  /// them. Rows that `SKIP_ROW` or max_bad_rows drop, and those beside the selection, are no records of the data set.
  /// Errors. Usage: a feature that no column declares, or with another dtype or shape; a selection that cannot be made.
  /// Data: unreadable or empty file, a header that lacks a column, no selected row, and, where rows are parsed when
  /// opening, the first bad row.
  static absl::StatusOr<std::unique_ptr<Dataset>> open(std::vector<DataFile> files, const InputFormat &format,
                                                       const std::vector<TensorSpec> &features,
                                                       const DatasetOptions &options);
  /// The rows of arrays that are bound to `features`: none is missing and none bad, and no format says anything about
  /// them.
  static std::unique_ptr<Dataset> ofArrays(ArrayTable arrays, const std::vector<TensorSpec> &features);
  /// The rows of a stream, of which nothing is missing and none bad, in its order. They are read once, each batch as
  /// the stream gives it, by Prefetcher.
  static std::unique_ptr<Dataset> ofStream(std::unique_ptr<StreamTable> stream,
                                           const std::vector<TensorSpec> &features);
  ~Dataset();

  /// The stream that this is of, or null.
  StreamTable *stream() const;
  /// Number of examples; of a stream, which does not tell, StreamTable::kMostRows.
  int64_t size() const;
  const std::vector<DataFile> &files() const;
  /// Rows of the files, dropped ones included, and the number of an example among them.
  int64_t fileRows() const;
  int64_t fileRow(int64_t record) const;
  /// Rows dropped by SKIP_ROW, and rows dropped because they had an error.
  int64_t skippedRows() const;
  int64_t badRows() const;
  /// Values that rows had beyond max_values of their column.
  int64_t droppedValues() const;
  /// Whether the rows were parsed when opening.
  bool decoded() const;

  /// Makes room for `capacity` rows of the features.
  void prepare(Batch &batch, int64_t capacity) const;
  /// Fills `batch` with batch.records_ (set by BatchReader). Data errors: a row that does not parse.
  absl::Status fill(Batch &batch) const;
  /// Takes row `row` out of a filled batch, and fills it again. Errors as fill.
  absl::Status drop(Batch &batch, int64_t row) const;

  /// File, line and field of record `record`; the field is that of the requested feature `feature`, or 0. In files
  /// without lines: file and number of the record.
  Origin where(int64_t record, std::string_view feature = {}) const;

private:
  struct Impl;
  void show(Batch &batch) const;
  absl::Status fillFromStream(Batch &batch) const;
  absl::Status fillFromArrays(const ArrayTable &arrays, const std::vector<int64_t> &records, Batch &batch) const;
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The row of the batch that an error of compiled code is about, or -1.
int64_t badRowOf(const absl::Status &status, const Batch &batch);
/// A data error of compiled code with the place of the row in its file; another status as it is.
absl::Status locate(const absl::Status &status, const Dataset &dataset, const Batch &batch);

} // namespace mlcrt

#endif // MLCRT_INPUT_DATASET_H
