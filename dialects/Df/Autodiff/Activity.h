// Which values a gradient depends on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_ACTIVITY_H
#define DIALECTS_DF_AUTODIFF_ACTIVITY_H

#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/IRMapping.h"

namespace mlc::df {

/// Float values that depend on the sources: reads and gathers of some variables, and some values.
class Activity {
public:
  Activity(SymbolSet symbols, mlir::ValueRange values);

  /// Marks what the ops of `block` before `end` (null: all) make active.
  void analyze(mlir::Block &block, mlir::Operation *end);

  bool isActive(mlir::Value value) const { return active.contains(value); }
  bool isSource(mlir::StringAttr symbol) const { return symbols.contains(symbol); }
  /// Marks the copies of active values.
  void addCopies(const mlir::IRMapping &mapping);

  /// Whether `op`, or an op in its regions, uses an active value or reads a source.
  bool dependsOnSource(mlir::Operation &op) const;

private:
  void analyzeCustomGradient(CustomGradientOp op);
  /// The same for the body of a loop and its results: carried values, then others.
  void analyzeLoop(mlir::Block &body, mlir::ValueRange inits, mlir::ValueRange results);

  SymbolSet symbols;
  llvm::DenseSet<mlir::Value> active;
};

/// A region in the making, within the function: what asks where its values come from finds the way out.
class RegionInTheMaking {
public:
  RegionInTheMaking(mlir::OpBuilder &builder, mlir::Location loc)
      : host(RematOp::create(builder, loc, mlir::TypeRange())) {}
  RegionInTheMaking(const RegionInTheMaking &) = delete;
  ~RegionInTheMaking() { host.erase(); }
  mlir::Region &get() { return host.getBody(); }

private:
  RematOp host;
};

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_ACTIVITY_H
