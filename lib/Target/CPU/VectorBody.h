// What the lowerings of kernels share: folded index arithmetic, flat buffers, bodies over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_VECTORBODY_H
#define LIB_TARGET_CPU_VECTORBODY_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"

namespace mlc {

/// An index: a constant or a value. Arithmetic folds constants, so that kernels of static shapes stay small.
using Index = mlir::OpFoldResult;

/// Index arithmetic at a builder's insertion point.
struct IndexMath {
  mlir::OpBuilder &b;
  mlir::Location loc;

  Index constant(int64_t v) { return b.getIndexAttr(v); }
  mlir::Value value(Index i);
  Index add(Index x, Index y);
  Index sub(Index x, Index y);
  Index mul(Index x, Index y);
  /// x / y rounded up; y > 0.
  Index ceilDiv(Index x, Index y);
  Index min(Index x, Index y);
  Index max(Index x, Index y);
};

/// Takes the row-major `number` apart: the index in each of `sizes`.
llvm::SmallVector<Index> indicesOf(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Index> sizes, Index number);

/// The product of sizes.
Index product(IndexMath &math, llvm::ArrayRef<Index> sizes);

/// The value of a constant index, if it is one.
std::optional<int64_t> known(Index i);

/// An expression of an indexing map as constant + sum of factors[d] * loop d, if it is one.
struct LinearExpr {
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
  bool isLinear = true;

  LinearExpr(mlir::AffineExpr expr, unsigned numLoops);

private:
  void add(mlir::AffineExpr expr, int64_t factor);
};

/// A buffer as a flat memref<?xT> with the index of its first element and a stride for each dimension.
struct FlatBuffer {
  mlir::Value flat;
  Index offset;
  llvm::SmallVector<Index> sizes, strides;
  mlir::Type element;

  /// Index of the element at `indices` under the strides.
  Index at(IndexMath &math, llvm::ArrayRef<Index> indices) const;
};

/// Flattens a memref at the builder's insertion point.
FlatBuffer flatten(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

/// Loads and stores of one element (lanes 1) or `lanes` neighbours, of which `mask` (or null: all) selects some.
struct Lanes {
  int64_t lanes = 1;
  mlir::Value mask;
  bool aligned = false; ///< accesses begin at multiples of the vector's bytes

  mlir::Type typeOf(mlir::Type element) const;
  /// A constant in every lane.
  mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc, mlir::TypedAttr value) const;
  /// A scalar in every lane.
  mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar) const;
  /// Neighbours from `index` on; unselected lanes are zero.
  mlir::Value load(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flat, Index index) const;
  /// `streamed`: past the caches, if all lanes are stored; the address must then be a multiple of the vector's size.
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value flat, Index index,
             bool streamed = false) const;
  /// The lanes begin, begin + 1, ... of an index, as index or vector of index.
  mlir::Value count(mlir::OpBuilder &b, mlir::Location loc, Index begin) const;

private:
  llvm::MaybeAlign alignmentOf(mlir::Value flat) const;
};

/// What stands for `value` in `mapping`; a value from outside is repeated in every lane.
mlir::Value mapToLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::IRMapping &mapping,
                       const Lanes &lanes);

/// Whether a loop stands in a body, or a branch that reads memory: neighbours then run one by one.
bool hasLoop(mlir::Block &body);

/// Clones an op of a body with lanes instead of scalars. An scf.if, whose sides must have no effects, becomes a branch
/// that runs the first side where some lane takes it. Loops have one lane (see hasLoop).
void cloneOp(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &mapping, const Lanes &lanes);

/// Clones the ops of `body` but its terminator with lanes instead of scalars; `mapping` holds the block's arguments.
/// Values from outside are repeated in every lane. Returns the operands of the terminator. `indexOf(d)` gives
/// linalg.index d.
llvm::SmallVector<mlir::Value> cloneBody(mlir::OpBuilder &b, mlir::Block &body, mlir::IRMapping &mapping,
                                         const Lanes &lanes,
                                         llvm::function_ref<mlir::Value(int64_t)> indexOf = nullptr);

/// Nanoseconds that one element of a body costs on one core, roughly: decides grain and threads, never a result.
double elementCost(mlir::Block &body, int64_t lanes);

/// Wraps `tasks` tasks of `cost` nanoseconds in a kern.launch. `body` gets the task number. Even a single task is a
/// launch: equal ones become one function, and independent ones run side by side.
void makeTasks(mlir::OpBuilder &b, mlir::Location loc, Index tasks, double cost,
               llvm::function_ref<void(mlir::OpBuilder &, Index)> body);

/// for (i = begin; i < end; i += step) body(i). A loop known to run once or not at all is not made.
void makeLoop(mlir::OpBuilder &b, mlir::Location loc, Index begin, Index end, int64_t step,
              llvm::function_ref<void(mlir::OpBuilder &, Index)> body);

/// body(i, lanes) for each `lanes` neighbours of [begin, end), the rest under a mask: the same ops, so that a value
/// does not depend on where it stands.
void forEachLanes(mlir::OpBuilder &b, mlir::Location loc, Index begin, Index end, int64_t lanes,
                  llvm::function_ref<void(Index, const Lanes &)> body);

/// The interleaved partials of a sum in the lanes of `vectors`, one after another, of which the first `used` hold
/// something: their combination (mlc/Support/SumOrder.h). Vectors may be of one lane, scalars. Overwrites `vectors`.
mlir::Value combineLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::vector::CombiningKind kind,
                         llvm::MutableArrayRef<mlir::Value> vectors, int64_t used);

/// The same as makeLoop with carried values; returns the last ones.
llvm::SmallVector<mlir::Value>
makeReduction(mlir::OpBuilder &b, mlir::Location loc, Index begin, Index end, int64_t step, mlir::ValueRange init,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, Index, mlir::ValueRange)> body);

} // namespace mlc

#endif // LIB_TARGET_CPU_VECTORBODY_H
