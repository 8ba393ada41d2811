// What holds of a df module after each stage of its lowering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/VerifyStage.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/SymbolicSizes.h"

using namespace mlir;
using namespace mlc::df;

/// Checks one op; stages add conditions.
static LogicalResult verifyOp(Operation *op, Stage stage) {
  if (isa<GradientsOp, BatchMeanOp, CustomGradientOp>(op))
    return op->emitOpError("must be gone after df-expand-gradients");
  if (stage >= Stage::Split && isa<AllReduceOp>(op))
    return op->emitOpError("must be gone after df-split-step");
  if (stage < Stage::Values)
    return success();
  if (auto loop = dyn_cast<WhileOp>(op); loop && loop.hasStacked())
    return op->emitOpError("must have no stacked results after df-decompose");
  if (!getOwnStateAccess(op).empty())
    return op->emitOpError("names a variable after df-state-to-values");
  if (isa<SettingOp>(op))
    return op->emitOpError("must be an argument after df-state-to-values");
  if (auto product = dyn_cast<RaggedProductOp>(op); product && !product.getCount())
    return op->emitOpError("must have its count after df-state-to-values");
  if (auto random = dyn_cast<RandomOp>(op))
    if (!random.getSeed() || (random.isOfStep() && !random.getStep()) || (random.isOfRows() && !random.getFirstRow()))
      return op->emitOpError("must be bound to the context after df-state-to-values");
  for (Value result : op->getResults())
    if (isa<RowsType>(result.getType()))
      return op->emitOpError("makes ") << result.getType() << "; only tensors remain after df-state-to-values";
  return success();
}

/// Checks that each of `count` arguments or results of `function` has a binding of one of `kinds`, each binding once.
static LogicalResult verifyBindings(FunctionOp function, unsigned count, StringRef what,
                                    llvm::function_ref<BindingAttr(unsigned)> get, ArrayRef<BindingKind> kinds) {
  llvm::DenseSet<Attribute> seen;
  for (unsigned i = 0; i < count; ++i) {
    BindingAttr binding = get(i);
    if (!binding)
      return function.emitOpError() << what << " " << i << " has no df.binding";
    if (!llvm::is_contained(kinds, binding.getKind()))
      return function.emitOpError() << what << " " << i << " is bound to " << binding << ", which no " << what
                                    << " can be";
    if (int64_t symbol = 0; binding.getKind() == BindingKind::Dimension && binding.getName().getAsInteger(10, symbol))
      return function.emitOpError() << what << " " << i << " is bound to " << binding
                                    << ", whose name must be the number of a dimension symbol";
    if (!seen.insert(binding).second)
      return function.emitOpError() << what << " " << i << " is bound to " << binding << ", as another " << what
                                    << " is";
  }
  return success();
}

/// Checks that dynamic dimensions of results are the dimension symbols that they name, that random numbers are of the
/// rows of the batch, and that loops keep the shapes they carry.
static LogicalResult verifyRows(FunctionOp function, ArrayRef<DimensionOp> dimensions) {
  SymbolicSizes counts(function, dimensions);
  for (auto [i, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    auto symbol = function.getResultAttrOfType<IntegerAttr>(i, FunctionOp::kSymbolAttr);
    if (symbol && symbol.getInt() == FunctionOp::kSymbolOfCall &&
        function.getResultBinding(i).getKind() == BindingKind::Output)
      continue;
    bool isBuffer = counts.getBufferType(value) == value.getType();
    SmallVector<std::optional<int64_t>> named;
    llvm::copy_if(function.getResultSymbols(i), std::back_inserter(named),
                  [](std::optional<int64_t> symbol) { return symbol.has_value(); });
    if (!isBuffer || !llvm::equal(named, counts.getSymbols(value)))
      return function.emitOpError() << "result " << i << " (" << function.getResultBinding(i) << ") of type "
                                    << value.getType()
                                    << " has a dynamic dimension that is not the number of rows of the batch, nor the "
                                       "dimension symbol that it names";
  }
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    if (auto random = dyn_cast<RandomOp>(op); random && random.isOfRows() && random.getType().getRank() != 0 &&
                                              random.getType().isDynamicDim(0) && !counts.get(random, 0).isRows())
      return op->emitOpError("is of rows that are not those of the batch, which key its numbers");
    ValueRange inits, results;
    if (auto loop = dyn_cast<WhileOp>(op))
      inits = loop.getInits(), results = loop.getResults();
    else if (auto scan = dyn_cast<ScanOp>(op))
      inits = scan.getInits(), results = scan.getResults().take_front(scan.getNumCarried());
    if (!inits.empty())
      for (auto [init, result] : llvm::zip(inits, results))
        for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(result.getType()).getShape()))
          if (ShapedType::isDynamic(size) && !(counts.get(init, d) == counts.get(result, d)))
            return op->emitOpError("carries a value of type ") << result.getType() << " whose shape changes";
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult verifyFunction(FunctionOp function, Stage stage, ArrayRef<DimensionOp> dimensions) {
  using Kind = BindingKind;
  auto argument = [&](unsigned i) { return function.getArgBinding(i); };
  auto result = [&](unsigned i) { return function.getResultBinding(i); };
  if (failed(verifyBindings(function, function.getNumArguments(), "argument", argument,
                            {Kind::Feature, Kind::Variable, Kind::Setting, Kind::Context, Kind::Intermediate,
                             Kind::SumA, Kind::SumB, Kind::Dimension, Kind::Shared})) ||
      failed(verifyBindings(function, function.getNumResults(), "result", result,
                            {Kind::Variable, Kind::Intermediate, Kind::Output, Kind::SumOut, Kind::Shared})))
    return failure();
  if (stage < Stage::Segments)
    return success();
  if (!function.getSegment() || !function.getEntry())
    return function.emitOpError("must be a segment of an entry after df-outline-features");
  if (failed(verifyRows(function, dimensions)))
    return failure();
  if (*function.getSegment() != SegmentKind::Features)
    return success();
  if (failed(verifyBindings(function, function.getNumArguments(), "argument of a features segment", argument,
                            {Kind::Feature, Kind::Dimension, Kind::Context})))
    return failure();
  return verifyBindings(function, function.getNumResults(), "result of a features segment", result,
                        {Kind::Intermediate});
}

LogicalResult mlc::df::verifyStage(ModuleOp module, Stage stage) {
  WalkResult walk = module.walk([&](Operation *op) { return WalkResult(verifyOp(op, stage)); });
  if (walk.wasInterrupted())
    return failure();
  if (stage < Stage::Values)
    return success();
  // Once for all functions: a wide model has thousands.
  auto dimensions = llvm::to_vector(module.getOps<DimensionOp>());
  for (auto function : module.getOps<FunctionOp>())
    if (failed(verifyFunction(function, stage, dimensions)))
      return failure();
  return success();
}
