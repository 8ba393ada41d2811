// kern.contract and kern.pack to loops: what their parts share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONTRACTLOWERING_H
#define LIB_TARGET_CPU_CONTRACTLOWERING_H

#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlc {

/// The loops of a product or of the packing of its right side, and index arithmetic over them (ContractLoops.cpp).
struct ContractLoops {
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  int64_t lanes;
  /// A loop and how far one step of it moves in each operand.
  struct Loop {
    Index size;
    llvm::SmallVector<Index> strides;
  };
  llvm::SmallVector<Loop> batchLoops, rowLoops, innerLoops;
  Loop columnLoop;
  /// The extents; `runs` is `inner` without the last inner loop, `run` that one.
  Index batches, rows, columns, inner, runs, run;
  /// Where each operand begins for the batch at hand.
  llvm::SmallVector<Index> origins;
  /// Columns of a panel.
  int64_t panelWidth = 0;

  ContractLoops(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes) : b(b), loc(loc), math{b, loc}, lanes(lanes) {}

  Lanes all() { return Lanes{lanes, mlir::Value()}; }
  int64_t panelVectors() { return panelWidth / lanes; }
  Index numPanels() { return math.ceilDiv(columns, math.constant(panelWidth)); }

  /// Reads an operand of `loops` through its map: adds its strides to the loops that its dimensions are linear in, and
  /// its origin; sizes of loops that are dimensions of it are its own if `isSized`.
  void addOperand(llvm::MutableArrayRef<Loop> loops, const FlatBuffer &buffer, mlir::AffineMap map, bool isSized);
  /// Extents from the loops, once these are complete.
  void finishLoops();
  void merge(llvm::SmallVector<Loop> &loops, llvm::ArrayRef<unsigned> operands);
  llvm::SmallVector<Index> indicesOf(llvm::ArrayRef<Loop> loops, Index number);
  Index distance(llvm::ArrayRef<Loop> loops, llvm::ArrayRef<Index> indices, unsigned operand);
  mlir::Value maskFor(Index remaining);
  llvm::SmallVector<Lanes> panelLanes(Index remaining);
  void withBatch(Index batch, llvm::function_ref<void()> body);
  /// Calls `body` with the number of a batch and of what is left of `task`, of which each batch has `each`.
  void withTask(Index task, Index each, llvm::function_ref<void(Index, Index)> body);
  /// Where a panel begins, in operand `operand`.
  Index panelStart(Index panel, unsigned operand);
  /// Calls `body` for whole panels and for one that the last columns do not fill, with the columns that `panel` has:
  /// static where they are known.
  void forPanel(Index panel, llvm::function_ref<void(Index)> body);
};

/// Lowers one contraction. ContractTiles.cpp multiplies tiles by panels and runs the epilogue, LowerContract.cpp has
/// what has one column.
struct ContractLowering : ContractLoops {
  /// Nanoseconds of one FMA of one lane: decides how much makes a task.
  static constexpr double kFmaCost = 0.02;

  kern::ContractOp op;
  FlatBuffer lhs, rhs;
  llvm::SmallVector<FlatBuffer> extras, outs;

  ContractLowering(mlir::OpBuilder &b, kern::ContractOp op, int64_t lanes)
      : ContractLoops(b, op.getLoc(), lanes), op(op) {}

  mlir::Type element() { return op.getAccumulatorType(); }
  unsigned extraOperand(size_t i) { return 2 + static_cast<unsigned>(i); }
  unsigned outOperand(size_t i) { return 2 + static_cast<unsigned>(extras.size() + i); }

  /// Takes the loops of the op apart. Operands are lhs, rhs, extras, outs.
  void collect();
  /// The plan for the op, whose loops are collected.
  kern::TilingAttr plan();
  /// Emits the op as its tiling says.
  llvm::LogicalResult lower();
  /// Which form the op has, by its strides: products of form `dots` add interleaved partials, others in ascending
  /// order.
  kern::ContractForm form();
  /// Elements of lhs and rhs as the accumulator has them.
  mlir::Value loadLhs(const Lanes &l, Index index);
  mlir::Value loadRhs(const Lanes &l, Index index);
  mlir::Value addProduct(mlir::Value x, mlir::Value y, mlir::Value sum);
  /// The element of an out at a row, whose loops have the indices `at`, and a column.
  Index outElement(size_t i, llvm::ArrayRef<Index> at, Index column);
  /// What the region makes of the accumulators there.
  llvm::SmallVector<mlir::Value> epilogue(llvm::ArrayRef<Index> at, Index column, const Lanes &l,
                                          mlir::Value accumulator);

private:
  kern::TilingAttr tiling;

  bool isPlain() { return batchLoops.empty() && rowLoops.size() == 1 && innerLoops.size() == 1; }
  bool blocked() { return tiling.getInner() != 0; }
  kern::TilingAttr planPanels();
  /// What blocks of the inner dimension count: its elements if it is one loop, else runs of the last one.
  Index blockedExtent() { return innerLoops.size() == 1 ? inner : runs; }
  double panelCost();
  /// Nanoseconds of one row of a product with one column.
  double dotCost();
  llvm::SmallVector<mlir::Value>
  reduceInner(Index begin, Index end, mlir::ValueRange init,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(Index, Index, mlir::ValueRange)> body);
  void tile(Index row, int64_t count, Index panel, llvm::ArrayRef<Lanes> vectors, Index blockBegin, Index blockEnd);
  void finish(llvm::ArrayRef<llvm::SmallVector<Index>> at, Index column, llvm::ArrayRef<Lanes> vectors,
              mlir::ValueRange accumulators);
  void panelRows(Index panel, llvm::ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin,
                 Index blockEnd);
  void emitTask(Index task, Index groups, Index panels);
  void emitPanels();
  void emitDots();
  void emitColumns();
  bool hasUnitRows();
};

} // namespace mlc

#endif // LIB_TARGET_CPU_CONTRACTLOWERING_H
