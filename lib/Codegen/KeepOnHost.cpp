// codegen-keep-on-host: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlc {
#define GEN_PASS_DEF_KEEPONHOST
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// The variable that an argument or a result is bound to; none.
static std::optional<StringRef> variableOf(DictionaryAttr attributes) {
  auto binding = attributes ? attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
  if (!binding || binding.getKind() != df::BindingKind::Variable)
    return std::nullopt;
  return binding.getName();
}

static double bytesOf(df::VariableOp variable) {
  auto type = cast<RankedTensorType>(variable.getType());
  return static_cast<double>(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
}

namespace {
struct KeepOnHost : public mlc::impl::KeepOnHostBase<KeepOnHost> {
  using KeepOnHostBase::KeepOnHostBase;

  void runOnOperation() override {
    llvm::StringSet<> kept;
    if (bytes >= 0)
      keepTables(kept);
    keepSegments(kept);
    auto isKept = [&](DictionaryAttr attributes) {
      std::optional<StringRef> variable = variableOf(attributes);
      return variable && kept.contains(*variable);
    };
    const auto unit = UnitAttr::get(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (isKept(function.getArgAttrDict(i)))
          function.setArgAttr(i, df::kOnHostAttr, unit);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (isKept(function.getResultAttrDict(i)))
          function.setResultAttr(i, df::kOnHostAttr, unit);
    }
    numKept += kept.size();
  }

private:
  /// Adds the tables that are large enough, and their slots.
  void keepTables(llvm::StringSet<> &kept) {
    // Those that a segment reads by rows.
    llvm::StringSet<> tables;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (function.getArgAttr(i, df::kPulledByAttr))
          if (std::optional<StringRef> variable = variableOf(function.getArgAttrDict(i)))
            tables.insert(*variable);
    for (auto variable : getOperation().getOps<df::VariableOp>())
      if (tables.contains(variable.getSlotOf().value_or(variable.getSymName())) &&
          bytesOf(variable) >= static_cast<double>(bytes))
        kept.insert(variable.getSymName());
    if (kept.empty())
      emitWarning(getOperation().getLoc(), "no table has ")
          << static_cast<int64_t>(bytes) << " bytes or more: all are in the memory of the device";
  }

  /// Has the host run the segments of its entries, and adds what these are bound to.
  void keepSegments(llvm::StringSet<> &kept) {
    llvm::StringSet<> ofHost;
    for (const std::string &entry : entries)
      ofHost.insert(entry);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto entry = function->getAttrOfType<StringAttr>(df::DfDialect::kEntryAttr);
      if (!entry || !ofHost.contains(entry.getValue()))
        continue;
      function->setAttr(df::kOnHostAttr, UnitAttr::get(&getContext()));
      auto add = [&](DictionaryAttr attributes) {
        if (std::optional<StringRef> variable = variableOf(attributes))
          kept.insert(*variable);
      };
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        add(function.getArgAttrDict(i));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        add(function.getResultAttrDict(i));
    }
  }
};
} // namespace
