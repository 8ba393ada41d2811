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

/// A sum to one element is cut into parts of so many elements or a row more, along its first dimension: each is a sum
/// of its own. Part p is added to number p mod 64 in turn, and these are added in order. Nothing goes by the size:
/// zeros after the last element change no bit, and buffers of entries have as many of them as they like.
inline constexpr int64_t kSumPart = 32768, kSumPartNumbers = 64;

/// Rows of a part, of rows of `inner` elements, over index arithmetic `math`.
template <typename Math, typename Index> Index rowsOfSumPart(Math &math, Index inner) {
  return math.ceilDiv(math.constant(kSumPart), math.max(inner, math.constant(1)));
}

} // namespace mlc

#endif // MLC_SUPPORT_SUMORDER_H
