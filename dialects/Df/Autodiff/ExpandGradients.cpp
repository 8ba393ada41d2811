// df-expand-gradients: df.gradients by reverse-mode differentiation, df.batch_mean as sums and a division.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/CustomGradients.h"
#include "dialects/Df/Autodiff/MeanExpansion.h"
#include "dialects/Df/Autodiff/ReverseSweep.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/NumberIterations.h"
#include "mlir/IR/Matchers.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFEXPANDGRADIENTSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Expands the gradients and means of one function.
class FunctionExpander {
public:
  explicit FunctionExpander(FunctionOp function) : function(function), sums(function) {}

  LogicalResult run();

private:
  LogicalResult checkPlaces();
  LogicalResult expand(GradientsOp op);

  FunctionOp function;
  ShardSums sums;
  llvm::DenseMap<Operation *, ExpandedMean> means;
};

/// One way from sources to the loss: past the means (the terms outside the batch), or through one of them.
struct Path {
  ReverseSweep sweep;
  Value factor;      ///< scalar that multiplies after the sum over the batch; null: 1
  bool throughBatch; ///< whether what arrives is a sum over the rows of a shard
};

/// Expands one `df.gradients` from the cotangents that its paths have brought to the sources.
class GradientAssembler {
public:
  GradientAssembler(GradientsOp op, ShardSums &sums, OpBuilder &builder)
      : op(op), sums(sums), b(builder, op.getLoc()) {}

  FailureOr<Value> forSymbol(StringAttr symbol, Type type, MutableArrayRef<std::unique_ptr<Path>> paths);
  Value forValue(Value value, unsigned index, MutableArrayRef<std::unique_ptr<Path>> paths);

private:
  FailureOr<Value> contribution(StringAttr symbol, Type type, SourceContributions &source);
  Value scale(Value gradient, Value factor);
  Value zeros(Type type);

  GradientsOp op;
  ShardSums &sums;
  ExpressionBuilder b;
};

struct DfExpandGradientsPass : mlc::df::impl::DfExpandGradientsPassBase<DfExpandGradientsPass> {
  void runOnOperation() override {
    // The backward pass draws again what the forward pass drew.
    numberIterations(getOperation());
    for (auto function : getOperation().getOps<FunctionOp>())
      if (failed(FunctionExpander(function).run()))
        return signalPassFailure();
    inlineForwardFunctions(getOperation());
    if (failed(verifyStage(getOperation(), Stage::Expanded)))
      signalPassFailure();
  }
};

} // namespace

//===-- gradients from contributions ------------------------------------------------------===//

/// What one path brings to `symbol`, as a value of `type`.
FailureOr<Value> GradientAssembler::contribution(StringAttr symbol, Type type, SourceContributions &source) {
  Value dense = addInProgramOrder(b, source.dense);
  auto rowsType = dyn_cast<RowsType>(type);
  if (source.gathered.empty())
    return rowsType ? FailureOr<Value>(op.emitOpError() << "asks for rows of @" << symbol.getValue()
                                                        << ", which the loss reads as a whole")
                    : FailureOr<Value>(dense);
  SmallVector<RowContribution> gathered(llvm::reverse(source.gathered));
  auto table = rowsType ? rowsType.getType() : cast<RankedTensorType>(type);
  Value rows = buildSparseGradient(b, table, gathered);
  if (rowsType) {
    if (dense)
      return op.emitOpError() << "asks for rows of @" << symbol.getValue()
                              << ", which the loss both gathers and reads as a whole";
    return rows;
  }
  Value densified = DensifyRowsOp::create(b.builder, b.loc, table, rows);
  return dense ? b.add(dense, densified) : densified;
}

/// `gradient` times the scalar `factor` (null: 1).
Value GradientAssembler::scale(Value gradient, Value factor) {
  if (!factor)
    return gradient;
  auto rows = dyn_cast<RowsType>(gradient.getType());
  factor = b.cast(factor, elementType(rows ? Type(rows.getType()) : gradient.getType()));
  if (rows)
    return ScaleRowsOp::create(b.builder, b.loc, rows, gradient, factor);
  return b.mul(gradient, b.broadcast(factor, gradient, {}));
}

Value GradientAssembler::zeros(Type type) {
  auto rows = dyn_cast<RowsType>(type);
  if (!rows)
    return b.splat(cast<RankedTensorType>(type), 0);
  // No rows at all.
  SmallVector<int64_t> shape(rows.getType().getShape());
  shape[0] = 0;
  Type i64 = b.builder.getI64Type();
  Value ids = b.splat(RankedTensorType::get({0}, i64), 0);
  Value none = b.splat(RankedTensorType::get(shape, rows.getType().getElementType()), 0);
  return PackRowsOp::create(b.builder, b.loc, rows, ids, none, b.splat(RankedTensorType::get({}, i64), 0));
}

