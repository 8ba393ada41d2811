// The schema of a Parquet file: a tree, as a list of its nodes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_SCHEMA_H
#define MLC_COMMON_PARQUET_SCHEMA_H

#include "common/parquet/Footer.h"
#include "common/parquet/ThriftReader.h"

namespace mlc::common::parquet {

/// Logical types; numbers as in the format's union LogicalType.
enum class Logical : uint8_t {
  None = 0,
  String = 1,
  Map = 2,
  List = 3,
  Enum = 4,
  Decimal = 5,
  Date = 6,
  Time = 7,
  Timestamp = 8,
  Integer = 10,
  Null = 11,
  Json = 12,
  Bson = 13,
  Uuid = 14,
  Float16 = 15,
  Variant = 16,
  Geometry = 17,
  Geography = 18,
  Interval = 19, ///< of ConvertedType alone
  Unknown = 20
};

/// A node of the tree, before its children.
struct SchemaElement {
  enum Repetition : int32_t { Required = 0, Optional = 1, Repeated = 2 };
  std::string_view name;
  int32_t physical = -1; ///< of leaves
  int32_t width = 0;
  int32_t repetition = Required;
  int32_t children = 0;
  Logical logical = Logical::None;
  bool isSigned = true, isUtc = false;
  int32_t scale = 0;
  int32_t digits = 0; ///< of times, below the second
};

/// Reads one; its name lies in the bytes of `in`.
bool readElement(ThriftReader &in, ThriftReader::Type type, SchemaElement &element);

/// The columns of a table; `leaves` of the tree. Returns what is wrong with the schema, or the empty text.
std::string columnsOf(const std::vector<SchemaElement> &schema, std::vector<Column> &columns, size_t &leaves);

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_SCHEMA_H
