// df-outline-features: ids that data may get wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/CheckIndices.h"
#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/IntegerRanges.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlc::df;

namespace {
/// The ids of an op that must be below `high`, and not negative unless a negative one means none.
struct Bounded {
  OpOperand *ids = nullptr;
  int64_t high = 0;
  bool mayBeNone = false;
  std::string what;
};

/// The ops of one function.
class IndexChecker {
public:
  explicit IndexChecker(FunctionOp function)
      : function(function), counts(function),
        // A features segment has run before the step.
        ranges([this](CheckIdsOp check) { return isOfFeatures(check.getResult()); }) {
    findEnds();
  }

  void run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      op->removeDiscardableAttr(kInBoundsAttr);
      ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto gather = dyn_cast<GatherOp>(op);
      if ((gather && gather.takesRows()) || isa<SoftmaxCrossEntropyOp>(op))
        check(op);
      else if (isMadeInBounds(op))
        mark(op);
    }
  }

private:
  static void mark(Operation *op) { op->setDiscardableAttr(kInBoundsAttr, UnitAttr::get(op->getContext())); }

  /// A variable's name, in quotes.
  std::string nameOf(Value table) {
    auto argument = dyn_cast<BlockArgument>(table);
    BindingAttr binding = argument && argument.getOwner() == &function.getBody().front()
                              ? function.getArgBinding(argument.getArgNumber())
                              : BindingAttr();
    return binding ? ("'" + binding.getName() + "'").str() : "a tensor";
  }

  Bounded boundedOf(Operation *op) {
    Bounded bounded;
    bounded.mayBeNone = !isa<SoftmaxCrossEntropyOp>(op);
    if (auto gather = dyn_cast<GatherOp>(op)) {
      bounded.ids = &gather.getIndicesMutable();
      bounded.high = cast<RankedTensorType>(gather.getOperand().getType()).getDimSize(0);
      bounded.what = "row of " + nameOf(gather.getOperand());
    } else {
      auto loss = cast<SoftmaxCrossEntropyOp>(op);
      bounded.ids = &loss.getLabelsMutable();
      bounded.high = shapeOf(loss.getLogits().getType()).back();
      bounded.what = "label";
    }
    return bounded;
  }

  void check(Operation *op) {
    Bounded bounded = boundedOf(op);
    Value ids = bounded.ids->get();
    // The positions of pairs are those of values that are there.
    if (auto product = ids.getDefiningOp<RaggedProductOp>(); product && ids != product.getEnds())
      return mark(op);
    if (ShapedType::isDynamic(bounded.high) || bounded.high == 0)
      return;
    if (isInRange(ids, bounded))
      return mark(op);
    auto type = cast<RankedTensorType>(ids.getType());
    if (op->getBlock() != &function.getBody().front() || type.getRank() != 1 || !counts.get(ids, 0).isRows() ||
        !isOfFeatures(ids))
      return;
    Value &checked = checks[{ids, {bounded.high, bounded.mayBeNone}}];
    if (!checked) {
      OpBuilder builder(op);
      int64_t low = bounded.mayBeNone ? std::numeric_limits<int64_t>::min() : 0;
      StringAttr feature = featureOf(ids);
      checked =
          CheckIdsOp::create(builder, op->getLoc(), type, ids, Value(), FlatSymbolRefAttr(), static_cast<uint64_t>(low),
                             static_cast<uint64_t>(bounded.high), bounded.what, feature);
    }
    bounded.ids->set(checked);
    mark(op);
    // The rows that get gradients are those that were read.
    if (bounded.mayBeNone)
      ids.replaceUsesWithIf(checked, [&](OpOperand &use) {
        return isa<GroupIdsOp>(use.getOwner()) && use.getOwner()->getBlock() == op->getBlock() &&
               op->isBeforeInBlock(use.getOwner());
      });
  }

  bool isInRange(Value ids, const Bounded &bounded) {
    std::optional<IntegerRange> range = ranges.get(ids);
    return range && range->most < bounded.high && (bounded.mayBeNone || range->least >= 0);
  }

  /// Whether what made the groups, ends or ids of an op makes none that are wrong.
  bool isMadeInBounds(Operation *op) {
    if (auto update = dyn_cast<UpdateRowsOp>(op)) {
      int64_t rows = cast<RankedTensorType>(update.getTables().front().getType()).getDimSize(0);
      return !ShapedType::isDynamic(rows) && areRowIds(update.getIds(), update.getCount(), rows);
    }
    if (auto merge = dyn_cast<MergeRowsOp>(op))
      return !merge.getLike() && areRowIds(merge.getIds(), merge.getCount(), std::nullopt);
    if (auto sum = dyn_cast<GroupSumOp>(op)) {
      auto unique = sum.getEnds().getDefiningOp<GroupIdsOp>();
      return unique && sum.getEnds() == unique.getEnds() && sum.getOrder() == unique.getOrder() &&
             sum.getCount() == unique.getCount();
    }
    if (auto sum = dyn_cast<RaggedReduceOp>(op))
      return areEnds(sum.getEnds(), sum.getValues());
    if (auto repeat = dyn_cast<RaggedRepeatOp>(op))
      return areEnds(repeat.getEnds(), repeat.getLike());
    return false;
  }

  /// Whether df.group_ids has made `ids`, of which there are `count`, of ids that are below `rows` if it is given; or
  /// df.merge_rows of such.
  bool areRowIds(Value ids, Value count, std::optional<int64_t> rows) {
    if (auto merge = ids.getDefiningOp<MergeRowsOp>())
      return ids == merge.getIds() && count == merge.getCount() &&
             areRowIds(merge.getLhsIds(), merge.getLhsCount(), rows) &&
             areRowIds(merge.getRhsIds(), merge.getRhsCount(), rows);
    auto unique = ids.getDefiningOp<GroupIdsOp>();
    if (!unique || ids != unique.getUnique() || count != unique.getCount())
      return false;
    std::optional<IntegerRange> range = rows ? ranges.get(unique.getIds()) : std::nullopt;
    return !rows || (range && range->most < *rows);
  }

  /// Whether `ends` are those of a multi-valued feature, which the runtime checks, or of the pairs of two, and `values`
  /// has its number of values.
  bool areEnds(Value ends, Value values) {
    if (!cast<RankedTensorType>(values.getType()).isDynamicDim(0))
      return false;
    auto size = counts.get(values, 0).getMultiple();
    if (!size || size->first == 0 || size->second != 1)
      return false;
    if (auto product = ends.getDefiningOp<RaggedProductOp>())
      return ends == product.getEnds() && static_cast<int64_t>(product.getSymbol()) == size->first;
    return endsOfSymbols.lookup(size->first) == ends;
  }

  /// Finds the ends of the multi-valued features by the dimension symbols of their values; where a symbol is that of
  /// several features, none: the runtime checks one of them.
  void findEnds() {
    llvm::StringMap<BlockArgument> features;
    for (BlockArgument argument : function.getArguments())
      if (BindingAttr binding = function.getArgBinding(argument.getArgNumber());
          binding && binding.getKind() == BindingKind::Feature)
        features[binding.getName()] = argument;
    for (const auto &entry : features) {
      SmallVector<std::optional<int64_t>> symbols = function.getArgSymbols(entry.second.getArgNumber());
      auto ends = features.find((entry.getKey() + names::kEnds).str());
      if (symbols.empty() || symbols.front().value_or(0) == 0 || ends == features.end())
        continue;
      auto [it, isNew] = endsOfSymbols.try_emplace(*symbols.front(), ends->second);
      if (!isNew)
        it->second = Value();
    }
  }

  /// Whether `value` is computed from features alone, by ops that a features segment runs ahead of the step.
  bool isOfFeatures(Value value) {
    if (auto it = ofFeatures.find(value); it != ofFeatures.end())
      return it->second;
    return ofFeatures[value] = findOfFeatures(value);
  }
  bool findOfFeatures(Value value) {
    if (function.getSegment())
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &function.getBody().front())
        return false;
      BindingAttr binding = function.getArgBinding(argument.getArgNumber());
      return !binding || llvm::is_contained({BindingKind::Feature, BindingKind::Dimension}, binding.getKind());
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != &function.getBody().front() || op->getNumRegions() != 0 || !hasNoEffectButErrors(op))
      return false;
    bool isMoved = carriesElements(op) ||
                   llvm::none_of(op->getResultTypes(), [](Type type) { return isa<FloatType>(elementType(type)); });
    return isMoved && llvm::all_of(op->getOperands(), [&](Value operand) { return isOfFeatures(operand); });
  }

  /// The name of the feature that ids are the cells of, if they are.
  StringAttr featureOf(Value ids) {
    while (isa_and_present<ReshapeOp, CheckIdsOp>(ids.getDefiningOp()))
      ids = ids.getDefiningOp()->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(ids);
    if (!argument)
      return {};
    if (BindingAttr binding = function.getArgBinding(argument.getArgNumber()))
      return StringAttr::get(ids.getContext(), binding.getName());
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FunctionOp::kNameAttr);
  }

  FunctionOp function;
  SymbolicSizes counts;
  IntegerRanges ranges;
  llvm::DenseMap<Value, bool> ofFeatures;
  llvm::DenseMap<int64_t, Value> endsOfSymbols;
  llvm::DenseMap<std::pair<Value, std::pair<int64_t, int64_t>>, Value> checks;
};
} // namespace

void mlc::df::checkIndices(FunctionOp function) { IndexChecker(function).run(); }