FailureOr<Value> GradientAssembler::forSymbol(StringAttr symbol, Type type,
                                              MutableArrayRef<std::unique_ptr<Path>> paths) {
  Value total;
  auto addTo = [&](Value part) -> LogicalResult {
    if (!total) {
      total = part;
    } else if (auto rows = dyn_cast<RowsType>(type)) {
      if (!rows.getType().getElementType().isF32())
        return op.emitOpError() << "cannot add rows of " << rows.getType().getElementType()
                                << " of several means, or of rows of the batch and others";
      total = addSparseGradients(b, total, part);
    } else {
      total = b.add(total, part);
    }
    return success();
  };
  for (std::unique_ptr<Path> &path : paths) {
    auto it = path->sweep.sources.find(symbol);
    if (it == path->sweep.sources.end())
      continue;
    SourceContributions source = it->second;
    // Ids of a static shape are the same in all shards: their rows are summed as they lie and grouped after that.
    SmallVector<RowContribution> shared;
    if (path->throughBatch && isa<RowsType>(type))
      for (RowContribution &gathered : llvm::reverse(source.gathered))
        if (cast<RankedTensorType>(gathered.ids.getType()).hasStaticShape())
          shared.push_back(gathered);
    llvm::erase_if(source.gathered, [&](const RowContribution &gathered) {
      return llvm::any_of(shared,
                          [&](const RowContribution &other) { return other.cotangents == gathered.cotangents; });
    });
    if (shared.empty() || !source.gathered.empty() || !source.dense.empty()) {
      FailureOr<Value> part = contribution(symbol, type, source);
      if (failed(part))
        return failure();
      part = scale(path->throughBatch ? sums.create(b, *part, symbol) : *part, path->factor);
      if (failed(addTo(*part)))
        return failure();
    }
    for (const RowContribution &each : shared) {
      Value sum = scale(sums.create(b, each.cotangents, symbol), path->factor);
      if (failed(addTo(buildSparseGradient(b, cast<RowsType>(type).getType(), {{each.ids, sum}}))))
        return failure();
    }
  }
  if (total)
    return total;
  op.emitWarning() << "no path leads from @" << symbol.getValue() << " to the loss: its gradient is zero";
  return zeros(type);
}

Value GradientAssembler::forValue(Value value, unsigned index, MutableArrayRef<std::unique_ptr<Path>> paths) {
  Value total;
  for (std::unique_ptr<Path> &path : paths) {
    Value part = path->sweep.cotangentOf(value);
    if (!part)
      continue;
    // A value with rows belongs to its shard; a static one is shared by all.
    if (path->throughBatch && cast<RankedTensorType>(value.getType()).hasStaticShape())
      part = sums.create(b, part, ("value." + Twine(index)).str());
    part = scale(part, path->factor);
    total = total ? b.add(total, part) : part;
  }
  if (total)
    return total;
  op.emitWarning() << "no path leads from value " << index << " to the loss: its gradient is zero";
  return b.splatLike(value, 0);
}

//===-- functions ----------------------------------------------------------------------------===//

