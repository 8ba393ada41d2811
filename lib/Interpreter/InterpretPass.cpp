// df-interpret: runs functions by the reference interpreter and prints their results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Constants.h"
#include "mlc/Interpreter/Interpreter.h"
#include "mlc/Interpreter/InterpreterPasses.h"

namespace mlc {
#define GEN_PASS_DEF_INTERPRETPASS
#include "mlc/Interpreter/InterpreterPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Values of the arguments the state does not give; nothing if one has none.
static std::optional<std::vector<RuntimeValue>> argumentsOf(df::FunctionOp function) {
  std::vector<RuntimeValue> values;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (isBoundToState(function.getArgBinding(i)))
      continue;
    auto elements = function.getArgAttrOfType<ElementsAttr>(i, df::FunctionOp::kValueAttr);
    FailureOr<Tensor> value = failure();
    if (elements)
      value = tensorOf(elements);
    if (failed(value))
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

namespace {
struct InterpretPass : public mlc::impl::InterpretPassBase<InterpretPass> {
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
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
  LogicalResult runFunction(df::FunctionOp function, ArrayRef<RuntimeValue> arguments, State &state) {
    Context context;
    context.seed = seed;
    context.step = step;
    context.firstRow = firstRow;
    State before = state;
    auto results = interpret(function, arguments, state, context);
    if (failed(results))
      return failure();
    llvm::outs() << '@' << function.getSymName() << '\n';
    for (auto [i, result] : llvm::enumerate(*results))
      llvm::outs() << "  " << i << ": " << result << '\n';
    for (const auto &[name, value] : state.getVariables()) {
      const Tensor *old = before.lookup(name);
      if (old && old->identical(value))
        continue;
      // What nobody reads is not spelled out.
      constexpr int64_t kMostElements = 4096;
      llvm::outs() << "  @" << name << " = ";
      if (value.getNumElements() > kMostElements)
        llvm::outs() << value.getNumElements() << " elements of " << kindName(value.getKind()) << '\n';
      else
        llvm::outs() << value << '\n';
    }
    return success();
  }
};
} // namespace
