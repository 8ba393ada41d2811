// df-find-pulls: which rows of variables gradients, summaries, evaluations and predictions need, by values known
// before. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Remarks.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFFINDPULLSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// The pulls of one step segment.
class PullFinder {
public:
  PullFinder(FunctionOp step, FunctionOp features)
      : step(step), features(features), builder(step.getContext()), counts(step) {}
  void run();

private:
  /// A variable of which rows alone are read, and the values that hold their ids.
  struct Pull {
    unsigned argument;
    SmallVector<Value> roots;
  };

  std::optional<Pull> find(BlockArgument variable, ArrayRef<OpOperand *> uses);
  bool isAhead(Value value);
  Operation *follow(Value ids, llvm::SmallPtrSetImpl<void *> &seen, llvm::SetVector<Value> &roots);

  void collectSlice(Value value);
  /// What the features segment has under a binding: its arguments, and the intermediates that it makes.
  using BoundValues = llvm::DenseMap<BindingAttr, Value>;
  Value inFeatures(Value value, BoundValues &bound, AppendedArguments &appended);
  void makeFeatures();
  void addCrossing(Value value);
  void cross();

  FunctionOp step, features; ///< features: null until there is one
  OpBuilder builder;
  SymbolicSizes counts;
  llvm::DenseMap<Value, bool> ahead;
  llvm::DenseMap<Value, std::string> names; ///< of intermediates that hold a value
  llvm::SetVector<Operation *> slice;       ///< ops to run ahead
  llvm::SetVector<Value> crossings;         ///< values that the features segment has to hand over
};

struct DfFindPullsPass : mlc::df::impl::DfFindPullsPassBase<DfFindPullsPass> {
  void runOnOperation() override {
    if (failed(verifyStage(getOperation(), Stage::Segments)))
      return signalPassFailure();
    llvm::DenseMap<StringRef, FunctionOp> features;
    SmallVector<FunctionOp> steps;
    for (auto function : getOperation().getOps<FunctionOp>()) {
      if (!llvm::is_contained({Role::TrainGrad, Role::Summary, Role::EvalUpdate, Role::Predict}, function.getRole()))
        continue;
      if (*function.getSegment() == SegmentKind::Features)
        features[*function.getEntry()] = function;
      else
        steps.push_back(function);
    }
    for (FunctionOp step : steps)
      PullFinder(step, features.lookup(*step.getEntry())).run();
    if (failed(verifyStage(getOperation(), Stage::Segments)))
      signalPassFailure();
  }
};

} // namespace

/// The ids by which `use` reads rows of a table alone; null if it does something else.
static Value idsOf(OpOperand &use) {
  auto gather = dyn_cast<GatherOp>(use.getOwner());
  bool isByRow = gather && gather.getAxes() == ArrayRef<int64_t>{0} && gather.getBatch().empty();
  return isByRow && use.getOperandNumber() == 0 ? Value(gather.getIndices()) : Value();
}

/// The operands that all elements of the op's result are elements of; none if it makes others. A zero is an id.
static SmallVector<Value> pickedFrom(Operation *op) {
  auto movement = dyn_cast<MovementOpInterface>(op);
  return movement && !movement.mayAddZeros() ? movement.getMovedOperands() : SmallVector<Value>();
}

/// Whether the op but moves elements: what it is made of says as much.
static bool onlyMoves(Operation *op) {
  auto movement = dyn_cast<MovementOpInterface>(op);
  return movement && movement.movesAll();
}

/// Whether the value is used, and nothing uses it but reads of rows of `tables`.
static bool onlyNamesRows(Value value, const llvm::DenseSet<Value> &tables) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (onlyMoves(op) && use.getOperandNumber() == 0)
      return onlyNamesRows(op->getResult(0), tables);
    return use.getOperandNumber() != 0 && tables.contains(op->getOperand(0)) && idsOf(op->getOpOperand(0)) == value;
  });
}

/// What an argument or result of a loop or branch may be: the values that it is at first, carried or yielded.
static SmallVector<Value> carriedFrom(Value value) {
  SmallVector<Value> values;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<WhileOp>(op))
    values = {loop.getInits()[index], loop.getBodyRegion().front().getTerminator()->getOperand(index)};
  else if (auto branch = dyn_cast<IfOp>(op); branch && !argument)
    values = {branch.getThenRegion().front().getTerminator()->getOperand(index),
              branch.getElseRegion().front().getTerminator()->getOperand(index)};
  else if (auto scan = dyn_cast<ScanOp>(op)) {
    if (index < scan.getNumCarried())
      values = {scan.getInits()[index], scan.getYield()->getOperand(index)};
    else if (argument)
      values = {scan.getSequences()[index - scan.getNumCarried()]};
    else if (!scan.getCount()) // after the count there would be zeros
      values = {scan.getYield()->getOperand(index)};
  }
  return values;
}

