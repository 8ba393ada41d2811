// df-split-update: what train_apply and init do as functions over ranges of rows, and one of what all rows share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Transforms/RowLocality.h"
#include "dialects/Df/Transforms/SplitInit.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Remarks.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "dialects/Df/Utils/Symbols.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSPLITUPDATEPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Values that cross between functions, by name.
class SharedNames {
public:
  std::string of(Value value) {
    auto [it, isNew] = numbers.insert({value, numbers.size()});
    return "s" + std::to_string(it->second);
  }

private:
  llvm::DenseMap<Value, size_t> numbers;
};

class UpdateSplitter {
public:
  explicit UpdateSplitter(FunctionOp apply)
      : apply(apply), locality(apply), counts(apply), builder(apply.getContext()),
        rowsSymbol(getFreeSymbol(apply->getParentOfType<ModuleOp>())) {}

  void run();

private:
  friend class PartBuilder;

  /// What one function over a range of rows returns.
  struct Group {
    std::string name;
    SmallVector<std::pair<Value, StringRef>> variables;     ///< new values
    llvm::MapVector<unsigned, SmallVector<Value>> partials; ///< crossings by stage
  };

  void collect();
  void remark() const;
  void makeUpdate(unsigned number, const Group &group);
  void makePartial(unsigned number, const Group &group, unsigned stage);
  void makeShared(unsigned stage);
  std::string baseName() {
    StringRef name = apply.getSymName();
    name.consume_back(names::kApply);
    return name.str();
  }
  std::string stageSuffix(unsigned stage) const {
    return locality.getNumStages() == 1 ? "" : "." + std::to_string(stage);
  }

  FunctionOp apply;
  RowLocality locality;
  SymbolicSizes counts;
  OpBuilder builder;
  /// Of the rows of a range; those of the entries of sparse sums follow.
  int64_t rowsSymbol;
  SharedNames names;
  llvm::MapVector<unsigned, Group> groups;
  llvm::SetVector<Value> exported; ///< uniform values that other functions than the one that makes them use
};

/// Clones what values need into one function.
class PartBuilder {
public:
  /// A function over rows of a group, or of what is uniform in `stage`.
  PartBuilder(UpdateSplitter &splitter, const std::string &name, Role role, std::optional<unsigned> group,
              unsigned stage);

  Value get(Value value);
  void cloneOp(Operation *op);
  /// A result that crosses to other functions.
  FunctionResult crossing(Value value);
  FunctionResult updated(Value value, StringRef variable) {
    return boundResult(get(value), BindingKind::Variable, variable,
                       group ? ArrayRef<int64_t>(splitter.rowsSymbol) : ArrayRef<int64_t>());
  }
  void finish(ArrayRef<FunctionResult> results) {
    arguments->finish();
    setFunctionResults(function, results);
  }

private:
  Value bound(BlockArgument argument, RankedTensorType type, ArrayRef<int64_t> symbols);
  Value shared(Value value, RankedTensorType type, ArrayRef<int64_t> symbols, RankedTensorType bound);
  Value getRows(BlockArgument argument);
  Value getUniform(Value value);
  Value getCrossing(Value value);
  Value getWhole(Value value);
  Value spread(Value value, Value like);
  Value likeFor(Operation *op, ArrayRef<int64_t> shape);
  /// Sparse sums are numbered in their order.
  int64_t entriesSymbol(unsigned source) const {
    return splitter.rowsSymbol + 1 +
           llvm::count_if(locality.getSources().take_front(source),
                          [](const RowSource &other) { return other.isSparse(); });
  }
  RankedTensorType crossingType(Value value) const;
  SmallVector<int64_t> crossingSymbols(Value value) const;

  UpdateSplitter &splitter;
  const RowLocality &locality;
  std::optional<unsigned> group;
  unsigned stage;
  FunctionOp function;
  std::optional<AppendedArguments> arguments;
  OpBuilder builder;
  IRMapping mapping;
  llvm::DenseMap<Value, Value> whole; ///< rows of groups in a function over a range, all of them
};

struct DfSplitUpdatePass : mlc::df::impl::DfSplitUpdatePassBase<DfSplitUpdatePass> {
  void runOnOperation() override;
};

} // namespace

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withDynamicRows(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return RankedTensorType::get(shape, type.getElementType());
}

//===-- one function -----------------------------------------------------------------------===//

PartBuilder::PartBuilder(UpdateSplitter &splitter, const std::string &name, Role role, std::optional<unsigned> group,
                         unsigned stage)
    : splitter(splitter), locality(splitter.locality), group(group), stage(stage), builder(splitter.builder) {
  Location loc = splitter.apply.getLoc();
  builder.setInsertionPointAfter(splitter.apply);
  function = FunctionOp::create(builder, loc, name, builder.getFunctionType({}, {}), role);
  arguments.emplace(function);
  function.setSegment(SegmentKind::Step);
  function.setEntry(name);
  builder.setInsertionPointToEnd(&function.getBody().front());
  ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPoint(getReturn(function));
}

