// The reverse sweep: cotangents from results to sources.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/ReverseSweep.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfForms.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlc::df;

Value mlc::df::addInProgramOrder(ExpressionBuilder &b, ArrayRef<Value> values) {
  Value sum;
  for (Value value : llvm::reverse(values))
    sum = sum ? b.add(sum, value) : value;
  return sum;
}

void ReverseSweep::add(Value value, Value cotangent) {
  if (activity.isActive(value))
    contributions[value].push_back(cotangent);
}

Value ReverseSweep::cotangentOf(Value value) {
  auto it = contributions.find(value);
  if (it == contributions.end())
    return {};
  ExpressionBuilder b(builder, value.getLoc());
  Value sum = addInProgramOrder(b, it->second);
  it->second.assign({sum});
  return sum;
}

LogicalResult ReverseSweep::visit(Operation *op) {
  SmallVector<Value> cotangents;
  for (Value result : op->getResults())
    cotangents.push_back(cotangentOf(result));
  if (llvm::none_of(cotangents, [](Value v) { return static_cast<bool>(v); }))
    return success();

  if (auto read = dyn_cast<ReadOp>(op)) {
    if (activity.isSource(read.getVariableAttr().getAttr()))
      sources[read.getVariableAttr().getAttr()].dense.push_back(cotangents[0]);
    return success();
  }
  if (auto gather = dyn_cast<ReadRowsOp>(op)) {
    if (activity.isSource(gather.getVariableAttr().getAttr()))
      sources[gather.getVariableAttr().getAttr()].gathered.push_back({gather.getIds(), cotangents[0]});
    return success();
  }
  if (auto mean = dyn_cast<BatchMeanOp>(op)) {
    if (mean.getWeights() && activity.isActive(mean.getWeights()))
      return mean.emitOpError("has no gradient with respect to its weights, which depend on what is differentiated by");
    means.push_back(mean);
    return success();
  }
  if (auto branch = dyn_cast<IfOp>(op))
    return visitIf(branch, cotangents);
  if (auto scan = dyn_cast<ScanOp>(op))
    return visitScan(scan, cotangents);
  if (auto loop = dyn_cast<WhileOp>(op))
    return visitWhile(loop, cotangents);
  if (auto region = dyn_cast<RematOp>(op))
    return visitCheckpoint(region, cotangents);
  if (auto custom = dyn_cast<CustomGradientOp>(op))
    return visitCustomGradient(custom, cotangents);
  if (auto densify = dyn_cast<DensifyRowsOp>(op))
    return visitDensify(densify, cotangents[0]);

  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule) {
    // A value that is differentiated by may come from any op.
    if (!activity.dependsOnSource(*op))
      return success();
    InFlightDiagnostic diag =
        op->emitOpError("has no gradient rule, and the loss depends on what is differentiated by through it");
    diag.attachNote() << "leave it out of what the loss depends on, compute it by ops that have a gradient, or give "
                      << op->getName() << " a rule (DifferentiableOpInterface)";
    return diag;
  }
  if (isCompositeForm(op))
    return op->emitOpError("has a gradient in this form only after df-decompose");
  SmallVector<Value> gradients(op->getNumOperands());
  if (failed(rule.buildGradient(builder, cotangents, gradients)))
    return failure();
  for (auto [operand, gradient] : llvm::zip(op->getOperands(), gradients))
    if (gradient)
      add(operand, gradient);
  return success();
}

/// Rows as buildSparseGradient makes them, with factors: what is summed for an id gets the cotangent's row of that id.
LogicalResult ReverseSweep::visitDensify(DensifyRowsOp op, Value cotangent) {
  ExpressionBuilder b(builder, op.getLoc());
  Value rows = op.getOperand();
  while (auto scale = rows.getDefiningOp<ScaleRowsOp>()) {
    if (activity.isActive(scale.getFactor())) {
      Value unscaled = DensifyRowsOp::create(builder, op.getLoc(), op.getType(), scale.getOperand());
      add(scale.getFactor(), b.sumAll(b.mul(cotangent, unscaled)));
    }
    cotangent = b.mul(cotangent, b.broadcast(scale.getFactor(), cotangent, {}));
    rows = scale.getOperand();
  }
  auto pack = rows.getDefiningOp<PackRowsOp>();
  auto sums = pack ? pack.getRows().getDefiningOp<GroupSumOp>() : GroupSumOp();
  auto groups = pack ? pack.getIds().getDefiningOp<GroupIdsOp>() : GroupIdsOp();
  if (!sums || !groups || sums.getOrder() != groups.getOrder())
    return op.emitOpError("has no gradient: its rows are no sums by id of this function");
  if (activity.isActive(sums.getValues()))
    add(sums.getValues(), GatherOp::create(builder, op.getLoc(), cotangent, groups.getIds()));
  return success();
}

//===-- branches -----------------------------------------------------------------------===//

/// The backward side of one branch: a region that computes the forward values again and sweeps over them.
struct ReverseSweep::Branch {
  Branch(OpBuilder &builder, Location loc) : region(builder, loc) {}

  RegionInTheMaking region;
  llvm::MapVector<Value, Value> captured; ///< active value from outside -> its cotangent
  llvm::MapVector<StringAttr, Value> dense;
  SmallVector<std::pair<StringAttr, RowContribution>> gathered; ///< in reverse program order
};

