// Ops for which ODS generates builders that infer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir/Interfaces/InferTypeOpInterface.td"

def Inferring : NativeOpTrait<"InfersTypes">;

// InferTypeOpInterface comes through the trait.
def FineOp : Op<D, "fine", [Inferring]>;
def FirstOp : Op<D, "first", [DeclareOpInterfaceMethods<InferTypeOpInterface>]>;
def SecondOp : Op<D, "second", [SameOperandsAndResultType]>;
