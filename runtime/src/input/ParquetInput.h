// Parquet files as data: read as the text of a CSV file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_PARQUETINPUT_H
#define MLCRT_INPUT_PARQUETINPUT_H

#include "absl/status/statusor.h"
#include "runtime/src/input/ColumnBinding.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/RowSelection.h"
#include "runtime/src/input/Unpack.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The format in which `files` are read: `format`, which has `parquet` set, and the CSV of its text, if they are
/// Parquet files, as their first bytes tell. kDataLoss (E0311): some are and others are not, they are and `format` is
/// of TFRecord or LibSVM files, they are not and `format` is of Parquet files.
absl::StatusOr<InputFormat> formatOfFiles(const std::vector<DataFile> &files, const InputFormat &format);

/// What of a Parquet file becomes text.
struct ParquetSelection {
  const InputFormat *format = nullptr;
  /// The columns that are read.
  const std::vector<BoundColumn> *columns = nullptr;
  /// A cut takes the column that it goes by; or all of the file, as one by share tells rows apart by their whole text.
  const RowSelection *cut = nullptr;
  /// Bytes after which no further rows are needed.
  int64_t mostBytes = INT64_MAX;
};

/// Gives the text of the Parquet file `path`, whose bytes are `bytes`, to `sink`, in whole lines. `undeclared` gets the
/// names of the file that no column declares, once each; may be null. Data errors: as ParquetText::open and next, with
/// the row as a record.
absl::Status writeParquetText(const std::string &path, std::string_view bytes, const ParquetSelection &selection,
                              const UnpackSink &sink, std::vector<std::string> *undeclared);

} // namespace mlcrt

#endif // MLCRT_INPUT_PARQUETINPUT_H
