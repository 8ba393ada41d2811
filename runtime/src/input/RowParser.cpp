// From the bytes of a record to the row of a batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/RowParser.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

/// Where the values of `row` begin.
static int64_t beginOf(const RowTarget &target, int64_t row) { return row > 0 ? target.ends[row - 1] : 0; }

RowFault RowParser::parseFields(std::string_view record, const FileLayout &layout, int64_t row,
                                const std::vector<RowTarget> &targets, RowScratch &scratch, StringArena &arena) const {
  if (splitRecord(record, format_.csv, scratch.fields) != 0 ||
      static_cast<int64_t>(scratch.fields.size()) != layout.fields)
    return RowFault::Bad;
  RowFault fault = RowFault::None;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ColumnParser &parser = columns_[i].parser;
    const CsvField &field = scratch.fields[static_cast<size_t>(layout.fieldOf[i])];
    const ColumnParser::Outcome outcome =
        parser.isList() ? parser.parseList(field, arena, *targets[i].values, scratch.droppedValues)
                        : parser.parse(field, arena, targets[i].cells + row * parser.rowBytes());
    if (outcome == ColumnParser::Outcome::SkipRow)
      fault = RowFault::Skipped; // an error in another column of the row still counts
    else if (outcome != ColumnParser::Outcome::Value)
      return RowFault::Bad;
  }
  return fault;
}

RowFault RowParser::parse(std::string_view record, const FileLayout &layout, int64_t row,
                          const std::vector<RowTarget> &targets, RowScratch &scratch, StringArena &arena) const {
  for (const RowTarget &target : targets)
    if (target.values)
      target.values->shrink(beginOf(target, row));
  const int64_t dropped = scratch.droppedValues;
  const RowFault fault = parseFields(record, layout, row, targets, scratch, arena);
  if (fault != RowFault::None)
    scratch.droppedValues = dropped;
  for (const RowTarget &target : targets) {
    if (!target.values)
      continue;
    if (fault != RowFault::None)
      target.values->shrink(beginOf(target, row));
    target.ends[row] = target.values->size();
  }
  return fault;
}

absl::Status RowParser::explain(std::string_view record, const FileLayout &layout, Origin origin) const {
  std::vector<CsvField> fields;
  const int64_t malformed = splitRecord(record, format_.csv, fields);
  if (malformed != 0) {
    origin.field = malformed;
    return dataError(origin, data_code::kRecord, "text behind a closing quote", "the delimiter, or a doubled quote");
  }
  const auto found = static_cast<int64_t>(fields.size());
  if (found != layout.fields)
    return raggedRow(origin, record, found, layout.fields, format_.csv);
  StringArena arena;
  for (size_t k = 0; k < columns_.size(); ++k) {
    const ColumnParser &parser = columns_[k].parser;
    const CsvField &field = fields[static_cast<size_t>(layout.fieldOf[k])];
    std::vector<char> cells(static_cast<size_t>(parser.rowBytes()));
    ValueList values = parser.makeList();
    int64_t dropped = 0;
    const ColumnParser::Outcome outcome =
        parser.isList() ? parser.parseList(field, arena, values, dropped) : parser.parse(field, arena, cells.data());
    if (outcome == ColumnParser::Outcome::Value || outcome == ColumnParser::Outcome::SkipRow)
      continue;
    origin.field = layout.fieldOf[k] + 1;
    return parser.explain(field, origin, outcome);
  }
  return absl::InternalError(absl::StrCat(toText(origin), ": a row was taken for a bad one"));
}

} // namespace mlcrt
