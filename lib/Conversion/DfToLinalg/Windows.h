// What the conversions of convolutions and pooling share: sizes, images with their padding, generics over windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_WINDOWS_H
#define LIB_CONVERSION_DFTOLINALG_WINDOWS_H

#include "Patterns.h"
#include "dialects/Df/IR/DfWindow.h"

#include <vector>

namespace mlc {

/// The size of a dimension as attribute or value.
mlir::OpFoldResult dimOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t d);

/// A tensor.empty of `sizes`, and one filled with zeros.
mlir::Value emptyOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    mlir::Type element);
mlir::Value zerosOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    mlir::Type element);

/// Sizes of the output [n, p.., channels] over `image`.
llvm::SmallVector<mlir::OpFoldResult> outputSizes(mlir::OpBuilder &builder, mlir::Location loc,
                                                  const df::Window &window, mlir::Value image, int64_t channels);

/// The image with its padding, which holds `value`: element i of a spatial dimension stands at i + low.
mlir::Value paddedImage(mlir::OpBuilder &builder, mlir::Location loc, const df::Window &window, mlir::Value image,
                        mlir::TypedAttr value);

/// An output [n, p.., c] spread as its windows are moved, with `value` between and around: the one that meets image
/// position i at window position k stands at i - k * dilation + offsets[d].
struct SpreadOutput {
  mlir::Value value;
  llvm::SmallVector<int64_t, 3> offsets;
};
SpreadOutput spreadOutput(mlir::OpBuilder &builder, mlir::Location loc, const df::Window &window, mlir::Value output,
                          llvm::ArrayRef<mlir::OpFoldResult> imageSizes, mlir::TypedAttr value);

/// What of a transposed convolution falls on image positions phase, phase + stride, ... of each spatial dimension: a
/// transposed convolution of stride 1 with every so many positions of the window.
struct Phase {
  /// Of the result: first position and number of positions of each spatial dimension.
  llvm::SmallVector<int64_t, 3> first;
  llvm::SmallVector<mlir::OpFoldResult, 3> sizes;
  /// Of the filter: first position of each dimension; `window.size` positions, `steps` apart.
  llvm::SmallVector<int64_t, 3> filterFirst, filterSteps;
  /// The window over the filter's positions, and the offsets as in SpreadOutput.
  df::Window window;
  llvm::SmallVector<int64_t, 3> offsets;
};
struct Phases {
  /// The output with zeros around, for all phases.
  mlir::Value output;
  std::vector<Phase> phases;
  /// Whether the phases are all positions of the image.
  bool areAll;
};
Phases phasesOf(mlir::OpBuilder &builder, mlir::Location loc, const df::Window &window, mlir::Value output,
                llvm::ArrayRef<mlir::OpFoldResult> imageSizes, mlir::TypedAttr zero);

/// Sizes of a result [n, s.., c] that is an image: rows of `output`, else those of its type or of `like`, which is
/// checked against the output.
llvm::SmallVector<mlir::OpFoldResult> imageSizes(mlir::OpBuilder &builder, mlir::Operation *op,
                                                 const df::Window &window, mlir::RankedTensorType type,
                                                 mlir::Value output, mlir::Value like);

/// Requires where the sizes of `image` or `output` are dynamic that the windows over the one make the other's.
void requireOutputSizes(mlir::OpBuilder &builder, mlir::Operation *op, const df::Window &window, mlir::Value image,
                        mlir::Value output);

/// p * stride + k * dilation of each spatial dimension, for loops p from `position` and k from `window` on.
llvm::SmallVector<mlir::AffineExpr> imageExprs(mlir::MLIRContext *context, const df::Window &window, unsigned position,
                                               unsigned windowLoop);
/// i - k * dilation + offset of each spatial dimension, for loops i from `position` and k from `window` on.
llvm::SmallVector<mlir::AffineExpr> spreadExprs(mlir::MLIRContext *context, const df::Window &window,
                                                llvm::ArrayRef<int64_t> offsets, unsigned position,
                                                unsigned windowLoop);

/// Loops first, first + 1, ...
llvm::SmallVector<mlir::AffineExpr> loops(mlir::MLIRContext *context, unsigned first, unsigned count);

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_WINDOWS_H
