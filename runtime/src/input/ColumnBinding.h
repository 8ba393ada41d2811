// Which field of a file is which requested feature. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_COLUMNBINDING_H
#define MLCRT_INPUT_COLUMNBINDING_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/input/ColumnParser.h"
#include "runtime/src/input/DataError.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The parsers of the requested features, in their order. Usage errors: a feature that no column declares (with the
/// nearest one), another dtype or shape than the column's, a first dimension that is not the rows of the batch.
absl::StatusOr<std::vector<ColumnParser>> bindFeatures(const InputFormat &format,
                                                       const std::vector<mlcrt_value> &features);

/// The layout of one file.
struct FileLayout {
  /// Fields of a record.
  int64_t fields = 0;
  /// Field (from 0) of each requested feature.
  std::vector<int64_t> fieldOf;
  /// Names of the file that no column declares.
  std::vector<std::string> undeclared;
};

/// Finds the features of `parsers` among the columns of a file, named by `header` (the header record, on line `line`)
/// or, without one, by format.csv.columnNames. Data errors: a wanted column is not there, or is there twice.
absl::StatusOr<FileLayout> bindFile(std::string_view path, std::string_view header, int64_t line,
                                    const InputFormat &format, const std::vector<ColumnParser> &parsers);

/// The error for a record whose number of fields is `found`; its field is the first that is absent or too many.
absl::Status raggedRow(const Origin &record, std::string_view text, int64_t found, int64_t expected,
                       const CsvFormat &format);

} // namespace mlcrt

#endif // MLCRT_INPUT_COLUMNBINDING_H
