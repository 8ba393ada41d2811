// Registration of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/NearestMatch.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Support/DialectVersion.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::df;

/// Number of an initializer: any decimal float or integer literal, held as an IEEE double.
static ParseResult parseDouble(AsmParser &parser, FailureOr<APFloat> &value) {
  double number;
  if (parser.parseFloat(number))
    return failure();
  value = APFloat(number);
  return success();
}
static void printDouble(AsmPrinter &printer, const APFloat &value) { printer.printFloat(value); }

#include "dialects/Df/IR/DfInterfaces.cpp.inc"
#include "dialects/Df/IR/DfOpsDialect.cpp.inc"
#include "dialects/Df/IR/DfOpsEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Df/IR/DfOpsTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Df/IR/DfOpsAttrs.cpp.inc"

// Registration of the ops of each theme (DfOpsTheme.cpp.in).
namespace mlc::df {
#define MLC_OPS_THEME(theme) void register##theme##Ops(DfDialect &dialect);
#include "dialects/Df/IR/DfOpsThemes.def"
#undef MLC_OPS_THEME
} // namespace mlc::df

namespace {
/// Ops go wherever a region goes. What a df.call runs is not inlined: variables are locked for as long as it takes.
struct DfInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override { return false; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void DfDialect::initialize() {
  addInterface<VersionedBytecode>();
  addInterfaces<DfInlinerInterface>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Df/IR/DfOpsTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Df/IR/DfOpsAttrs.cpp.inc"
      >();
#define MLC_OPS_THEME(theme) register##theme##Ops(*this);
#include "dialects/Df/IR/DfOpsThemes.def"
#undef MLC_OPS_THEME
}

bool DfDialect::areKnownTerms(ArrayAttr terms) {
  llvm::sys::ScopedLock lock(knownTermsMutex);
  return knownTerms.contains(terms);
}

void DfDialect::addKnownTerms(ArrayAttr terms) {
  llvm::sys::ScopedLock lock(knownTermsMutex);
  knownTerms.insert(terms);
}

Operation *DfDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

LogicalResult mlc::df::verifyTypes(Operation *op, bool ok, StringRef constraint, Type found, Type other) {
  if (ok)
    return success();
  return op->emitOpError() << constraint << ": found " << found << " and " << other;
}

void mlc::df::attachNearest(InFlightDiagnostic &diagnostic, StringRef name,
                            const std::vector<std::string> &candidates) {
  if (std::string nearest = common::nearestMatch(name.str(), candidates); !nearest.empty())
    diagnostic.attachNote() << "did you mean '" << nearest << "'?";
}

VariableOp mlc::df::lookupVariable(Operation *op, FlatSymbolRefAttr symbol, SymbolTableCollection &tables) {
  auto variable = tables.lookupNearestSymbolFrom<VariableOp>(op, symbol);
  if (!variable) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "names " << symbol << ", which is not a df.variable";
    attachNearestSymbol<VariableOp>(diagnostic, op, symbol);
  }
  return variable;
}

VocabularyOp mlc::df::lookupVocabulary(Operation *op, FlatSymbolRefAttr symbol, SymbolTableCollection &tables) {
  auto table = tables.lookupNearestSymbolFrom<VocabularyOp>(op, symbol);
  if (!table) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "names " << symbol << ", which is not a df.vocabulary";
    attachNearestSymbol<VocabularyOp>(diagnostic, op, symbol);
  }
  return table;
}
