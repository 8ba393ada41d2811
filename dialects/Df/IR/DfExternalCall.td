// The op interface of what a C function computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_EXTERNAL_CALL_TD
#define DF_EXTERNAL_CALL_TD

include "mlir/IR/OpBase.td"

def ExternalCallOpInterface : OpInterface<"ExternalCallOpInterface"> {
  let description = [{
    An op that a C function computes:

    ```c
    int32_t function(const mlcrt_buffer *operands, const mlcrt_buffer *results);
    ```

    It gets the operands of the op in order, after them its parameters, which are attributes of it, and the results
    (mlcrt/abi.h: data, element type and sizes; row-major), writes
    all elements of the results, which overlap with nothing, and returns 0; any other number fails the step. Its code
    comes as LLVM bitcode, which is linked into the artifact: that may import memcpy, memmove and memset, no more.
    Sizes of results that are not static are those of operands, as `DimensionsOpInterface` tells.
    The interpreter calls `getHostFunction`. A gradient comes from `DifferentiableOpInterface`.
    Constraints: (C1) operands and results are tensors of numbers of rank 6 at most; (C2) an op whose function is not
    deterministic has memory effects, so that nothing repeats, merges or drops it; (C3) parameters are numbers, booleans
    and arrays of numbers.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"The name of the C function.", "::llvm::StringRef", "getCallee">,
    InterfaceMethod<[{
      Bitcode for x86-64, of the version of LLVM that mlc is built with, that defines the function.
    }], "::llvm::StringRef", "getBitcode">,
    InterfaceMethod<[{
      What the function gets after the operands: a number or a boolean as a tensor of rank 0 of its type, an array of
      numbers as a vector.
    }], "::llvm::SmallVector<::mlir::Attribute>", "getParameters", (ins), "", "return {};">,
    InterfaceMethod<"The function itself, in this process.", "::mlc::df::HostFunction", "getHostFunction">,
    InterfaceMethod<"Whether equal operands give equal results, bit by bit.", "bool", "isDeterministic">,
    InterfaceMethod<[{
      Whether several threads may be in the function at once. Calls of one that is not take turns within an artifact.
    }], "bool", "isThreadSafe">,
  ];
  let verify = [{ return ::mlc::df::detail::verifyExternalCall($_op); }];
}

#endif // DF_EXTERNAL_CALL_TD
