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
/// The ops of one function.
class IndexChecker {
public:
  explicit IndexChecker(FunctionOp function) : function(function), counts(function), ranges(trust()) { findEnds(); }

  void run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      op->removeDiscardableAttr(kInBoundsAttr);
      ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto bounding = dyn_cast<BoundedIdsOpInterface>(op); bounding && !isInBounds(op) && isInBody(op))
        if (std::optional<BoundedIds> bounded = bounding.getBoundedIds())
          check(op, *bounded);
    // Now it is known what the checks made certain.
    if (!made.empty())
      ranges = IntegerRanges(trust());
    for (Operation *op : ops)
      if (isInBounds(op))
        op->setDiscardableAttr(kInBoundsAttr, UnitAttr::get(op->getContext()));
  }

private:
  bool isInBody(Operation *op) { return op->getBlock() == &function.getBody().front(); }

  /// A features segment has run before the step.
  std::function<bool(CheckIdsOp)> trust() {
    return [this](CheckIdsOp check) { return isOfFeatures(check.getResult()); };
  }

  /// " of 'w'" for a variable; else nothing.
  std::string ofVariable(Value table) {
    auto argument = dyn_cast<BlockArgument>(table);
    BindingAttr binding = argument && argument.getOwner() == &function.getBody().front()
                              ? function.getArgBinding(argument.getArgNumber())
                              : BindingAttr();
    return binding && binding.getKind() == BindingKind::Variable ? (" of '" + binding.getName() + "'").str() : "";
  }

  static int64_t boundOf(const BoundedIds &bounded) { return shapeOf(bounded.of.getType())[bounded.axis]; }

  bool areInRange(const BoundedIds &bounded) {
    Value ids = bounded.ids->get();
    const int64_t high = boundOf(bounded);
    // Of nothing there is no element to read, not even one that is then left out.
    if (ShapedType::isDynamic(high) || high == 0)
      return false;
    // The positions of pairs are those of values that are there.
    if (auto product = ids.getDefiningOp<RaggedProductOp>(); product && ids != product.getEnds())
      return true;
    std::optional<IntegerRange> range = ranges.get(ids);
    return range && range->most < high && (bounded.mayBeNone || range->least >= 0);
  }

  /// What a check of this pass is of.
  Value uncheckedOf(Value value) {
    while (made.contains(value))
      value = value.getDefiningOp<CheckIdsOp>().getIds();
    return value;
  }

  /// What `ids` are all elements of, in whatever order.
  Value sourceOf(Value ids) {
    while (true) {
      ids = uncheckedOf(ids);
      auto movement = ids.getDefiningOp<MovementOpInterface>();
      if (!movement || !movement.movesAll())
        return ids;
      ids = movement.getMovedOperands().front();
    }
  }

  /// Checks ids that are those of rows of the data ahead of the step, where it is known which row is at fault.
  void check(Operation *op, const BoundedIds &bounded) {
    const int64_t high = boundOf(bounded);
    Value source = sourceOf(bounded.ids->get());
    if (ShapedType::isDynamic(high) || high == 0 || rankOf(source) == 0 || !isOfFeatures(source))
      return;
    Value ends;
    if (SymbolicSize size = counts.get(source, 0); !size.isRows()) {
      ends = rankOf(source) == 1 && size.isSymbol() ? endsOfSymbols.lookup(size.getMultiple()->first) : Value();
      if (!ends)
        return;
    }
    const int64_t low = bounded.mayBeNone ? std::numeric_limits<int64_t>::min() : 0;
    if (!checks.insert({source, {low, high}}).second)
      return;
    Value &last = lastChecked.try_emplace(source, source).first->second;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfterValue(last);
    std::string what = bounded.what.str() + ofVariable(bounded.of);
    auto check = CheckIdsOp::create(builder, op->getLoc(), last.getType(), last, Value(), ends, FlatSymbolRefAttr(),
                                    static_cast<uint64_t>(low), static_cast<uint64_t>(high), what, featureOf(source),
                                    ArrayAttr());
    last.replaceAllUsesExcept(check.getResult(), check);
    last = check.getResult();
    made.insert(last);
  }

  /// Whether ids, groups or ends of an op cannot be wrong.
  bool isInBounds(Operation *op) {
    if (auto gather = dyn_cast<GatherOp>(op); gather && takesPlacesOfMask(gather))
      return true;
    if (auto bounding = dyn_cast<BoundedIdsOpInterface>(op)) {
      std::optional<BoundedIds> bounded = bounding.getBoundedIds();
      return bounded && areInRange(*bounded);
    }
    return isMadeInBounds(op);
  }

  /// Whether the indices are the places at which a mask is true that is as large as what is gathered from along its
  /// dimensions: what `df.boolean_mask` is made of.
  bool takesPlacesOfMask(GatherOp gather) {
    Value indices = gather.getIndices();
    if (auto reshape = indices.getDefiningOp<ReshapeOp>())
      indices = reshape.getOperand();
    auto places = indices.getDefiningOp<NonzeroOp>();
    if (!places || !gather.getBatch().empty() ||
        static_cast<int64_t>(gather.getAxes().size()) != rankOf(places.getOperand()))
      return false;
    for (auto [d, axis] : llvm::enumerate(gather.getAxes()))
      if (!areEqual(places.getOperand(), static_cast<int64_t>(d), gather.getOperand(), axis))
        return false;
    return true;
  }

  /// Whether two dimensions are known to be equally large.
  bool areEqual(Value x, int64_t dimensionOfX, Value y, int64_t dimensionOfY) {
    const int64_t sizeOfX = shapeOf(x.getType())[dimensionOfX], sizeOfY = shapeOf(y.getType())[dimensionOfY];
    if (!ShapedType::isDynamic(sizeOfX) || !ShapedType::isDynamic(sizeOfY))
      return sizeOfX == sizeOfY;
    SymbolicSize size = counts.get(x, dimensionOfX);
    return size.isKnown() && size == counts.get(y, dimensionOfY);
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
    auto size = counts.get(uncheckedOf(values), 0).getMultiple();
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

  /// The name of the feature that ids are cells of, if they are.
  StringAttr featureOf(Value ids) {
    while (Operation *op = ids.getDefiningOp()) {
      auto movement = dyn_cast<MovementOpInterface>(op);
      if (auto check = dyn_cast<CheckIdsOp>(op))
        ids = check.getIds();
      else if (movement && movement.getMovedOperands().size() == 1)
        ids = movement.getMovedOperands().front();
      else
        return {};
    }
    auto argument = cast<BlockArgument>(ids);
    if (BindingAttr binding = function.getArgBinding(argument.getArgNumber()))
      return StringAttr::get(ids.getContext(), binding.getName());
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FunctionOp::kNameAttr);
  }

  FunctionOp function;
  SymbolicSizes counts;
  IntegerRanges ranges;
  llvm::DenseMap<Value, bool> ofFeatures;
  llvm::DenseMap<int64_t, Value> endsOfSymbols;
  /// Sources that were checked, with their bounds.
  llvm::DenseSet<std::pair<Value, std::pair<int64_t, int64_t>>> checks;
  llvm::DenseMap<Value, Value> lastChecked; ///< what is used of them now
  llvm::DenseSet<Value> made;               ///< results of these checks
};
} // namespace

void mlc::df::checkIndices(FunctionOp function) { IndexChecker(function).run(); }
