//===- SumRanges.cpp - Sums of the rows that a server holds ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SumRanges.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace mlcrt {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T> static void addElements(const void *a, const void *b, void *out, int64_t count) {
  // Integers wrap.
  using Wide = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<T>>;
  using Element = typename Wide::type;
  const auto *left = static_cast<const Element *>(a), *right = static_cast<const Element *>(b);
  auto *sum = static_cast<Element *>(out);
  for (int64_t i = 0; i < count; ++i)
    sum[i] = static_cast<Element>(left[i] + right[i]);
}

static void addHalves(const void *a, const void *b, void *out, int64_t count) {
  const auto *left = static_cast<const _Float16 *>(a), *right = static_cast<const _Float16 *>(b);
  auto *sum = static_cast<_Float16 *>(out);
  for (int64_t i = 0; i < count; ++i)
    sum[i] = static_cast<_Float16>(static_cast<float>(left[i]) + static_cast<float>(right[i]));
}

using AddElements = void (*)(const void *a, const void *b, void *out, int64_t count);

static AddElements adderOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F32:
    return addElements<float>;
  case MLCRT_F64:
    return addElements<double>;
  case MLCRT_F16:
    return addHalves;
  case MLCRT_I8:
  case MLCRT_U8:
    return addElements<uint8_t>;
  case MLCRT_I16:
  case MLCRT_U16:
    return addElements<uint16_t>;
  case MLCRT_I32:
  case MLCRT_U32:
    return addElements<uint32_t>;
  case MLCRT_I64:
  case MLCRT_U64:
    return addElements<uint64_t>;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// SumRanges
//===----------------------------------------------------------------------===//

absl::StatusOr<SumRanges> SumRanges::create(const Artifact &artifact, const ShardPlan &plan, int server) {
  for (int32_t i = 0; i < artifact.table().num_sums; ++i)
    if (const mlcrt_value &sum = artifact.table().sums[i]; !adderOf(sum.dtype))
      return absl::UnimplementedError(
          absl::StrCat("servers cannot add sum '", sum.name, "', which is of ", dtypeName(sum.dtype)));
  return SumRanges(artifact, plan.sums(server));
}

int64_t SumRanges::entriesPerRow(int32_t ids) const {
  const mlcrt_value &value = artifact_->table().sums[ids];
  return elementsOfRow(value);
}

int64_t SumRanges::entryBytes(int32_t ids) const {
  const mlcrt_value &rows = artifact_->table().sums[ids + 1];
  return elementsOfRow(rows) / std::max<int64_t>(1, entriesPerRow(ids)) * dtypeSize(rows.dtype);
}

void SumRanges::shape(int32_t index, const Symbols &global, int64_t entries, SumSet &sums) const {
  const mlcrt_value &value = artifact_->table().sums[index];
  const SumPlace &place = places_[index];
  Dims dims = resolveDims(value, global);
  switch (place.kind) {
  case SumPlace::Kind::Absent:
    if (value.rank > 0)
      dims[0] = 0;
    break;
  case SumPlace::Kind::Rows:
    dims[0] = place.rows.size();
    break;
  case SumPlace::Kind::Ids:
  case SumPlace::Kind::Parts:
    if (place.isExact) {
      const int64_t perRow = std::max<int64_t>(1, entriesPerRow(place.ids));
      dims[0] = (entries + perRow - 1) / perRow;
    }
    break;
  default:
    break;
  }
  sums.sum(index).resize(value.dtype, dims);
}

absl::Status SumRanges::merge(int32_t ids, const SumSet &a, const SumSet &b, const Symbols &global, SumSet &out) const {
  const int64_t left = *a.sum(ids + 2).as<int64_t>(), right = *b.sum(ids + 2).as<int64_t>();
  const int64_t *leftIds = a.sum(ids).as<int64_t>(), *rightIds = b.sum(ids).as<int64_t>();
  // How many there are says how long the buffers become.
  int64_t total = 0;
  for (int64_t i = 0, j = 0; i < left || j < right; ++total) {
    const bool isLeft = j == right || (i < left && leftIds[i] <= rightIds[j]);
    const bool isRight = i == left || (j < right && rightIds[j] <= leftIds[i]);
    i += isLeft;
    j += isRight;
  }
  for (int32_t part = ids; part < ids + 3; ++part)
    shape(part, global, total, out);
  if (total > out.sum(ids).elements())
    return absl::ResourceExhaustedError(absl::StrCat("sum '", artifact_->table().sums[ids].name, "' has ", total,
                                                     " rows, the batch at most ", out.sum(ids).elements()));
  *out.sum(ids + 2).as<int64_t>() = total;
  const int64_t bytes = entryBytes(ids);
  const int32_t dtype = artifact_->table().sums[ids + 1].dtype;
  const int64_t elements = bytes / dtypeSize(dtype);
  const AddElements add = adderOf(dtype);
  const char *leftRows = a.sum(ids + 1).as<const char>(), *rightRows = b.sum(ids + 1).as<const char>();
  int64_t *mergedIds = out.sum(ids).as<int64_t>();
  char *merged = out.sum(ids + 1).as<char>();
  for (int64_t i = 0, j = 0, k = 0; k < total; ++k, merged += bytes) {
    const bool isLeft = j == right || (i < left && leftIds[i] <= rightIds[j]);
    const bool isRight = i == left || (j < right && rightIds[j] <= leftIds[i]);
    mergedIds[k] = isLeft ? leftIds[i] : rightIds[j];
    if (isLeft && isRight)
      add(leftRows + i * bytes, rightRows + j * bytes, merged, elements);
    else
      std::memcpy(merged, isLeft ? leftRows + i * bytes : rightRows + j * bytes, bytes);
    i += isLeft;
    j += isRight;
  }
  return absl::OkStatus();
}

absl::Status SumRanges::addSum(int32_t index, const SumSet &a, const SumSet &b, const Symbols &global,
                               SumSet &out) const {
  const SumPlace &place = places_[index];
  if (place.kind == SumPlace::Kind::Ids)
    return merge(index, a, b, global, out);
  if (place.kind == SumPlace::Kind::Parts || place.kind == SumPlace::Kind::Count)
    return absl::OkStatus();
  shape(index, global, /*entries=*/0, out);
  if (place.kind != SumPlace::Kind::Absent)
    adderOf(out.sum(index).dtype())(a.sum(index).data(), b.sum(index).data(), out.sum(index).data(),
                                    out.sum(index).elements());
  return absl::OkStatus();
}

absl::Status SumRanges::add(const SumSet &a, const SumSet &b, const Symbols &global, SumSet &out) const {
  out.reserve(*artifact_);
  for (int32_t i = 0; i < out.size(); ++i)
    if (absl::Status status = addSum(i, a, b, global, out); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace mlcrt
