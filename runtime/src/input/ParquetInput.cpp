// Parquet files as data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ParquetInput.h"

#include "absl/strings/str_cat.h"
#include "common/parquet/ParquetText.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <fstream>

namespace mlcrt {

namespace parquet = mlc::common::parquet;

absl::StatusOr<InputFormat> formatOfFiles(const std::vector<DataFile> &files, const InputFormat &format) {
  const DataFile *table = nullptr, *other = nullptr;
  for (const DataFile &file : files) {
    char start[4] = {};
    std::ifstream stream(file.toOpen(), std::ios::binary);
    stream.read(start, sizeof(start));
    if (stream.bad() || !stream.is_open())
      continue; // who reads it tells
    const DataFile *&first = parquet::isParquet({start, static_cast<size_t>(stream.gcount())}) ? table : other;
    first = first ? first : &file;
  }
  if (table && (format.tfrecord || format.csv.restOfLine))
    return dataError({table->path}, data_code::kUnreadable, "is a Parquet file",
                     absl::StrCat(format.tfrecord ? "TFRecord" : "LibSVM", ", as the spec's input says"),
                     "input { parquet {} } reads such files");
  if (table && other)
    return dataError({other->path}, data_code::kUnreadable,
                     absl::StrCat("is no Parquet file, but '", table->path, "' is one"), "files of one kind");
  if (other && format.parquet)
    return dataError({other->path}, data_code::kUnreadable, "is no Parquet file", "PAR1 as its first bytes",
                     "input { csv {} } reads CSV and Parquet files");
  InputFormat found = format;
  if (!table)
    return found;
  found.parquet = true;
  found.csv = CsvFormat();
  found.csv.maxBadRows = format.csv.maxBadRows;
  return found;
}

/// The columns of a selection, by their names in the file.
static parquet::TextOptions optionsOf(const ParquetSelection &selection) {
  parquet::TextOptions options;
  options.isLenient = options.all = selection.cut && selection.cut->cut.share > 0;
  for (const InputColumn &column : selection.format->columns) {
    const std::string &name = column.fieldName();
    const bool isRead =
        std::any_of(selection.columns->begin(), selection.columns->end(),
                    [&](const BoundColumn &bound) { return bound.parser.column().fieldName() == name; });
    const bool isCut = selection.cut && selection.cut->cut.share <= 0 && selection.cut->cut.column == column.name;
    if (!isRead && !isCut)
      continue;
    const bool isWhole = column.dtype == MLCRT_I32 || column.dtype == MLCRT_I64;
    options.columns.push_back({name, column.multiValue ? column.multiValue->separator : '|', isWhole});
  }
  return options;
}

absl::Status writeParquetText(const std::string &path, std::string_view bytes, const ParquetSelection &selection,
                              const UnpackSink &sink, std::vector<std::string> *undeclared) {
  parquet::Problem problem;
  const std::unique_ptr<parquet::ParquetText> text = parquet::ParquetText::open(bytes, optionsOf(selection), problem);
  int64_t written = 0;
  while (text && written < selection.mostBytes) {
    const std::string_view piece = text->next(problem);
    if (piece.empty())
      break;
    if (absl::Status status = sink(piece); !status.ok())
      return status;
    written += static_cast<int64_t>(piece.size());
  }
  if (problem)
    return dataError({path, 0, 0, problem.row}, problem.code, problem.what, problem.expected, problem.help);
  for (const std::string &name : text->names())
    if (undeclared && !selection.format->findField(name) &&
        std::find(undeclared->begin(), undeclared->end(), name) == undeclared->end())
      undeclared->push_back(name);
  return absl::OkStatus();
}

} // namespace mlcrt