/// Whether a variable changes only between runs of `step`: what evaluates writes variables of its own.
static bool isStateOfTraining(FunctionOp step, StringRef name) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(step, StringAttr::get(step.getContext(), name));
  if (!variable || variable.getLifetime() != Lifetime::Train)
    return false;
  return llvm::none_of(getFunctionResults(step), [&](const FunctionResult &result) {
    auto binding = cast<BindingAttr>(result.attributes.get(FunctionOp::kBindingAttr));
    return binding.getKind() == BindingKind::Variable && binding.getName() == name;
  });
}

/// Whether no element of the constant names a row.
static bool namesNoRow(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.getElementType().isSignlessInteger() &&
         llvm::all_of(elements.getValues<APInt>(), [](const APInt &id) { return id.isNegative(); });
}

/// Whether a value of the step can be had in the features segment.
bool PullFinder::isAhead(Value value) {
  if (auto it = ahead.find(value); it != ahead.end())
    return it->second;
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = argument.getOwner()->getParentOp() == step &&
             llvm::is_contained(
                 {BindingKind::Feature, BindingKind::Dimension, BindingKind::Context, BindingKind::Intermediate},
                 step.getArgBinding(argument.getArgNumber()).getKind());
  } else if (Operation *op = value.getDefiningOp(); isa<ConstantOp>(op)) {
    result = true;
  } else if (op->getParentOp() == step && hasNoEffectButErrors(op)) {
    result = true;
    forEachUsedValue(op, [&](Value used) { result = result && isAhead(used); });
  }
  ahead[value] = result;
  return result;
}

/// Adds the values that hold the ids; returns the op that makes ids which are not known ahead.
Operation *PullFinder::follow(Value ids, llvm::SmallPtrSetImpl<void *> &seen, llvm::SetVector<Value> &roots) {
  if (!seen.insert(ids.getAsOpaquePointer()).second || namesNoRow(ids))
    return nullptr;
  Operation *op = ids.getDefiningOp();
  SmallVector<Value> from = op ? pickedFrom(op) : SmallVector<Value>();
  bool isMoved = op && !from.empty() && onlyMoves(op);
  if (!isMoved && isAhead(ids) && counts.getBufferType(ids)) {
    roots.insert(ids);
    return nullptr;
  }
  if (from.empty() && !(isa<BlockArgument>(ids) && cast<BlockArgument>(ids).getOwner()->getParentOp() == step))
    from = carriedFrom(ids);
  if (from.empty())
    return op ? op : cast<BlockArgument>(ids).getOwner()->getParentOp();
  for (Value value : from)
    if (Operation *reason = follow(value, seen, roots))
      return reason;
  return nullptr;
}

std::optional<PullFinder::Pull> PullFinder::find(BlockArgument variable, ArrayRef<OpOperand *> uses) {
  StringRef name = step.getArgBinding(variable.getArgNumber()).getName();
  const bool isTraining = step.getRole() == Role::TrainGrad || step.getRole() == Role::Summary;
  if (!isTraining && !isStateOfTraining(step, name))
    return std::nullopt;
  llvm::SetVector<Value> roots;
  llvm::SmallPtrSet<void *, 8> seen;
  Operation *whole = nullptr, *unknown = nullptr;
  bool hasRows = false;
  for (OpOperand *use : uses) {
    Value ids = idsOf(*use);
    hasRows |= ids != nullptr;
    if (!ids)
      whole = use->getOwner();
    else if (Operation *reason = follow(ids, seen, roots))
      unknown = reason;
  }
  if (!hasRows || (!whole && !unknown && roots.empty()))
    return std::nullopt;
  if (whole || unknown) {
    if (!isTraining)
      return std::nullopt;
    if (whole)
      remarkKept(whole, "keeps '" + name + "' whole in training tasks: '" + whole->getName().getStringRef() +
                            "' reads more of it than rows by id");
    else
      remarkKept(unknown, "keeps '" + name + "' whole in training tasks: the ids that '" +
                              unknown->getName().getStringRef() + "' makes are not known before the step");
    return std::nullopt;
  }
  return Pull{variable.getArgNumber(), roots.takeVector()};
}

/// What has to run ahead for `value`, in no order.
void PullFinder::collectSlice(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !slice.insert(op))
    return;
  forEachUsedValue(op, [&](Value used) { collectSlice(used); });
}

/// An argument of the step as the features segment has it.
Value PullFinder::inFeatures(Value value, BoundValues &bound, AppendedArguments &appended) {
  unsigned index = cast<BlockArgument>(value).getArgNumber();
  BindingAttr binding = step.getArgBinding(index);
  Value &known = bound[binding];
  if (!known) {
    assert(binding.getKind() != BindingKind::Intermediate &&
           "intermediates of an entry of two segments are made by the first");
    known = appended.append(value.getType(), step.getArgAttrDict(index), value.getLoc());
  }
  return known;
}

