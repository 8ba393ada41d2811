// How the dynamic dimensions of a function's values depend on the rows of the batch and the values of its features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_SYMBOLICSIZES_H
#define DIALECTS_DF_UTILS_SYMBOLICSIZES_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace mlc::df {

/// A size as a sum of multiples of dimension symbols: symbol 0 is the rows of the batch, symbol k the values of a
/// multi-valued feature or a product of such (`df.dimension`).
class SymbolicSize {
public:
  /// A size of which nothing is known: it depends on the branch taken or on the iteration, or it is static.
  SymbolicSize() = default;
  static SymbolicSize ofSymbol(int64_t symbol);
  /// As getFactors gives them; none: unknown.
  static SymbolicSize ofFactors(llvm::ArrayRef<int64_t> factors);

  bool isKnown() const { return !terms.empty(); }
  /// The symbol that the size is a multiple of, with its factor.
  std::optional<std::pair<int64_t, int64_t>> getMultiple() const;
  /// Whether the size is that of one symbol.
  bool isSymbol() const { return getMultiple() && getMultiple()->second == 1; }
  bool isRows() const { return isSymbol() && getMultiple()->first == 0; }
  bool operator==(const SymbolicSize &other) const { return terms == other.terms; }
  bool operator<(const SymbolicSize &other) const { return terms < other.terms; }

  /// Unknown if either side is.
  SymbolicSize plus(const SymbolicSize &other) const;
  /// Times `numerator` / `denominator`; unknown if that is not whole.
  SymbolicSize scaled(int64_t numerator, int64_t denominator = 1) const;
  /// By symbol; the last one is not 0.
  llvm::SmallVector<int64_t> getFactors() const;

private:
  /// Symbols with their factors, which are not 0, in ascending order.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1> terms;
};

/// The size of each dynamic dimension of each value of a function, at any stage of the dialect. Arguments say their
/// symbols (FunctionOp::getArgSymbols).
class SymbolicSizes {
public:
  explicit SymbolicSizes(FunctionOp function);
  /// With the module's df.dimension ops, in their order, for whoever asks of many functions.
  SymbolicSizes(FunctionOp function, llvm::ArrayRef<DimensionOp> dimensions);

  /// The size of dynamic dimension `d` of a tensor, or of the rows (d = 0) of a `!df.rows` value.
  SymbolicSize get(mlir::Value value, int64_t d) const;

  /// The type of a buffer for `value`, of which df.reshape makes it: the type itself if its dynamic dimensions are
  /// dimension symbols, or the first may become one; [symbol, k, ...] where that is k times one. Null where there is no
  /// such type.
  mlir::RankedTensorType getBufferType(mlir::Value value) const;
  /// The dimension symbol of the rows of a buffer of that type; a sum of several is declared if the module has it not
  /// yet.
  int64_t getSymbol(mlir::Value value) const;
  /// The dimension symbols of the dynamic dimensions of a buffer of that type, which there must be.
  llvm::SmallVector<int64_t> getSymbols(mlir::Value value) const;

private:
  using Counts = llvm::SmallVector<SymbolicSize, 2>;

  /// The size of each dimension as that which it is as large as, or as what its op tells that it makes.
  void setFromOrigins(mlir::Value value);
  void visit(mlir::Operation *op);
  void set(mlir::Value value, Counts counts) { this->counts[value] = std::move(counts); }
  void join(mlir::ValueRange values, mlir::ValueRange others);
  Counts copyOf(mlir::Value value) const;
  SymbolicSize countOf(int64_t symbol) const;
  SymbolicSize countOf(const MadeSize &made) const;
  void readNewDimensions() const;

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, Counts> counts;
  // What the module declares, which grows by what functions need.
  mutable DimensionOp lastDimension;
  mutable llvm::DenseMap<int64_t, DimensionOp> sums;     ///< by symbol
  mutable llvm::DenseMap<int64_t, SymbolicSize> written; ///< sums written out
  mutable std::map<SymbolicSize, int64_t> symbolsOfSums; ///< the first that was declared
};

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_SYMBOLICSIZES_H
