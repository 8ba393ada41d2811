// Rows given value by value, as what the entries of an artifact take. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values go the way of cells in data files (ColumnParser.h): texts are stripped, compared with missing marks and
// parsed, and what is not given is missing. So the same values mean the same in a file and in a call.
#ifndef MLCRT_EXPORT_ROWBUFFER_H
#define MLCRT_EXPORT_ROWBUFFER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/ValueList.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The columns that the features of an entry are read from. Immutable, thread-safe.
class RowLayout {
public:
  /// `format` declares the columns; without one (a module that says nothing of its input) each feature is a column of
  /// its name that must be given, as are those whose sizes each call tells in any case. Errors as bindFeatures.
  static absl::StatusOr<std::shared_ptr<const RowLayout>> create(std::shared_ptr<const Artifact> artifact,
                                                                 const mlcrt_entry &entry, const InputFormat *format);

  int size() const { return static_cast<int>(columns_.size()); }
  const InputColumn &column(int index) const { return columns_[index].parser.column(); }
  /// Whether a row may do without it.
  bool isOptional(int index) const;
  /// What a row without it has: its elements as one value, of a multi-valued column any number of values. Texts point
  /// into the layout. kDataLoss: a row may not do without it.
  absl::StatusOr<ValueList> missingValues(int index) const;
  /// The column of that name, or -1.
  int find(std::string_view name) const;
  std::vector<std::string> names() const;

private:
  friend class RowBuffer;
  std::shared_ptr<const Artifact> artifact_;
  /// Members name features of the artifact.
  std::vector<BoundColumn> columns_;
};

/// Rows in the making. Memory is kept from batch to batch. For one thread.
class RowBuffer {
public:
  explicit RowBuffer(std::shared_ptr<const RowLayout> layout);

  const RowLayout &layout() const { return *layout_; }
  int64_t rows() const { return rows_; }
  void clear();
  /// Begins a row.
  void addRow();

  /// Sets a column of the last row from a text that could stand in a file's cell. kDataLoss names row and column.
  absl::Status setCell(int column, std::string_view text);
  /// The same from its values one by one, which are not cut: as many as the column has or, for a multi-valued one, any
  /// number. `weights` may be null: 1 each; kInvalidArgument if the column has none. Of a column with sizes of the call
  /// `shape` is that of the value, of the size of the first row's; null: the one size that is not known follows from
  /// `count`.
  absl::Status setValues(int column, const std::string_view *values, size_t count, const float *weights,
                         const std::vector<int64_t> *shape = nullptr);
  /// The same from `count` elements of the column's dtype, as compiled code takes them: none is parsed, missing or
  /// refused. Texts are copied.
  absl::Status setRaw(int column, const char *values, int64_t count, const float *weights,
                      const std::vector<int64_t> *shape = nullptr);

  /// Completes the rows, gives missing columns their values and points `view` to them, until the next change. kDataLoss
  /// names the first row that lacks a needed value.
  absl::Status finish(BatchView &view);

private:
  struct Store {
    ValueList cells; ///< of a column with a fixed number of values: a row each
    ValueList ends, values;
    std::vector<int64_t>
        shape;          ///< of each row's value, of a column with sizes of the call, whose elements are `values`
    bool given = false; ///< in the last row
  };
  Origin origin() const;
  int64_t beginOfRow(const Store &store) const;
  void completeRow();
  absl::Status beginValue(int column, int64_t count, const std::vector<int64_t> *shape);
  absl::Status wrongCount(const InputColumn &column, int64_t count) const;
  absl::Status setElements(int column, const std::string_view *values, size_t count, const float *weights);
  std::string_view keep(std::string_view text);

  std::shared_ptr<const RowLayout> layout_;
  std::vector<Store> stores_;
  StringArena arena_;
  int64_t rows_ = 0;
  // Kept from call to call.
  std::vector<int64_t> found_;
  std::vector<std::string_view> pieces_;
  absl::Status error_; ///< of the first row that lacks something
};

} // namespace mlcrt

#endif // MLCRT_EXPORT_ROWBUFFER_H