/// An argument bound as `argument` of the apply function is.
Value PartBuilder::bound(BlockArgument argument, RankedTensorType type, ArrayRef<int64_t> symbols) {
  BindingAttr binding = splitter.apply.getArgBinding(argument.getArgNumber());
  return arguments->append(type, binding.getKind(), binding.getName(), argument.getLoc(), symbols);
}

/// What another function returns as `value`, of type `type`.
Value PartBuilder::shared(Value value, RankedTensorType type, ArrayRef<int64_t> symbols, RankedTensorType boundType) {
  Value argument = arguments->append(boundType, BindingKind::Shared, splitter.names.of(value), value.getLoc(), symbols);
  return reshapeTo(builder, argument, type);
}

/// Whether an op repeats a scalar. Each function does that for itself: the scalar crosses, which a region of
/// df.update_rows takes, too.
static bool isRepeatedScalar(Operation *op) {
  return isa<BroadcastOp, ReshapeOp>(op) && op->getNumOperands() == 1 && tensorOf(op->getOperand(0)).getRank() == 0;
}

/// An argument of the group over a range of its rows.
Value PartBuilder::getRows(BlockArgument argument) {
  RowLocality::Place place = locality.get(argument);
  RankedTensorType type = tensorOf(argument);
  switch (place.alignment) {
  case Alignment::Rows:
    return bound(argument, withDynamicRows(type), splitter.rowsSymbol);
  case Alignment::Entries:
  case Alignment::Ids:
    return bound(argument, type, entriesSymbol(place.source));
  default:
    return bound(argument, type, {});
  }
}

/// The type of the buffer in which a value crosses to or from the shared function, of all rows: entries of a sum whose
/// parts are [rows, k, ...] as [rows, k].
RankedTensorType PartBuilder::crossingType(Value value) const {
  RowLocality::Place place = locality.get(value);
  RankedTensorType type = tensorOf(value);
  if (place.alignment == Alignment::Uniform) {
    RankedTensorType buffer = splitter.counts.getBufferType(value);
    return buffer ? buffer : type; // df-verify-stage refuses what no buffer can hold
  }
  if (place.alignment != Alignment::Entries)
    return type;
  RankedTensorType ids = tensorOf(locality.getSources()[place.source].ids);
  return ids.getRank() > 1 ? RankedTensorType::get(ids.getShape(), type.getElementType()) : type;
}

SmallVector<int64_t> PartBuilder::crossingSymbols(Value value) const {
  RowLocality::Place place = locality.get(value);
  switch (place.alignment) {
  case Alignment::Rows:
    return group ? SmallVector<int64_t>{splitter.rowsSymbol} : SmallVector<int64_t>();
  case Alignment::Entries:
    return {entriesSymbol(place.source)};
  default:
    return splitter.counts.getBufferType(value) ? splitter.counts.getSymbols(value) : SmallVector<int64_t>();
  }
}

/// What crosses to the shared function, of all rows.
Value PartBuilder::getCrossing(Value value) {
  return shared(value, tensorOf(value), crossingSymbols(value), crossingType(value));
}

/// What is uniform, or rows of a variable that cross, all of them.
Value PartBuilder::getWhole(Value value) {
  if (locality.get(value).alignment == Alignment::Uniform)
    return get(value);
  Value &made = whole[value];
  if (!made)
    made = shared(value, tensorOf(value), {}, tensorOf(value));
  return made;
}

Value PartBuilder::getUniform(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && isa<ConstantOp>(op))
    return builder.clone(*op)->getResult(0);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    BindingKind kind = splitter.apply.getArgBinding(argument.getArgNumber()).getKind();
    if (!group || kind == BindingKind::Setting) {
      SmallVector<int64_t> symbols;
      for (std::optional<int64_t> symbol : splitter.apply.getArgSymbols(argument.getArgNumber()))
        if (symbol)
          symbols.push_back(*symbol);
      return bound(argument, tensorOf(value), symbols);
    }
  } else if (isRepeatedScalar(op) || (!group && locality.get(value).stage == stage)) {
    cloneOp(op);
    return mapping.lookup(value);
  }
  splitter.exported.insert(value);
  return shared(value, tensorOf(value), crossingSymbols(value), crossingType(value));
}

