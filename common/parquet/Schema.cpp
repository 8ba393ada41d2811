// The schema of a Parquet file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/Schema.h"

namespace mlc::common::parquet {

using Type = ThriftReader::Type;

/// Levels of a tree; a table needs four.
static constexpr int kMostDepth = 64;
/// Digits of the largest decimal of 16 bytes.
static constexpr int kMostScale = 38;
static constexpr int32_t kMostDecimalBytes = 16;

std::string_view physicalName(Physical type) {
  static constexpr std::string_view names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                               "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
  return names[static_cast<int32_t>(type)];
}

static std::string logicalName(Logical type) {
  static constexpr std::string_view names[] = {
      "",     "STRING",    "MAP",     "LIST",     "ENUM",      "DECIMAL",  "DATE",
      "TIME", "TIMESTAMP", "",        "INT",      "NULL",      "JSON",     "BSON",
      "UUID", "FLOAT16",   "VARIANT", "GEOMETRY", "GEOGRAPHY", "INTERVAL", "of a newer version of the format"};
  return std::string(names[static_cast<uint8_t>(type)]);
}

//===-- Reading ---------------------------------------------------------------------------------------------------===//

/// What files said before there was LogicalType.
static void convert(int32_t converted, SchemaElement &element) {
  static constexpr Logical kTypes[] = {
      Logical::String,  Logical::Map,     Logical::Map,     Logical::List,      Logical::Enum,      Logical::Decimal,
      Logical::Date,    Logical::Time,    Logical::Time,    Logical::Timestamp, Logical::Timestamp, Logical::Integer,
      Logical::Integer, Logical::Integer, Logical::Integer, Logical::Integer,   Logical::Integer,   Logical::Integer,
      Logical::Integer, Logical::Json,    Logical::Bson,    Logical::Interval};
  if (converted < 0)
    return;
  if (static_cast<size_t>(converted) >= std::size(kTypes)) {
    element.logical = Logical::Unknown;
    return;
  }
  element.logical = kTypes[converted];
  element.isSigned = converted >= 15;                        // UINT_8 to UINT_64 come before INT_8
  element.digits = converted == 7 || converted == 9 ? 3 : 6; // milliseconds, microseconds
  element.isUtc = element.logical == Logical::Timestamp;
}

/// TimeType and TimestampType: isAdjustedToUTC, and the unit, a union.
static bool readTime(ThriftReader &in, Type type, SchemaElement &element) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    if (id == 1)
      return in.read(field, element.isUtc);
    if (id != 2)
      return in.skip(field);
    return in.readStruct(field, [&](int64_t unit, Type each) {
      element.digits = unit >= 1 && unit <= 3 ? static_cast<int32_t>(3 * unit) : 0;
      return in.skip(each);
    });
  });
}

static bool readLogical(ThriftReader &in, Type type, SchemaElement &element) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    element.logical = id >= 1 && id <= 18 && id != 9 ? static_cast<Logical>(id) : Logical::Unknown;
    switch (element.logical) {
    case Logical::Decimal:
      return in.readStruct(
          field, [&](int64_t part, Type each) { return part == 1 ? in.read(each, element.scale) : in.skip(each); });
    case Logical::Time:
    case Logical::Timestamp:
      element.isUtc = false;
      return readTime(in, field, element);
    case Logical::Integer:
      return in.readStruct(
          field, [&](int64_t part, Type each) { return part == 2 ? in.read(each, element.isSigned) : in.skip(each); });
    default:
      return in.skip(field);
    }
  });
}

bool readElement(ThriftReader &in, Type type, SchemaElement &element) {
  int32_t converted = -1;
  SchemaElement logical;
  const bool good = in.readStruct(type, [&](int64_t id, Type field) {
    switch (id) {
    case 1:
      return in.read(field, element.physical);
    case 2:
      return in.read(field, element.width);
    case 3:
      return in.read(field, element.repetition);
    case 4:
      return in.read(field, element.name);
    case 5:
      return in.read(field, element.children);
    case 6:
      return in.read(field, converted);
    case 7:
      return in.read(field, element.scale);
    case 10:
      return readLogical(in, field, logical);
    default:
      return in.skip(field);
    }
  });
  convert(converted, element);
  if (logical.logical != Logical::None) {
    element.logical = logical.logical;
    element.isSigned = logical.isSigned;
    element.isUtc = logical.isUtc;
    element.digits = logical.digits;
    if (logical.logical == Logical::Decimal)
      element.scale = logical.scale;
  }
  return good && element.name.data() != nullptr && element.children >= 0 &&
         element.repetition >= SchemaElement::Required && element.repetition <= SchemaElement::Repeated;
}

//===-- Columns ---------------------------------------------------------------------------------------------------===//

