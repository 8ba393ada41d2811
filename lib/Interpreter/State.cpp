// Rules of reads and writes of variables, and the state itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

//===-- state ---------------------------------------------------------------------===//

State::State(Operation *symbols, uint64_t seed) {
  for (auto variable : symbols->getRegion(0).getOps<df::VariableOp>())
    set(variable.getSymName(), evaluateInitializer(variable, seed));
}

const Tensor *State::lookup(StringRef variable) const {
  auto it = variables.find(std::string_view(variable.data(), variable.size()));
  return it == variables.end() ? nullptr : &it->second;
}

const Tensor *State::lookupSetting(StringRef path) const {
  auto it = settings.find(std::string_view(path.data(), path.size()));
  return it == settings.end() ? nullptr : &it->second;
}

FailureOr<Tensor> mlc::interp::settingValue(Operation *op, StringRef path, Attribute defaultValue, ElementKind kind,
                                            const State &state) {
  Tensor value;
  if (const Tensor *given = state.lookupSetting(path))
    value = *given;
  else if (auto number = dyn_cast_or_null<FloatAttr>(defaultValue))
    value = Tensor::scalar(ElementKind::F64, number.getValueAsDouble());
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(defaultValue))
    value = Tensor::scalar(integer.getInt());
  else
    return op->emitOpError("setting '") << path << "' has no value";
  if (isFloatKind(value.getKind()) && !isFloatKind(kind))
    return op->emitOpError("setting '") << path << "' is an integer; found a float";
  return castTensor(value, kind);
}

//===-- rules ---------------------------------------------------------------------===//

/// Rows of `table` by id: zeros for ids < 0, an error for ids beyond the table.
static FailureOr<Tensor> takeRows(Operation *op, const Tensor &table, const Tensor &ids) {
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = ids.getDimSize(0);
  Tensor result(table.getKind(), shape);
  int64_t width = table.getRowSize();
  for (int64_t i = 0; i < shape[0]; ++i) {
    int64_t id = ids.getInteger(i);
    if (id >= table.getDimSize(0))
      return op->emitOpError("row ") << i << ": id " << id << " is beyond the " << table.getDimSize(0)
                                     << " rows of the table";
    if (id >= 0)
      result.copyElements(i * width, table, id * width, width);
  }
  return result;
}

/// Replaces rows ids[0, count) of `tables` by what `body` makes of them and the rows of `gradient`; with `everyRow` the
/// others by what it makes of zeros.
static LogicalResult updateRows(Operation *op, Frame &frame, Region &body, std::vector<Tensor> &tables,
                                const Rows &gradient, bool everyRow) {
  int64_t width = tables.front().getRowSize(), numRows = tables.front().getDimSize(0);
  ArrayRef<int64_t> rowShape = tables.front().getShape().drop_front();
  auto rowOf = [&](const Tensor &tensor, int64_t row) {
    Tensor result(tensor.getKind(), rowShape);
    result.copyElements(0, tensor, row * width, width);
    return result;
  };
  auto updateRow = [&](int64_t row, Tensor of) {
    std::vector<RuntimeValue> arguments, updated;
    for (const Tensor &table : tables)
      arguments.emplace_back(rowOf(table, row));
    arguments.emplace_back(std::move(of));
    if (failed(frame.run(body, std::move(arguments), updated)))
      return failure();
    for (auto [table, made] : llvm::zip(tables, updated))
      table.copyElements(row * width, std::get<Tensor>(made), 0, width);
    return success();
  };
  int64_t next = 0; // row that was not seen yet
  auto updateOthers = [&](int64_t end) {
    for (; everyRow && next < end; ++next)
      if (failed(updateRow(next, Tensor(gradient.rows.getKind(), rowShape))))
        return failure();
    return success();
  };
  if (gradient.count < 0 || gradient.count > gradient.ids.getDimSize(0))
    return op->emitOpError("count ") << gradient.count << " is not in [0, " << gradient.ids.getDimSize(0) << "]";
  for (int64_t k = 0; k < gradient.count; ++k) {
    int64_t id = gradient.ids.getInteger(k);
    if (id < 0 || id >= numRows)
      return op->emitOpError("id ") << id << " of row " << k << " is not in [0, " << numRows << ")";
    if (k && id <= gradient.ids.getInteger(k - 1))
      return op->emitOpError("ids must ascend; found ") << id << " after " << gradient.ids.getInteger(k - 1);
    if (failed(updateOthers(id)) || failed(updateRow(id, rowOf(gradient.rows, k))))
      return failure();
    next = id + 1;
  }
  return updateOthers(numRows);
}

