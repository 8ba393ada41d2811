//===- Rows.cpp - Rows by id, out of tables and into them -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Rows.h"

#include "runtime/src/core/Tensor.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

namespace mlcrt {

static absl::Status checkRange(const HeldRows &held, const int64_t *ids, int64_t count) {
  const auto rows = static_cast<uint64_t>(held.buffer.dims[0]);
  // Without a branch for each: ids are in range.
  bool isIn = true;
  for (int64_t i = 0; i < count; ++i)
    isIn &= static_cast<uint64_t>(ids[i]) - static_cast<uint64_t>(held.begin) < rows;
  if (isIn)
    return absl::OkStatus();
  const int64_t *bad = std::find_if(ids, ids + count, [&](int64_t id) {
    return static_cast<uint64_t>(id) - static_cast<uint64_t>(held.begin) >= rows;
  });
  return absl::OutOfRangeError(
      absl::StrCat("row ", *bad, ", expected one of [", held.begin, ", ", held.begin + held.buffer.dims[0], ")"));
}

/// Calls `copy` with the offset of each row's bytes in the table and among the rows. Rows lie anywhere: those some
/// places ahead are fetched meanwhile.
template <int ForWriting, typename Copy>
static void forEachRow(const HeldRows &held, const int64_t *ids, int64_t count, int64_t bytes, Copy copy) {
  constexpr int64_t kAhead = 16, kLine = 64, kMostLines = 8;
  const char *table = static_cast<const char *>(held.buffer.data);
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      const char *next = table + (ids[i + kAhead] - held.begin) * bytes;
      for (int64_t line = 0; line < std::min(bytes, kMostLines * kLine); line += kLine)
        __builtin_prefetch(next + line, ForWriting);
    }
    copy((ids[i] - held.begin) * bytes, i * bytes);
  }
}

/// Calls `fn` with the number of bytes, as a constant where it is a common one: the copy is then a few moves.
template <typename Fn> static void withBytes(int64_t bytes, Fn fn) {
  switch (bytes) {
  case 4:
    return fn(std::integral_constant<size_t, 4>());
  case 8:
    return fn(std::integral_constant<size_t, 8>());
  case 16:
    return fn(std::integral_constant<size_t, 16>());
  case 32:
    return fn(std::integral_constant<size_t, 32>());
  case 64:
    return fn(std::integral_constant<size_t, 64>());
  case 128:
    return fn(std::integral_constant<size_t, 128>());
  case 256:
    return fn(std::integral_constant<size_t, 256>());
  default:
    return fn(static_cast<size_t>(bytes));
  }
}

absl::Status gatherRows(const HeldRows &held, const int64_t *ids, int64_t count, void *rows) {
  if (absl::Status status = checkRange(held, ids, count); !status.ok())
    return status;
  const char *table = static_cast<const char *>(held.buffer.data);
  char *out = static_cast<char *>(rows);
  const int64_t bytes = bytesOfRow(held.buffer);
  withBytes(bytes, [&](auto size) {
    forEachRow</*ForWriting=*/0>(held, ids, count, bytes,
                                 [&](int64_t from, int64_t to) { std::memcpy(out + to, table + from, size); });
  });
  return absl::OkStatus();
}

absl::Status scatterRows(const HeldRows &held, const int64_t *ids, int64_t count, const void *rows) {
  if (absl::Status status = checkRange(held, ids, count); !status.ok())
    return status;
  char *table = static_cast<char *>(held.buffer.data);
  const char *in = static_cast<const char *>(rows);
  const int64_t bytes = bytesOfRow(held.buffer);
  withBytes(bytes, [&](auto size) {
    forEachRow</*ForWriting=*/1>(held, ids, count, bytes,
                                 [&](int64_t to, int64_t from) { std::memcpy(table + to, in + from, size); });
  });
  return absl::OkStatus();
}

} // namespace mlcrt
