// Facts about the CPU as attributes, and cpu-attach-target, which puts them on the module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/CPU/CpuMachine.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlc {
#define GEN_PASS_DEF_ATTACHTARGET
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

static constexpr StringLiteral kDevice = "CPU";
static constexpr StringLiteral kName = "name", kVectorBits = "vector_bits", kVectorRegisters = "vector_registers";

TargetSystemSpecInterface CpuMachine::describe(MLIRContext *context) const {
  Builder b(context);
  auto entry = [&](StringRef key, Attribute value) -> DataLayoutEntryInterface {
    return DataLayoutEntryAttr::get(b.getStringAttr(key), value);
  };
  auto device = TargetDeviceSpecAttr::get(context, {entry(kName, b.getStringAttr(name)),
                                                    entry(kVectorBits, b.getI64IntegerAttr(vectorBits)),
                                                    entry(kVectorRegisters, b.getI64IntegerAttr(vectorRegisters))});
  return TargetSystemSpecAttr::get(context, {entry(kDevice, device)});
}

FailureOr<CpuMachine> CpuMachine::of(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto system =
      module ? dyn_cast_or_null<TargetSystemSpecInterface>(module.getTargetSystemSpec()) : TargetSystemSpecInterface();
  Builder b(op->getContext());
  std::optional<TargetDeviceSpecInterface> device;
  if (system)
    device = system.getDeviceSpecForDeviceID(b.getStringAttr(kDevice));
  if (!device)
    return op->emitError("the module names no CPU in '")
           << DLTIDialect::kTargetSystemDescAttrName << "'; expected cpu-attach-target to run before";
  CpuMachine machine;
  auto valueOf = [&](StringRef key) -> Attribute {
    DataLayoutEntryInterface entry = device->getSpecForIdentifier(b.getStringAttr(key));
    return entry ? entry.getValue() : Attribute();
  };
  auto name = dyn_cast_or_null<StringAttr>(valueOf(kName));
  auto bits = dyn_cast_or_null<IntegerAttr>(valueOf(kVectorBits));
  auto registers = dyn_cast_or_null<IntegerAttr>(valueOf(kVectorRegisters));
  if (!name || !bits || !registers || (bits.getInt() != 256 && bits.getInt() != 512) || registers.getInt() < 16)
    return op->emitError("the module's CPU has no code: expected \"name\", \"vector_bits\" 256 or 512, and "
                         "\"vector_registers\" of 16 at least");
  machine.name = name.str();
  machine.vectorBits = bits.getInt();
  machine.vectorRegisters = registers.getInt();
  return machine;
}

namespace {
struct AttachTarget : public mlc::impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    CpuMachine machine{cpu, vectorBits, vectorRegisters};
    getOperation()->setAttr(DLTIDialect::kTargetSystemDescAttrName, machine.describe(&getContext()));
    if (failed(CpuMachine::of(getOperation())))
      signalPassFailure();
  }
};
} // namespace
