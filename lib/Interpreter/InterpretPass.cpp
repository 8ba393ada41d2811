// df-interpret: runs functions by the reference interpreter and prints their results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Interpreter/Constants.h"
#include "mlc/Interpreter/Interpreter.h"
#include "mlc/Interpreter/InterpreterPasses.h"
#include "mlc/Interpreter/Programs.h"

namespace mlc {
#define GEN_PASS_DEF_INTERPRETPASS
#include "mlc/Interpreter/InterpreterPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// The value that an attribute gives an argument; nothing if none does.
static std::optional<RuntimeValue> valueOf(df::FunctionOp function, unsigned argument) {
  auto elements = function.getArgAttrOfType<ElementsAttr>(argument, df::FunctionOp::kValueAttr);
  FailureOr<Tensor> value = elements ? tensorOf(elements) : FailureOr<Tensor>(failure());
  if (failed(value))
    return std::nullopt;
  return RuntimeValue(std::move(*value));
}

/// Values of the arguments the state does not give; nothing if one has none.
static std::optional<std::vector<RuntimeValue>> argumentsOf(df::FunctionOp function) {
  std::vector<RuntimeValue> values;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (isBoundToState(function.getArgBinding(i)))
      continue;
    auto value = valueOf(function, i);
    if (!value)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

/// The same of an entry of programs.
static std::optional<std::vector<RuntimeValue>> argumentsOf(const Programs &programs, StringRef entry) {
  std::vector<RuntimeValue> values;
  for (unsigned i = 0;; ++i) {
    auto argument = programs.getArgument(entry, i);
    if (!argument)
      return values;
    auto value = valueOf(argument->first, argument->second);
    if (!value)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
}

namespace {
struct InterpretPass : public mlc::impl::InterpretPassBase<InterpretPass> {
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    if (Programs::isPartitioned(module))
      return runPrograms(module);
    State state(module, seed);
    if (functions.empty()) {
      for (auto function : module.getOps<df::FunctionOp>())
        if (auto arguments = argumentsOf(function))
          if (failed(runFunction(function, *arguments, state)))
            return signalPassFailure();
      return;
    }
    for (const std::string &name : functions) {
      auto function = module.lookupSymbol<df::FunctionOp>(name);
      if (!function) {
        module.emitError("no df.function @") << name;
        return signalPassFailure();
      }
      auto arguments = argumentsOf(function);
      if (!arguments) {
        function.emitOpError("an argument has no dense value in '") << df::FunctionOp::kValueAttr << "'";
        return signalPassFailure();
      }
      if (failed(runFunction(function, *arguments, state)))
        return signalPassFailure();
    }
  }

private:
  using Variables = std::map<std::string, Tensor, std::less<>>;

  Context context() const {
    Context context;
    context.seed = seed;
    context.step = step;
    context.firstRow = firstRow;
    return context;
  }

  LogicalResult runFunction(df::FunctionOp function, ArrayRef<RuntimeValue> arguments, State &state) {
    const Variables before = state.getVariables();
    auto results = interpret(function, arguments, state, context());
    if (failed(results))
      return failure();
    print(function.getSymName(), *results);
    printChanges(byTensor(before), byTensor(state.getVariables()));
    return success();
  }

  /// Entries of programs one after another, or all at once.
  void runPrograms(ModuleOp module) {
    Programs programs(module, seed);
    std::vector<Programs::Call> calls;
    for (const std::string &name : functions.empty() ? programs.getEntries() : std::vector<std::string>(functions)) {
      if (auto arguments = argumentsOf(programs, name)) {
        calls.push_back({name, std::move(*arguments)});
      } else if (!functions.empty()) {
        module.emitError("an argument of @") << name << " has no dense value in '" << df::FunctionOp::kValueAttr << "'";
        return signalPassFailure();
      }
    }
    const size_t atOnce = together ? calls.size() : 1;
    for (size_t first = 0; first < calls.size(); first += atOnce) {
      const Variables before = programs.getVariables();
      auto results = programs.runTogether(ArrayRef(calls).slice(first, atOnce), context());
      if (failed(results))
        return signalPassFailure();
      for (auto [call, values] : llvm::zip(ArrayRef(calls).slice(first, atOnce), *results))
        print(call.entry, values);
      printChanges(byTensor(before), byTensor(programs.getVariables()));
    }
  }

  static void print(StringRef name, ArrayRef<RuntimeValue> results) {
    llvm::outs() << '@' << name << '\n';
    for (auto [i, result] : llvm::enumerate(results))
      llvm::outs() << "  " << i << ": " << result << '\n';
  }

  /// The state by the names of its tensors, of which a variable may hold several.
  Variables byTensor(Variables state) {
    getOperation().walk([&](df::VariableOp variable) {
      auto it = state.find(variable.getSymName().str());
      if (!variable.getNamedRows() || it == state.end())
        return;
      const Tensor all = std::move(it->second);
      state.erase(it);
      SmallVector<int64_t> shape(all.getShape());
      int64_t next = 0;
      for (df::NamedRowsAttr rows : variable.getTensors()) {
        shape[0] = rows.getRows();
        Tensor tensor(all.getKind(), shape);
        tensor.copyElements(0, all, next, tensor.getNumElements());
        next += tensor.getNumElements();
        state.insert_or_assign(rows.getName().str(), std::move(tensor));
      }
    });
    return state;
  }

  static void printChanges(const Variables &before, const Variables &after) {
    for (const auto &[name, value] : after) {
      auto old = before.find(name);
      if (old != before.end() && old->second.identical(value))
        continue;
      // What nobody reads is not spelled out.
      constexpr int64_t kMostElements = 4096;
      llvm::outs() << "  @" << name << " = ";
      if (value.getNumElements() > kMostElements)
        llvm::outs() << value.getNumElements() << " elements of " << kindName(value.getKind()) << '\n';
      else
        llvm::outs() << value << '\n';
    }
  }
};
} // namespace