LogicalResult ReverseSweep::sweepBranch(IfOp op, Region &forward, ArrayRef<Value> cotangents, Branch &branch) {
  if (StateAccess access = getStateAccess(op); !access.writes.empty())
    return op.emitOpError("has no gradient: its branches write ") << access.writes.front();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&branch.region.get());
  IRMapping mapping;
  SmallVector<Operation *> copies;
  for (Operation &inner : forward.front().without_terminator())
    copies.push_back(builder.clone(inner, mapping));
  activity.addCopies(mapping);

  ReverseSweep inner(builder, activity);
  for (auto [yielded, cotangent] : llvm::zip(forward.front().getTerminator()->getOperands(), cotangents))
    if (cotangent)
      inner.add(mapping.lookupOrDefault(yielded), cotangent);
  for (Operation *copy : llvm::reverse(copies))
    if (failed(inner.visit(copy)))
      return failure();
  if (!inner.means.empty())
    return inner.means.front().emitOpError("must stand at the top level of its function to be differentiated");

  llvm::SetVector<Value> outside;
  forEachUsedValue(op, [&](Value used) {
    if (activity.isActive(used))
      outside.insert(used);
  });
  for (Value value : outside)
    if (Value cotangent = inner.cotangentOf(value))
      branch.captured[value] = cotangent;
  for (auto &[symbol, source] : inner.sources) {
    ExpressionBuilder b(builder, op.getLoc());
    if (Value sum = addInProgramOrder(b, source.dense))
      branch.dense[symbol] = sum;
    for (RowContribution rows : source.gathered) {
      if (branch.region.get().isAncestor(rows.ids.getParentRegion()))
        return op.emitOpError("has no gradient: ids of the gathers in its branches must be computed outside");
      branch.gathered.push_back({symbol, rows});
    }
  }
  builder.setInsertionPointToEnd(block);
  return success();
}

/// Builds the backward `df.if` of the two regions; a branch without a contribution yields zeros (ids of -1 for rows).
void ReverseSweep::joinBranches(IfOp op, Branch (&branches)[2]) {
  ExpressionBuilder b(builder, op.getLoc());
  SmallVector<Type> types;
  SmallVector<Value> yields[2];
  SmallVector<std::function<void(Value)>> consumers;

  // Runs `make` at the end of a branch's region.
  auto at = [&](Branch &branch, llvm::function_ref<Value()> make) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&branch.region.get().front());
    return make();
  };
  auto result = [&](Value first, Value second, std::function<void(Value)> consume) {
    types.push_back(first.getType());
    yields[0].push_back(first);
    yields[1].push_back(second);
    consumers.push_back(std::move(consume));
  };

  llvm::SetVector<Value> captured;
  llvm::SetVector<StringAttr> symbols;
  for (Branch &branch : branches) {
    for (auto &[value, cotangent] : branch.captured)
      captured.insert(value);
    for (auto &[symbol, cotangent] : branch.dense)
      symbols.insert(symbol);
  }
  for (Value value : captured) {
    Value sides[2];
    for (auto [side, branch] : llvm::zip(sides, branches)) {
      Value cotangent = branch.captured.lookup(value);
      side = cotangent ? cotangent : at(branch, [&] { return b.splatLike(value, 0); });
    }
    result(sides[0], sides[1], [this, value](Value total) { add(value, total); });
  }
  for (StringAttr symbol : symbols) {
    Value known =
        branches[0].dense.lookup(symbol) ? branches[0].dense.lookup(symbol) : branches[1].dense.lookup(symbol);
    Value sides[2];
    for (auto [side, branch] : llvm::zip(sides, branches)) {
      Value cotangent = branch.dense.lookup(symbol);
      side = cotangent ? cotangent : at(branch, [&] { return b.splatLike(known, 0); });
    }
    result(sides[0], sides[1], [this, symbol](Value total) { sources[symbol].dense.push_back(total); });
  }
  for (unsigned owner : {1u, 0u})
    for (auto &contribution : branches[owner].gathered) {
      StringAttr symbol = contribution.first;
      RowContribution rows = contribution.second;
      // The ids are known outside, so only the other branch's -1 and zeros have to be made up.
      Branch &other = branches[1 - owner];
      Value none = at(other, [&] { return b.splatLike(rows.ids, -1); });
      Value zeros = at(other, [&] {
        auto type = cast<RankedTensorType>(rows.cotangents.getType());
        SmallVector<int64_t> oneRow(type.getShape());
        oneRow[0] = 1;
        Value table = b.splat(RankedTensorType::get(oneRow, type.getElementType()), 0);
        return Value(GatherOp::create(builder, op.getLoc(), table, none));
      });
      auto pair = std::make_shared<RowContribution>();
      Value ids[2], cotangents[2];
      ids[owner] = rows.ids, ids[1 - owner] = none;
      cotangents[owner] = rows.cotangents, cotangents[1 - owner] = zeros;
      result(ids[0], ids[1], [pair](Value total) { pair->ids = total; });
      result(cotangents[0], cotangents[1],
             [this, pair, symbol](Value total) { sources[symbol].gathered.push_back({pair->ids, total}); });
    }

  for (auto [branch, values] : llvm::zip(branches, yields)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&branch.region.get().front());
    YieldOp::create(builder, op.getLoc(), values);
  }
  auto backward = IfOp::create(builder, op.getLoc(), types, op.getCondition());
  backward.getThenRegion().takeBody(branches[0].region.get());
  backward.getElseRegion().takeBody(branches[1].region.get());
  for (auto [consume, value] : llvm::zip(consumers, backward.getResults()))
    consume(value);
}

LogicalResult ReverseSweep::visitIf(IfOp op, ArrayRef<Value> cotangents) {
  Branch branches[2] = {{builder, op.getLoc()}, {builder, op.getLoc()}};
  if (failed(sweepBranch(op, op.getThenRegion(), cotangents, branches[0])) ||
      failed(sweepBranch(op, op.getElseRegion(), cotangents, branches[1])))
    return failure();
  joinBranches(op, branches);
  return success();
}