Value PartBuilder::get(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Value made;
  RowLocality::Place place = locality.get(value);
  if (place.alignment == Alignment::Uniform) {
    made = getUniform(value);
  } else if (!group && place.alignment != Alignment::Count) {
    made = getCrossing(value);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    made = getRows(argument);
  } else {
    cloneOp(value.getDefiningOp());
    return mapping.lookup(value);
  }
  mapping.map(value, made);
  return made;
}

/// A value with the rows of the range and `shape` of all rows, if it can be an operand of `op`.
Value PartBuilder::likeFor(Operation *op, ArrayRef<int64_t> shape) {
  for (Value operand : op->getOperands())
    if (locality.get(operand).alignment != Alignment::Uniform && tensorOf(operand).getShape() == shape)
      return get(operand);
  return get(locality.findLike(*group, shape));
}

/// A uniform value that is the same for all rows, for the rows of `like`.
Value PartBuilder::spread(Value value, Value like) {
  Operation *op = value.getDefiningOp();
  RankedTensorType type = withDynamicRows(tensorOf(value));
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto one = cast<DenseElementsAttr>(constant.getValue()).resizeSplat(scalar);
    Value splat = ConstantOp::create(builder, op->getLoc(), one);
    return BroadcastOp::create(builder, op->getLoc(), type, splat, like, ArrayRef<int64_t>{});
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return BroadcastOp::create(builder, op->getLoc(), type, getWhole(broadcast.getOperand()), like,
                               broadcast.getDimensions());
  IRMapping local;
  for (Value operand : op->getOperands())
    local.map(operand, tensorOf(operand).getRank() == 0 ? get(operand) : spread(operand, like));
  Operation *copy = builder.clone(*op, local);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

void PartBuilder::cloneOp(Operation *op) {
  bool isOfRows = group && llvm::any_of(op->getResults(), [&](Value result) {
                    return locality.get(result).alignment == Alignment::Rows;
                  });
  if (!group && isa<SizeOp>(op) && locality.get(op->getResult(0)).alignment == Alignment::Count) {
    // All entries of the sum: as many as of what crosses.
    unsigned source = locality.get(op->getResult(0)).source;
    for (Value crossing : locality.getCrossings())
      if (RowLocality::Place place = locality.get(crossing);
          place.alignment == Alignment::Entries && place.source == source) {
        Value size = SizeOp::create(builder, op->getLoc(), op->getResult(0).getType(), get(crossing),
                                    cast<SizeOp>(op).getDimensionsAttr());
        mapping.map(op->getResult(0), size);
        return;
      }
  }
  IRMapping local;
  DimensionMapping map = getDimensions(op);
  forEachUsedValue(op, [&](Value used) {
    // Uniform operands that have the dimension of rows have those of the range; of others all is used.
    bool isSpread = isOfRows && locality.get(used).alignment == Alignment::Uniform && !isa<BroadcastOp>(op) &&
                    llvm::is_contained(op->getOperands(), used) && llvm::any_of(op->getResults(), [&](Value result) {
                      return llvm::is_contained(map.get({result, 0}), Dimension{used, 0});
                    });
    local.map(used, isSpread ? spread(used, likeFor(op, tensorOf(used).getShape())) : get(used));
  });
  Operation *copy;
  if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && isOfRows) {
    copy = BroadcastOp::create(builder, op->getLoc(), withDynamicRows(broadcast.getType()),
                               local.lookup(broadcast.getOperand()), likeFor(op, broadcast.getType().getShape()),
                               broadcast.getDimensions());
  } else {
    copy = builder.clone(*op, local);
    if (isOfRows)
      for (Value result : copy->getResults())
        result.setType(withDynamicRows(tensorOf(result)));
  }
  mapping.map(op->getResults(), copy->getResults());
}

FunctionResult PartBuilder::crossing(Value value) {
  Value made = get(value);
  // Rows of a range have another type than all rows.
  if (locality.get(value).alignment != Alignment::Rows)
    made = reshapeTo(builder, made, crossingType(value));
  return boundResult(made, BindingKind::Shared, splitter.names.of(value), crossingSymbols(value));
}

//===-- all functions ----------------------------------------------------------------------===//

void UpdateSplitter::collect() {
  ArrayRef<RowSource> sources = locality.getSources();
  for (auto [i, source] : llvm::enumerate(sources))
    if (!source.reason) {
      Group &group = groups[locality.groupOf(i)];
      if (group.name.empty())
        group.name = source.name.str();
    }
  llvm::StringMap<unsigned> numbers;
  for (auto [i, source] : llvm::enumerate(sources))
    numbers[source.name] = i;
  for (auto [i, value] : llvm::enumerate(getReturn(apply).getOperands())) {
    BindingAttr binding = apply.getResultBinding(i);
    if (binding.getKind() != BindingKind::Variable || !numbers.contains(binding.getName()))
      continue;
    unsigned source = numbers.lookup(binding.getName());
    if (!sources[source].reason)
      groups[locality.groupOf(source)].variables.emplace_back(value, sources[source].name);
  }
  for (Value crossing : locality.getCrossings()) {
    RowLocality::Place place = locality.get(crossing);
    groups[locality.groupOf(place.source)].partials[place.stage].push_back(crossing);
  }
}

