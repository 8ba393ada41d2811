// The cells of a column, row after row.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/ColumnReader.h"

#include "common/parquet/ValueText.h"

#include <cstring>

namespace mlc::common::parquet {

static constexpr int kMostIndexBits = 32;
/// Bytes of the values of a row: more than a record of text may have.
static constexpr size_t kMostCellBytes = size_t{1} << 31;

bool ColumnReader::fail(std::string what, Problem &problem) const {
  problem = {"E0311",
             "column '" + column_.name + "', row group " + std::to_string(group_ + 1) + ": " + std::move(what),
             {},
             {},
             0};
  return false;
}

bool ColumnReader::failPage(const std::string &what, Problem &problem) const {
  return fail("the page at byte " + std::to_string(pages_.begin()) + " cannot be read: " + what, problem);
}

bool ColumnReader::begin(const Chunk &chunk, int64_t group, int64_t rows, Problem &problem) {
  group_ = group;
  if (chunk.isElsewhere)
    return fail("its values are in another file", problem);
  if (chunk.isEncrypted)
    return fail("its values are encrypted", problem);
  if (chunk.physical != static_cast<int32_t>(column_.physical))
    return fail("its type is not the one of the schema, " + std::string(physicalName(column_.physical)), problem);
  if (const std::string codec = PageUnpacker::unsupported(chunk.codec); !codec.empty()) {
    fail("it is packed by codec " + codec, problem);
    problem.expected = "UNCOMPRESSED, SNAPPY, GZIP or ZSTD";
    return false;
  }
  if (column_.isList ? chunk.values < rows : chunk.values != rows)
    return fail("it has " + std::to_string(chunk.values) + " values for " + std::to_string(rows) + " rows", problem);
  pages_ = chunk.values > 0 ? PageReader(file_, chunk) : PageReader();
  chunkLeft_ = chunk.values;
  left_ = 0;
  hasDictionary_ = isPending_ = false;
  return true;
}

bool ColumnReader::readDictionary(std::string &why) {
  std::swap(dictionaryPage_, page_);
  const PageHeader &header = dictionaryPage_.header;
  dictionary_.clear();
  dictionaryText_.clear();
  if (header.encoding != Encoding::Plain && header.encoding != Encoding::PlainDictionary) {
    why = "a dictionary of encoding " + encodingName(header.encoding);
    return false;
  }
  hasDictionary_ = true;
  ValueReader values(column_, Encoding::Plain, dictionaryPage_.body(), 0, why);
  Value value;
  std::vector<size_t> ends;
  for (int32_t i = 0; i < header.values; ++i) {
    if (!values.next(value)) {
      why = "the dictionary ends after " + std::to_string(i) + " values of " + std::to_string(header.values);
      return false;
    }
    if (column_.meaning == Meaning::Text) {
      dictionary_.push_back(value.bytes);
      continue;
    }
    if (!appendValue(column_, value, isWhole_, dictionaryText_)) {
      why = "a decimal of " + std::to_string(value.bytes.size()) + " bytes";
      return false;
    }
    ends.push_back(dictionaryText_.size());
  }
  size_t begin = 0;
  for (const size_t end : ends) {
    dictionary_.push_back(std::string_view(dictionaryText_).substr(begin, end - begin));
    begin = end;
  }
  return true;
}

/// Takes levels off the front of a page's bytes.
bool ColumnReader::takeLevels(std::string_view &body, Encoding encoding, int most, LevelReader &levels) const {
  uint32_t size = 0;
  if (encoding == Encoding::Rle) {
    if (body.size() < sizeof(size))
      return false;
    std::memcpy(&size, body.data(), sizeof(size));
    body.remove_prefix(sizeof(size));
  } else if (encoding == Encoding::BitPacked) {
    size = static_cast<uint32_t>((int64_t{page_.header.values} * levelWidth(most) + 7) / 8);
  } else {
    return false;
  }
  if (size > body.size())
    return false;
  levels = LevelReader(body.substr(0, size), most, encoding == Encoding::Rle);
  body.remove_prefix(size);
  return true;
}

bool ColumnReader::readLevels(std::string_view &body, std::string &why) {
  const PageHeader &header = page_.header;
  repetitions_ = definitions_ = LevelReader();
  const int mostRepetition = column_.isList ? 1 : 0;
  if (header.kind == PageHeader::DataV2) {
    const auto size = static_cast<size_t>(header.repetitionBytes);
    if (mostRepetition > 0)
      repetitions_ = LevelReader(page_.levels.substr(0, size), mostRepetition, /*areRuns=*/true);
    if (column_.definition > 0)
      definitions_ = LevelReader(page_.levels.substr(size), column_.definition, /*areRuns=*/true);
    return true;
  }
  if (mostRepetition > 0 && !takeLevels(body, header.repetitionEncoding, mostRepetition, repetitions_)) {
    why = "its repetition levels (" + encodingName(header.repetitionEncoding) + ") are damaged";
    return false;
  }
  if (column_.definition > 0 && !takeLevels(body, header.definitionEncoding, column_.definition, definitions_)) {
    why = "its definition levels (" + encodingName(header.definitionEncoding) + ") are damaged";
    return false;
  }
  return true;
}

/// Begins the next page of values, after a dictionary if there is one.
bool ColumnReader::readPage(Problem &problem) {
  std::string why;
  while (true) {
    if (!pages_.next(unpacker_, page_, why))
      return why.empty()
                 ? fail("its pages end before its values, of which " + std::to_string(chunkLeft_) + " are not there",
                        problem)
                 : failPage(why, problem);
    if (page_.header.kind != PageHeader::Dictionary)
      break;
    if (hasDictionary_)
      return failPage("a second dictionary", problem);
    if (!readDictionary(why))
      return failPage(why, problem);
  }
  const PageHeader &header = page_.header;
  if (header.values > chunkLeft_)
    return failPage("it has " + std::to_string(header.values) + " values, of which " + std::to_string(chunkLeft_) +
                        " are left",
                    problem);
  chunkLeft_ -= header.values;
  left_ = header.values;
  std::string_view body = page_.body();
  if (!readLevels(body, why))
    return failPage(why, problem);
  isIndexed_ = header.encoding == Encoding::PlainDictionary || header.encoding == Encoding::RleDictionary;
  if (!isIndexed_) {
    values_ = ValueReader(column_, header.encoding, body, static_cast<uint64_t>(header.values), why);
    return why.empty() || failPage(why, problem);
  }
  if (!hasDictionary_)
    return failPage("its values are of a dictionary, which is not there", problem);
  const int width = body.empty() ? 0 : static_cast<uint8_t>(body.front());
  if (width > kMostIndexBits)
    return failPage("indices of " + std::to_string(width) + " bits", problem);
  indices_ = RunReader(body.substr(body.empty() ? 0 : 1), width);
  return true;
}

bool ColumnReader::nextEntry(Problem &problem) {
  while (left_ == 0)
    if (!readPage(problem))
      return false;
  --left_;
  return (repetitions_.next(repetition_) && definitions_.next(definition_)) ||
         failPage("its levels are damaged", problem);
}

/// The value of an entry; nothing for a missing one.
bool ColumnReader::appendElement(std::string &out, Problem &problem) {
  if (definition_ < column_.definition)
    return true;
  if (isIndexed_) {
    uint32_t index = 0;
    if (!indices_.next(index) || index >= dictionary_.size())
      return failPage("its indices are damaged, or not of the dictionary's " + std::to_string(dictionary_.size()) +
                          " values",
                      problem);
    out += dictionary_[index];
    return true;
  }
  Value value;
  if (!values_.next(value))
    return failPage("its values (" + encodingName(page_.header.encoding) + ") are damaged, or too few", problem);
  return appendValue(column_, value, isWhole_, out) ||
         failPage("a decimal of " + std::to_string(value.bytes.size()) + " bytes", problem);
}

bool ColumnReader::appendList(std::string &out, Problem &problem) {
  // The first entry of a row was read to see where the row before ends.
  if (!isPending_ && !nextEntry(problem))
    return false;
  isPending_ = false;
  if (repetition_ != 0)
    return failPage("a value goes on with a row that did not begin", problem);
  for (bool isFirst = true;; isFirst = false) {
    if (!isFirst)
      out += separator_;
    const size_t begin = out.size();
    if (definition_ >= column_.element && !appendElement(out, problem))
      return false;
    if (out.size() > kMostCellBytes)
      return failPage("a row of more than 2 GiB", problem);
    if (!isSpare_ && out.find(separator_, begin) != std::string::npos) {
      problem = {"E0315",
                 "a value in the list of column '" + column_.name + "' contains '" + std::string(1, separator_) +
                     "', which stands between values",
                 {},
                 "another multi_value.separator",
                 0};
      return false;
    }
    if (left_ == 0 && chunkLeft_ == 0)
      return true;
    if (!nextEntry(problem))
      return false;
    if (repetition_ == 0) {
      isPending_ = true;
      return true;
    }
  }
}

bool ColumnReader::appendCell(std::string &out, Problem &problem) {
  if (column_.isList)
    return appendList(out, problem);
  return nextEntry(problem) && appendElement(out, problem);
}

bool ColumnReader::finish(Problem &problem) {
  return (left_ == 0 && chunkLeft_ == 0 && !isPending_) || fail("it has more values than rows", problem);
}

} // namespace mlc::common::parquet
