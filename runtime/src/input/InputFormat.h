// What the data files look like: the "input" part of an artifact's manifest. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_INPUTFORMAT_H
#define MLCRT_INPUT_INPUTFORMAT_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mlcrt {

/// How a file is packed. Auto looks at the first bytes.
enum class Compression { Auto, None, Gzip, Zstd };

/// What a missing value does. Auto: the default if there is one; else categorical use = no value ("" or -1), numeric
/// use = an error with the row.
enum class OnMissing { Auto, Error, SkipRow };

/// What a column is used for.
enum class ColumnRole { Feature, Label, Weight };

/// Options of CSV files; names and defaults are those of message `Csv` of the spec.
struct CsvFormat {
  /// The first record names the columns.
  bool header = true;
  /// Without a header: the names of all fields of a row, in order.
  std::vector<std::string> columnNames;
  char fieldDelim = ',';
  /// Fields may stand in double quotes; a doubled quote stands for one.
  bool useQuoteDelim = true;
  /// Blanks and tabs after a delimiter (and at the start of a record) are no part of the field.
  bool skipInitialSpace = false;
  /// A line that begins with one of these is no record. Not looked for inside quotes.
  std::vector<std::string> comment;
  /// Lines dropped at the start of each file, before the header.
  int64_t skipLines = 0;
  Compression compression = Compression::Auto;
  /// Rows with an error that are dropped, and counted, before one is fatal; over all files.
  int64_t maxBadRows = 0;
  /// LibSVM: a row has two fields, what stands before the first blanks, and the rest up to a '#', which may be empty.
  bool restOfLine = false;
};

/// Options of TFRecord files of tf.Example; names and defaults are those of message `TfRecord` of the spec.
struct TfRecordFormat {
  Compression compression = Compression::Auto;
};

/// What decides where the records of a file are.
using RecordFormat = std::variant<CsvFormat, TfRecordFormat>;

/// Any number of values in a cell; names are those of message `MultiValue` of the spec.
struct MultiValue {
  /// Between values.
  char separator = '|';
  /// Values of a row from this number on are dropped, and counted; 0: none.
  int64_t maxValues = 0;
  /// Between a value and its weight, which is 1 where it is absent; 0: no weights.
  char weightSeparator = 0;
  /// What tf.Examples call the list of weights; empty: by the name of the list of values, with ".weight".
  std::string weightField;
};

/// A declared column; names are those of message `Column` of the spec.
struct InputColumn {
  std::string name;
  /// What the files call it; empty: by its name.
  std::string field;
  /// MLCRT_F32, MLCRT_F64, MLCRT_I32, MLCRT_I64, MLCRT_BOOL or MLCRT_STRING.
  mlcrt_dtype dtype = MLCRT_STRING;
  /// A size in `shape` that each call tells, one for all of its rows. No file has such a column: rows in memory do.
  static constexpr int64_t kSizeOfCall = -1;

  /// Dimensions of the vector in one cell, its elements separated by '|'; empty: one value.
  std::vector<int64_t> shape;
  /// Set for a multi-valued column, which has no shape.
  std::optional<MultiValue> multiValue;
  /// As written in a file.
  std::optional<std::string> defaultValue;
  /// Cells that count as missing, besides the empty one, `InputFormat::missing` and, for numbers, nan.
  std::vector<std::string> missing;
  OnMissing onMissing = OnMissing::Auto;
  /// Characters cut from both ends of a cell before anything else.
  std::string strip;
  /// The column goes into a categorical feature column.
  bool categorical = false;
  /// Infinite numbers are errors; in arrays, which have no missing values, NaN as well.
  bool finite = false;
  ColumnRole role = ColumnRole::Feature;

  const std::string &fieldName() const { return field.empty() ? name : field; }
  /// What tf.Examples call the weights of a multi-valued column.
  std::string weightName() const;
  /// Values per row: the product of `shape`; of sizes that are known, where there are others.
  int64_t elements() const;
  /// Whether a size in `shape` is of the call.
  bool hasSizesOfCall() const;
};

/// The whole of it.
struct InputFormat {
  /// Without `tfrecord`.
  CsvFormat csv;
  std::optional<TfRecordFormat> tfrecord;
  /// Files are Parquet: rows are those of the text in the form `csv` that a file stands for (ParquetInput.h).
  bool parquet = false;
  std::vector<std::string> missing;
  std::vector<InputColumn> columns;

  /// The column called `name`, or null.
  const InputColumn *find(std::string_view name) const;
  /// The first column that files call `name`, or null.
  const InputColumn *findField(std::string_view name) const;
  /// Whether users know rows of the files by lines and fields.
  bool hasLines() const { return !tfrecord && !parquet; }
  RecordFormat records() const { return tfrecord ? RecordFormat(*tfrecord) : RecordFormat(csv); }
  Compression compression() const { return tfrecord ? tfrecord->compression : csv.compression; }
  /// Rows with an error that are dropped, and counted, before one is fatal.
  int64_t maxBadRows() const { return tfrecord ? 0 : csv.maxBadRows; }
};

/// Reads the JSON text of the manifest's key "input" (docs/manifest.md). Unknown keys, wrong types, values out of
/// range, duplicate names and defaults that do not parse are usage errors that name the path of the key.
absl::StatusOr<InputFormat> parseInputFormat(std::string_view json);

/// The format that an artifact's manifest has; none without a key "input". kDataLoss: the manifest is no JSON object;
/// else as parseInputFormat.
absl::StatusOr<std::optional<InputFormat>> manifestInput(std::string_view manifest);

/// Name of a column dtype in spec and manifest: "FLOAT32".
std::string_view columnDtypeName(int32_t dtype);

} // namespace mlcrt

#endif // MLCRT_INPUT_INPUTFORMAT_H
