// Gradients of df functions against finite differences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/GradientCheck.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

LogicalResult mlc::interp::returnGradients(df::FunctionOp function, const GradientCheck &check) {
  Block &block = function.getBody().front();
  auto terminator = cast<df::ReturnOp>(block.getTerminator());
  if (terminator.getNumOperands() == 0)
    return function.emitOpError("has no loss to differentiate");
  OpBuilder builder(terminator);
  SmallVector<Type> types;
  SmallVector<Attribute> symbols;
  SmallVector<Value> values;
  auto module = function->getParentOfType<ModuleOp>();
  for (const std::string &name : check.variables) {
    auto variable = module.lookupSymbol<df::VariableOp>(name);
    if (!variable)
      return function.emitOpError("no df.variable @") << name;
    symbols.push_back(FlatSymbolRefAttr::get(builder.getContext(), name));
    RankedTensorType type = variable.getTensorType();
    types.push_back(check.sparseVariables ? Type(df::RowsType::get(builder.getContext(), type)) : Type(type));
  }
  for (unsigned argument : check.arguments) {
    values.push_back(block.getArgument(argument));
    types.push_back(values.back().getType());
  }
  auto gradients = df::GradientsOp::create(builder, function.getLoc(), types, terminator.getOperand(0),
                                           builder.getArrayAttr(symbols), values);
  terminator->setOperands(gradients.getResults());
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
  function.removeResAttrsAttr();
  return verify(module);
}

/// Dense gradients: of the variables, then of the arguments.
static FailureOr<std::vector<Tensor>> expandedGradients(ModuleOp module, const GradientCheck &check,
                                                        ArrayRef<RuntimeValue> arguments, const State &state,
                                                        llvm::function_ref<LogicalResult(ModuleOp)> expand,
                                                        const Context &context) {
  OwningOpRef<ModuleOp> copy(module.clone());
  auto function = copy->lookupSymbol<df::FunctionOp>(check.function);
  if (!function)
    return module.emitError("no df.function @") << check.function;
  if (failed(returnGradients(function, check)) || failed(expand(*copy)))
    return failure();
  State own = state;
  auto results = interpret(*copy, check.function, arguments, own, context);
  if (failed(results))
    return failure();
  std::vector<Tensor> dense;
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (auto *rows = std::get_if<Rows>(&result))
      dense.push_back(rows->densify(state.lookup(check.variables[i])->getDimSize(0)));
    else
      dense.push_back(std::get<Tensor>(result));
  }
  return dense;
}

FailureOr<GradientError> mlc::interp::checkGradients(ModuleOp module, const GradientCheck &check,
                                                     ArrayRef<RuntimeValue> arguments, const State &state,
                                                     llvm::function_ref<LogicalResult(ModuleOp)> expand,
                                                     const Context &context) {
  auto gradients = expandedGradients(module, check, arguments, state, expand, context);
  if (failed(gradients))
    return failure();
  auto loss = [&](ArrayRef<RuntimeValue> at, const State &in) -> FailureOr<double> {
    State own = in;
    auto results = interpret(module, check.function, at, own, context);
    if (failed(results))
      return failure();
    return std::get<Tensor>(results->front()).getFloat(0);
  };

  GradientError worst;
  // Perturbs `point` in each element; `evaluate` gives the loss there.
  auto compare = [&](const std::string &where, const Tensor &gradient, Tensor point,
                     llvm::function_ref<FailureOr<double>(const Tensor &)> evaluate) -> LogicalResult {
    for (int64_t i = 0, n = point.getNumElements(); i < n; ++i) {
      static constexpr double distances[] = {-2, -1, 1, 2};
      double x = point.getFloat(i), at[4];
      for (auto [k, distance] : llvm::enumerate(distances)) {
        point.setFloat(i, x + distance * check.step);
        FailureOr<double> value = evaluate(point);
        if (failed(value))
          return failure();
        at[k] = *value;
      }
      point.setFloat(i, x);
      // Differences first: those of equal losses are exactly 0.
      double numeric = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * check.step);
      double expanded = gradient.getFloat(i);
      double relative = std::abs(expanded - numeric) / std::max({std::abs(expanded), std::abs(numeric), 1e-3});
      if (!std::isfinite(expanded) || !std::isfinite(numeric))
        relative = std::numeric_limits<double>::infinity();
      if (relative > worst.relative || worst.where == "nothing")
        worst = {relative, where, i, expanded, numeric};
    }
    return success();
  };

  for (auto [i, name] : llvm::enumerate(check.variables)) {
    auto evaluate = [&, &name = name](const Tensor &point) {
      State moved = state;
      moved.set(name, point);
      return loss(arguments, moved);
    };
    if (failed(compare("@" + name, (*gradients)[i], *state.lookup(name), evaluate)))
      return failure();
  }
  for (auto [i, argument] : llvm::enumerate(check.arguments)) {
    auto evaluate = [&, position = argument](const Tensor &point) {
      std::vector<RuntimeValue> moved(arguments.begin(), arguments.end());
      moved[position] = point;
      return loss(moved, state);
    };
    if (failed(compare("argument " + std::to_string(argument), (*gradients)[check.variables.size() + i],
                       std::get<Tensor>(arguments[argument]), evaluate)))
      return failure();
  }
  return worst;
}
