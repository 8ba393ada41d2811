// The order in which numbers are added and multiplied up: one for the interpreter and for code of every vector length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_SUMORDER_H
#define MLC_SUPPORT_SUMORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace mlc {

/// Whether a sum over `axes` of a tensor of a type's `shape` is along neighbours: the last dimension that the type does
/// not know to be 1 is one of them. Other sums are over rows that stay apart, and add these one after the other.
inline bool sumsNeighbours(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes) {
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] != 1)
      return llvm::is_contained(axes, static_cast<int64_t>(d));
  return true;
}

/// Along neighbours in memory: element e, counted row-major over all reduced dimensions, belongs to partial e mod 32.
/// Four vectors of 8 lanes, two of 16 or one warp hold the partials, each in the order of its elements.
inline constexpr int64_t kSumPartials = 32;

/// The partials combined, p with p + n / 2, then those with p + n / 4, and so on: halves of registers, halves of lanes.
/// Those that no element belongs to are left out, which changes no bit: they hold the neutral element. Overwrites
/// `partials`, at least one.
template <typename T, typename Fn> T combinePartials(llvm::MutableArrayRef<T> partials, Fn combine) {
  size_t count = partials.size();
  for (size_t width = llvm::PowerOf2Ceil(count) / 2; width > 0; count = width, width /= 2)
    for (size_t i = 0; i < width && i + width < count; ++i)
      partials[i] = combine(partials[i], partials[i + width]);
  return partials[0];
}

/// Rows that one id groups are added in row order, in blocks of 64 where there are more; the sums of the blocks are
/// elements of an interleaved sum.
inline constexpr int64_t kSumBlock = 64;

inline constexpr int64_t kMostSumParts = 64, kLeastSumPart = 32768;

/// A sum to one element is cut into parts along its first dimension, of `size` rows of `inner` elements. Each is a sum
/// of its own, and their results are added in order. How many rows a part has, over index arithmetic `math`.
template <typename Math, typename Index> Index rowsOfSumPart(Math &math, Index size, Index inner, bool isVector) {
  Index least = math.ceilDiv(math.constant(kLeastSumPart), math.max(inner, math.constant(1)));
  Index rows = math.max(math.ceilDiv(size, math.constant(kMostSumParts)), least);
  // Parts of a vector are whole rounds of its partials.
  return isVector ? math.mul(math.ceilDiv(rows, math.constant(kSumPartials)), math.constant(kSumPartials)) : rows;
}

} // namespace mlc

#endif // MLC_SUPPORT_SUMORDER_H
