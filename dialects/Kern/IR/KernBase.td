// The kern dialect, and what all its ops share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_BASE_TD
#define KERN_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "dialects/Kern/IR/KernInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"

def Kern_Dialect : Dialect {
  let name = "kern";
  let cppNamespace = "::mlc::kern";
  let summary = "Kernels that linalg cannot say, in destination style";
  let description = [{
    Internal to code generation. On tensors, fusion moves epilogues into `kern.contract`; bufferization turns operands into memrefs; then every
    kernel becomes a `kern.launch` of loops over vectors, which is outlined into a function that `parallel_for` runs.
    Targets plan products (`#kern.tiling`) and pack their right sides (`kern.pack`) first. All ops but `kern.copies`, `kern.publish`, `kern.launch` and `kern.group` are destination style: results are the updated `outs`. Calls of the runtime's services are ops too, made from
    the list of services (KernServices.td).
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerServiceOps();
  }];
}

class Kern_Op<string opMnemonic, list<Trait> traits = []> : Op<Kern_Dialect, opMnemonic, traits>;

def Kern_Shaped : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

// A kernel takes the elements of a row one after the other.
def Kern_TakesContiguousRows : NativeOpTrait<"TakesContiguousRows", [], [{
  bool canTake(::mlir::OpOperand &, ::mlir::MemRefType type) { return ::mlc::kern::hasContiguousRows(type); }
}]> {
  let cppNamespace = "::mlc::kern";
}

class Kern_DpsOp<string opMnemonic, list<Trait> traits = []> : Kern_Op<opMnemonic, !listconcat([DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, KernelOpInterface], traits)> {
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

#endif // KERN_BASE_TD
