// The cells of a column, row after row. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_COLUMNREADER_H
#define MLC_COMMON_PARQUET_COLUMNREADER_H

#include "common/parquet/PageReader.h"
#include "common/parquet/ValueReader.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common::parquet {

/// Reads the chunks of a column as text of cells. A page and a dictionary of it are in memory at a time.
class ColumnReader {
public:
  /// `separator` stands between the values of a row, `isWhole` as appendValue has it. `isSpare`: nobody cuts cells at
  /// the separator, which values may contain. `file` and `column` stay.
  ColumnReader(std::string_view file, const Column &column, char separator, bool isWhole, bool isSpare)
      : file_(file), column_(column), separator_(separator), isWhole_(isWhole), isSpare_(isSpare) {}

  const Column &column() const { return column_; }
  /// Whether a cell may have to be quoted.
  bool isText() const { return column_.meaning == Meaning::Text || column_.isList; }

  /// Goes to a chunk, of row group `group` of `rows` rows.
  bool begin(const Chunk &chunk, int64_t group, int64_t rows, Problem &problem);
  /// Appends the values of the next row to `out`; nothing for a missing value or an empty list. False: damaged, or a
  /// value that no cell can hold.
  bool appendCell(std::string &out, Problem &problem);
  /// After the last row of a group: false if there is more.
  bool finish(Problem &problem);

private:
  bool fail(std::string what, Problem &problem) const;
  bool failPage(const std::string &what, Problem &problem) const;
  bool readPage(Problem &problem);
  bool readDictionary(std::string &why);
  bool readLevels(std::string_view &body, std::string &why);
  bool takeLevels(std::string_view &body, Encoding encoding, int most, LevelReader &levels) const;
  bool nextEntry(Problem &problem);
  bool appendElement(std::string &out, Problem &problem);
  bool appendList(std::string &out, Problem &problem);

  std::string_view file_;
  const Column &column_;
  char separator_;
  bool isWhole_, isSpare_;
  int64_t group_ = 0;
  PageUnpacker unpacker_;
  PageReader pages_;
  Page page_;
  int64_t chunkLeft_ = 0; ///< entries of pages that were not begun
  int64_t left_ = 0;      ///< of the page
  LevelReader repetitions_, definitions_;
  ValueReader values_;
  // Of a chunk with a dictionary.
  bool hasDictionary_ = false, isIndexed_ = false;
  Page dictionaryPage_;
  std::string dictionaryText_;
  std::vector<std::string_view> dictionary_;
  RunReader indices_;
  // The entry that was read: a value, a missing one, or no element of its row.
  int repetition_ = 0, definition_ = 0;
  bool isPending_ = false;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_COLUMNREADER_H
