// df-shrink: see ShrinkPass.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShrinkPass.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;
using namespace mlc;

namespace {

/// The ops of a module below itself, outer ones before those in them.
SmallVector<Operation *> opsOf(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module)
      ops.push_back(op);
  });
  return ops;
}

/// A module and the question that all its changes have to keep answered.
class Shrinking {
public:
  Shrinking(ModuleOp module, const Tester &tester) : module(module.clone()), tester(tester) {}

  ModuleOp get() { return *module; }
  bool isInteresting(ModuleOp candidate) {
    return tester.isInteresting(candidate).first == Tester::Interestingness::True;
  }

  /// Makes `change`, which gets the ops of a copy and returns whether it did anything, if what it leads to is valid and
  /// interesting.
  bool tryTo(llvm::function_ref<bool(ArrayRef<Operation *>)> change) {
    OwningOpRef<ModuleOp> candidate = module->clone();
    if (!change(opsOf(*candidate)) || failed(verify(*candidate)) || !isInteresting(*candidate))
      return false;
    module = std::move(candidate);
    return true;
  }

  /// Erases what nothing uses, in pieces of half of the ops, then of quarters, and so on. Returns whether anything
  /// went.
  bool erase();
  /// Puts something simpler in the place of results. Returns whether any went.
  bool replace();

private:
  OwningOpRef<ModuleOp> module;
  const Tester &tester;
};

bool Shrinking::erase() {
  bool changed = false;
  int64_t size = opsOf(*module).size();
  for (int64_t piece = std::max<int64_t>(1, size / 2);; piece /= 2) {
    // From the end on, where the users are.
    for (int64_t end = opsOf(*module).size(); end > 0; end -= piece)
      changed |= tryTo([&](ArrayRef<Operation *> ops) {
        bool any = false;
        int64_t last = std::min<int64_t>(end, ops.size());
        for (int64_t i = last; i-- > std::max<int64_t>(0, end - piece);) {
          if (ops[i]->mightHaveTrait<OpTrait::IsTerminator>() || !ops[i]->use_empty())
            continue;
          ops[i]->erase();
          any = true;
        }
        return any;
      });
    if (piece == 1)
      return changed;
  }
}

bool Shrinking::replace() {
  bool changed = false;
  for (int64_t i = opsOf(*module).size(); i-- > 0;) {
    Operation *op = i < static_cast<int64_t>(opsOf(*module).size()) ? opsOf(*module)[i] : nullptr;
    if (!op || op->use_empty() || isa<df::ConstantOp>(op))
      continue;
    auto replaceBy = [&](llvm::function_ref<Value(Operation *, OpResult)> valueFor) {
      return tryTo([&](ArrayRef<Operation *> ops) {
        for (OpResult result : ops[i]->getResults()) {
          Value value = result.use_empty() ? Value() : valueFor(ops[i], result);
          if (!result.use_empty() && !value)
            return false;
          if (value)
            result.replaceAllUsesWith(value);
        }
        ops[i]->erase();
        return true;
      });
    };
    bool done = replaceBy([](Operation *op, OpResult result) -> Value {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
        return {};
      OpBuilder b(op);
      Attribute zero = isa<FloatType>(type.getElementType()) ? Attribute(b.getFloatAttr(type.getElementType(), 0.0))
                                                             : Attribute(b.getIntegerAttr(type.getElementType(), 0));
      return df::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, zero));
    });
    for (unsigned operand = 0; operand < op->getNumOperands() && !done; ++operand)
      if (llvm::is_contained(op->getResultTypes(), op->getOperand(operand).getType()))
        done = replaceBy([&](Operation *copy, OpResult result) -> Value {
          Value value = copy->getOperand(operand);
          return value.getType() == result.getType() ? value : Value();
        });
    changed |= done;
  }
  return changed;
}

struct ShrinkPass : public PassWrapper<ShrinkPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShrinkPass)

  ShrinkPass() = default;
  ShrinkPass(const ShrinkPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "df-shrink"; }
  StringRef getDescription() const override { return "takes ops out of a module while a test finds it interesting"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<df::DfDialect>(); }

  void runOnOperation() override {
    std::vector<std::string> arguments(testArguments.begin(), testArguments.end());
    Tester tester(test, arguments);
    Shrinking shrinking(getOperation(), tester);
    if (!shrinking.isInteresting(shrinking.get())) {
      getOperation()->emitError("the module is not interesting: '" + test + "' must exit with 1 for it");
      return signalPassFailure();
    }
    {
      // What does not verify is no candidate: nobody needs to read why.
      ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) { return success(); });
      while (shrinking.erase() || shrinking.replace())
        ;
    }
    getOperation().getBodyRegion().takeBody(shrinking.get().getBodyRegion());
  }

  Option<std::string> test{*this, "test", llvm::cl::desc("the script that exits with 1 for an interesting module")};
  ListOption<std::string> testArguments{*this, "test-arg", llvm::cl::desc("its arguments before the file")};
};

} // namespace

void mlc::registerShrinkPass() { PassRegistration<ShrinkPass>(); }
