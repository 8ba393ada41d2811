// df-outline-features: entries as segments, work on features alone in a segment that runs ahead of the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/Transforms/CheckIndices.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFOUTLINEFEATURESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Makes the segments of one entry. Ops are `movable` if they depend on features alone and yield integers, truth values
/// or strings; those worth running ahead, and what is made of them, are `ahead`. Movable ops that are not ahead cost
/// less than a buffer between the segments: they stay in the step, and are copied where an op ahead needs them.
class FeatureOutliner {
public:
  explicit FeatureOutliner(FunctionOp function)
      : function(function), builder(function.getContext()), counts(function) {}
  void run();

private:
  void markOutputsOfCall();
  void classify();
  void makeFeatures(ArrayRef<Value> crossing);
  void makeStep(ArrayRef<Value> crossing);

  FunctionOp function;
  OpBuilder builder;
  SymbolicSizes counts;
  llvm::DenseSet<Value> fromFeatures; ///< features, and results of movable ops and constants
  llvm::DenseSet<Operation *> ahead;
};

struct DfOutlineFeaturesPass : mlc::df::impl::DfOutlineFeaturesPassBase<DfOutlineFeaturesPass> {
  void runOnOperation() override {
    if (failed(verifyStage(getOperation(), Stage::Values)))
      return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FunctionOp>())) {
      checkIndices(function);
      FeatureOutliner(function).run();
    }
    if (failed(verifyStage(getOperation(), Stage::Segments)))
      signalPassFailure();
  }
};

} // namespace

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
static bool isString(Value value) { return isa<StringType>(elementOf(value)); }

/// Work that pays for a buffer between the segments.
static bool isWorthRunningAhead(Operation &op) {
  return op.hasTrait<PreparesFeatures>() || llvm::any_of(op.getOperands(), isString);
}

/// Whether the op may run in a features segment if its operands are there.
static bool isMovable(Operation &op) {
  if (op.getNumRegions() != 0 || op.hasTrait<OpTrait::IsTerminator>())
    return false;
  if (!hasNoEffectButErrors(&op))
    return false;
  // Where only the shape of a string tensor is used the type of the result does not matter: strings should not reach
  // the step.
  if (llvm::any_of(op.getOperands(), isString))
    return true;
  return llvm::all_of(op.getResults(), [](Value result) { return !isa<FloatType>(elementOf(result)); });
}

void FeatureOutliner::classify() {
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    if (llvm::is_contained({BindingKind::Feature, BindingKind::Dimension}, function.getArgBinding(i).getKind()))
      fromFeatures.insert(argument);
  for (Operation &op : function.getBody().front()) {
    bool known = llvm::all_of(op.getOperands(), [&](Value operand) { return fromFeatures.contains(operand); });
    if (!known)
      continue;
    bool madeAhead = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && ahead.contains(operand.getDefiningOp());
    });
    // Float features on their way to a bucket: moved along, but never a reason for a buffer.
    bool carriesFeature = !madeAhead && carriesElements(&op);
    if (!carriesFeature && !isMovable(op))
      continue;
    // What has no buffer between segments stays in the step.
    if (!llvm::all_of(op.getResults(), [&](Value result) { return counts.getBufferType(result); }))
      continue;
    fromFeatures.insert(op.result_begin(), op.result_end());
    if (isWorthRunningAhead(op) || madeAhead)
      ahead.insert(&op);
  }
}

/// Marks the outputs whose shapes do not follow from the rows and values of features.
void FeatureOutliner::markOutputsOfCall() {
  for (auto [i, value] : llvm::enumerate(getReturn(function).getOperands()))
    if (function.getResultBinding(i).getKind() == BindingKind::Output) {
      NamedAttrList attributes(function.getResultAttrDict(i));
      if (counts.getBufferType(value) != value.getType()) {
        attributes.erase(FunctionOp::kSymbolsAttr);
        attributes.set(FunctionOp::kSymbolAttr, builder.getI64IntegerAttr(FunctionOp::kSymbolOfCall));
      } else if (!attributes.get(FunctionOp::kSymbolAttr) && !attributes.get(FunctionOp::kSymbolsAttr)) {
        FunctionOp::setSymbols(attributes, value.getType(), counts.getSymbols(value));
      }
      function.setResultAttrs(i, attributes.getDictionary(function.getContext()));
    }
}

void FeatureOutliner::run() {
  markOutputsOfCall();
  if (function.getSegment())
    return;
  classify();
  if (ahead.empty()) {
    eraseUnusedArguments(function);
    function.setSegment(SegmentKind::Step);
    function.setEntry(function.getSymName());
    return;
  }
  SmallVector<Value> crossing;
  for (Operation &op : function.getBody().front())
    if (ahead.contains(&op))
      for (Value result : op.getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !ahead.contains(function.getBody().front().findAncestorOpInBlock(*user));
            }))
          crossing.push_back(result);
  makeFeatures(crossing);
  makeStep(crossing);
}

static std::string intermediateName(size_t index) { return "i" + std::to_string(index); }

void FeatureOutliner::makeFeatures(ArrayRef<Value> crossing) {
  builder.setInsertionPoint(function);
  auto features = FunctionOp::create(builder, function.getLoc(), (function.getSymName() + names::kFeatures).str(),
                                     builder.getFunctionType(function.getArgumentTypes(), {}), function.getRole());
  features.setSegment(SegmentKind::Features);
  features.setEntry(function.getSymName());
  features.setArgAttrsAttr(function.getArgAttrsAttr());
  builder.setInsertionPointToEnd(&features.getBody().front());
  IRMapping mapping;
  mapping.map(function.getArguments(), features.getArguments());
  for (Operation &op : function.getBody().front())
    if (ahead.contains(&op) || (op.getNumResults() > 0 && fromFeatures.contains(op.getResult(0))))
      builder.clone(op, mapping);
  ReturnOp::create(builder, function.getLoc(), ValueRange());
  SmallVector<FunctionResult> results;
  builder.setInsertionPoint(getReturn(features));
  for (auto [i, value] : llvm::enumerate(crossing)) {
    Value crossed = reshapeTo(builder, mapping.lookup(value), counts.getBufferType(value));
    results.push_back(boundResult(crossed, BindingKind::Intermediate, intermediateName(i), counts.getSymbols(value)));
  }
  setFunctionResults(features, results);
  eraseDeadOps(features.getBody().front());
  eraseUnusedArguments(features);
}

/// What is left of the function becomes the step.
void FeatureOutliner::makeStep(ArrayRef<Value> crossing) {
  std::string entry = function.getSymName().str();
  AppendedArguments appended(function);
  for (size_t i = 0; i < crossing.size(); ++i) {
    Value value = crossing[i];
    BlockArgument argument = appended.append(counts.getBufferType(value), BindingKind::Intermediate,
                                             intermediateName(i), value.getLoc(), counts.getSymbols(value));
    builder.setInsertionPointToStart(&function.getBody().front());
    Value crossed = reshapeTo(builder, argument, cast<RankedTensorType>(value.getType()));
    value.replaceUsesWithIf(crossed, [&](OpOperand &use) {
      return !ahead.contains(function.getBody().front().findAncestorOpInBlock(*use.getOwner()));
    });
  }
  appended.finish();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (ahead.contains(&op))
      op.erase();
  eraseDeadOps(function.getBody().front());
  eraseUnusedArguments(function);
  function.setSymName((entry + names::kStep).str());
  function.setSegment(SegmentKind::Step);
  function.setEntry(entry);
}
