// What a Parquet file says of itself: its columns, its row groups, its pages. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_FOOTER_H
#define MLC_COMMON_PARQUET_FOOTER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common::parquet {

/// What is wrong with a file: a message without its place.
struct Problem {
  std::string_view code; ///< "E0311"; empty: nothing
  std::string what, expected, help;
  int64_t row = 0; ///< of the file, from 1; 0: of none

  explicit operator bool() const { return !code.empty(); }
};

/// The first and the last bytes of every file.
inline constexpr std::string_view kMagic = "PAR1";

/// Whether a file that begins with `start` is one.
inline bool isParquet(std::string_view start) { return start.substr(0, kMagic.size()) == kMagic; }

/// How values are stored; numbers as in the format.
enum class Physical : int32_t { Boolean, Int32, Int64, Int96, Float, Double, ByteArray, FixedByteArray };

/// "BYTE_ARRAY".
std::string_view physicalName(Physical type);

/// What stored values are.
enum class Meaning : uint8_t { Bool, Integer, Unsigned, Real, Text, Date, Time, Timestamp, Decimal };

/// A column of the table: a field of the schema's root.
struct Column {
  std::string name;
  /// Why its values cannot be read: "a map"; empty: they can.
  std::string unsupported;
  Physical physical = Physical::Int32;
  Meaning meaning = Meaning::Integer;
  int32_t width = 0;  ///< bytes of a value of Physical::FixedByteArray
  int32_t digits = 0; ///< of a Decimal after its point; of a Time or Timestamp below the second: 3, 6 or 9
  bool isUtc = false;
  /// A row has any number of values.
  bool isList = false;
  /// A definition level of `definition` is a value; in lists one of `element` or more is an element.
  int definition = 0, element = 0;
  /// The first of its chunks in a row group.
  size_t leaf = 0;
};

/// The values of a column in a row group.
struct Chunk {
  int32_t physical = -1, codec = 0;
  int64_t values = 0;
  int64_t begin = 0, size = 0; ///< its pages in the file
  /// Stored in another file, or encrypted.
  bool isElsewhere = false, isEncrypted = false;
};

struct RowGroup {
  int64_t rows = 0;
  std::vector<Chunk> chunks; ///< one for each leaf of the schema
};

struct Footer {
  std::vector<Column> columns;
  std::vector<RowGroup> groups;
  int64_t rows = 0;
};

/// Reads the footer of a whole file. False, E0311: it is no Parquet file, ends early, is damaged or encrypted, or
/// claims more rows than so many bytes can hold.
bool readFooter(std::string_view file, Footer &footer, Problem &problem);

/// Encodings of values and levels; numbers as in the format.
enum class Encoding : int32_t {
  Plain = 0,
  PlainDictionary = 2,
  Rle = 3,
  BitPacked = 4,
  DeltaBinaryPacked = 5,
  DeltaLengthByteArray = 6,
  DeltaByteArray = 7,
  RleDictionary = 8,
  ByteStreamSplit = 9
};

/// "DELTA_BYTE_ARRAY".
std::string encodingName(Encoding encoding);

/// What stands before the bytes of a page.
struct PageHeader {
  enum Kind : int32_t { Data = 0, Index = 1, Dictionary = 2, DataV2 = 3 };
  int32_t kind = -1;
  int32_t unpackedSize = -1, packedSize = -1;
  std::optional<int32_t> crc; ///< of the bytes as stored
  int32_t values = -1;
  Encoding encoding = Encoding::Plain;
  Encoding definitionEncoding = Encoding::Rle, repetitionEncoding = Encoding::Rle;
  int32_t definitionBytes = 0, repetitionBytes = 0; ///< of DataV2, which are never packed
  bool isPacked = true;
};

/// Reads the header at the front of `bytes`, whose size is then `size`; false: damaged.
bool readPageHeader(std::string_view bytes, PageHeader &header, size_t &size);

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_FOOTER_H
