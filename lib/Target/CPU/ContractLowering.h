// kern.contract to loops: what its parts share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONTRACTLOWERING_H
#define LIB_TARGET_CPU_CONTRACTLOWERING_H

#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlc {

/// Lowers one contraction. ContractLoops.cpp takes the loops of its maps apart, ContractPacking.cpp packs the right
/// side, ContractTiles.cpp multiplies tiles by panels and runs the epilogue, LowerContract.cpp has what has one column.
struct ContractLowering {
  /// Longest inner dimension that is not cut into blocks.
  static constexpr int64_t kMaxUnblockedK = 1024;
  /// Nanoseconds of one FMA of one lane: decides how much makes a task.
  static constexpr double kFmaCost = 0.02;

  mlir::OpBuilder &b;
  kern::ContractOp op;
  mlir::Location loc;
  IndexMath math;
  int64_t lanes, tileRows, panelVectors;
  FlatBuffer lhs, rhs;
  llvm::SmallVector<FlatBuffer> extras, outs;
  /// A loop and how far one step of it moves in each operand: lhs, rhs, extras, outs.
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
  /// The packed right side, all batches one after another, and where the batch at hand begins.
  mlir::Value packed;
  Index packedOrigin, panelsSize;

  ContractLowering(mlir::OpBuilder &b, kern::ContractOp op, int64_t maxLanes)
      : b(b), op(op), loc(op.getLoc()), math{b, loc}, lanes(maxLanes) {
    bool wide = llvm::cast<mlir::MemRefType>(op.getLhs().getType()).getElementType().isF64();
    // Accumulators, one row of the panel and a broadcast fit the register file: 16 of 8 lanes, 32 of 16.
    tileRows = lanes == 16 ? 8 : wide ? 3 : 6;
    panelVectors = lanes == 16 ? (wide ? 1 : 3) : (wide ? 1 : 2);
    // A last panel of one vector is the slowest: two vectors each where that leaves none and panels are few.
    int64_t count = llvm::cast<mlir::MemRefType>(op.getOuts()[0].getType()).getShape().back();
    int64_t rest = mlir::ShapedType::isDynamic(count) ? 0 : count % (3 * lanes);
    if (panelVectors == 3 && count <= 8 * lanes && rest > 0 && rest <= lanes && count % (2 * lanes) == 0)
      panelVectors = 2;
  }

  mlir::Type element() { return lhs.element; }
  unsigned extraOperand(size_t i) { return 2 + static_cast<unsigned>(i); }
  unsigned outOperand(size_t i) { return 2 + static_cast<unsigned>(extras.size() + i); }
  bool isPlain() { return batchLoops.empty() && rowLoops.size() == 1 && innerLoops.size() == 1; }
  int64_t panelWidth() { return lanes * panelVectors; }
  Lanes all() { return Lanes{lanes, mlir::Value()}; }

  void collect();
  /// Whether the inner dimension is cut into blocks: sums of those before wait in the first out, if it can hold them.
  bool blocked() { return outs.front().element == element() && (!known(inner) || *known(inner) > kMaxUnblockedK); }
  void merge(llvm::SmallVector<Loop> &loops, llvm::ArrayRef<unsigned> operands);
  llvm::SmallVector<Index> indicesOf(llvm::ArrayRef<Loop> loops, Index number);
  Index distance(llvm::ArrayRef<Loop> loops, llvm::ArrayRef<Index> indices, unsigned operand);
  llvm::SmallVector<mlir::Value>
  reduceInner(Index begin, Index end, mlir::ValueRange init,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(Index, Index, mlir::ValueRange)> body);
  void forRuns(llvm::function_ref<void(Index, Index)> body);
  mlir::Value maskFor(Index remaining);
  /// What blocks of the inner dimension count: its elements if it is one loop, else runs of the last one.
  Index blockedExtent() { return innerLoops.size() == 1 ? inner : runs; }
  void withBatch(Index batch, llvm::function_ref<void()> body);
  void pack();
  Index panelStart(Index panel);
  void packPanel(Index panel, bool edge);
  void packTransposed(Index column, Index start, Index base);
  llvm::SmallVector<Lanes> panelLanes(Index remaining);
  void tile(Index row, int64_t count, Index panel, llvm::ArrayRef<Lanes> vectors, Index blockBegin, Index blockEnd);
  Index outElement(size_t i, llvm::ArrayRef<Index> at, Index column);
  void finish(llvm::ArrayRef<llvm::SmallVector<Index>> at, Index column, llvm::ArrayRef<Lanes> vectors,
              mlir::ValueRange accumulators);
  llvm::SmallVector<mlir::Value> epilogue(llvm::ArrayRef<Index> at, Index column, const Lanes &l,
                                          mlir::Value accumulator);
  void panelRows(Index panel, llvm::ArrayRef<Lanes> vectors, Index rowBegin, Index rowEnd, Index blockBegin,
                 Index blockEnd);
  void emitTask(Index task, Index groups, int64_t group, Index panels);
  void emit();
  void emitDots();
  void emitColumns();
  bool hasUnitRows();
};

} // namespace mlc

#endif // LIB_TARGET_CPU_CONTRACTLOWERING_H