LogicalResult FunctionExpander::checkPlaces() {
  Block *body = &function.getBody().front();
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    if (isa<GradientsOp, BatchMeanOp>(op) && op->getBlock() != body)
      return op->emitOpError("must stand at the top level of its function");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The backward side of branches and loops reads state again: nothing may have written it since.
static LogicalResult checkReadsAgain(Operation *forward, GradientsOp end) {
  StateAccess inside = getStateAccess(forward);
  for (Operation *op = forward->getNextNode(); op && op != end; op = op->getNextNode())
    for (StringAttr symbol : getStateAccess(op).writes)
      if (inside.reads.contains(symbol)) {
        InFlightDiagnostic diag = forward->emitOpError() << "has no gradient: its regions read " << symbol
                                                         << ", which is written before the gradient";
        diag.attachNote(op->getLoc()) << "the write";
        return diag;
      }
  return success();
}

LogicalResult FunctionExpander::expand(GradientsOp op) {
  OpBuilder builder(op);
  Block &body = *op->getBlock();
  SymbolSet symbols;
  for (auto symbol : op.getVariables().getAsRange<FlatSymbolRefAttr>())
    symbols.insert(symbol.getAttr());
  Activity activity(symbols, op.getValues());
  activity.analyze(body, op);
  for (Operation &forward : body) {
    if (&forward == op)
      break;
    if (forward.getNumRegions() != 0 &&
        llvm::any_of(forward.getResults(), [&](Value v) { return activity.isActive(v); }) &&
        failed(checkReadsAgain(&forward, op)))
      return failure();
  }

  auto sweepFrom = [&](ReverseSweep &sweep, Operation *last) -> LogicalResult {
    for (Operation *forward = last; forward; forward = forward->getPrevNode())
      if (failed(sweep.visit(forward)))
        return failure();
    return success();
  };
  ExpressionBuilder b(builder, op.getLoc());
  // Losses of the batch are scaled before the sum over it and what is outside of it after: where there are none, the
  // loss itself.
  Value scale, inverse;
  if (auto variable = op->getAttrOfType<FlatSymbolRefAttr>(kScaledByAttr)) {
    scale = ReadOp::create(builder, op.getLoc(), RankedTensorType::get({}, builder.getF32Type()), variable);
    inverse = b.div(b.splatLike(scale, 1), scale);
  }
  auto scaled = [&](Value seed) {
    return scale ? b.mul(seed, b.broadcast(b.cast(scale, elementType(seed.getType())), seed, {})) : seed;
  };
  const bool hasMeans = llvm::any_of(means, [&](auto &known) {
    return known.first->isBeforeInBlock(op) && activity.isActive(known.first->getResult(0));
  });
  auto outside = std::make_unique<Path>(Path{ReverseSweep(builder, activity), hasMeans ? Value() : inverse, false});
  Value one = b.splatLike(op.getLoss(), 1);
  outside->sweep.add(op.getLoss(), hasMeans ? one : scaled(one));
  if (failed(sweepFrom(outside->sweep, op->getPrevNode())))
    return failure();

  SmallVector<std::unique_ptr<Path>> paths;
  for (BatchMeanOp mean : llvm::reverse(outside->sweep.means)) {
    auto path = std::make_unique<Path>(Path{ReverseSweep(builder, activity), means.lookup(mean).factor, true});
    // The cotangent of the mean is a scalar after the sums: 1 for a plain mean.
    Value outer = outside->sweep.cotangentOf(mean.getResult());
    if (!matchPattern(outer, m_OneFloat()))
      path->factor = path->factor ? b.mul(outer, path->factor) : outer;
    if (inverse)
      path->factor = path->factor ? b.mul(path->factor, b.cast(inverse, elementType(path->factor.getType()))) : inverse;
    Value seed = mean.getWeights() ? mean.getWeights() : b.splatLike(mean.getLosses(), 1);
    path->sweep.add(mean.getLosses(), scaled(seed));
    if (failed(sweepFrom(path->sweep, mean->getPrevNode())))
      return failure();
    if (!path->sweep.means.empty()) {
      InFlightDiagnostic diag = mean.emitOpError("has no gradient: its losses depend on another mean over the batch");
      diag.attachNote(path->sweep.means.front().getLoc()) << "the other mean";
      return diag;
    }
    paths.push_back(std::move(path));
  }
  paths.push_back(std::move(outside));

  GradientAssembler assembler(op, sums, builder);
  SmallVector<Value> results;
  for (auto [symbol, result] : llvm::zip(op.getVariables().getAsRange<FlatSymbolRefAttr>(), op.getResults())) {
    FailureOr<Value> gradient = assembler.forSymbol(symbol.getAttr(), result.getType(), paths);
    if (failed(gradient))
      return failure();
    results.push_back(*gradient);
  }
  for (auto [i, value] : llvm::enumerate(op.getValues()))
    results.push_back(assembler.forValue(value, i, paths));
  op->replaceAllUsesWith(results);
  op.erase();
  return success();
}

LogicalResult FunctionExpander::run() {
  if (failed(checkPlaces()))
    return failure();
  Block &body = function.getBody().front();
  SmallVector<BatchMeanOp> allMeans(body.getOps<BatchMeanOp>());
  SmallVector<GradientsOp> gradients(body.getOps<GradientsOp>());
  if (allMeans.empty() && gradients.empty())
    return success();
  for (auto [i, mean] : llvm::enumerate(allMeans))
    means[mean] = expandMean(mean, sums, allMeans.size() == 1 ? "batch_mean" : "batch_mean." + std::to_string(i));
  for (GradientsOp op : gradients)
    if (failed(expand(op)))
      return failure();
  for (BatchMeanOp mean : allMeans) {
    mean->replaceAllUsesWith(ValueRange(means.lookup(mean).value));
    mean.erase();
  }
  eraseDeadOps(body);
  return success();
}
