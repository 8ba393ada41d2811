// df-state-to-values: state, settings, context and sparse rows as values at the border of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSTATETOVALUESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Default and type of each setting of the module, by path in the order met.
struct ModuleSettings {
  struct Setting {
    Attribute defaultValue;
    Type type;
    Location loc;
  };
  llvm::MapVector<StringAttr, Setting> byPath;
};

/// Rewrites one function. Values of variables move along program order in a `State`.
class FunctionRewriter {
public:
  FunctionRewriter(FunctionOp function, const llvm::MapVector<StringAttr, VariableOp> &variables,
                   ModuleSettings &settings)
      : function(function), appended(function), variables(variables), settings(settings),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  /// Values of the variables written so far; the others have the value they were read with.
  using State = llvm::DenseMap<StringAttr, Value>;
  struct Parts {
    Value ids, rows, count;
  };

  Value current(StringAttr symbol, const State &state);
  Value contextValue(StringRef name);
  Value dimensionValue(int64_t symbol);
  Value broadcastLike(Location loc, Value scalar, Value like);
  FailureOr<Parts> partsOf(Operation *user, Value rows);

  LogicalResult rewriteBlock(Block &block, State &state);
  LogicalResult rewriteOp(Operation *op, State &state);
  LogicalResult rewriteIf(IfOp op, State &state);
  LogicalResult rewriteWhile(WhileOp op, State &state);
  LogicalResult rewriteApplyRows(ApplyRowsOp op, State &state);
  LogicalResult rewriteScan(ScanOp op, State &state);
  LogicalResult rewriteSetting(SettingOp op);
  void rewriteRandom(RandomOp op);
  LogicalResult rewriteRows(Operation *op);
  void bindNames();

  ArrayAttr namesOf(ArrayRef<VariableOp> named) {
    SmallVector<Attribute> names;
    for (VariableOp variable : named)
      names.push_back(variable.getSymNameAttr());
    return builder.getArrayAttr(names);
  }

  void replace(Operation *op, ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
  }

  FunctionOp function;
  AppendedArguments appended;
  const llvm::MapVector<StringAttr, VariableOp> &variables;
  ModuleSettings &settings;
  OpBuilder builder;
  llvm::DenseMap<StringAttr, Value> arguments; ///< of variables read
  llvm::DenseMap<StringAttr, Value> settingArguments;
  llvm::StringMap<Value> contextArguments;
  llvm::DenseMap<int64_t, Value> dimensionArguments; ///< by symbol
  llvm::DenseMap<Value, Parts> parts;                ///< of values of type !df.rows
  SmallVector<Operation *> dissolved;                ///< ops that made them, in program order
};

struct DfStateToValuesPass : mlc::df::impl::DfStateToValuesPassBase<DfStateToValuesPass> {
  void runOnOperation() override;
};

} // namespace

Value FunctionRewriter::current(StringAttr symbol, const State &state) {
  if (Value written = state.lookup(symbol))
    return written;
  Value &argument = arguments[symbol];
  if (!argument)
    argument = appended.append(variables.lookup(symbol).getType(), BindingKind::Variable, symbol, function.getLoc());
  return argument;
}

Value FunctionRewriter::contextValue(StringRef name) {
  Value &argument = contextArguments[name];
  if (!argument)
    argument =
        appended.append(RankedTensorType::get({}, builder.getI64Type()), BindingKind::Context, name, function.getLoc());
  return argument;
}

Value FunctionRewriter::dimensionValue(int64_t symbol) {
  Value &argument = dimensionArguments[symbol];
  if (!argument)
    argument = appended.append(RankedTensorType::get({}, builder.getI64Type()), BindingKind::Dimension,
                               std::to_string(symbol), function.getLoc());
  return argument;
}

Value FunctionRewriter::broadcastLike(Location loc, Value scalar, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return BroadcastOp::create(builder, loc, type, scalar, type.hasStaticShape() ? Value() : like, ArrayRef<int64_t>{});
}

FailureOr<FunctionRewriter::Parts> FunctionRewriter::partsOf(Operation *user, Value rows) {
  auto it = parts.find(rows);
  if (it != parts.end())
    return it->second;
  return user->emitOpError(
      "uses sparse rows whose parts are unknown: they must come from df.pack_rows in the function");
}

LogicalResult FunctionRewriter::run() {
  Block &body = function.getBody().front();
  State state;
  if (failed(rewriteBlock(body, state)))
    return failure();
  for (Operation *op : llvm::reverse(dissolved))
    op->erase();
  appended.finish();
  bindNames();
  SmallVector<FunctionResult> results = getFunctionResults(function);
  for (auto &[symbol, variable] : variables) {
    Value written = state.lookup(symbol);
    if (written && written != arguments.lookup(symbol))
      results.push_back(boundResult(written, BindingKind::Variable, symbol));
  }
  setFunctionResults(function, results);
  return success();
}

