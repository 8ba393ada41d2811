// codegen-keep-tables: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlc {
#define GEN_PASS_DEF_KEEPTABLES
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
struct KeepTables : public mlc::impl::KeepTablesBase<KeepTables> {
  using KeepTablesBase::KeepTablesBase;

  void runOnOperation() override {
    // Those that a segment reads by rows.
    llvm::StringSet<> tables;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (function.getArgAttr(i, df::kPulledByAttr))
          if (std::optional<StringRef> variable = variableOf(function.getArgAttrDict(i)))
            tables.insert(*variable);
    llvm::StringSet<> kept;
    for (auto variable : getOperation().getOps<df::VariableOp>())
      if (tables.contains(variable.getSlotOf().value_or(variable.getSymName())) &&
          bytesOf(variable) >= static_cast<double>(bytes))
        kept.insert(variable.getSymName());
    if (kept.empty())
      emitWarning(getOperation().getLoc(), "no table has ")
          << static_cast<int64_t>(bytes) << " bytes or more: all are in the memory of the device";
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
};
} // namespace
