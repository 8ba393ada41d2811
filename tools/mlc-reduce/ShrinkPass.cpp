// df-shrink: see ShrinkPass.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShrinkPass.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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
  /// Takes results off functions, then arguments that nothing uses; the last ones first.
  bool narrow();
  /// Drops attributes that ops can do without, those of arguments and results of functions included.
  bool strip();

private:
  /// Makes `change` for each number below `size` that it can be made for: for all at once, else for halves of them, and
  /// so on. It gets the numbers, descending, and returns whether it did anything.
  bool tryEach(int64_t size, llvm::function_ref<bool(ArrayRef<Operation *>, ArrayRef<int64_t>)> change);

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
    // Else what it makes comes from outside.
    changed |= done || replaceBy([](Operation *op, OpResult result) -> Value {
                 auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
                 if (!function || !isa<RankedTensorType>(result.getType()) ||
                     failed(function.insertArgument(function.getNumArguments(), result.getType(), {}, op->getLoc())))
                   return {};
                 return function.getArguments().back();
               });
  }
  return changed;
}

bool Shrinking::tryEach(int64_t size, llvm::function_ref<bool(ArrayRef<Operation *>, ArrayRef<int64_t>)> change) {
  bool changed = false;
  SmallVector<SmallVector<int64_t>> left(1);
  for (int64_t i = size; i-- > 0;)
    left[0].push_back(i);
  while (!left.empty()) {
    // From the end on: what is taken away moves no number that is still to come.
    SmallVector<int64_t> numbers = left.pop_back_val();
    if (numbers.empty())
      continue;
    if (tryTo([&](ArrayRef<Operation *> ops) { return change(ops, numbers); })) {
      changed = true;
    } else if (numbers.size() > 1) {
      ArrayRef<int64_t> all(numbers);
      left.push_back(SmallVector<int64_t>(all.drop_front(all.size() / 2)));
      left.push_back(SmallVector<int64_t>(all.take_front(all.size() / 2)));
    }
  }
  return changed;
}

bool Shrinking::narrow() {
  bool changed = false;
  for (int64_t i = opsOf(*module).size(); i-- > 0;) {
    auto function = dyn_cast<FunctionOpInterface>(opsOf(*module)[i]);
    if (!function || function.isExternal() || !function.getFunctionBody().hasOneBlock())
      continue;
    changed |= tryEach(function.getNumResults(), [&](ArrayRef<Operation *> ops, ArrayRef<int64_t> numbers) {
      auto copy = cast<FunctionOpInterface>(ops[i]);
      Operation *terminator = copy.getFunctionBody().front().getTerminator();
      for (int64_t number : numbers) {
        if (terminator->getNumOperands() != copy.getNumResults() || failed(copy.eraseResult(number)))
          return false;
        terminator->eraseOperand(number);
      }
      return true;
    });
    changed |= tryEach(function.getNumArguments(), [&](ArrayRef<Operation *> ops, ArrayRef<int64_t> numbers) {
      auto copy = cast<FunctionOpInterface>(ops[i]);
      return llvm::all_of(numbers, [&](int64_t number) {
        return copy.getArgument(number).use_empty() && succeeded(copy.eraseArgument(number));
      });
    });
  }
  return changed;
}

/// The attributes of an op that are not its own, those of a function's arguments and results after its.
static SmallVector<NamedAttribute> strippable(Operation *op) {
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      llvm::append_range(attributes, function.getArgAttrs(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      llvm::append_range(attributes, function.getResultAttrs(i));
  }
  return attributes;
}

bool Shrinking::strip() {
  bool changed = false;
  auto stripOp = [&](int64_t size, llvm::function_ref<Operation *(ArrayRef<Operation *>)> of) {
    changed |= tryEach(size, [&](ArrayRef<Operation *> ops, ArrayRef<int64_t> numbers) {
      Operation *op = of(ops);
      auto function = dyn_cast<FunctionOpInterface>(op);
      const SmallVector<NamedAttribute> own(op->getDiscardableAttrs());
      for (int64_t number : numbers) {
        int64_t place = number - own.size();
        if (place < 0) {
          op->removeDiscardableAttr(own[number].getName());
          continue;
        }
        for (unsigned i = 0; i < function.getNumArguments() && place >= 0; ++i) {
          ArrayRef<NamedAttribute> attributes = function.getArgAttrs(i);
          if (place < static_cast<int64_t>(attributes.size()))
            function.removeArgAttr(i, attributes[place].getName());
          place -= attributes.size();
        }
        for (unsigned i = 0; i < function.getNumResults() && place >= 0; ++i) {
          ArrayRef<NamedAttribute> attributes = function.getResultAttrs(i);
          if (place < static_cast<int64_t>(attributes.size()))
            function.removeResultAttr(i, attributes[place].getName());
          place -= attributes.size();
        }
      }
      return true;
    });
  };
  if (opsOf(*module).empty())
    return false;
  stripOp(strippable(*module).size(), [](ArrayRef<Operation *> ops) { return ops.front()->getParentOp(); });
  for (int64_t i = opsOf(*module).size(); i-- > 0;)
    stripOp(strippable(opsOf(*module)[i]).size(), [&](ArrayRef<Operation *> ops) { return ops[i]; });
  return changed;
}

struct ShrinkPass : public PassWrapper<ShrinkPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShrinkPass)

  ShrinkPass() = default;
  ShrinkPass(const ShrinkPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "df-shrink"; }
  StringRef getDescription() const override {
    return "takes ops, arguments, results and attributes out of a module while a test finds it interesting";
  }
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
      while (shrinking.erase() || shrinking.replace() || shrinking.narrow() || shrinking.strip())
        ;
    }
    getOperation().getBodyRegion().takeBody(shrinking.get().getBodyRegion());
    getOperation()->setAttrs(shrinking.get()->getAttrDictionary());
  }

  Option<std::string> test{*this, "test", llvm::cl::desc("the script that exits with 1 for an interesting module")};
  ListOption<std::string> testArguments{*this, "test-arg", llvm::cl::desc("its arguments before the file")};
};

} // namespace

void mlc::registerShrinkPass() { PassRegistration<ShrinkPass>(); }
