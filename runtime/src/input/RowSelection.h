// The records of files on one side of a validation cut. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_ROWSELECTION_H
#define MLCRT_INPUT_ROWSELECTION_H

#include "absl/status/statusor.h"
#include "common/cluster/RowCut.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/input/RowParser.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// What of training's files is read.
enum class RowPart { All, Training, Validation };

/// One side of a cut.
struct RowSelection {
  mlc::common::RowCut cut;
  bool heldOut = false;
};

/// Finds the records of a selection, file by file.
class RowSelector {
public:
  /// Usage errors: a column to cut by that is not there or has several values, a first value that is no number though
  /// the column is one.
  static absl::StatusOr<std::unique_ptr<RowSelector>> create(const InputFormat &format, RowSelection selection);

  /// Appends the numbers of the selected records of a file, counted from `firstRecord`. Rows that do not parse count
  /// as trained on: who reads them tells. Errors: a header without the column.
  absl::Status select(const std::string &path, std::string_view text, const RecordIndex &index, int64_t firstRecord,
                      std::vector<int64_t> &selected);

private:
  explicit RowSelector(RowSelection selection) : selection_(std::move(selection)) {}
  bool isNew(std::string_view record, const FileLayout &layout);

  RowSelection selection_;
  /// Of a cut by column: what reads it.
  InputFormat format_;
  std::vector<BoundColumn> column_;
  std::unique_ptr<RowParser> parser_;
  RowScratch scratch_;
  StringArena arena_;
  double from_ = 0; ///< of numbers
};

} // namespace mlcrt

#endif // MLCRT_INPUT_ROWSELECTION_H
