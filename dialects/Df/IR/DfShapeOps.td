// Constants, broadcasts and shape ops of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_SHAPE_OPS_TD
#define DF_SHAPE_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/IR/OpAsmInterface.td"

def Df_ConstantOp : Df_Op<"constant", [Df_Work<"Free">, Df_InfersIntegers, Df_MadeWhereUsed, Pure, ConstantLike, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a constant tensor";
  let description = [{ Example: `%c = df.constant dense<1.0> : tensor<4xf32>` }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Df_BroadcastOp : Df_Op<"broadcast", [Df_Work<"Movement">, Df_MovesAll, Df_Measures<1>, Df_MadeWhereUsed, Df_Exact, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_FreeResultType<"without `like` it says the shape">]> {
  let summary = "repeats a tensor along new or unit dimensions";
  let description = [{
    The result has the shape of `like` (whose elements do not matter) or, without it, the static shape of its type. Dimension i of
    `operand` goes to dimension `dimensions[i]` of the result.
    Constraints: (C1) `dimensions` has one entry for each dimension of `operand`, strictly ascending, within the result's rank;
    (C2) each dimension of `operand` is 1 or that of the result; (C3) `like` has the result's shape; without it the result is static;
    (C4) element types of `operand` and result agree.

    Example: `%y = df.broadcast %b like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Optional<Df_Tensor>:$like, DenseI64ArrayAttr:$dimensions);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$operand (`like` $like^)? `dimensions` `=` $dimensions attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Df_ReshapeOp : Df_PlainOp<"reshape", [Df_Work<"Free">, Df_MovesAll, Df_MadeWhereUsed, Df_Exact, Df_TellsIfItFails, Df_MapsDimensions, Df_FreeResultType<"it says the shape">]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Constraints: (C1) element types agree; (C2) static shapes hold equally many elements; (C3) each shape has at most one dynamic
    dimension, both have one or none, or the shapes differ in dimensions of 1 alone; (C4) of the products of the static dimensions one divides the other; neither is 0 if they differ. The dynamic dimension of the
    result is what the others leave of the elements, which they must divide.

    Example: `%y = df.reshape %x : (tensor<?x1xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand);
  let results = (outs Df_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Df_CastShapeOp : Df_Op<"cast_shape", [Df_Work<"Free">, Df_MovesAll, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_FreeResultType<"it says what is known of the sizes">]> {
  let summary = "a tensor under a type that knows more or fewer of its sizes";
  let description = [{
    The operand, as `tensor.cast`. Sizes that the result's type knows and the operand's does not are checked at run time;
    an op that knows no more than its operand cannot fail. `df-refine-types` makes them. Gradient: the cotangent under the
    operand's type. Constraints: (C1) the types agree: one rank and element type, and of sizes that both know equal ones.

    Example: `%y = df.cast_shape %x : tensor<?x4xf32> to tensor<8x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Whether the result's type knows a size that the operand's does not: it is checked.
    bool isRefining();
  }];
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_TransposeOp : Df_PlainOp<"transpose", [Df_Work<"Movement">, Df_MovesAll, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand. Constraints: (C1) `permutation` is one; (C2) the result's
    shape is the permuted one.

    Example: `%y = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<"map.at(getOperand(), getPermutation(), getResult()); map.parallel(getResult());">.definition;
}

def Df_ConcatOp : Df_PlainOp<"concat", [Df_Work<"Movement">, Df_MovesOperands, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "tensors one after another along an axis";
  let description = [{
    Constraints: (C1) at least one operand, equal ranks and element types; (C2) dimensions other than `axis` agree; (C3) those along `axis` add up
    to the result's, which is dynamic if any of them is.

    Example: `%y = df.concat %a, %b {axis = 1 : i64} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins Variadic<Df_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Df_Tensor:$result);
  let hasFolder = 1;
}

def Df_SizeOp : Df_PlainOp<"size", [Df_Work<"Free">, Df_Measures<0>, Df_MadeWhereUsed, Df_NeverFails, Df_InfersTypesBy<"return ::mlc::df::inferScalar(infer, infer.i64());">]> {
  let summary = "number of elements of some dimensions";
  let description = [{
    The product of the sizes of `dimensions`; 1 of none. No gradient. Constraints: (C1) `dimensions` are strictly ascending, within the operand's rank.

    Example: `%n = df.size %x {dimensions = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<i64>`
  }];
  let arguments = (ins Df_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Df_ScalarId:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DF_SHAPE_OPS_TD
