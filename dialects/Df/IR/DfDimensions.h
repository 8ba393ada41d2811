// Which dimensions of an op's operands and results are one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFDIMENSIONS_H
#define DIALECTS_DF_IR_DFDIMENSIONS_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlc::df {

/// A dimension of a value; of a `!df.rows` value dimension 0, its number of rows.
struct Dimension {
  mlir::Value value;
  int64_t index;

  bool operator==(const Dimension &other) const { return value == other.value && index == other.index; }
  /// Whether the type says how large it is.
  bool isStatic() const;
};

/// How large a dimension is that an op makes: the sum of some dimensions of its operands, times `numerator` over
/// `denominator`, which divides it; or, without such, what a dimension symbol is.
struct MadeSize {
  Dimension of; ///< of a result
  llvm::SmallVector<Dimension, 2> terms;
  int64_t numerator = 1, denominator = 1;
  int64_t symbol = 0;
};

/// Sets of dimensions of an op's operands and results that are equally large, as `DimensionsOpInterface` tells them. A
/// dimension of a result in the set of an operand's is *kept*, one of an operand whose set has none of a result is
/// *reduced*, and one of a result whose set has none of an operand is *made* by the op, as one in no set is.
///
/// A dimension of a result is *parallel* if the op, with the same attributes, makes any range of its positions, bit by
/// bit, of that range of all dimensions in its set and of what has none in it. Of one that the op does not call so, it
/// is not assumed: equally large does not mean made of each other one by one.
class DimensionMapping {
public:
  /// Dimensions `i` of `a` and `j` of `b` are equally large; nothing if one is null. The first operand of a set that is
  /// named is the one that its size is said to come from.
  void same(mlir::Value a, int64_t i, mlir::Value b, int64_t j);
  /// Dimensions 0.
  void rows(mlir::Value a, mlir::Value b) { same(a, 0, b, 0); }
  /// Dimensions of one number but `axes`, as many as both values have; nothing if one is null.
  void all(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> axes = {});
  /// The dimensions of `from` but `axes`, in their order, are those of `to`; nothing if that is null.
  void without(mlir::Value from, llvm::ArrayRef<int64_t> axes, mlir::Value to);
  /// Dimension `dimensions[i]` of `from` is dimension i of `to`.
  void at(mlir::Value from, llvm::ArrayRef<int64_t> dimensions, mlir::Value to);
  /// Of an element-wise op: results and operands of the rank of the first operand are as large as it. All dimensions
  /// are parallel if the op has the trait Elementwise.
  void elementwise(mlir::Operation *op);
  /// Of a reduction: `from` without `axes` is `to`. Those before the last axis are parallel: in which order floats are
  /// added depends on whether dimensions after it have one position or more.
  void reduced(mlir::Value from, llvm::ArrayRef<int64_t> axes, mlir::Value to);
  /// Of what works along `axes`, as a softmax: `to` is as large as `from`, and parallel as `reduced` would be.
  void along(mlir::Value from, llvm::ArrayRef<int64_t> axes, mlir::Value to);

  /// A dimension of a result is parallel; all of them are.
  void parallel(mlir::Value result, int64_t d) { parallels.push_back({result, d}); }
  void parallel(mlir::Value result);

  /// Dimension `d` of `result` is as large as `terms` together.
  void sum(llvm::ArrayRef<Dimension> terms, mlir::Value result, int64_t d);
  /// It is as large as `term` times `numerator` over `denominator`.
  void scaled(Dimension term, int64_t numerator, int64_t denominator, mlir::Value result, int64_t d);
  /// It is as large as a dimension symbol.
  void symbol(int64_t symbol, mlir::Value result, int64_t d);

  /// The set of a dimension in the order in which they were named; none if it is in no set.
  llvm::ArrayRef<Dimension> get(Dimension dimension) const;
  bool isParallel(Dimension ofResult) const { return llvm::is_contained(parallels, ofResult); }
  /// How large a dimension of a result is that the op makes, if it tells; else null.
  const MadeSize *getMade(Dimension ofResult) const;
  /// All sets.
  llvm::ArrayRef<llvm::SmallVector<Dimension, 4>> getSets() const { return sets; }

private:
  unsigned setOf(mlir::Value value, int64_t index);

  llvm::SmallVector<llvm::SmallVector<Dimension, 4>> sets;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> setOfDimension;
  llvm::SmallVector<Dimension, 4> parallels;
  llvm::SmallVector<MadeSize, 0> made;
};

/// The number of dimensions of a value; of `!df.rows` 1.
int64_t rankOf(mlir::Value value);

namespace detail {
/// `reifyResultShapes` of an op that tells its dimensions: static sizes, sizes of operands, and what is computed of
/// them; a failure where the op makes a size of which it tells nothing more.
llvm::LogicalResult reifyShapes(mlir::Operation *op, mlir::OpBuilder &builder,
                                mlir::ReifiedRankedShapedTypeDims &shapes);
} // namespace detail

/// Trait of the ops that tell their dimensions: upstream's passes ask for them as values.
template <typename ConcreteType>
class ReifiesShapes : public mlir::ReifyRankedShapedTypeOpInterface::Trait<ConcreteType> {
public:
  llvm::LogicalResult reifyResultShapes(mlir::OpBuilder &builder, mlir::ReifiedRankedShapedTypeDims &shapes) {
    return detail::reifyShapes(this->getOperation(), builder, shapes);
  }
};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFDIMENSIONS_H
