// The reverse sweep: cotangents from results to sources.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_REVERSESWEEP_H
#define DIALECTS_DF_AUTODIFF_REVERSESWEEP_H

#include "dialects/Df/Autodiff/Activity.h"
#include "dialects/Df/Autodiff/RowGradients.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlc::df {

/// What reaches a variable, in reverse program order.
struct SourceContributions {
  llvm::SmallVector<mlir::Value> dense;        ///< from reads
  llvm::SmallVector<RowContribution> gathered; ///< from gathers
};

/// Carries cotangents backwards over ops. Contributions to one value are added in the program order of its uses, so the
/// result is a function of the program alone.
class ReverseSweep {
public:
  /// Ops are built by `builder`, which stands after all that is swept.
  ReverseSweep(mlir::OpBuilder &builder, Activity &activity) : builder(builder), activity(activity) {}

  /// Adds to the cotangent of `value`, if it is active.
  void add(mlir::Value value, mlir::Value cotangent);
  /// The cotangent of `value`, or null; to be asked when everything after `value` has been visited.
  mlir::Value cotangentOf(mlir::Value value);
  /// Hands the cotangents of the op's results on to its operands, to `sources` or to `means`.
  llvm::LogicalResult visit(mlir::Operation *op);

  llvm::MapVector<mlir::StringAttr, SourceContributions> sources;
  /// Means over the batch that were reached, in reverse program order: the sweep does not go beyond them.
  llvm::SmallVector<BatchMeanOp> means;

private:
  struct Branch;
  llvm::LogicalResult visitIf(IfOp op, llvm::ArrayRef<mlir::Value> cotangents);
  llvm::LogicalResult visitScan(ScanOp op, llvm::ArrayRef<mlir::Value> cotangents);
  llvm::LogicalResult visitWhile(WhileOp op, llvm::ArrayRef<mlir::Value> cotangents);
  llvm::LogicalResult visitDensify(DensifyRowsOp op, mlir::Value cotangent);
  llvm::LogicalResult visitCheckpoint(RematOp op, llvm::ArrayRef<mlir::Value> cotangents);
  llvm::LogicalResult visitCustomGradient(CustomGradientOp op, llvm::ArrayRef<mlir::Value> cotangents);
  llvm::LogicalResult sweepBranch(IfOp op, mlir::Region &forward, llvm::ArrayRef<mlir::Value> cotangents,
                                  Branch &branch);
  void joinBranches(IfOp op, Branch (&branches)[2]);

  mlir::OpBuilder &builder;
  Activity &activity;
  /// Contributions to each value's cotangent, in reverse program order.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> contributions;
};

/// Sum of `values`, which are in reverse program order, in program order; null if there are none.
mlir::Value addInProgramOrder(ExpressionBuilder &b, llvm::ArrayRef<mlir::Value> values);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_REVERSESWEEP_H
