// Registration of the kern dialect, and its attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernAttention.h"
#include "dialects/Kern/IR/KernErrorWord.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "dialects/Kern/IR/KernLoops.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "dialects/Kern/IR/KernTensorMap.h"
#include "dialects/Kern/IR/KernTiles.h"
#include "dialects/Support/DialectVersion.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::kern;

#include "dialects/Kern/IR/KernOpsDialect.cpp.inc"
#include "dialects/Kern/IR/KernOpsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kern/IR/KernOpsAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernOps.cpp.inc"

/// Version 2: kern.contract got unsigned operands and a tiling, kern.launch a grid.
static constexpr mlc::VersionedBytecode::Upgrade kUpgrades[] = {mlc::VersionedBytecode::addNothing};

void KernDialect::initialize() {
  addInterface<mlc::VersionedBytecode>(kUpgrades);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kern/IR/KernOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernAttention.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernFlow.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernTensorMap.cpp.inc"
      >();
  registerServiceOps();
}

/// A number, then texts.
static bool areChecks(Attribute value) {
  auto checks = dyn_cast<ArrayAttr>(value);
  return checks && !checks.empty() && isa<IntegerAttr>(checks[0]) &&
         llvm::all_of(checks.getValue().drop_front(), llvm::IsaPred<StringAttr>);
}

/// Those of KernErrorWord.h.
static LogicalResult verifyErrorWord(Operation *op, NamedAttribute attr) {
  const bool isContained = attr.getName() == kContainedAttr, isOperand = attr.getName() == kErrorOperandAttr;
  Attribute value = attr.getValue();
  if (isContained ? !isa<UnitAttr>(value) : isOperand ? !isa<IntegerAttr>(value) : !areChecks(value))
    return op->emitOpError("has '") << attr.getName() << "' = " << value << "; expected "
                                    << (isContained ? "a unit attribute"
                                        : isOperand ? "the number of an operand"
                                                    : "a number and texts");
  if (isContained ? !isa<ReportErrorOp>(op) : !isa<FunctionOpInterface>(op))
    return op->emitOpError("has '") << attr.getName() << "', which only "
                                    << (isContained ? "kern.report_error has" : "functions have");
  return success();
}

LogicalResult KernDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kInterleavedAttr) {
    StringRef name = op->getName().getStringRef();
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("has '") << kInterleavedAttr << "' = " << attr.getValue() << "; expected a unit attribute";
    if (name != "arith.addf" && name != "arith.mulf")
      return op->emitOpError("has '") << kInterleavedAttr << "', which only arith.addf and arith.mulf have";
    return success();
  }
  if (attr.getName() == kTf32Attr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("has '") << kTf32Attr << "' = " << attr.getValue() << "; expected a unit attribute";
    const bool hasFactors = isa<ContractOp, AttentionOp, AttentionGradOp>(op);
    if (!hasFactors || !getElementTypeOrSelf(op->getOperand(0)).isF32() ||
        !getElementTypeOrSelf(op->getOperand(1)).isF32())
      return op->emitOpError("has '") << kTf32Attr << "', which only kern.contract and attention of f32 have";
    return success();
  }
  if (attr.getName() == kGridAttr) {
    if (!isa<GridAttr>(attr.getValue()))
      return op->emitOpError("has '") << kGridAttr << "' = " << attr.getValue() << "; expected a #kern.grid";
    auto function = dyn_cast<FunctionOpInterface>(op);
    ArrayRef<Type> arguments = function ? function.getArgumentTypes() : ArrayRef<Type>();
    auto isIndex = [](Type type) { return type.isIndex(); };
    if (arguments.size() < 2 || !llvm::all_of(arguments.take_back(2), isIndex))
      return op->emitOpError("has '") << kGridAttr
                                      << "', which functions have that end with a block and a thread, indices";
    return success();
  }
  if (attr.getName() == kSpacesAttr || attr.getName() == kCapturableAttr) {
    const bool isFlag = attr.getName() == kCapturableAttr;
    if (isFlag ? !isa<UnitAttr>(attr.getValue()) : !isa<DenseI64ArrayAttr>(attr.getValue()))
      return op->emitOpError("has '") << attr.getName() << "' = " << attr.getValue() << "; expected "
                                      << (isFlag ? "a unit attribute" : "an array of i64");
    if (!isa<FunctionOpInterface>(op))
      return op->emitOpError("has '") << attr.getName() << "', which only functions have";
    return success();
  }
  if (attr.getName() == kMayGoOnAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("has '") << kMayGoOnAttr << "' = " << attr.getValue() << "; expected a unit attribute";
    if (op->getName().getStringRef() != "scf.for")
      return op->emitOpError("has '") << kMayGoOnAttr << "', which only scf.for has";
    return success();
  }
  if (attr.getName() == kKernelTableAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError("has '") << kKernelTableAttr << "' = " << attr.getValue() << "; expected a text";
    if (!isa<ModuleOp>(op))
      return op->emitOpError("has '") << kKernelTableAttr << "', which only modules have";
    return success();
  }
  if (attr.getName() == kErrorOperandAttr || attr.getName() == kChecksAttr || attr.getName() == kContainedAttr)
    return verifyErrorWord(op, attr);
  return op->emitOpError("has the attribute '")
         << attr.getName().getValue() << "', which the kern dialect does not have";
}
