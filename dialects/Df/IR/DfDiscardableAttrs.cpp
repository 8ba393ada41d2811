// The attributes `df.` of modules, functions and values; and what an op may carry beside its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfBounds.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfSharedCode.h"
#include "dialects/Df/IR/DfTensors.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlc::df;

namespace {
/// What an attribute stands on.
enum class Carrier { Module, Function, Argument, Result, Value };

struct KnownAttribute {
  StringLiteral name;
  llvm::ArrayRef<Carrier> carriers;
  StringLiteral what;
  bool (*holds)(Attribute);
};

constexpr Carrier kValue[] = {Carrier::Value}, kModule[] = {Carrier::Module}, kFunction[] = {Carrier::Function},
                  kArgument[] = {Carrier::Argument}, kArgumentOrResult[] = {Carrier::Argument, Carrier::Result},
                  kHostable[] = {Carrier::Function, Carrier::Argument, Carrier::Result},
                  kNamed[] = {Carrier::Argument, Carrier::Result, Carrier::Value};

template <typename... Attrs> bool holdsOneOf(Attribute attr) { return isa<Attrs...>(attr); }
/// -1 is the symbol of a size that only the call knows.
bool holdsSymbol(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  return integer && integer.getType().isInteger(64) && integer.getInt() >= -1 && integer.getInt() <= kMostSymbols;
}
bool holdsElements(Attribute attr) {
  auto elements = dyn_cast<ElementsAttr>(attr);
  return elements && hasBoundedSize(elements.getType());
}
bool holdsStrings(Attribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr);
  return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
}

/// All there are.
const KnownAttribute kKnown[] = {
    {DfDialect::kSettingsAttr, kModule, "a dictionary or, of names alone, an array",
     holdsOneOf<DictionaryAttr, ArrayAttr>},
    {DfDialect::kPrecisionAttr, kModule, "a #df.precision", holdsOneOf<PrecisionAttr>},
    {DfDialect::kOptionalPartsAttr, kModule, "a unit attribute", holdsOneOf<UnitAttr>},
    {kTensorsAttr, kModule, "an array of strings", holdsStrings},
    {DfDialect::kRoleAttr, kFunction, "a #df.role", holdsOneOf<RoleAttr>},
    {DfDialect::kSegmentAttr, kFunction, "a #df.segment", holdsOneOf<SegmentKindAttr>},
    {DfDialect::kEntryAttr, kFunction, "a string", holdsOneOf<StringAttr>},
    {DfDialect::kTypeAttr, kFunction, "a type", holdsOneOf<TypeAttr>},
    {kCodeAttr, kFunction, "the symbol of a function", holdsOneOf<FlatSymbolRefAttr>},
    {FunctionOp::kNameAttr, kNamed, "a string", holdsOneOf<StringAttr>},
    {FunctionOp::kBindingAttr, kArgumentOrResult, "a #df.binding", holdsOneOf<BindingAttr>},
    {FunctionOp::kSymbolAttr, kArgumentOrResult, "an i64 in [-1, 2^20]", holdsSymbol},
    {FunctionOp::kSymbolsAttr, kArgumentOrResult, "an array of i64", holdsOneOf<DenseI64ArrayAttr>},
    {FunctionOp::kValueAttr, kArgument, "at most 2^58 elements", holdsElements},
    {kPulledByAttr, kArgument, "an array of strings", holdsStrings},
    {DfDialect::kFactorsAttr, kValue, "a #df.precision", holdsOneOf<PrecisionAttr>},
    {kInBoundsAttr, kValue, "a unit attribute", holdsOneOf<UnitAttr>},
    {kNamesRowsAttr, kArgument, "a unit attribute", holdsOneOf<UnitAttr>},
    {kOnHostAttr, kHostable, "a unit attribute", holdsOneOf<UnitAttr>},
    {kScaledByAttr, kValue, "a symbol", holdsOneOf<FlatSymbolRefAttr>},
};
} // namespace

static StringRef nameOf(Carrier carrier) {
  switch (carrier) {
  case Carrier::Module:
    return "modules";
  case Carrier::Function:
    return "functions of other dialects";
  case Carrier::Argument:
    return "arguments";
  case Carrier::Result:
    return "results";
  case Carrier::Value:
    return "ops with results";
  }
  llvm_unreachable("all carriers are covered");
}

/// Fails unless the dialect has the attribute for `carrier`; null: for no op of this kind.
static LogicalResult verifyKnown(Operation *op, NamedAttribute attr, std::optional<Carrier> carrier) {
  const auto *known = llvm::find_if(kKnown, [&](const KnownAttribute &known) { return attr.getName() == known.name; });
  if (known == std::end(kKnown)) {
    InFlightDiagnostic diagnostic = op->emitOpError("has the attribute '")
                                    << attr.getName().getValue() << "', which the df dialect does not have";
    std::vector<std::string> names;
    for (const KnownAttribute &other : kKnown)
      if (carrier && llvm::is_contained(other.carriers, *carrier))
        names.push_back(other.name.str());
    attachNearest(diagnostic, attr.getName().getValue(), names);
    return diagnostic;
  }
  if (!carrier || !llvm::is_contained(known->carriers, *carrier)) {
    SmallVector<StringRef> places;
    for (Carrier place : known->carriers)
      places.push_back(nameOf(place));
    return op->emitOpError("has '") << attr.getName().getValue() << "' where only " << llvm::join(places, " and ")
                                    << " have it";
  }
  if (!known->holds(attr.getValue()))
    return op->emitOpError("'") << attr.getName().getValue() << "' must be " << known->what << "; found "
                                << attr.getValue();
  return success();
}

LogicalResult DfDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  std::optional<Carrier> carrier;
  if (isa<ModuleOp>(op))
    carrier = Carrier::Module;
  else if (isa<FunctionOpInterface>(op) && !isa<FunctionOp>(op))
    carrier = Carrier::Function;
  else if (op->getNumResults() != 0)
    carrier = Carrier::Value;
  return verifyKnown(op, attr, carrier);
}

LogicalResult DfDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attr) {
  return verifyKnown(op, attr, Carrier::Argument);
}

LogicalResult DfDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attr) {
  return verifyKnown(op, attr, Carrier::Result);
}

LogicalResult mlc::df::verifyDeclaredAttributes(Operation *op) {
  for (NamedAttribute attr : op->getDiscardableAttrDictionary()) {
    if (attr.getName().strref().contains('.'))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError("has no attribute '") << attr.getName().getValue() << "'";
    std::vector<std::string> names;
    for (StringAttr name : op->getName().getAttributeNames())
      names.push_back(name.str());
    attachNearest(diagnostic, attr.getName().getValue(), names);
    return diagnostic;
  }
  return success();
}
