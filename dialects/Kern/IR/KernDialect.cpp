// Registration of the kern dialect, and its attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Support/DialectVersion.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::kern;

#include "dialects/Kern/IR/KernOpsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernOps.cpp.inc"

void KernDialect::initialize() {
  addInterface<mlc::VersionedBytecode>();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernOps.cpp.inc"
      >();
  registerServiceOps();
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
  return op->emitOpError("has the attribute '")
         << attr.getName().getValue() << "', which the kern dialect does not have";
}