static LogicalResult evaluateApplyRows(df::ApplyRowsOp op, Frame &frame) {
  std::vector<Tensor> tables;
  for (auto symbol : op.getVariables().getAsRange<FlatSymbolRefAttr>()) {
    const Tensor *variable = frame.variable(op, symbol.getValue());
    if (!variable)
      return failure();
    tables.push_back(*variable);
  }
  if (failed(updateRows(op, frame, op.getBody(), tables, frame.rows(op.getRows()), op.getEveryRow())))
    return failure();
  for (auto [symbol, table] : llvm::zip(op.getVariables().getAsRange<FlatSymbolRefAttr>(), tables))
    frame.state.set(symbol.getValue(), std::move(table));
  return success();
}

static LogicalResult evaluateUpdateRows(df::UpdateRowsOp op, Frame &frame) {
  std::vector<Tensor> tables;
  for (Value table : op.getTables())
    tables.push_back(frame.tensor(table));
  Rows gradient{frame.tensor(op.getIds()), frame.tensor(op.getRows()), frame.integer(op.getCount())};
  if (failed(updateRows(op, frame, op.getBody(), tables, gradient, op.getEveryRow())))
    return failure();
  for (auto [result, table] : llvm::zip(op.getResults(), tables))
    if (failed(frame.set(result, std::move(table))))
      return failure();
  return success();
}

/// A rule that sets a variable to f(old value, operand).
template <typename OpTy, typename Fn> static void addAssignment(RuleTable &table, Fn f) {
  table.add<OpTy>([f](OpTy op, Frame &frame) -> LogicalResult {
    const Tensor *variable = frame.variable(op, op.getVariable());
    if (!variable)
      return failure();
    frame.state.set(op.getVariable(), f(*variable, frame.tensor(op.getValue())));
    return success();
  });
}

/// A called segment, with the state and at the seat of its caller.
static LogicalResult evaluateCall(df::CallOp op, Frame &frame) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<df::FunctionOp>(op, op.getCalleeAttr());
  std::vector<RuntimeValue> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(frame.get(operand));
  auto results = interpretAt(frame.seat, callee, arguments, frame.state, frame.context, &frame.dataError);
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
    if (failed(frame.set(result, std::move(value))))
      return failure();
  return success();
}

void mlc::interp::addStateRules(RuleTable &table) {
  table.add<df::CallOp>(evaluateCall);
  table.add<df::ReadOp>([](df::ReadOp op, Frame &frame) -> LogicalResult {
    const Tensor *variable = frame.variable(op, op.getVariable());
    return variable ? frame.set(op.getResult(), *variable) : failure();
  });
  addAssignment<df::AssignOp>(table, [](const Tensor &, const Tensor &value) { return value; });
  addAssignment<df::AssignAddOp>(table, addTensors);
  addAssignment<df::AssignSubOp>(table, subTensors);
  table.add<df::ReadRowsOp>([](df::ReadRowsOp op, Frame &frame) -> LogicalResult {
    const Tensor *variable = frame.variable(op, op.getVariable());
    if (!variable)
      return failure();
    FailureOr<Tensor> rows = takeRows(op, *variable, frame.tensor(op.getIds()));
    return succeeded(rows) ? frame.set(op.getResult(), std::move(*rows)) : failure();
  });
  table.add<df::ApplyRowsOp>(evaluateApplyRows);
  table.add<df::UpdateRowsOp>(evaluateUpdateRows);
}