/// Turns `df.name` attributes of arguments and results into bindings; those of ops, which only tell values apart, go.
void FunctionRewriter::bindNames() {
  function.walk([](Operation *op) { op->removeDiscardableAttr(FunctionOp::kNameAttr); });
  auto bind = [](NamedAttrList &attributes, BindingKind kind) {
    if (auto name = dyn_cast_or_null<StringAttr>(attributes.erase(FunctionOp::kNameAttr)))
      attributes.set(FunctionOp::kBindingAttr, BindingAttr::get(name.getContext(), kind, name));
  };
  updateArgAttrs(function, [&](unsigned, NamedAttrList &attributes) { bind(attributes, BindingKind::Feature); });
  updateResultAttrs(function, [&](unsigned, NamedAttrList &attributes) { bind(attributes, BindingKind::Output); });
}

LogicalResult FunctionRewriter::rewriteBlock(Block &block, State &state) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(rewriteOp(&op, state)))
      return failure();
  return success();
}

LogicalResult FunctionRewriter::rewriteOp(Operation *op, State &state) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp read) {
        replace(read, current(read.getVariableAttr().getAttr(), state));
        return success();
      })
      .Case([&](ReadRowsOp read) {
        Value table = current(read.getVariableAttr().getAttr(), state);
        replace(read, GatherOp::create(builder, loc, table, read.getIds()).getResult());
        return success();
      })
      .Case([&](AssignOp assign) {
        state[assign.getVariableAttr().getAttr()] = assign.getValue();
        assign.erase();
        return success();
      })
      .Case([&](AssignAddOp assign) {
        StringAttr symbol = assign.getVariableAttr().getAttr();
        state[symbol] =
            AddOp::create(builder, loc, assign.getValue().getType(), current(symbol, state), assign.getValue());
        assign.erase();
        return success();
      })
      .Case([&](AssignSubOp assign) {
        StringAttr symbol = assign.getVariableAttr().getAttr();
        state[symbol] =
            SubOp::create(builder, loc, assign.getValue().getType(), current(symbol, state), assign.getValue());
        assign.erase();
        return success();
      })
      .Case([&](SaveOp save) {
        SmallVector<Value> values;
        for (VariableOp variable : matchingVariables(save, save.getPattern()))
          values.push_back(current(variable.getSymNameAttr(), state));
        save.setNamesAttr(namesOf(matchingVariables(save, save.getPattern())));
        save.getValuesMutable().assign(values);
        return success();
      })
      .Case([&](RestoreOp restore) {
        SmallVector<VariableOp> restored = matchingVariables(restore, restore.getPattern());
        SmallVector<Type> types;
        for (VariableOp variable : restored)
          types.push_back(variable.getType());
        auto valued =
            RestoreOp::create(builder, loc, types, restore.getPattern(), restore.getPath(), namesOf(restored));
        for (auto [variable, value] : llvm::zip(restored, valued.getValues()))
          state[variable.getSymNameAttr()] = value;
        restore.erase();
        return success();
      })
      .Case([&](IfOp branch) { return rewriteIf(branch, state); })
      .Case([&](WhileOp loop) { return rewriteWhile(loop, state); })
      .Case([&](ScanOp loop) { return rewriteScan(loop, state); })
      .Case([&](ApplyRowsOp apply) { return rewriteApplyRows(apply, state); })
      .Case([&](SettingOp setting) { return rewriteSetting(setting); })
      .Case([&](RaggedProductOp product) {
        if (!product.getCount())
          product.getCountMutable().assign(dimensionValue(product.getSymbol()));
        return success();
      })
      .Case([&](RandomOp random) {
        rewriteRandom(random);
        return success();
      })
      .Case<PackRowsOp, UnpackRowsOp, ScaleRowsOp, DensifyRowsOp>([&](auto rows) { return rewriteRows(rows); })
      .Default([&](Operation *other) -> LogicalResult {
        // Regions of other ops (the row function of df.update_rows) may read state but have no place to hand on a
        // write.
        for (Region &region : other->getRegions())
          for (Block &block : region) {
            State inner = state;
            if (!getStateAccess(other).writes.empty())
              return other->emitOpError("writes state in a region that cannot carry it out");
            if (failed(rewriteBlock(block, inner)))
              return failure();
          }
        return success();
      });
}

