// df-scale-loss: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/RowParts.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSCALELOSSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

static constexpr llvm::StringLiteral kScale = "loss_scale", kGoodSteps = "loss_scale/good_steps";

/// Of the scale, all powers of 2, so that it changes no bit of a gradient that fits: where it begins, what it is at
/// most and at least, and after how many good steps it doubles.
static constexpr double kFirstScale = 1 << 15, kMostScale = 0x1p30, kLeastScale = 0x1p-30;
static constexpr int64_t kStepsToDouble = 2000;

/// Whether the op sets elements of floats of variables.
static bool writesFloats(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AssignOp, AssignAddOp, AssignSubOp>([](auto assign) {
        return isa<FloatType>(cast<RankedTensorType>(assign.getValue().getType()).getElementType());
      })
      .Case<ApplyRowsOp>([](auto) { return true; })
      .Default([](Operation *) { return false; });
}

namespace {
/// The gradients of one function, and what is made of them.
class LossScaling {
public:
  LossScaling(FunctionOp function, ArrayRef<GradientsOp> gradients)
      : function(function), gradients(gradients), builder(function.getContext()) {}

  LogicalResult run();

private:
  /// Puts writes that stand before the last gradients after them, where it is known whether they are to be.
  FailureOr<SmallVector<Operation *>> findWrites();
  /// How many elements are not finite, as f32.
  Value countNotFinite(ExpressionBuilder &b, Value gradient);
  Value allFinite(ExpressionBuilder &b);
  void writeIf(Value isGood, Operation *write);
  void updateScale(Value isGood);
  /// Has a training step put out its scale.
  LogicalResult showScale();

  FunctionOp function;
  ArrayRef<GradientsOp> gradients;
  OpBuilder builder;
};

struct DfScaleLossPass : mlc::df::impl::DfScaleLossPassBase<DfScaleLossPass> {
  void runOnOperation() override {
    auto precision = getOperation()->getAttrOfType<PrecisionAttr>(DfDialect::kPrecisionAttr);
    if (!precision || precision.getValue() != Precision::F16Mixed)
      return;
    SmallVector<std::pair<FunctionOp, SmallVector<GradientsOp>>> functions;
    for (auto function : getOperation().getOps<FunctionOp>()) {
      SmallVector<GradientsOp> gradients(function.getBody().front().getOps<GradientsOp>());
      if (!gradients.empty())
        functions.push_back({function, std::move(gradients)});
    }
    if (functions.empty())
      return;
    if (failed(addVariables()))
      return signalPassFailure();
    for (auto &[function, gradients] : functions)
      if (failed(LossScaling(function, gradients).run()))
        return signalPassFailure();
  }

  LogicalResult addVariables() {
    OpBuilder b(&getContext());
    Location loc = getOperation().getLoc();
    for (auto [name, element, first] :
         {std::tuple(kScale, Type(b.getF32Type()), kFirstScale), {kGoodSteps, b.getI64Type(), 0.0}}) {
      if (Operation *other = SymbolTable::lookupSymbolIn(getOperation(), name)) {
        InFlightDiagnostic diag = getOperation().emitError("precision f16_mixed keeps its scale in a variable '")
                                  << name << "'";
        diag.attachNote(other->getLoc()) << "this has the name already";
        return diag;
      }
      b.setInsertionPointToStart(getOperation().getBody());
      VariableOp::create(b, loc, name, RankedTensorType::get({}, element),
                         ConstantInitAttr::get(&getContext(), APFloat(first)), /*trainable=*/false, Lifetime::Train,
                         /*slot_of=*/FlatSymbolRefAttr(), /*slot=*/StringAttr(), /*racy=*/false,
                         /*named_rows=*/ArrayAttr());
    }
    return success();
  }
};
} // namespace

FailureOr<SmallVector<Operation *>> LossScaling::findWrites() {
  GradientsOp end = gradients.back();
  Operation *last = end;
  SmallVector<Operation *> early, all;
  for (Operation &op : function.getBody().front()) {
    if (writesFloats(&op)) {
      (op.isBeforeInBlock(last) ? early : all).push_back(&op);
      continue;
    }
    const StateAccess inside = getStateAccess(&op);
    if (op.getNumRegions() == 0 || inside.writes.empty())
      continue;
    return op.emitOpError(
        "writes variables in its regions, of which a step of precision f16_mixed that is skipped knows "
        "nothing; expected: writes at the top level of the function");
  }
  for (Operation *write : early) {
    const StateAccess own = getOwnStateAccess(write);
    for (Operation *op = write->getNextNode(); op != last; op = op->getNextNode()) {
      const StateAccess other = getStateAccess(op);
      for (StringAttr variable : own.writes)
        if (other.reads.contains(variable) || other.writes.contains(variable)) {
          InFlightDiagnostic diag = write->emitOpError("writes ")
                                    << variable << " before the gradients, which decide whether a step of precision "
                                    << "f16_mixed is skipped";
          diag.attachNote(op->getLoc()) << "used here before it is known";
          return diag;
        }
    }
  }
  for (Operation *write : llvm::reverse(early))
    write->moveAfter(last);
  early.append(all);
  return early;
}

