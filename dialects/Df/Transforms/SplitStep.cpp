// df-split-step: cuts train functions at their sums over the batch into grad, combine and apply.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSPLITSTEPPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Cuts one train function. The grad part is what the operands of its `df.all_reduce`s need, and the checks of the
/// data.
class StepSplitter {
public:
  explicit StepSplitter(FunctionOp train) : train(train), builder(train.getContext()), counts(train) {}

  /// Adds the siblings after the function, unless it uses queues or may do without them, and makes its sums the
  /// identity.
  LogicalResult run(SymbolTable &symbols);

private:
  LogicalResult split(SymbolTable &symbols);
  LogicalResult collectSums();
  LogicalResult checkRows(AllReduceOp sum);
  void orderSums();
  LogicalResult collectGradOps();
  void collectFetches();
  bool isOfShard(Value fetch, llvm::DenseSet<Operation *> &ops);
  LogicalResult checkWrites();

  void joinSums();
  FunctionOp makeGrad();
  FunctionOp makeCombine();
  FailureOr<FunctionOp> makeApply();
  FunctionOp makeFunction(StringRef suffix, TypeRange arguments, Role role);

  /// The symbols of a part of a sum: that of its rows, none of a scalar.
  SmallVector<int64_t> symbolsOf(AllReduceOp sum, Type part) {
    if (cast<RankedTensorType>(part).getRank() == 0)
      return {};
    return {counts.getSymbol(sum.getOperand())};
  }

  /// The three parts of a sum of sparse rows. Their number of rows is only known when a step runs. `types` are those of
  /// the parts, `bound` those of the buffers: [symbol, k, ...] where their number is k times one dimension symbol.
  struct PartTypes {
    SmallVector<RankedTensorType> types, bound;
  };
  PartTypes partTypes(AllReduceOp sum);
  /// A part of a sum as a result.
  FunctionResult boundPart(AllReduceOp sum, Value part, StringRef suffix) {
    return boundResult(part, BindingKind::SumOut, (sum.getName() + suffix).str(), symbolsOf(sum, part.getType()));
  }

  FunctionOp train;
  OpBuilder builder;
  SymbolicSizes counts;
  SmallVector<AllReduceOp> sums;
  llvm::DenseSet<Operation *> gradOps;  ///< ops of the function's block that the grad part holds
  SmallVector<Operation *> checks;      ///< those among them that check data and need no sum
  llvm::DenseSet<unsigned> fetches;     ///< results that observers of the whole step get
  SmallVector<unsigned> shardFetches;   ///< those among them that the grad part returns, of its rows
  llvm::DenseSet<Operation *> fetchOps; ///< ops that it holds for them
};

struct DfSplitStepPass : mlc::df::impl::DfSplitStepPassBase<DfSplitStepPass> {
  void runOnOperation() override;
};

} // namespace

static constexpr StringLiteral kPartSuffixes[] = {names::kIds, names::kRows, names::kCount};

/// Adds to `ops` the ops of `block` that compute `value`; returns a sum among them, or null.
static AllReduceOp addComputation(Block &block, Value value, llvm::DenseSet<Operation *> &ops) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    op = op ? block.findAncestorOpInBlock(*op) : nullptr;
    if (!op || !ops.insert(op).second)
      continue;
    if (auto sum = dyn_cast<AllReduceOp>(op))
      return sum;
    forEachUsedValue(op, [&](Value used) { worklist.push_back(used); });
  }
  return nullptr;
}

