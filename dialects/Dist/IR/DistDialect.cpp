// Registration and verifiers of the dist dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Support/DialectVersion.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

#include "dialects/Dist/IR/DistOpsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.cpp.inc"

void DistDialect::initialize() {
  addInterface<VersionedBytecode>();
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/IR/DistOps.cpp.inc"
      >();
}

static LogicalResult verifyDevice(Operation *op, NamedAttribute attr) {
  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (!text)
    return op->emitOpError("'") << attr.getName().getValue() << "' must be a string; found " << attr.getValue();
  llvm::Expected<DeviceSpec> spec = DeviceSpec::parse(text.getValue());
  if (!spec)
    return op->emitOpError() << llvm::toString(spec.takeError());
  return success();
}

static LogicalResult refuse(Operation *op, NamedAttribute attr, StringRef where) {
  return op->emitOpError("has '") << attr.getName().getValue() << "' on " << where
                                  << ", where the dist dialect has no such attribute";
}

/// Whether `attr` is an array of `Element`s.
template <typename Element> static LogicalResult verifyArray(Operation *op, NamedAttribute attr, StringRef what) {
  auto array = dyn_cast<ArrayAttr>(attr.getValue());
  if (array && llvm::all_of(array, llvm::IsaPred<Element>))
    return success();
  return op->emitOpError("'") << attr.getName().getValue() << "' must be an array of " << what << "; found "
                              << attr.getValue();
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (isa<ModuleOp>(op)) {
    if (attr.getName() == kDevicesAttr)
      return verifyArray<StringAttr>(op, attr, "strings");
    if (attr.getName() == kPartsAttr || attr.getName() == kChannelsAttr)
      return verifyArray<DictionaryAttr>(op, attr, "dictionaries");
  }
  if (!isa_and_nonnull<df::DfDialect>(op->getDialect()) || op->hasTrait<OpTrait::IsTerminator>())
    return refuse(op, attr, "an op that is not placed");
  if (attr.getName() == kDeviceAttr)
    return verifyDevice(op, attr);
  if (attr.getName() != kColocateAttr || isa<df::FunctionOp>(op))
    return refuse(op, attr, "an op");
  auto symbol = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
  if (!symbol)
    return op->emitOpError("'") << attr.getName().getValue() << "' must be a symbol; found " << attr.getValue();
  Operation *found = SymbolTable::lookupNearestSymbolFrom(op, symbol);
  if (!isa_and_nonnull<df::VariableOp, df::QueueOp>(found))
    return op->emitOpError("is colocated with ") << symbol << ", which is neither a df.variable nor a df.queue";
  return success();
}

/// A place among the arguments of an entry.
static LogicalResult verifyPlace(Operation *op, NamedAttribute attr) {
  auto place = dyn_cast<IntegerAttr>(attr.getValue());
  if (!place || !place.getType().isInteger(64) || place.getInt() < 0)
    return op->emitOpError("'") << attr.getName().getValue() << "' must be an i64 >= 0; found " << attr.getValue();
  return success();
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attr) {
  if (attr.getName() == kDeviceAttr)
    return verifyDevice(op, attr);
  return attr.getName() == kArgumentAttr ? verifyPlace(op, attr) : refuse(op, attr, "an argument");
}

LogicalResult ProgramOp::verify() {
  llvm::Expected<DeviceSpec> spec = DeviceSpec::parse(getDevice());
  if (!spec)
    return emitOpError("(C1) ") << llvm::toString(spec.takeError());
  if (!spec->isConcrete() || spec->str() != getDevice())
    return emitOpError("(C1) must be on a concrete device in canonical form, as "
                       "\"/job:worker/task:0/device:CPU:0\" or \"/device:CPU:0\"; found \"")
           << getDevice() << '"';
  return success();
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &) {
  // Once for all programs, by the first.
  auto module = cast<ModuleOp>((*this)->getParentOp());
  return *module.getOps<ProgramOp>().begin() == *this ? verifyPrograms(module) : success();
}

/// (C1) and (C3) of the two sides of a channel, which has `values`.
static LogicalResult verifyMessage(Operation *op, ValueRange values) {
  if (values.empty())
    return op->emitOpError("(C1) must have at least one value");
  return op->getParentOfType<ProgramOp>() ? success() : op->emitOpError("(C3) is in no dist.program");
}

LogicalResult SendOp::verify() { return verifyMessage(*this, getValues()); }

LogicalResult RecvOp::verify() {
  if (failed(verifyMessage(*this, getValues())))
    return failure();
  return df::verifySizes(*this, getSizesAttr());
}
