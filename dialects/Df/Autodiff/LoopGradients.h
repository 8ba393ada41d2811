// The backward loop of a df.scan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_LOOPGRADIENTS_H
#define DIALECTS_DF_AUTODIFF_LOOPGRADIENTS_H

#include "dialects/Df/Autodiff/Activity.h"
#include "dialects/Df/Autodiff/RowGradients.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlc::df {

/// Builds the scan that carries cotangents from the last iteration to the first: its body computes what it needs of the
/// forward body again or gets it, stacked, from the forward loop, which is made to yield it (a second loop after the
/// first; the first one is then dead).
class ScanGradient {
public:
  /// The backward loop is built by `builder`.
  ScanGradient(ScanOp op, mlir::OpBuilder &builder, Activity &activity)
      : op(op), builder(builder), activity(activity), b(builder, op.getLoc()) {}

  /// `cotangents`: one for each result of the op, or null. Fails after an error at an op that has no gradient.
  llvm::LogicalResult run(llvm::ArrayRef<mlir::Value> cotangents);

  /// The outcome: cotangents of initial values and of sequences, null where there is none;
  llvm::SmallVector<mlir::Value> inits, sequences;
  /// of values that the body uses from outside, summed over the iterations;
  llvm::MapVector<mlir::Value, mlir::Value> invariants;
  /// of variables that it reads, summed; and of rows that it gathers.
  llvm::MapVector<mlir::StringAttr, mlir::Value> dense;
  llvm::SmallVector<std::pair<mlir::StringAttr, RowContribution>> gathered;

private:
  struct Gathered {
    mlir::StringAttr symbol;
    unsigned ids, cotangents; ///< stacked rows
  };

  /// Builds in front of the backward loop.
  mlir::Value outside(llvm::function_ref<mlir::Value()> make);
  /// A row argument of `type`; `sequence` may follow later.
  mlir::BlockArgument addRow(mlir::Type type, mlir::Value sequence);
  /// A carried value that starts as `zeros` and to which each iteration adds `term`; its position.
  unsigned addSum(mlir::Value zeros, mlir::Value term);
  unsigned addStacked(mlir::Value row);
  /// Whether the sum of `term` over the iterations can be one product after the loop; then a product of that.
  bool addProduct(mlir::Value term, llvm::PointerUnion<mlir::Value, mlir::StringAttr> target);
  /// Whether the rows of a sequence that the loop does not reach are zeros, as what a loop of that count stacks is: a
  /// product of all rows then sums over those that it reaches.
  bool isZeroFromCountOn(mlir::Value sequence);
  /// Finds where the factors of the products are stacked; the loop need not stack what comes as a sequence.
  void resolveProducts();
  mlir::Value buildProduct(size_t i, ScanOp backward);
  /// The row argument that brings what the forward body computed as `original`.
  mlir::BlockArgument keep(mlir::Value original);

  llvm::LogicalResult sweepBody(llvm::ArrayRef<mlir::Value> cotangents);
  void keepResiduals();
  void widenForward();
  mlir::Value flatten(mlir::Value stacked);
  /// The type of a value stacked over the iterations, as df.reshape can flatten it; null if it cannot.
  mlir::RankedTensorType flatType(mlir::Type stacked);

  ScanOp op;
  mlir::OpBuilder &builder;
  Activity &activity;
  ExpressionBuilder b;
  mlir::OpBuilder::InsertPoint outer; ///< in front of the backward loop

  // The backward loop in the making: its body; initial values and what is yielded for them; sequences, null until the
  // forward loop yields them; stacked rows.
  std::optional<RegionInTheMaking> region;
  mlir::Block *block = nullptr;
  llvm::SmallVector<mlir::Value> startValues, nextValues, rowSequences, stackedRows;
  mlir::IRMapping mapping; ///< forward body -> its copy
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals;
  llvm::SmallVector<mlir::Value> carryCopies;
  /// Values of the forward body that it keeps, with the row arguments that bring them.
  llvm::SmallVector<std::pair<mlir::Value, mlir::BlockArgument>> kept;

  // Which carried values and stacked rows are what.
  llvm::SmallVector<unsigned> activeCarries;
  llvm::SmallVector<std::optional<unsigned>> sequenceRows;
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> invariantSums;
  llvm::SmallVector<std::pair<mlir::StringAttr, unsigned>> denseSums;
  llvm::SmallVector<Gathered> gatheredRows;
  /// lhs^T rhs, summed over the iterations: the product of the stacked factors.
  struct Product {
    llvm::PointerUnion<mlir::Value, mlir::StringAttr> target;
    mlir::Value factors[2];                        ///< in the body
    std::optional<unsigned> stacked[2];            ///< stacked rows, or
    mlir::Value sequences[2] = {nullptr, nullptr}; ///< sequences
  };
  llvm::SmallVector<Product> products;
};

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_LOOPGRADIENTS_H
