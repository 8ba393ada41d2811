// Verifiers and effects of df.save and df.restore.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlc::df;

static bool matches(StringRef pattern, StringRef name) {
  while (!pattern.empty() && pattern.front() != '*') {
    if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front()))
      return false;
    pattern = pattern.drop_front();
    name = name.drop_front();
  }
  if (pattern.empty())
    return name.empty();
  pattern = pattern.ltrim('*');
  for (size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (matches(pattern, name.drop_front(skipped)))
      return true;
  return false;
}

SmallVector<VariableOp> mlc::df::matchingVariables(Operation *op, StringRef pattern) {
  SmallVector<VariableOp> found;
  if (Operation *table = SymbolTable::getNearestSymbolTable(op))
    for (auto variable : table->getRegion(0).getOps<VariableOp>())
      if (matches(pattern, variable.getSymName()))
        found.push_back(variable);
  return found;
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Files are of the whole program: what touches them stays in order with itself and with all state.
static void addEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), StateResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), StateResource::get());
}
void SaveOp::getEffects(Effects &effects) { addEffects(effects); }
void RestoreOp::getEffects(Effects &effects) { addEffects(effects); }

/// (C1), with the names that are nearest.
static LogicalResult verifyPattern(Operation *op, StringRef pattern) {
  if (!matchingVariables(op, pattern).empty())
    return success();
  SmallVector<std::pair<unsigned, StringRef>> names;
  for (VariableOp variable : matchingVariables(op, "*"))
    names.emplace_back(pattern.edit_distance(variable.getSymName()), variable.getSymName());
  llvm::stable_sort(names, llvm::less_first());
  InFlightDiagnostic error = op->emitOpError("(C1) no variable matches '") << pattern << "'";
  if (names.empty())
    return error << "; the module has none";
  constexpr size_t kMost = 3;
  error << "; " << (names.size() > kMost ? "the nearest are " : "there are ");
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    error << (i ? ", '" : "'") << names[i].second << "'";
  return error;
}

LogicalResult SaveOp::verifySymbolUses(SymbolTableCollection &) { return verifyPattern(*this, getPattern()); }
LogicalResult RestoreOp::verifySymbolUses(SymbolTableCollection &) { return verifyPattern(*this, getPattern()); }

/// (C2).
static LogicalResult verifyRole(Operation *op, ArrayRef<Role> roles) {
  auto function = op->getParentOfType<FunctionOp>();
  if (!function || llvm::is_contained(roles, function.getRole()))
    return success();
  return op->emitOpError("(C2) may not stand in a function of role ") << stringifyRole(function.getRole());
}

/// (C3).
static LogicalResult verifyNames(Operation *op, std::optional<ArrayAttr> names, size_t values) {
  if ((names ? names->size() : 0) == values)
    return success();
  return op->emitOpError("(C3) there must be as many values as names; found ")
         << values << " and " << (names ? names->size() : 0);
}

LogicalResult SaveOp::verify() {
  if (failed(verifyRole(*this, {Role::Other, Role::Init, Role::EvalReset, Role::EvalUpdate, Role::EvalResult})))
    return failure();
  return verifyNames(*this, getNames(), getValues().size());
}

LogicalResult RestoreOp::verify() {
  if (failed(verifyRole(*this, {Role::Other, Role::Init})))
    return failure();
  return verifyNames(*this, getNames(), getValues().size());
}
