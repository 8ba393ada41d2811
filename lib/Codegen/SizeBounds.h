// Bounds of sizes as functions of the dimension symbols of a segment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_SIZEBOUNDS_H
#define LIB_CODEGEN_SIZEBOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlc {

/// A fixed number plus a multiple of each dimension symbol. Symbols are sizes: none is negative.
struct SizeFormula {
  llvm::SmallVector<double, 2> perSymbol;
  double fixed = 0;

  static SizeFormula constant(double value) { return {{}, value}; }
  static SizeFormula symbol(int64_t k);
  /// The factor of symbol `k`.
  double of(size_t k) const { return k < perSymbol.size() ? perSymbol[k] : 0; }
  bool isConstant() const;
  SizeFormula scaled(double factor) const;
  SizeFormula plus(const SizeFormula &other) const;
  /// At least, or at most, as large as both whatever the symbols are.
  SizeFormula max(const SizeFormula &other) const;
  SizeFormula min(const SizeFormula &other) const;
  /// The value where each symbol is as large as usual: decides between bounds and between slots, never a result.
  double typical() const;
  /// The least value over all symbols; minus infinity if there is none.
  double least() const;
};

/// The product of two bounds, if it is a SizeFormula.
std::optional<SizeFormula> product(const SizeFormula &x, const SizeFormula &y);

/// lower <= index <= upper, as far as they are known.
struct IndexBounds {
  std::optional<SizeFormula> lower, upper;

  bool isNonNegative() const { return lower && lower->least() >= 0; }
};

/// The dimension symbol of dimension `d` of an argument of a bound segment, or (d = 0) the one whose value a scalar
/// holds; kNoSymbol if there is none.
int64_t symbolOf(mlir::func::FuncOp function, mlir::BlockArgument argument, int64_t d);

/// Bounds of indices and of memrefs' dimensions in a bound segment. Upstream's ValueBoundsConstraintSet asks of each op
/// the same, but not of unsigned minima, maxima and quotients, which is what sizes are made of here, and solves a
/// system for each question; sizes are asked for once each, and affine bounds of intervals are enough. Arithmetic on
/// sizes does not overflow: none has more than 47 bits (DfToLinalg checks those that are data).
class SizeBounds {
public:
  IndexBounds ofIndex(mlir::OpFoldResult index);
  /// Never negative.
  IndexBounds ofDimension(mlir::Value memref, int64_t d);

private:
  IndexBounds compute(mlir::Value index);
  IndexBounds computeDimension(mlir::Value memref, int64_t d);
  IndexBounds ofArgument(mlir::BlockArgument argument, int64_t d);

  llvm::DenseMap<mlir::Value, IndexBounds> indices;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, IndexBounds> dimensions;
};

} // namespace mlc

#endif // LIB_CODEGEN_SIZEBOUNDS_H
