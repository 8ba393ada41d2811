// From the bytes of a record to the row of a batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/RowParser.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

RowParser::RowParser(const InputFormat &format, const std::vector<BoundColumn> &columns)
    : format_(format), columns_(columns) {
  for (const BoundColumn &column : columns) {
    const bool weighted = column.parser.isList() && column.parser.column().multiValue->weightSeparator != 0;
    anyList_ = anyList_ || column.parser.isList();
    const int values = names_.add(column.parser.column().fieldName());
    parts_.push_back({values, weighted ? names_.add(column.parser.column().weightName()) : -1});
  }
}

const ExampleFeature &RowParser::weightsOf(size_t i, const std::vector<ExampleFeature> &features) const {
  static const ExampleFeature none;
  return parts_[i].weights >= 0 ? features[static_cast<size_t>(parts_[i].weights)] : none;
}

/// Where the values of `row` begin.
static int64_t beginOf(const RowTarget &target, int64_t row) { return row > 0 ? target.ends[row - 1] : 0; }

/// Cuts a record into its cells; false if it cannot be, or has another number of them.
bool RowParser::split(std::string_view record, const FileLayout &layout, RowScratch &scratch) const {
  if (!format_.tfrecord)
    return splitRecord(record, format_.csv, scratch.fields) == 0 &&
           static_cast<int64_t>(scratch.fields.size()) == layout.fields;
  scratch.features.resize(static_cast<size_t>(names_.size()));
  int64_t position;
  return splitExample(record, names_, scratch.features.data(), position);
}

ColumnParser::Outcome RowParser::parseCell(size_t i, const ColumnParser &parser, const FileLayout &layout, int64_t row,
                                           const RowTarget &target, RowScratch &scratch, StringArena &arena) const {
  if (format_.tfrecord) {
    const ExampleFeature &feature = scratch.features[static_cast<size_t>(parts_[i].values)];
    return parser.isList()
               ? parser.parseList(feature, weightsOf(i, scratch.features), *target.values, scratch.droppedValues)
               : parser.parse(feature, target.cells + row * target.pitch);
  }
  const CsvField &field = scratch.fields[static_cast<size_t>(layout.fieldOf[i])];
  return parser.isList() ? parser.parseList(field, arena, *target.values, scratch.droppedValues)
                         : parser.parse(field, arena, target.cells + row * target.pitch);
}

RowFault RowParser::parseCells(std::string_view record, const FileLayout &layout, int64_t row,
                               const std::vector<RowTarget> &targets, RowScratch &scratch, StringArena &arena) const {
  scratch.isSplit = split(record, layout, scratch);
  if (!scratch.isSplit)
    return RowFault::Bad;
  RowFault fault = RowFault::None;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ColumnParser::Outcome outcome = parseCell(i, columns_[i].parser, layout, row, targets[i], scratch, arena);
    if (outcome == ColumnParser::Outcome::SkipRow)
      fault = RowFault::Skipped; // an error in another column of the row still counts
    else if (outcome != ColumnParser::Outcome::Value)
      return RowFault::Bad;
  }
  return fault;
}

RowFault RowParser::parse(std::string_view record, const FileLayout &layout, int64_t row,
                          const std::vector<RowTarget> &targets, RowScratch &scratch, StringArena &arena) const {
  if (!anyList_)
    return parseCells(record, layout, row, targets, scratch, arena);
  for (const RowTarget &target : targets)
    if (target.values)
      target.values->shrink(beginOf(target, row));
  const int64_t dropped = scratch.droppedValues;
  const RowFault fault = parseCells(record, layout, row, targets, scratch, arena);
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
  return format_.tfrecord ? explainExample(record, origin) : explainFields(record, layout, origin);
}

absl::Status RowParser::explainExample(std::string_view record, const Origin &origin) const {
  std::vector<ExampleFeature> features(static_cast<size_t>(names_.size()));
  int64_t position = 0;
  if (!splitExample(record, names_, features.data(), position))
    return dataError(origin, data_code::kRecord, absl::StrCat("it cannot be read from its byte ", position, " on"),
                     "a tf.Example");
  for (size_t k = 0; k < columns_.size(); ++k) {
    const ColumnParser &parser = columns_[k].parser;
    const ExampleFeature &feature = features[static_cast<size_t>(parts_[k].values)];
    std::vector<char> cells(static_cast<size_t>(parser.rowBytes()));
    ValueList values = parser.makeList();
    int64_t dropped = 0;
    const ColumnParser::Outcome outcome = parser.isList()
                                              ? parser.parseList(feature, weightsOf(k, features), values, dropped)
                                              : parser.parse(feature, cells.data());
    if (outcome != ColumnParser::Outcome::Value && outcome != ColumnParser::Outcome::SkipRow)
      return parser.explain(feature, weightsOf(k, features), origin, outcome);
  }
  return absl::InternalError(absl::StrCat(toText(origin), ": a record was taken for a bad one"));
}

absl::Status RowParser::explainFields(std::string_view record, const FileLayout &layout, Origin origin) const {
  std::vector<CsvField> fields;
  const int64_t malformed = splitRecord(record, format_.csv, fields);
  if (malformed != 0) {
    origin.field = malformed;
    return dataError(origin, data_code::kRecord, "text after a closing quote", "the delimiter, or a doubled quote");
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
    if (format_.hasLines())
      origin.field = layout.fieldOf[k] + 1;
    return parser.explain(field, origin, outcome);
  }
  return absl::InternalError(absl::StrCat(toText(origin), ": a row was taken for a bad one"));
}

} // namespace mlcrt