LogicalResult FunctionRewriter::rewriteIf(IfOp op, State &state) {
  SymbolSet writes = getStateAccess(op).writes;
  SmallVector<Type> types(op.getResultTypes());
  for (StringAttr symbol : writes)
    types.push_back(variables.lookup(symbol).getType());
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    State inner = state;
    if (failed(rewriteBlock(region->front(), inner)))
      return failure();
    Operation *yield = region->front().getTerminator();
    for (StringAttr symbol : writes)
      yield->insertOperands(yield->getNumOperands(), current(symbol, inner));
  }
  if (writes.empty())
    return success();
  builder.setInsertionPoint(op);
  auto wider = IfOp::create(builder, op.getLoc(), types, op.getCondition());
  wider.getThenRegion().takeBody(op.getThenRegion());
  wider.getElseRegion().takeBody(op.getElseRegion());
  ValueRange results = wider.getResults();
  for (auto [symbol, value] : llvm::zip(writes, results.drop_front(op.getNumResults())))
    state[symbol] = value;
  replace(op, results.take_front(op.getNumResults()));
  return success();
}

LogicalResult FunctionRewriter::rewriteWhile(WhileOp op, State &state) {
  SymbolSet writes = getStateAccess(op).writes;
  bool conditionWrites = false;
  op.getConditionRegion().walk([&](Operation *inner) { conditionWrites |= !getStateAccess(inner).writes.empty(); });
  if (conditionWrites)
    return op.emitOpError("writes state in its condition region; only the body may");
  SmallVector<Value> inits(op.getInits());
  for (StringAttr symbol : writes)
    inits.push_back(current(symbol, state));
  builder.setInsertionPoint(op);
  auto wider = WhileOp::create(builder, op.getLoc(), TypeRange(ValueRange(inits)), inits, op.getMaxIterationsAttr(),
                               op.getMustEndAttr());
  wider.getConditionRegion().takeBody(op.getConditionRegion());
  wider.getBodyRegion().takeBody(op.getBodyRegion());
  for (Region *region : {&wider.getConditionRegion(), &wider.getBodyRegion()}) {
    Block &block = region->front();
    State inner = state;
    for (StringAttr symbol : writes)
      inner[symbol] = block.addArgument(variables.lookup(symbol).getType(), op.getLoc());
    if (failed(rewriteBlock(block, inner)))
      return failure();
    if (auto yield = dyn_cast<YieldOp>(block.getTerminator()))
      for (StringAttr symbol : writes)
        yield->insertOperands(yield->getNumOperands(), current(symbol, inner));
  }
  ValueRange results = wider.getResults();
  for (auto [symbol, value] : llvm::zip(writes, results.drop_front(op.getNumResults())))
    state[symbol] = value;
  replace(op, results.take_front(op.getNumResults()));
  return success();
}

LogicalResult FunctionRewriter::rewriteScan(ScanOp op, State &state) {
  SymbolSet writes = getStateAccess(op).writes;
  SmallVector<Value> inits(op.getInits());
  for (StringAttr symbol : writes)
    inits.push_back(current(symbol, state));
  SmallVector<Type> types(TypeRange{ValueRange(inits)});
  llvm::append_range(types, op.getStacked().getTypes());
  builder.setInsertionPoint(op);
  auto wider = ScanOp::create(builder, op.getLoc(), types, inits, op.getSequences(), op.getCount(), op.getReverse(),
                              op.getParallelIterationsAttr());
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  wider.getBody().takeBody(op.getBody());
  Block &block = wider.getBody().front();
  unsigned numCarried = op.getNumCarried();
  State inner = state;
  for (auto [k, symbol] : llvm::enumerate(writes))
    inner[symbol] = block.insertArgument(numCarried + k, variables.lookup(symbol).getType(), op.getLoc());
  if (failed(rewriteBlock(block, inner)))
    return failure();
  for (auto [k, symbol] : llvm::enumerate(writes))
    block.getTerminator()->insertOperands(numCarried + k, current(symbol, inner));
  for (auto [k, symbol] : llvm::enumerate(writes))
    state[symbol] = wider.getResult(numCarried + k);
  SmallVector<Value> results(wider.getResults().take_front(numCarried));
  llvm::append_range(results, wider.getStacked());
  replace(op, results);
  return success();
}

