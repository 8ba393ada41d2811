// The symbols of the module that is built.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ModuleState.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Initializers.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

void ModuleState::checkBackups(Location loc) {
  for (NamedAttribute backup : backups_ ? backups_.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = backup.getName().getValue();
    if (placed_.contains(name))
      continue;
    emitError(loc) << "train.warm_start.vocab_remap: a backup_initializer is of '" << name
                   << "', which is no variable of the model";
    fail();
  }
}

Attribute ModuleState::constant(double value) {
  return df::ConstantInitAttr::get(module_.getContext(), llvm::APFloat(value));
}

void ModuleState::goToSymbols() {
  auto functions = module_.getOps<df::FunctionOp>();
  if (functions.empty())
    builder_.setInsertionPointToEnd(module_.getBody());
  else
    builder_.setInsertionPoint(*functions.begin());
}

df::VariableOp ModuleState::declare(StringRef name, RankedTensorType type, Attribute initializer, bool trainable,
                                    df::Lifetime lifetime, df::VariableOp slotOf, StringRef slot, Location loc,
                                    ArrayAttr namedRows) {
  Operation *&known = symbols_[name];
  if (known)
    return cast<df::VariableOp>(known);
  goToSymbols();
  auto variable = df::VariableOp::create(
      builder_, loc, name, type, initializer, trainable, lifetime,
      slotOf ? FlatSymbolRefAttr::get(module_.getContext(), slotOf.getSymName()) : FlatSymbolRefAttr(),
      slotOf ? builder_.getStringAttr(slot) : StringAttr(), /*racy=*/false, namedRows);
  known = variable;
  return variable;
}

df::VariableOp ModuleState::variable(StringRef name, RankedTensorType type, Attribute initializer, bool trainable,
                                     Location loc, ArrayAttr namedRows) {
  hasStacks_ |= !!namedRows;
  if (!namedRows)
    takesPlace(name);
  Attribute backup = backupOf(name);
  if (!backup || type.getRank() == 0)
    return declare(name, type, initializer, trainable, df::Lifetime::Train, {}, {}, loc, namedRows);
  const int64_t rows = type.getDimSize(0);
  Attribute start = convertInitializer(backup, rows, type.getRank() > 1 ? type.getDimSize(1) : rows);
  df::VariableOp variable =
      declare(name, type, start ? start : constant(0), trainable, df::Lifetime::Train, {}, {}, loc, namedRows);
  if (!start && type.getRank() < 2) {
    emitError(loc) << "train.warm_start.vocab_remap: '" << name << "' is no matrix, of which its backup_initializer is";
    fail();
  } else if (!start) {
    starts_[variable] = backup;
  }
  return variable;
}

ArrayRef<std::string> ModuleState::tensors() const {
  return hasStacks_ ? ArrayRef<std::string>(tensors_) : ArrayRef<std::string>();
}

df::VariableOp ModuleState::slot(df::VariableOp variable, StringRef suffix, StringRef slot, double start) {
  std::string name = (variable.getSymName() + "/" + suffix).str();
  SmallVector<Attribute> rows;
  for (df::NamedRowsAttr tensor : variable.getTensors())
    rows.push_back(
        df::NamedRowsAttr::get(module_.getContext(), (tensor.getName() + "/" + suffix).str(), tensor.getRows()));
  return declare(name, variable.getTensorType(), constant(start), /*trainable=*/false, df::Lifetime::Train, variable,
                 slot, variable.getLoc(), rows.empty() ? ArrayAttr() : builder_.getArrayAttr(rows));
}

df::VariableOp ModuleState::slotOfStep(StringRef name, double start, Location loc) {
  df::VariableOp step = globalStep(loc);
  return declare(name, RankedTensorType::get({}, builder_.getF32Type()), constant(start), /*trainable=*/false,
                 df::Lifetime::Train, step, name.rsplit('/').second, loc);
}

df::VariableOp ModuleState::evalVariable(StringRef name, RankedTensorType type, Location loc) {
  return declare(("eval/" + name).str(), type, constant(0), /*trainable=*/false, df::Lifetime::Eval, {}, {}, loc);
}

df::VariableOp ModuleState::findEvalVariable(StringRef name) const {
  return cast<df::VariableOp>(symbols_.lookup(("eval/" + name).str()));
}

void ModuleState::standsFor(StringRef variable, int64_t axis, StringRef table) {
  vocabularies_[{variable.str(), axis}] = table.str();
}

void ModuleState::standsForClasses(StringRef variable, int64_t axis) { standsFor(variable, axis, kLabelTable); }

llvm::json::Array ModuleState::vocabularies() const {
  llvm::json::Array list;
  for (const auto &[place, table] : vocabularies_)
    if (symbols_.contains(table))
      list.push_back(llvm::json::Object{{"variable", place.first}, {"axis", place.second}, {"table", table}});
  return list;
}

llvm::json::Array ModuleState::embeddings() const {
  llvm::json::Array list;
  for (const auto &[variable, path] : embeddings_)
    list.push_back(llvm::json::Object{{"variable", variable}, {"setting", path}});
  return list;
}

df::VariableOp ModuleState::globalStep(Location loc) {
  return variable("global_step", RankedTensorType::get({}, builder_.getI64Type()), constant(0), /*trainable=*/false,
                  loc);
}

/// The symbol that follows from others as `kind` and `terms` say.
int64_t ModuleState::dimension(df::DimensionKind kind, ArrayRef<int64_t> terms, Location loc) {
  for (auto known : module_.getOps<df::DimensionOp>())
    if (known.getKind() == kind && known.getTerms() == terms)
      return static_cast<int64_t>(known.getSymbol());
  goToSymbols();
  df::DimensionOp::create(builder_, loc, ++numSymbols_, kind, terms);
  return numSymbols_;
}

int64_t ModuleState::symbolOfProduct(ArrayRef<int64_t> symbols, int64_t factor, Location loc) {
  SmallVector<int64_t> terms(symbols);
  llvm::sort(terms);
  int64_t symbol = terms.size() == 1 ? terms.front() : dimension(df::DimensionKind::Product, terms, loc);
  if (factor == 1)
    return symbol;
  SmallVector<int64_t> factors(symbol + 1);
  factors[symbol] = factor;
  return dimension(df::DimensionKind::Sum, factors, loc);
}

df::VocabularyOp ModuleState::table(StringRef name, ArrayAttr terms, int64_t numOov, int64_t defaultValue,
                                    Location loc) {
  Operation *&known = symbols_[name];
  if (known)
    return cast<df::VocabularyOp>(known);
  goToSymbols();
  auto table = df::VocabularyOp::create(builder_, loc, name, terms, static_cast<uint64_t>(numOov),
                                        static_cast<uint64_t>(defaultValue));
  known = table;
  return table;
}