void UpdateSplitter::remark() const {
  for (const RowSource &source : locality.getSources())
    if (source.reason)
      remarkKept(source.reason, "keeps the rows of '" + source.name + "' together: '" +
                                    source.reason->getName().getStringRef() + "' is not computed row by row");
}

void UpdateSplitter::makeUpdate(unsigned number, const Group &group) {
  if (group.variables.empty())
    return;
  PartBuilder part(*this, baseName() + "_update." + group.name, Role::TrainUpdate, number, locality.getNumStages() - 1);
  SmallVector<FunctionResult> results;
  for (auto [value, variable] : group.variables)
    results.push_back(part.updated(value, variable));
  part.finish(results);
}

void UpdateSplitter::makePartial(unsigned number, const Group &group, unsigned stage) {
  auto it = group.partials.find(stage);
  if (it == group.partials.end())
    return;
  PartBuilder part(*this, baseName() + "_partial" + stageSuffix(stage) + "." + group.name, Role::TrainPartial, number,
                   stage);
  SmallVector<FunctionResult> results;
  for (Value value : it->second)
    results.push_back(part.crossing(value));
  part.finish(results);
}

void UpdateSplitter::makeShared(unsigned stage) {
  bool isLast = stage + 1 == locality.getNumStages();
  PartBuilder part(*this, baseName() + "_shared" + stageSuffix(stage), Role::TrainShared, std::nullopt, stage);
  SmallVector<FunctionResult> results;
  if (isLast) {
    for (Operation &op : apply.getBody().front())
      if (!op.hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(&op))
        part.cloneOp(&op);
    llvm::StringSet<> inRanges;
    for (auto &[number, group] : groups)
      for (auto [value, variable] : group.variables)
        inRanges.insert(variable);
    for (const FunctionResult &result : getFunctionResults(apply)) {
      auto binding = cast<BindingAttr>(result.attributes.get(FunctionOp::kBindingAttr));
      if (binding.getKind() != BindingKind::Variable || !inRanges.contains(binding.getName()))
        results.push_back({part.get(result.value), result.attributes});
    }
  }
  // What they need of earlier stages is exported by these.
  for (Value value : llvm::to_vector(exported))
    if (locality.get(value).stage == stage)
      results.push_back(part.crossing(value));
  part.finish(results);
}

void UpdateSplitter::run() {
  collect();
  remark();
  // Each is put right after the apply function: made in reverse, they stand in the order they run. So what a function
  // needs of earlier ones is known when those are made.
  for (auto &[number, group] : llvm::reverse(groups))
    makeUpdate(number, group);
  for (unsigned stage = locality.getNumStages(); stage-- > 0;) {
    if (stage + 1 < locality.getNumStages())
      for (auto &[number, group] : llvm::reverse(groups))
        makePartial(number, group, stage);
    makeShared(stage);
  }
}

/// A sum over rows and within them as a sum over rows of the sums within them: the same, however rows are cut.
static void sumWithinRows(ReduceSumOp sum) {
  RankedTensorType type = tensorOf(sum.getOperand());
  ArrayRef<int64_t> axes = sum.getAxes();
  if (axes.size() < 2 || axes.front() != 0 || type.isDynamicDim(0))
    return;
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (d == 0 || !llvm::is_contained(axes, static_cast<int64_t>(d)))
      shape.push_back(size);
  OpBuilder builder(sum);
  Value within = ReduceSumOp::create(builder, sum.getLoc(), RankedTensorType::get(shape, type.getElementType()),
                                     sum.getOperand(), builder.getDenseI64ArrayAttr(axes.drop_front()));
  sum.getOperandMutable().assign(within);
  sum.setAxes({0});
}

void DfSplitUpdatePass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyStage(module, Stage::Segments)))
    return signalPassFailure();
  for (auto function : llvm::make_early_inc_range(module.getOps<FunctionOp>())) {
    if (function.getRole() == Role::Init) {
      splitInit(function);
      continue;
    }
    if (!llvm::is_contained({Role::Train, Role::TrainGrad, Role::TrainApply}, function.getRole()))
      continue;
    // In all of them, so that they keep the same bits.
    function.walk([](ReduceSumOp sum) { sumWithinRows(sum); });
    if (function.getRole() == Role::TrainApply)
      UpdateSplitter(function).run();
  }
  if (failed(verifyStage(module, Stage::Segments)))
    signalPassFailure();
}