LogicalResult FunctionRewriter::rewriteApplyRows(ApplyRowsOp op, State &state) {
  FailureOr<Parts> rows = partsOf(op, op.getRows());
  if (failed(rows))
    return failure();
  bool bodyWrites = false;
  op.getBody().walk([&](Operation *inner) { bodyWrites |= !getStateAccess(inner).writes.empty(); });
  if (bodyWrites)
    return op.emitOpError("writes state in its region; rows are what it may yield");
  State inner = state;
  if (failed(rewriteBlock(op.getBody().front(), inner)))
    return failure();
  builder.setInsertionPoint(op);
  SmallVector<Value> tables;
  for (auto symbol : op.getVariables().getAsRange<FlatSymbolRefAttr>())
    tables.push_back(current(symbol.getAttr(), state));
  auto update = UpdateRowsOp::create(builder, op.getLoc(), TypeRange(ValueRange(tables)), tables, rows->ids, rows->rows,
                                     rows->count, op.getEveryRow());
  update.getBody().takeBody(op.getBody());
  for (auto [symbol, value] : llvm::zip(op.getVariables().getAsRange<FlatSymbolRefAttr>(), update.getResults()))
    state[symbol.getAttr()] = value;
  op.erase();
  return success();
}

LogicalResult FunctionRewriter::rewriteSetting(SettingOp op) {
  auto [it, isNew] = settings.byPath.insert({op.getPathAttr(), {op.getDefaultValue(), op.getType(), op.getLoc()}});
  if (!isNew && (it->second.defaultValue != op.getDefaultValue() || it->second.type != op.getType())) {
    InFlightDiagnostic diag = op.emitOpError() << "has default " << op.getDefaultValue() << " and type " << op.getType()
                                               << "; a setting has one of each";
    diag.attachNote(it->second.loc) << "here " << it->second.defaultValue << " and " << it->second.type;
    return diag;
  }
  Value &argument = settingArguments[op.getPathAttr()];
  if (!argument)
    argument = appended.append(op.getType(), BindingKind::Setting, op.getPath(), op.getLoc());
  replace(op, argument);
  return success();
}

void FunctionRewriter::rewriteRandom(RandomOp op) {
  if (!op.getSeed())
    op.getSeedMutable().assign(contextValue("seed"));
  if (op.isOfStep() && !op.getStep())
    op.getStepMutable().assign(contextValue("step"));
  if (op.isOfRows() && !op.getFirstRow())
    op.getFirstRowMutable().assign(contextValue("first_row"));
}

LogicalResult FunctionRewriter::rewriteRows(Operation *op) {
  Location loc = op->getLoc();
  if (auto pack = dyn_cast<PackRowsOp>(op)) {
    parts[pack.getResult()] = {pack.getIds(), pack.getRows(), pack.getCount()};
    dissolved.push_back(op);
    return success();
  }
  FailureOr<Parts> operand = partsOf(op, op->getOperand(0));
  if (failed(operand))
    return failure();
  if (auto scale = dyn_cast<ScaleRowsOp>(op)) {
    Value factor = broadcastLike(loc, scale.getFactor(), operand->rows);
    parts[scale.getResult()] = {
        operand->ids, MulOp::create(builder, loc, operand->rows.getType(), operand->rows, factor), operand->count};
    dissolved.push_back(op);
    return success();
  }
  if (auto unpack = dyn_cast<UnpackRowsOp>(op)) {
    Value values[] = {operand->ids, operand->rows, operand->count};
    if (unpack.getResultTypes() != TypeRange(ValueRange(values)))
      return unpack.emitOpError() << "has parts (" << unpack.getResultTypes() << ") but they were packed as ("
                                  << TypeRange(ValueRange(values)) << ")";
    replace(unpack, values);
    return success();
  }
  auto densify = cast<DensifyRowsOp>(op);
  auto type = cast<RankedTensorType>(densify.getType());
  RankedTensorType row = rowType(type);
  Value zeros = ConstantOp::create(builder, loc, cast<ElementsAttr>(builder.getZeroAttr(type)));
  auto update = UpdateRowsOp::create(builder, loc, TypeRange(type), ValueRange(zeros), operand->ids, operand->rows,
                                     operand->count);
  Block *block = builder.createBlock(&update.getBody(), {}, {row, row}, {loc, loc});
  YieldOp::create(builder, loc, ValueRange(block->getArgument(1)));
  replace(densify, update.getResults());
  return success();
}

void DfStateToValuesPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyStage(module, Stage::Split)))
    return signalPassFailure();
  llvm::MapVector<StringAttr, VariableOp> variables;
  for (auto variable : module.getOps<VariableOp>())
    variables.insert({variable.getSymNameAttr(), variable});
  ModuleSettings settings;
  for (auto function : module.getOps<FunctionOp>())
    if (failed(FunctionRewriter(function, variables, settings).run()))
      return signalPassFailure();
  SmallVector<NamedAttribute> defaults;
  for (auto &[path, setting] : settings.byPath)
    defaults.emplace_back(path, setting.defaultValue);
  module->setAttr(DfDialect::kSettingsAttr, DictionaryAttr::get(module.getContext(), defaults));
  if (failed(verifyStage(module, Stage::Values)))
    return signalPassFailure();
}
