// What convolutions and pooling share: the window and where it stands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFWINDOW_H
#define DIALECTS_DF_IR_DFWINDOW_H

#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfVerify.h"

#include <algorithm>
#include <limits>

namespace mlc::df {

/// A window over spatial dimensions: position p of the output and position k of the window meet the image at
/// p * strides + k * dilations - low.
struct Window {
  llvm::SmallVector<int64_t, 3> size, strides, dilations, low, high;

  int64_t rank() const { return static_cast<int64_t>(size.size()); }
  /// Elements of the image that the window spans along dimension `d`.
  int64_t extent(int64_t d) const { return saturated(__int128(size[d] - 1) * dilations[d] + 1); }
  /// Positions along dimension `d` over an image of `in` elements (>= 0).
  int64_t outputSize(int64_t d, int64_t in) const {
    const __int128 room = __int128(in) + low[d] + high[d] - extent(d);
    return room < 0 ? 0 : saturated(room / strides[d] + 1);
  }
  /// Number of positions within the window.
  int64_t positions() const {
    int64_t n = 1;
    for (int64_t s : size)
      n = saturated(__int128(n) * s);
    return n;
  }

  /// What no memory holds is the largest number.
  static int64_t saturated(__int128 number) {
    return static_cast<int64_t>(std::min<__int128>(number, std::numeric_limits<int64_t>::max()));
  }
};

/// The window of `size` that the attributes of `op` move. They must have been verified.
template <typename Op> Window windowOf(Op op, llvm::ArrayRef<int64_t> size) {
  Window window;
  window.size.assign(size.begin(), size.end());
  auto orOnes = [&](llvm::ArrayRef<int64_t> list) {
    return list.empty() ? llvm::SmallVector<int64_t, 3>(size.size(), 1)
                        : llvm::SmallVector<int64_t, 3>(list.begin(), list.end());
  };
  window.strides = orOnes(op.getStrides());
  window.dilations = orOnes(op.getDilations());
  llvm::ArrayRef<int64_t> padding = op.getPadding();
  for (size_t d = 0; d < size.size(); ++d) {
    window.low.push_back(padding.empty() ? 0 : padding[2 * d]);
    window.high.push_back(padding.empty() ? 0 : padding[2 * d + 1]);
  }
  return window;
}

/// The spatial dimensions of a filter [k.., c, o], and of an image or output [n, s.., c], channels last.
inline llvm::ArrayRef<int64_t> filterWindow(mlir::Value filter) { return shapeOf(filter.getType()).drop_back(2); }
inline llvm::ArrayRef<int64_t> spatialShape(mlir::Type image) { return shapeOf(image).drop_front().drop_back(); }
inline llvm::ArrayRef<int64_t> spatialShape(mlir::Value image) { return spatialShape(image.getType()); }

/// The dimensions of an image with channels first in the order of one with channels last, and back.
inline llvm::SmallVector<int64_t> channelsLast(int64_t rank) {
  llvm::SmallVector<int64_t> order = {0};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(d);
  order.push_back(1);
  return order;
}
inline llvm::SmallVector<int64_t> channelsFirst(int64_t rank) {
  llvm::SmallVector<int64_t> order = {0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; ++d)
    order.push_back(d);
  return order;
}
/// `type` with its dimensions in `order`.
inline mlir::RankedTensorType permuted(mlir::Type type, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t d : order)
    shape.push_back(shapeOf(type)[d]);
  return mlir::cast<mlir::RankedTensorType>(type).clone(shape);
}

/// The place of spatial dimension `s` of an image of `op`, and that of the channels of one of `rank` dimensions.
template <typename Op> int64_t spatialDimension(Op op, int64_t s) { return op.getChannelsFirst() ? s + 2 : s + 1; }
template <typename Op> int64_t channelDimension(Op op, int64_t rank) { return op.getChannelsFirst() ? 1 : rank - 1; }

/// The type of an image of `op` with channels last. One that has no channels stays as it is, for the rule to refuse.
template <typename Op> mlir::RankedTensorType toChannelsLast(Op op, mlir::Type image) {
  auto type = mlir::cast<mlir::RankedTensorType>(image);
  return op.getChannelsFirst() && type.getRank() >= 2 ? permuted(type, channelsLast(type.getRank())) : type;
}
/// The type of an image of `op` for one with channels last.
template <typename Op> mlir::RankedTensorType fromChannelsLast(Op op, mlir::RankedTensorType image) {
  return op.getChannelsFirst() ? permuted(image, channelsFirst(image.getRank())) : image;
}

inline Window windowOf(ConvOp op) { return windowOf(op, filterWindow(op.getFilter())); }
inline Window windowOf(ConvTransposeOp op) { return windowOf(op, filterWindow(op.getFilter())); }
inline Window windowOf(ConvFilterGradientOp op) { return windowOf(op, filterWindow(op.getResult())); }
template <typename Op> Window poolWindowOf(Op op) { return windowOf(op, op.getWindow()); }

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFWINDOW_H
