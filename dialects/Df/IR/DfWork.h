// What kind of work an op is, and other things that ops say of themselves by traits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFWORK_H
#define DIALECTS_DF_IR_DFWORK_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlc::df {

/// Kinds of work and what they cost. |x| is the number of elements of x, bytes are those of all operands and results
/// unless said otherwise.
enum class Work {
  Unknown,        ///< 1 operation for each element of operands and results
  Free,           ///< no code of its own: constants, settings, reads, reshapes, structure. 0 operations, 0 bytes
  Contraction,    ///< twice m n k operations of the product of the first two operands, c = a b: 2 sqrt(|a| |b| |c|)
  Convolution,    ///< the same; both kinds have ops that count themselves
  Elementwise,    ///< 1 operation for each element of the largest result
  Division,       ///< as many; each takes longer than to read a number: div, rem, sqrt, ...
  Transcendental, ///< 16 for each of these: exp, log, tanh, ..., random numbers
  Reduction,      ///< 1 operation for each element of the operands
  Composite,      ///< 8 operations for each element of the operands: softmax, normalizations, losses
  GatherScatter,  ///< 0 operations; twice the bytes of what moves and the bytes of the indices, not of the table
  Movement,       ///< 0 operations: transpose, slice, concat, pad, broadcast, ...
  Sort,           ///< 4 n log2 n operations for n elements
  Update,         ///< 2 operations for each element written: assignments, updates of rows; three times their bytes
};

/// Sizes that types do not tell, assumed.
struct DynamicSizes {
  int64_t rows = 128; ///< of each dynamic dimension

  double sizeOf(int64_t dimension) const {
    return static_cast<double>(mlir::ShapedType::isDynamic(dimension) ? rows : dimension);
  }
  double productOf(llvm::ArrayRef<int64_t> shape) const {
    double product = 1;
    for (int64_t dimension : shape)
      product *= sizeOf(dimension);
    return product;
  }
  /// The number of elements of a tensor.
  double elementsOf(mlir::Value tensor) const {
    return productOf(llvm::cast<mlir::RankedTensorType>(tensor.getType()).getShape());
  }
};

/// Trait of ops that count their operations themselves (`WorkOpInterface`).
template <typename ConcreteType>
class CountsOperations : public mlir::OpTrait::TraitBase<ConcreteType, CountsOperations> {};

/// The kind of work that an op says (`WorkOpInterface`); of others Elementwise if they have that trait, else Unknown.
Work getWork(mlir::Operation *op);

template <Work kind> struct DoesWork {
  template <typename ConcreteType> class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {
  public:
    Work getWork() { return kind; }
  };
};

/// Whether the interpreter's rule for an op gives the bits of compiled code (`ExactOpInterface`, element-wise ops).
bool isExact(mlir::Operation *op);

template <typename ConcreteType> class AlwaysExact : public mlir::OpTrait::TraitBase<ConcreteType, AlwaysExact> {
public:
  bool isExact() { return true; }
};
template <typename ConcreteType>
class ExactOfIntegers : public mlir::OpTrait::TraitBase<ConcreteType, ExactOfIntegers> {
public:
  bool isExact() {
    return !llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(this->getOperation()->getResult(0).getType()));
  }
};

/// Code makes the result where it is used: doing so again costs less than keeping it.
template <typename ConcreteType> class MadeWhereUsed : public mlir::OpTrait::TraitBase<ConcreteType, MadeWhereUsed> {};

/// Whether to make the results again costs less than to write and read them: what has no code of its own, arithmetic
/// but divisions, and what moves the elements of one tensor. Loops, branches and work on features never do.
bool costsLessThanKeeping(mlir::Operation *op);

/// Work on features that pays for a buffer between segments: hashes, positions of terms, checks of ids.
template <typename ConcreteType>
class PreparesFeatures : public mlir::OpTrait::TraitBase<ConcreteType, PreparesFeatures> {};

// What ops say of how they move elements (`MovementOpInterface`) and measure operands (`MeasuringOpInterface`): the
// methods are in the op classes.
template <typename ConcreteType> class MovesAll : public mlir::OpTrait::TraitBase<ConcreteType, MovesAll> {};
template <typename ConcreteType> class MovesOperands : public mlir::OpTrait::TraitBase<ConcreteType, MovesOperands> {};
template <typename ConcreteType> class Measures : public mlir::OpTrait::TraitBase<ConcreteType, Measures> {};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFWORK_H