/// The features segment of an entry that has none.
void PullFinder::makeFeatures() {
  if (features)
    return;
  std::string entry = step.getEntry()->str();
  builder.setInsertionPoint(step);
  features = FunctionOp::create(builder, step.getLoc(), (entry + names::kFeatures).str(),
                                builder.getFunctionType({}, {}), step.getRole());
  features.setSegment(SegmentKind::Features);
  features.setEntry(entry);
  builder.setInsertionPointToEnd(&features.getBody().front());
  ReturnOp::create(builder, step.getLoc(), ValueRange());
  step.setSymName((entry + names::kStep).str());
}

void PullFinder::addCrossing(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (BindingAttr binding = step.getArgBinding(argument.getArgNumber());
        binding.getKind() == BindingKind::Intermediate) {
      names[value] = binding.getName().str();
      return;
    }
  crossings.insert(value);
  collectSlice(value);
}

/// Moves the slice to the features segment, which hands over the crossings.
void PullFinder::cross() {
  if (crossings.empty())
    return;
  makeFeatures();
  Block &body = step.getBody().front();
  // A loop runs once: what else it gives comes along.
  for (Operation *op : slice)
    for (Value result : op->getResults())
      if (op->getNumRegions() && !result.use_empty() && counts.getBufferType(result))
        crossings.insert(result);

  BoundValues bound;
  for (BlockArgument argument : features.getArguments())
    bound.try_emplace(features.getArgBinding(argument.getArgNumber()), argument);
  for (auto [i, made] : llvm::enumerate(getReturn(features).getOperands()))
    bound.try_emplace(features.getResultBinding(i), made);
  AppendedArguments ofFeatures(features);
  IRMapping mapping;
  builder.setInsertionPoint(getReturn(features));
  auto take = [&](Value used) {
    if (isa<BlockArgument>(used) && !mapping.contains(used))
      mapping.map(used, inFeatures(used, bound, ofFeatures));
  };
  for (Operation *op : slice)
    if (op->getBlock() != &body) // constants of regions
      builder.clone(*op, mapping);
  for (Operation &op : body)
    if (slice.contains(&op)) {
      forEachUsedValue(&op, take);
      builder.clone(op, mapping);
    }
  SmallVector<FunctionResult> results = getFunctionResults(features);
  size_t number = results.size();
  for (Value value : crossings) {
    take(value);
    llvm::SmallVector<int64_t> symbols = counts.getSymbols(value);
    RankedTensorType type = counts.getBufferType(value);
    std::string name = "i" + std::to_string(number++);
    results.push_back(
        boundResult(reshapeTo(builder, mapping.lookup(value), type), BindingKind::Intermediate, name, symbols));
    names[value] = name;
  }
  ofFeatures.finish();
  setFunctionResults(features, results);
  // A feature is in the step already, as is a constant.
  AppendedArguments ofStep(step);
  for (Value value : crossings) {
    if (isa<BlockArgument>(value) || value.getDefiningOp<ConstantOp>())
      continue;
    BlockArgument argument = ofStep.append(counts.getBufferType(value), BindingKind::Intermediate, names[value],
                                           value.getLoc(), counts.getSymbols(value));
    builder.setInsertionPointToStart(&body);
    value.replaceAllUsesWith(reshapeTo(builder, argument, cast<RankedTensorType>(value.getType())));
  }
}

void PullFinder::run() {
  // In program order, which lists of uses do not keep.
  llvm::DenseMap<Value, SmallVector<OpOperand *>> uses;
  step.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (auto argument = dyn_cast<BlockArgument>(use.get()); argument && argument.getOwner()->getParentOp() == step)
        uses[argument].push_back(&use);
  });
  SmallVector<Pull> pulls;
  for (BlockArgument argument : step.getArguments())
    if (step.getArgBinding(argument.getArgNumber()).getKind() == BindingKind::Variable)
      if (std::optional<Pull> pull = find(argument, uses.lookup(argument)))
        pulls.push_back(*pull);
  if (pulls.empty())
    return;
  for (const Pull &pull : pulls)
    llvm::for_each(pull.roots, [&](Value root) { addCrossing(root); });
  cross();
  for (const Pull &pull : pulls) {
    SmallVector<Attribute> by;
    for (Value root : pull.roots)
      by.push_back(builder.getStringAttr(names.at(root)));
    step.setArgAttr(pull.argument, kPulledByAttr, builder.getArrayAttr(by));
  }
  eraseDeadOps(step.getBody().front());
  llvm::DenseSet<Value> tables;
  llvm::StringSet<> namers;
  for (const Pull &pull : pulls) {
    tables.insert(step.getArgument(pull.argument));
    for (Value root : pull.roots)
      namers.insert(names.at(root));
  }
  for (BlockArgument argument : step.getArguments())
    if (BindingAttr binding = step.getArgBinding(argument.getArgNumber());
        binding.getKind() == BindingKind::Intermediate && namers.contains(binding.getName()) &&
        onlyNamesRows(argument, tables))
      step.setArgAttr(argument.getArgNumber(), kNamesRowsAttr, builder.getUnitAttr());
  eraseUnusedArguments(step);
}