LogicalResult StepSplitter::collectSums() {
  llvm::StringMap<AllReduceOp> names;
  WalkResult walk = train.walk([&](AllReduceOp sum) -> WalkResult {
    if (sum->getBlock() != &train.getBody().front())
      return sum.emitOpError("must stand at the top level of its function");
    auto [it, isNew] = names.try_emplace(sum.getName(), sum);
    if (!isNew) {
      InFlightDiagnostic diag = sum.emitOpError() << "(C2) another sum has the name '" << sum.getName() << "'";
      diag.attachNote(it->second.getLoc()) << "here";
      return diag;
    }
    if (auto rows = dyn_cast<RowsType>(sum.getType()); rows && !rows.getType().getElementType().isF32())
      return sum.emitOpError("sums rows of ") << rows.getType().getElementType() << "; only rows of f32 can be merged";
    if (failed(checkRows(sum)))
      return WalkResult::interrupt();
    sums.push_back(sum);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// No code merges rows that nothing bounds the number of, in parts or in a whole step.
LogicalResult StepSplitter::checkRows(AllReduceOp sum) {
  if (isa<RowsType>(sum.getType()) && !counts.get(sum.getOperand(), 0).isKnown())
    return sum.emitOpError("sums rows whose number does not follow from the batch's rows and values");
  return success();
}

/// Orders sums as their operands are made, which is the order that they can be sent in: in a backward pass from the
/// last layer on.
void StepSplitter::orderSums() {
  llvm::DenseMap<Operation *, int64_t> positions;
  for (Operation &op : train.getBody().front())
    positions[&op] = static_cast<int64_t>(positions.size());
  llvm::stable_sort(sums, [&](AllReduceOp a, AllReduceOp b) {
    return positions.lookup(a.getOperand().getDefiningOp()) < positions.lookup(b.getOperand().getDefiningOp());
  });
}

LogicalResult StepSplitter::collectGradOps() {
  Block &body = train.getBody().front();
  for (AllReduceOp sum : sums)
    if (AllReduceOp other = addComputation(body, sum.getOperand(), gradOps)) {
      InFlightDiagnostic diag = sum.emitOpError() << "sums what depends on another sum over the batch, '"
                                                  << other.getName() << "'; a step has one exchange of sums";
      diag.attachNote(other.getLoc()) << "the other sum";
      return diag;
    }
  // Checks of the data have no result that sums need, but they must run where the data is.
  for (Operation &op : body) {
    bool checksData = false;
    op.walk([&](CheckIdsOp) { checksData = true; });
    if (!checksData)
      continue;
    llvm::DenseSet<Operation *> needed{&op};
    bool needsSum = false;
    forEachUsedValue(&op, [&](Value used) { needsSum |= addComputation(body, used, needed) != nullptr; });
    if (needsSum)
      continue;
    checks.push_back(&op);
    gradOps.insert(needed.begin(), needed.end());
  }
  return success();
}

/// Whether the grad part can compute what observers get: of its rows, and of what sums are computed from anyway. Which
/// variables a task needs, and which rows of them, do not depend on who observes it.
bool StepSplitter::isOfShard(Value fetch, llvm::DenseSet<Operation *> &ops) {
  Block &body = train.getBody().front();
  if (addComputation(body, fetch, ops) || isa_and_nonnull<ReadOp>(fetch.getDefiningOp()))
    return false;
  return llvm::all_of(ops, [&](Operation *op) {
    if (gradOps.contains(op))
      return true;
    StateAccess access = getStateAccess(op);
    bool readsWhole = false;
    forEachUsedValue(op, [&](Value used) { readsWhole |= isa_and_nonnull<ReadOp>(used.getDefiningOp()); });
    return !readsWhole && access.reads.empty() && access.writes.empty();
  });
}

/// What observers get of a step is the task's own: the parts that tasks share are those of a step that nobody observes.
void StepSplitter::collectFetches() {
  for (auto [i, value] : llvm::enumerate(getReturn(train).getOperands())) {
    auto name = train.getResultAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    if (!name || !name.getValue().starts_with(names::kFetched))
      continue;
    fetches.insert(i);
    llvm::DenseSet<Operation *> ops;
    if (!isOfShard(value, ops))
      continue;
    shardFetches.push_back(i);
    fetchOps.insert(ops.begin(), ops.end());
  }
}

/// The grad part runs before any write of the apply part: it must not need what the function writes before.
LogicalResult StepSplitter::checkWrites() {
  llvm::DenseMap<StringAttr, Operation *> written;
  for (Operation &op : train.getBody().front()) {
    StateAccess access = getStateAccess(&op);
    if (gradOps.contains(&op)) {
      if (!access.writes.empty())
        return op.emitOpError("writes ") << access.writes.front() << " and a sum over the batch depends on it";
      for (StringAttr symbol : access.reads)
        if (Operation *writer = written.lookup(symbol)) {
          InFlightDiagnostic diag = op.emitOpError() << "reads " << symbol << " for a sum over the batch after a write";
          diag.attachNote(writer->getLoc()) << "the write";
          return diag;
        }
    }
    for (StringAttr symbol : access.writes)
      written.try_emplace(symbol, &op);
  }
  return success();
}

StepSplitter::PartTypes StepSplitter::partTypes(AllReduceOp sum) {
  RankedTensorType table = cast<RowsType>(sum.getType()).getType();
  auto multiple = counts.get(sum.getOperand(), 0).getMultiple();
  SmallVector<int64_t> ids = {ShapedType::kDynamic}, rows(table.getShape());
  rows[0] = ShapedType::kDynamic;
  auto count = RankedTensorType::get({}, builder.getI64Type());
  auto makeTypes = [&]() -> SmallVector<RankedTensorType> {
    return {RankedTensorType::get(ids, builder.getI64Type()), RankedTensorType::get(rows, table.getElementType()),
            count};
  };
  PartTypes result;
  result.types = makeTypes();
  if (multiple && multiple->second > 1) {
    ids.push_back(multiple->second);
    rows.insert(rows.begin() + 1, multiple->second);
  }
  result.bound = makeTypes();
  return result;
}

FunctionOp StepSplitter::makeFunction(StringRef suffix, TypeRange arguments, Role role) {
  builder.setInsertionPointAfter(train);
  auto type = builder.getFunctionType(arguments, {});
  auto function = FunctionOp::create(builder, train.getLoc(), (train.getSymName() + suffix).str(), type, role);
  builder.setInsertionPointToEnd(&function.getBody().front());
  ReturnOp::create(builder, train.getLoc(), ValueRange());
  builder.setInsertionPoint(getReturn(function));
  return function;
}

FunctionOp StepSplitter::makeGrad() {
  FunctionOp grad = makeFunction(names::kGrad, train.getArgumentTypes(), Role::TrainGrad);
  if (ArrayAttr attributes = train.getArgAttrsAttr())
    grad.setArgAttrsAttr(attributes);
  IRMapping mapping;
  mapping.map(train.getBody().getArguments(), grad.getBody().getArguments());
  for (Operation &op : train.getBody().front())
    if (gradOps.contains(&op) || fetchOps.contains(&op))
      builder.clone(op, mapping);
  SmallVector<FunctionResult> results;
  for (AllReduceOp sum : sums) {
    Value operand = mapping.lookupOrDefault(sum.getOperand());
    if (isa<RowsType>(sum.getType())) {
      PartTypes parts = partTypes(sum);
      SmallVector<Type> types(parts.types.begin(), parts.types.end());
      auto unpack = UnpackRowsOp::create(builder, sum.getLoc(), types, operand);
      for (auto [part, type, suffix] : llvm::zip(unpack.getResults(), parts.bound, kPartSuffixes))
        results.push_back(boundPart(sum, reshapeTo(builder, part, type), suffix));
    } else {
      results.push_back(boundResult(operand, BindingKind::SumOut, sum.getName()));
    }
  }
  const SmallVector<FunctionResult> ofStep = getFunctionResults(train);
  for (unsigned i : shardFetches)
    results.push_back({mapping.lookupOrDefault(ofStep[i].value), ofStep[i].attributes});
  setFunctionResults(grad, results);
  eraseUnusedFeatures(grad);
  return grad;
}

FunctionOp StepSplitter::makeCombine() {
  FunctionOp combine = makeFunction(names::kCombine, {}, Role::TrainCombine);
  // All left operands, then all right ones.
  SmallVector<SmallVector<Value>> sides[2];
  AppendedArguments arguments(combine);
  const BindingKind kinds[] = {BindingKind::SumA, BindingKind::SumB};
  for (auto [side, kind] : llvm::zip(sides, kinds))
    for (AllReduceOp sum : sums) {
      SmallVector<Value> &values = side.emplace_back();
      if (isa<RowsType>(sum.getType())) {
        PartTypes parts = partTypes(sum);
        for (auto [type, bound, suffix] : llvm::zip(parts.types, parts.bound, kPartSuffixes)) {
          Value part =
              arguments.append(bound, kind, (sum.getName() + suffix).str(), sum.getLoc(), symbolsOf(sum, bound));
          values.push_back(reshapeTo(builder, part, type));
        }
      } else {
        values.push_back(arguments.append(sum.getType(), kind, sum.getName(), sum.getLoc()));
      }
    }
  SmallVector<FunctionResult> results;
  for (auto [sum, left, right] : llvm::zip(sums, sides[0], sides[1])) {
    if (!isa<RowsType>(sum.getType())) {
      Value total = AddOp::create(builder, sum.getLoc(), sum.getType(), left[0], right[0]);
      results.push_back(boundResult(total, BindingKind::SumOut, sum.getName()));
      continue;
    }
    // Either side has room for the rows of all shards.
    auto merge = MergeRowsOp::create(builder, sum.getLoc(), TypeRange(ValueRange(left)), left[0], left[1], left[2],
                                     right[0], right[1], right[2], /*like=*/left[0]);
    for (auto [part, type, suffix] : llvm::zip(merge.getResults(), partTypes(sum).bound, kPartSuffixes))
      results.push_back(boundPart(sum, reshapeTo(builder, part, type), suffix));
  }
  arguments.finish();
  setFunctionResults(combine, results);
  return combine;
}

FailureOr<FunctionOp> StepSplitter::makeApply() {
  builder.setInsertionPointAfter(train);
  IRMapping mapping;
  auto apply = cast<FunctionOp>(builder.clone(*train, mapping));
  apply.setSymName((train.getSymName() + names::kApply).str());
  apply.setRole(Role::TrainApply);
  SmallVector<FunctionResult> kept;
  for (auto [i, result] : llvm::enumerate(getFunctionResults(apply)))
    if (!fetches.contains(i))
      kept.push_back(result);
  setFunctionResults(apply, kept);
  AppendedArguments arguments(apply);
  for (AllReduceOp original : sums) {
    auto sum = cast<AllReduceOp>(mapping.lookup(original.getOperation()));
    Value total;
    if (auto rows = dyn_cast<RowsType>(sum.getType())) {
      SmallVector<Value> parts;
      builder.setInsertionPoint(sum);
      PartTypes types = partTypes(original);
      for (auto [type, bound, suffix] : llvm::zip(types.types, types.bound, kPartSuffixes)) {
        Value part = arguments.append(bound, BindingKind::SumA, (sum.getName() + suffix).str(), sum.getLoc(),
                                      symbolsOf(original, bound));
        parts.push_back(reshapeTo(builder, part, type));
      }
      total = PackRowsOp::create(builder, sum.getLoc(), rows, parts[0], parts[1], parts[2]);
    } else {
      total = arguments.append(sum.getType(), BindingKind::SumA, sum.getName(), sum.getLoc());
    }
    sum->replaceAllUsesWith(ValueRange(total));
    sum.erase();
  }
  arguments.finish();
  for (Operation *original : checks)
    if (auto check = dyn_cast<CheckIdsOp>(mapping.lookup(original))) {
      check->replaceAllUsesWith(ValueRange(check.getIds()));
      check.erase();
    }
  eraseDeadOps(apply.getBody().front());
  for (unsigned i = 0, e = apply.getNumArguments(); i < e; ++i) {
    BlockArgument argument = apply.getArgument(i);
    if (argument.use_empty() || apply.getArgBinding(i))
      continue;
    auto name = apply.getArgAttrOfType<StringAttr>(i, FunctionOp::kNameAttr);
    InFlightDiagnostic diag = train.emitOpError() << "cannot be split: feature '" << (name ? name.getValue() : "?")
                                                  << "' is used after the sums over the batch, where no rows are";
    diag.attachNote(argument.getUsers().begin()->getLoc())
        << "used here: outputs and updates of a train function must depend on rows through df.batch_mean alone";
    apply.erase();
    return failure();
  }
  eraseUnusedFeatures(apply);
  return apply;
}

/// Makes the sums of the whole step the identity.
void StepSplitter::joinSums() {
  SmallVector<AllReduceOp> all;
  train.walk([&](AllReduceOp sum) { all.push_back(sum); });
  for (AllReduceOp sum : all) {
    sum->replaceAllUsesWith(ValueRange(sum.getOperand()));
    sum.erase();
  }
}

LogicalResult StepSplitter::run(SymbolTable &symbols) {
  // A step that takes from queues or puts into them does so once, whatever its shards: it has no parts.
  if (findQueueOp(train)) {
    joinSums();
    return success();
  }
  if (!train->getParentOfType<ModuleOp>()->hasAttr(DfDialect::kOptionalPartsAttr))
    return split(symbols);
  std::string why;
  Location where = train.getLoc();
  LogicalResult parts = failure();
  {
    ScopedDiagnosticHandler handler(train.getContext(), [&](Diagnostic &diagnostic) {
      if (!why.empty() || diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return;
      why = diagnostic.str();
      // A note is at the use in the way, where the error is at the function.
      auto notes = diagnostic.getNotes();
      where = notes.empty() ? diagnostic.getLocation() : notes.begin()->getLocation();
    });
    parts = split(symbols);
  }
  if (succeeded(parts))
    return success();
  WalkResult rows = train.walk(
      [&](AllReduceOp sum) { return failed(checkRows(sum)) ? WalkResult::interrupt() : WalkResult::advance(); });
  if (rows.wasInterrupted())
    return failure();
  joinSums();
  remark::missed(where, remark::RemarkOpts::name("split").category("parts")) << remark::detail::LazyTextBuild{
      "Remark", [&] { return "the step has no parts for shards and clusters: " + why; }};
  return success();
}

LogicalResult StepSplitter::split(SymbolTable &symbols) {
  if (failed(collectSums()))
    return failure();
  if (sums.empty())
    return success();
  for (StringRef suffix : {names::kGrad, names::kCombine, names::kApply})
    if (Operation *taken = symbols.lookup((train.getSymName() + suffix).str())) {
      InFlightDiagnostic diag = train.emitOpError() << "is split into functions of names that must be free";
      diag.attachNote(taken->getLoc()) << "this one is taken";
      return diag;
    }
  if (failed(collectGradOps()) || failed(checkWrites()))
    return failure();
  collectFetches();
  orderSums();
  // Each is put right after the train function: made in reverse, they stand in the order they run.
  if (failed(makeApply()))
    return failure();
  makeCombine();
  makeGrad();
  joinSums();
  return success();
}

void DfSplitStepPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyStage(module, Stage::Expanded)))
    return signalPassFailure();
  SymbolTable symbols(module);
  for (auto function : llvm::make_early_inc_range(module.getOps<FunctionOp>()))
    if (function.getRole() == Role::Train && failed(StepSplitter(function).run(symbols)))
      return signalPassFailure();
  if (failed(verifyStage(module, Stage::Split)))
    return signalPassFailure();
}
