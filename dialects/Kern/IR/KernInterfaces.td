// What calls of services have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_INTERFACES_TD
#define KERN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def ServiceOpInterface : OpInterface<"ServiceOpInterface"> {
  let cppNamespace = "::mlc::kern";
  let description = [{
    A call of a service of the runtime (mlcrt/services.def). It is in destination style. A code other than 0 ends the
    segment. Constraint: elements of buffers lie one after another, as far as their types tell: the service gets
    pointers.
  }];
  let methods = [
    StaticInterfaceMethod<"The service's name in mlcrt/services.def.", "::llvm::StringLiteral", "getServiceName">,
    StaticInterfaceMethod<"Whether what the destinations hold matters.", "bool", "readsOuts">,
    InterfaceMethod<"Whether the call runs, in its order among others, though nobody reads what it writes.", "bool",
                    "mustRun">,
    InterfaceMethod<"The arguments of the C function after `env`, in order.",
                    "::llvm::SmallVector<::mlc::kern::ServiceArgument>", "getServiceArguments">,
  ];
  let verify = [{ return ::mlc::kern::detail::verifyServiceOp($_op); }];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mlc::kern";
  let description = [{
    Work that a target makes launches of, beside linalg's. It is in destination style.
  }];
  let methods = [
    InterfaceMethod<"Whether the host reads the operand to launch the kernel, as the number of its tasks.", "bool", "isHostOperand",
                    (ins "::mlir::OpOperand &":$operand), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether the kernel can take the operand as a buffer of `type`: of other layouts it takes a copy.", "bool",
                    "canTake", (ins "::mlir::OpOperand &":$operand, "::mlir::MemRefType":$type), [{}], [{ return true; }]>,
    InterfaceMethod<"Whether what the destinations hold matters.", "bool", "readsOuts", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // KERN_INTERFACES_TD
