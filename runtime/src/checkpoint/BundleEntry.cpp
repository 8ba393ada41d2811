// Entries of an index, as protos.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/BundleEntry.h"

#include "runtime/src/core/ProtoWire.h"

#include <cstring>
#include <utility>

namespace mlcrt {

// Field numbers of tensorflow/core/protobuf/tensor_bundle.proto, and of versions.proto, tensor_shape.proto and
// tensor_slice.proto.
enum HeaderField { kNumShards = 1, kEndianness = 2, kVersion = 3 };
enum VersionField { kProducer = 1, kMinConsumer = 2 };
enum EntryField { kDtype = 1, kShape = 2, kShardId = 3, kOffset = 4, kSize = 5, kCrc32c = 6, kSlices = 7 };
enum ShapeField { kDim = 2, kUnknownRank = 3 };
enum DimField { kDimSize = 1 };
enum SliceField { kExtent = 1 };
enum ExtentField { kStart = 1, kExtentLength = 2 };

static constexpr std::pair<int64_t, mlcrt_dtype> kDtypes[] = {
    {1, MLCRT_F32},  {2, MLCRT_F64},  {3, MLCRT_I32},   {4, MLCRT_U8},    {5, MLCRT_I16},
    {6, MLCRT_I8},   {9, MLCRT_I64},  {10, MLCRT_BOOL}, {14, MLCRT_BF16}, {17, MLCRT_U16},
    {19, MLCRT_F16}, {22, MLCRT_U32}, {23, MLCRT_U64}};

std::optional<mlcrt_dtype> dtypeFromTensorFlow(int64_t number) {
  for (const auto &[theirs, ours] : kDtypes)
    if (theirs == number)
      return ours;
  return std::nullopt;
}

int64_t dtypeInTensorFlow(int32_t dtype) {
  for (const auto &[theirs, ours] : kDtypes)
    if (ours == dtype)
      return theirs;
  return 0;
}

std::string tensorFlowDtypeName(int64_t number) {
  static constexpr std::pair<int64_t, std::string_view> kNames[] = {{kTensorFlowString, "string"},
                                                                    {8, "complex64"},
                                                                    {11, "qint8"},
                                                                    {12, "quint8"},
                                                                    {13, "qint32"},
                                                                    {15, "qint16"},
                                                                    {16, "quint16"},
                                                                    {18, "complex128"},
                                                                    {20, "resource"},
                                                                    {21, "variant"}};
  for (const auto &[value, name] : kNames)
    if (value == number)
      return std::string(name);
  return "dtype(" + std::to_string(number) + ")";
}

/// Reads the fields of a message: `take` gets each one and says whether it is well formed.
template <typename Take> static bool parseFields(std::string_view text, Take take) {
  for (FieldReader field(text); !field.done();)
    if (!field.next() || !take(field))
      return false;
  return true;
}

static bool takeInteger(const FieldReader &field, int64_t &value) {
  value = static_cast<int64_t>(field.number);
  return (field.tag & 7) == kVarint;
}

bool BundleHeader::parse(std::string_view text) {
  return parseFields(text, [&](const FieldReader &field) {
    int64_t order = 0;
    switch (field.tag >> 3) {
    case kNumShards:
      return takeInteger(field, shards);
    case kEndianness:
      return takeInteger(field, order) && (order == 0 || (isBigEndian = order == 1));
    case kVersion:
      return (field.tag & 7) == kLength && parseFields(field.bytes, [&](const FieldReader &each) {
               return each.tag >> 3 != kMinConsumer || takeInteger(each, minConsumer);
             });
    default:
      return true;
    }
  });
}

std::string BundleHeader::text() const {
  std::string version, header;
  FieldWriter(version).integer(kProducer, 1);
  FieldWriter(header).integer(kNumShards, shards).bytes(kVersion, version);
  return header;
}

static bool parseShape(std::string_view text, BundleEntry &entry) {
  return parseFields(text, [&](const FieldReader &field) {
    int64_t unknown = 0;
    if (field.tag >> 3 == kUnknownRank && takeInteger(field, unknown)) {
      entry.isRankUnknown |= unknown != 0;
      return true;
    }
    if (field.tag >> 3 != kDim)
      return true;
    int64_t &size = entry.shape.emplace_back();
    return (field.tag & 7) == kLength && parseFields(field.bytes, [&](const FieldReader &each) {
             return each.tag >> 3 != kDimSize || takeInteger(each, size);
           });
  });
}

static bool parseSlice(std::string_view text, std::vector<SliceExtent> &slice) {
  return parseFields(text, [&](const FieldReader &field) {
    if (field.tag >> 3 != kExtent)
      return true;
    SliceExtent &extent = slice.emplace_back();
    return (field.tag & 7) == kLength && parseFields(field.bytes, [&](const FieldReader &each) {
             if (each.tag >> 3 == kStart)
               return takeInteger(each, extent.start);
             return each.tag >> 3 != kExtentLength || takeInteger(each, extent.size.emplace());
           });
  });
}

bool BundleEntry::parse(std::string_view text) {
  return parseFields(text, [&](const FieldReader &field) {
    const bool hasLength = (field.tag & 7) == kLength;
    switch (field.tag >> 3) {
    case kDtype:
      return takeInteger(field, dtype);
    case kShape:
      return hasLength && parseShape(field.bytes, *this);
    case kShardId:
      return takeInteger(field, shard);
    case kOffset:
      return takeInteger(field, offset);
    case kSize:
      return takeInteger(field, bytes);
    case kCrc32c:
      if ((field.tag & 7) != kFixed32)
        return false;
      std::memcpy(&crc, field.bytes.data(), sizeof(crc));
      return true;
    case kSlices:
      return hasLength && parseSlice(field.bytes, slices.emplace_back());
    default:
      return true;
    }
  });
}

/// Without fields that are 0, as protos are written; of slices the reader's tests alone are told.
std::string BundleEntry::text() const {
  std::string dims, entry;
  for (int64_t size : shape) {
    std::string dim;
    FieldWriter(dim).integer(kDimSize, size);
    FieldWriter(dims).bytes(kDim, dim);
  }
  FieldWriter writer(entry);
  writer.integer(kDtype, dtype).bytes(kShape, dims);
  if (shard)
    writer.integer(kShardId, shard);
  if (offset)
    writer.integer(kOffset, offset);
  if (bytes)
    writer.integer(kSize, bytes);
  if (slices.empty())
    writer.fixed32(kCrc32c, crc);
  for (const std::vector<SliceExtent> &slice : slices) {
    std::string extents;
    for (const SliceExtent &each : slice) {
      std::string extent;
      if (each.start)
        FieldWriter(extent).integer(kStart, each.start);
      if (each.size)
        FieldWriter(extent).integer(kExtentLength, *each.size);
      FieldWriter(extents).bytes(kExtent, extent);
    }
    FieldWriter(entry).bytes(kSlices, extents);
  }
  return entry;
}

} // namespace mlcrt
