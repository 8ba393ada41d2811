// Which field of a file is which requested feature. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_COLUMNBINDING_H
#define MLCRT_INPUT_COLUMNBINDING_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/ColumnParser.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A column that is read, and the features that are made of it: indices, -1 for one that is not requested.
struct BoundColumn {
  ColumnParser parser;
  int64_t cells = -1;   ///< of a column with a fixed number of values
  int64_t values = -1;  ///< of a multi-valued column "x": "x"
  int64_t ends = -1;    ///< "x.ends"
  int64_t weights = -1; ///< "x.weight"
};

/// The columns of the requested features, in the order of their first feature. Usage errors: a feature that no column
/// declares (with the nearest one), another dtype or shape than the column's, a first dimension that is neither the
/// rows of the batch nor, for values and weights of a multi-valued column, their number.
absl::StatusOr<std::vector<BoundColumn>> bindFeatures(const InputFormat &format,
                                                      const std::vector<TensorSpec> &features);

/// The layout of one file.
struct FileLayout {
  /// Fields of a record.
  int64_t fields = 0;
  /// Field (from 0) of each column that is read.
  std::vector<int64_t> fieldOf;
  /// Names of the file that no column declares.
  std::vector<std::string> undeclared;
};

/// Finds `columns` among the columns of a file, named by `header` (the header record, on line `line`)
/// or, without one, by format.csv.columnNames. Data errors: a wanted column is not there, or is there twice.
/// `first` is the first record: of a file without a header it tells, by its number of fields, whether the label and
/// weight columns are left out, which they may be if they are not wanted.
absl::StatusOr<FileLayout> bindFile(std::string_view path, std::string_view header, int64_t line,
                                    std::string_view first, const InputFormat &format,
                                    const std::vector<BoundColumn> &columns);

/// The error for a record whose number of fields is `found`; its field is the first that is absent or too many.
absl::Status raggedRow(const Origin &record, std::string_view text, int64_t found, int64_t expected,
                       const CsvFormat &format);

} // namespace mlcrt

#endif // MLCRT_INPUT_COLUMNBINDING_H
