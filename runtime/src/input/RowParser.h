// From the bytes of a record to the row of a batch. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_ROWPARSER_H
#define MLCRT_INPUT_ROWPARSER_H

#include "runtime/src/input/Batch.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mlcrt {

/// What a record is when it is no example.
enum class RowFault : uint8_t { None, Skipped, Bad };

/// Parses the records of one format into columns. Immutable, thread-safe; refers to the format and the columns.
class RowParser {
public:
  RowParser(const InputFormat &format, const std::vector<BoundColumn> &columns);

  /// Parses `record` into row `row` of `targets`, one for each column; rows of multi-valued columns are parsed in order
  /// from 0 on. A row with a fault has no values in them, and any in others. Texts are bytes of
  /// `record` or go to `arena`.
  RowFault parse(std::string_view record, const FileLayout &layout, int64_t row, const std::vector<RowTarget> &targets,
                 RowScratch &scratch, StringArena &arena) const;
  /// Parses the cell of column `i` alone, by `parser`, from the record that `scratch` was last used for and which
  /// isSplit.
  ColumnParser::Outcome parseCell(size_t i, const ColumnParser &parser, const FileLayout &layout, int64_t row,
                                  const RowTarget &target, RowScratch &scratch, StringArena &arena) const;
  /// The error of a record that parse found bad, parsed again, slowly. `origin` is the record's.
  absl::Status explain(std::string_view record, const FileLayout &layout, Origin origin) const;

private:
  bool split(std::string_view record, const FileLayout &layout, RowScratch &scratch) const;
  RowFault parseCells(std::string_view record, const FileLayout &layout, int64_t row,
                      const std::vector<RowTarget> &targets, RowScratch &scratch, StringArena &arena) const;
  absl::Status explainFields(std::string_view record, const FileLayout &layout, Origin origin) const;
  absl::Status explainExample(std::string_view record, const Origin &origin) const;
  /// The features of tf.Example that column `i` is made of.
  struct Parts {
    int values, weights;
  };
  const ExampleFeature &weightsOf(size_t i, const std::vector<ExampleFeature> &features) const;

  const InputFormat &format_;
  const std::vector<BoundColumn> &columns_;
  ExampleNames names_;
  std::vector<Parts> parts_;
  bool anyList_ = false;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_ROWPARSER_H
