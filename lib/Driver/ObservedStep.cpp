// Programs whose training step tells observers more than others do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/ObservedStep.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/Utils/Signature.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlc;

/// The results of a train function that others than observers get.
static SmallVector<df::FunctionResult> unfetchedResults(df::FunctionOp train) {
  SmallVector<df::FunctionResult> kept;
  for (df::FunctionResult result : df::getFunctionResults(train)) {
    auto name = result.attributes.getAs<StringAttr>(df::FunctionOp::kNameAttr);
    if (!name || !name.getValue().starts_with(df::names::kFetched))
      kept.push_back(result);
  }
  return kept;
}

OwningOpRef<ModuleOp> mlc::withoutFetches(ModuleOp module) {
  const bool hasFetches = llvm::any_of(module.getOps<df::FunctionOp>(), [](df::FunctionOp function) {
    return function.getRole() == df::Role::Train && unfetchedResults(function).size() < function.getNumResults();
  });
  if (!hasFetches)
    return {};
  OwningOpRef<ModuleOp> same = module.clone();
  for (auto function : same->getOps<df::FunctionOp>())
    if (function.getRole() == df::Role::Train)
      df::setFunctionResults(function, unfetchedResults(function));
  return same;
}

/// What other tasks see of a program: its state, all parts of a step but the whole one and the gradients, and which
/// sums these give and which rows they need.
static std::string sharedText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<df::FunctionOp>(op);
    if (!function || llvm::is_contained({df::Role::TrainCombine, df::Role::TrainApply, df::Role::TrainPartial,
                                         df::Role::TrainShared, df::Role::TrainUpdate},
                                        function.getRole())) {
      op.print(stream);
      stream << '\n';
      continue;
    }
    if (function.getRole() != df::Role::TrainGrad)
      continue;
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (auto binding = function.getResultAttrOfType<df::BindingAttr>(i, df::FunctionOp::kBindingAttr);
          binding && binding.getKind() == df::BindingKind::SumOut)
        stream << binding << ' ' << function.getResultTypes()[i] << '\n';
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (auto binding = function.getArgBinding(i); binding && binding.getKind() == df::BindingKind::Variable)
        stream << binding << ' ' << function.getArgumentTypes()[i]
               << (function.getArgAttr(i, df::kPulledByAttr) ? " by rows\n" : "\n");
  }
  return text;
}

bool mlc::canTrainTogether(ModuleOp a, ModuleOp b) { return sharedText(a) == sharedText(b); }