Value LossScaling::countNotFinite(ExpressionBuilder &b, Value gradient) {
  Value elements = gradient;
  if (isa<RowsType>(gradient.getType())) {
    // Of rows the sums of those before the count, which are not finite where one of these is not. The others are
    // undefined, and nothing is read of them.
    UnpackRowsOp parts = unpackRows(b, gradient);
    Value sums = b.infer<RaggedReduceOp>(RowReduction::Sum, parts.getRows(), rowEnds(b, parts));
    elements = SliceOp::create(builder, gradient.getLoc(), sums, /*axis=*/0, /*start=*/0, /*size=*/1);
  }
  Value isFinite = b.unary<IsFiniteOp>(elements);
  Value numbers = b.cast(elements, builder.getF32Type());
  return b.sumAll(b.select(isFinite, b.splatLike(numbers, 0), b.splatLike(numbers, 1)));
}

Value LossScaling::allFinite(ExpressionBuilder &b) {
  Value count;
  for (GradientsOp op : gradients)
    for (Value gradient : op.getResults()) {
      // Those of values with rows are parts of a shard, which adds none of them.
      if (auto type = dyn_cast<RankedTensorType>(gradient.getType()); type && !type.hasStaticShape())
        continue;
      Value own = countNotFinite(b, gradient);
      count = count ? b.add(count, own) : own;
    }
  if (!count)
    count = b.splat(RankedTensorType::get({}, builder.getF32Type()), 0);
  return b.compare(Comparison::EQ, count, b.splatLike(count, 0));
}

void LossScaling::writeIf(Value isGood, Operation *write) {
  if (auto apply = dyn_cast<ApplyRowsOp>(write)) {
    Block &body = apply.getBody().front();
    Operation *yield = body.getTerminator();
    builder.setInsertionPoint(yield);
    ExpressionBuilder b(builder, write->getLoc());
    for (auto [made, old] : llvm::zip_first(yield->getOpOperands(), body.getArguments()))
      made.set(b.select(b.broadcast(isGood, old, {}), made.get(), old));
    return;
  }
  builder.setInsertionPoint(write);
  ExpressionBuilder b(builder, write->getLoc());
  OpOperand &value = write->getOpOperand(0);
  Value old;
  if (auto assign = dyn_cast<AssignOp>(write))
    old = ReadOp::create(builder, write->getLoc(), value.get().getType(), assign.getVariableAttr());
  else
    old = b.splatLike(value.get(), 0);
  value.set(b.select(b.broadcast(isGood, value.get(), {}), value.get(), old));
}

void LossScaling::updateScale(Value isGood) {
  Location loc = function.getLoc();
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  ExpressionBuilder b(builder, loc);
  auto scalar = [](Type element) { return RankedTensorType::get({}, element); };
  Value scale = ReadOp::create(builder, loc, scalar(builder.getF32Type()), kScale);
  Value steps = ReadOp::create(builder, loc, scalar(builder.getI64Type()), kGoodSteps);
  Value zero = b.splatLike(steps, 0), next = b.add(steps, b.splatLike(steps, 1));
  Value isDue = b.compare(Comparison::GE, next, b.splatLike(steps, kStepsToDouble));
  Value more = b.binary<MinimumOp>(b.mul(scale, b.splatLike(scale, 2)), b.splatLike(scale, kMostScale));
  Value less = b.binary<MaximumOp>(b.mul(scale, b.splatLike(scale, 0.5)), b.splatLike(scale, kLeastScale));
  AssignOp::create(builder, loc, kScale, b.select(isGood, b.select(isDue, more, scale), less));
  AssignOp::create(builder, loc, kGoodSteps, b.select(isGood, b.select(isDue, zero, next), zero));
}

LogicalResult LossScaling::showScale() {
  if (function.getRole() != Role::Train)
    return success();
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  const auto type = RankedTensorType::get({}, builder.getF32Type());
  Value scale = ReadOp::create(builder, function.getLoc(), type, kScale);
  Operation *end = body.getTerminator();
  const unsigned last = end->getNumOperands();
  const NamedAttribute name = builder.getNamedAttr(FunctionOp::kNameAttr, builder.getStringAttr(kScale));
  if (failed(function.insertResult(last, type, builder.getDictionaryAttr(name))))
    return function.emitOpError("takes no further result");
  end->insertOperands(last, scale);
  return success();
}

LogicalResult LossScaling::run() {
  for (GradientsOp op : gradients)
    op->setAttr(kScaledByAttr, FlatSymbolRefAttr::get(op.getContext(), kScale));
  FailureOr<SmallVector<Operation *>> writes = findWrites();
  if (failed(writes))
    return failure();
  GradientsOp last = gradients.back();
  builder.setInsertionPointAfter(last);
  ExpressionBuilder b(builder, last.getLoc());
  Value isGood = allFinite(b);
  if (!b.ok())
    return failure();
  for (Operation *write : *writes)
    writeIf(isGood, write);
  updateScale(isGood);
  return showScale();
}
