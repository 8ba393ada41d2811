// The records of files on one side of a validation cut.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/RowSelection.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/cli/NearestMatch.h"

#include <algorithm>
#include <farmhash.h>

namespace mlcrt {

absl::StatusOr<std::unique_ptr<RowSelector>> RowSelector::create(const InputFormat &format, RowSelection selection) {
  std::unique_ptr<RowSelector> selector(new RowSelector(std::move(selection)));
  const mlc::common::RowCut &cut = selector->selection_.cut;
  if (cut.share > 0)
    return selector;
  static constexpr const char *kCode = "E0226";
  selector->format_ = format;
  std::vector<InputColumn> &columns = selector->format_.columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const InputColumn &column) { return column.name == cut.column; });
  if (found == columns.end()) {
    std::vector<std::string> names;
    for (const InputColumn &column : columns)
      names.push_back(column.name);
    return usageError("", kCode, absl::StrCat("train.validation.column: no column '", cut.column, "'"),
                      "a column that the spec declares", mlc::common::didYouMean(cut.column, names));
  }
  if (found->multiValue || found->elements() != 1)
    return usageError("", kCode, absl::StrCat("train.validation.column: '", cut.column, "' has several values per row"),
                      "a column of one");
  // What a missing value is for the model is of no account here.
  if (found->dtype != MLCRT_STRING) {
    found->dtype = MLCRT_F64;
    if (!absl::SimpleAtod(cut.from, &selector->from_))
      return usageError("", kCode, absl::StrCat("train.validation.from: '", cut.from, "' is no number"),
                        absl::StrCat("a number, as column '", cut.column, "' has"));
  }
  found->categorical = false;
  found->onMissing = OnMissing::Error;
  found->defaultValue.reset();
  const std::string &name = found->name;
  absl::StatusOr<std::vector<BoundColumn>> bound =
      bindFeatures(selector->format_, {TensorSpec(name.c_str(), found->dtype, {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)})});
  if (!bound.ok())
    return bound.status();
  selector->column_ = *std::move(bound);
  selector->parser_ = std::make_unique<RowParser>(selector->format_, selector->column_);
  return selector;
}

/// Whether a record's value is `from` or above.
bool RowSelector::isNew(std::string_view record, const FileLayout &layout) {
  arena_.clear();
  mlcrt_string text = {};
  double number = 0;
  const bool isText = column_.front().parser.column().dtype == MLCRT_STRING;
  const RowTarget target{isText ? reinterpret_cast<char *>(&text) : reinterpret_cast<char *>(&number), 0, nullptr,
                         nullptr};
  if (parser_->parse(record, layout, 0, {target}, scratch_, arena_) != RowFault::None)
    return false;
  if (!isText)
    return number >= from_;
  return std::string_view(text.data, static_cast<size_t>(text.size)) >= selection_.cut.from;
}

absl::Status RowSelector::select(const std::string &path, std::string_view text, const RecordIndex &index,
                                 int64_t firstRecord, std::vector<int64_t> &selected) {
  FileLayout layout;
  if (parser_ && !format_.tfrecord) {
    absl::StatusOr<FileLayout> bound =
        bindFile(path, index.header(text), index.headerLine(),
                 index.size() > 0 ? index.record(text, 0) : std::string_view(), format_, column_);
    if (!bound.ok())
      return bound.status();
    layout = *std::move(bound);
  }
  for (int64_t i = 0; i < index.size(); ++i) {
    const std::string_view record = index.record(text, i);
    const bool out =
        parser_ ? isNew(record, layout) : selection_.cut.holdsOut(util::Fingerprint64(record.data(), record.size()));
    if (out == selection_.heldOut)
      selected.push_back(firstRecord + i);
  }
  return absl::OkStatus();
}

} // namespace mlcrt