/// What the values of a leaf are, or why they cannot be read.
static void describe(const SchemaElement &leaf, Column &column) {
  column.physical = static_cast<Physical>(leaf.physical);
  column.width = leaf.width;
  column.isUtc = leaf.isUtc;
  column.digits = leaf.logical == Logical::Decimal ? leaf.scale : leaf.digits;
  const auto refuse = [&] {
    column.unsupported = leaf.logical == Logical::None ? "of type " + std::string(physicalName(column.physical))
                                                       : "of type " + std::string(physicalName(column.physical)) +
                                                             " (" + logicalName(leaf.logical) + ")";
  };
  const bool isFixed = column.physical == Physical::FixedByteArray;
  switch (column.physical) {
  case Physical::Boolean:
    column.meaning = Meaning::Bool;
    return leaf.logical == Logical::None || leaf.logical == Logical::Null ? void() : refuse();
  case Physical::Float:
  case Physical::Double:
    column.meaning = Meaning::Real;
    return leaf.logical == Logical::None || leaf.logical == Logical::Null ? void() : refuse();
  case Physical::Int96:
    return refuse();
  default:
    break;
  }
  const bool isNumber = column.physical == Physical::Int32 || column.physical == Physical::Int64;
  switch (leaf.logical) {
  case Logical::None:
  case Logical::Null:
    column.meaning = isNumber ? Meaning::Integer : Meaning::Text;
    break;
  case Logical::String:
  case Logical::Enum:
  case Logical::Json:
    column.meaning = Meaning::Text;
    if (isNumber)
      return refuse();
    break;
  case Logical::Integer:
    column.meaning = leaf.isSigned ? Meaning::Integer : Meaning::Unsigned;
    if (!isNumber)
      return refuse();
    break;
  case Logical::Date:
    column.meaning = Meaning::Date;
    if (column.physical != Physical::Int32)
      return refuse();
    break;
  case Logical::Time:
  case Logical::Timestamp:
    column.meaning = leaf.logical == Logical::Time ? Meaning::Time : Meaning::Timestamp;
    if (!isNumber || leaf.digits == 0 || (column.physical == Physical::Int32 && leaf.logical == Logical::Timestamp))
      return refuse();
    break;
  case Logical::Decimal:
    column.meaning = Meaning::Decimal;
    if (leaf.scale < 0 || leaf.scale > kMostScale || (isFixed && leaf.width > kMostDecimalBytes))
      return refuse();
    break;
  default:
    return refuse();
  }
  if (isFixed && column.width <= 0)
    column.unsupported = "of values of " + std::to_string(column.width) + " bytes";
}

namespace {
/// Goes through the tree.
class Walker {
public:
  Walker(const std::vector<SchemaElement> &schema, std::vector<Column> &columns) : schema_(schema), columns_(columns) {}

  std::string walk(size_t &leaves) {
    if (schema_.empty() || schema_[0].children == 0)
      return "has no columns";
    at_ = 1;
    for (int32_t i = 0; i < schema_[0].children; ++i) {
      const size_t begin = at_;
      Column column;
      column.leaf = leaves_;
      if (!skipTree(0))
        return "is damaged";
      column.name = std::string(schema_[begin].name);
      readColumn(begin, column);
      columns_.push_back(std::move(column));
    }
    leaves = leaves_;
    return at_ == schema_.size() ? "" : "is damaged";
  }

private:
  /// Moves after a node and all below it, and counts leaves.
  bool skipTree(int depth) {
    if (at_ >= schema_.size() || depth > kMostDepth)
      return false;
    const SchemaElement &node = schema_[at_++];
    if (node.children == 0) {
      ++leaves_;
      return node.physical >= 0 && node.physical <= static_cast<int32_t>(Physical::FixedByteArray);
    }
    for (int32_t i = 0; i < node.children; ++i)
      if (!skipTree(depth + 1))
        return false;
    return true;
  }

  /// The column whose tree begins at node `at`.
  void readColumn(size_t at, Column &column) const {
    const SchemaElement &top = schema_[at];
    const int optional = top.repetition == SchemaElement::Optional ? 1 : 0;
    if (top.children == 0) {
      column.isList = top.repetition == SchemaElement::Repeated;
      column.definition = column.element = column.isList ? 1 : optional;
      return describe(top, column);
    }
    if (top.logical == Logical::Map) {
      column.unsupported = "a map";
      return;
    }
    if (top.logical != Logical::List || top.children != 1 || top.repetition == SchemaElement::Repeated ||
        schema_[at + 1].repetition != SchemaElement::Repeated) {
      column.unsupported = "a nested struct";
      return;
    }
    // A repeated group with the element in it, or, of old writers, the element repeated itself.
    const SchemaElement &repeated = schema_[at + 1];
    const SchemaElement &leaf = repeated.children == 1 ? schema_[at + 2] : repeated;
    column.isList = true;
    column.element = column.definition = optional + 1;
    if (repeated.children > 1 || leaf.children > 0 ||
        (&leaf != &repeated && leaf.repetition == SchemaElement::Repeated)) {
      column.unsupported = "a list of lists or structs";
      return;
    }
    if (&leaf != &repeated && leaf.repetition == SchemaElement::Optional)
      ++column.definition;
    describe(leaf, column);
  }

  const std::vector<SchemaElement> &schema_;
  std::vector<Column> &columns_;
  size_t at_ = 0, leaves_ = 0;
};
} // namespace

std::string columnsOf(const std::vector<SchemaElement> &schema, std::vector<Column> &columns, size_t &leaves) {
  return Walker(schema, columns).walk(leaves);
}

} // namespace mlc::common::parquet
