// Checks of modules that are to be placed or cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/Placed.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/Transforms/Plan.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

LogicalResult mlc::dist::verifyPlaceable(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (isa<ProgramOp>(op))
      return op.emitOpError("is there already: a module is cut once");
    auto function = dyn_cast<df::FunctionOp>(op);
    if (!function)
      continue;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (df::BindingAttr binding = function.getArgBinding(i))
        return function.emitOpError("argument ")
               << i << " is bound to " << binding << "; functions are placed before df-state-to-values";
    WalkResult result = function.walk([](df::GradientsOp gradients) {
      gradients.emitOpError("cannot be placed; run df-expand-gradients first");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

static LogicalResult verifyDevice(Operation *op) {
  StringAttr device = getDevice(op);
  if (!device)
    return op->emitOpError("has no dist.device; run dist-place first");
  // The dialect has checked that it parses.
  DeviceSpec spec = llvm::cantFail(DeviceSpec::parse(device.getValue()));
  if (!spec.isConcrete() || spec.str() != device.getValue())
    return op->emitOpError("has the device spec ")
           << device << ", which is not a concrete device in canonical form; run dist-place first";
  return success();
}

static LogicalResult verifyWith(Operation *op, Operation *symbol, StringRef how) {
  if (getDevice(op) == getDevice(symbol))
    return success();
  return op->emitOpError("is on ") << getDevice(op) << "; @" << SymbolTable::getSymbolName(symbol).getValue() << ", "
                                   << how << ", is on " << getDevice(symbol);
}

/// Files are shared by what saves and what restores: all of it is on one device.
static LogicalResult verifyFiles(ModuleOp module) {
  Operation *first = nullptr;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<df::SaveOp, df::RestoreOp>(op))
      return WalkResult::advance();
    if (first && getDevice(op) != getDevice(first)) {
      InFlightDiagnostic diag = op->emitOpError("is on ") << getDevice(op) << "; what saves and restores is together";
      diag.attachNote(first->getLoc()) << "this one is on " << getDevice(first);
      return WalkResult::interrupt();
    }
    first = op;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    // Constants are wherever they are used.
    if (isa<df::ConstantOp>(op))
      continue;
    if (failed(verifyDevice(&op)))
      return failure();
    for (Operation *symbol : placedSymbolsOf(&op))
      if (failed(verifyWith(&op, symbol, "which it names")))
        return failure();
    if (isCut(&op))
      for (Region &region : op.getRegions())
        if (failed(verifyBlock(region.front())))
          return failure();
  }
  return success();
}

LogicalResult mlc::dist::verifyPlaced(ModuleOp module) {
  if (failed(verifyPlaceable(module)))
    return failure();
  for (Operation &op : *module.getBody())
    if ((isPlacedSymbol(&op) || isa<df::FunctionOp>(op)) && failed(verifyDevice(&op)))
      return failure();
  for (auto variable : module.getOps<df::VariableOp>())
    if (variable.getSlotOfAttr() &&
        failed(verifyWith(variable, SymbolTable::lookupSymbolIn(module, variable.getSlotOfAttr()), "whose slot it is")))
      return failure();
  for (auto function : module.getOps<df::FunctionOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto device = function.getArgAttrOfType<StringAttr>(i, DistDialect::kDeviceAttr)) {
        DeviceSpec spec = llvm::cantFail(DeviceSpec::parse(device.getValue()));
        if (!spec.isConcrete() || spec.str() != device.getValue())
          return function.emitOpError("argument ") << i << " has the device spec " << device
                                                   << ", which is not a concrete device in canonical form; run "
                                                      "dist-place first";
      }
    if (failed(verifyBlock(function.getBody().front())))
      return failure();
  }
  return verifyFiles(module);
}
