// The demo dialect: ops that mlc does not know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DEMO_TD
#define DEMO_TD

include "dialects/Df/IR/DfBase.td"
include "dialects/Df/IR/DfExternalCall.td"

def Demo_Dialect : Dialect {
  let name = "demo";
  let cppNamespace = "::demo";
  let dependentDialects = ["::mlc::df::DfDialect"];
}

// Effect-free, and not Pure: rows of different sizes fail. They never fail if sizes agree, so what is known to agree may be
// moved out of loops.
class Demo_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Demo_Dialect, opMnemonic, !listconcat([Df_EffectFree, Df_NeverFails], traits)>;

def Demo_CosineSimilarityOp : Demo_Op<"cosine_similarity",
    [Df_InfersTypes, Df_MapsDimensions, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "cosine of the angle between rows";
  let description = [{
    sum(x * y) / (|x| |y| + epsilon) along the last dimension. It is defined by its decomposition, which the
    interpreter evaluates, df-expand-gradients differentiates and the compiler lowers.
    Constraints: (C1) the operands agree in shape and element type; (C2) their rank is at least 1.

    Example: `%s = demo.cosine_similarity %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$lhs, Df_FloatTensor:$rhs, DefaultValuedAttr<F64Attr, "1.0e-6">:$epsilon);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Demo_AboveZero : AttrConstraint<CPred<"::llvm::cast<::mlir::FloatAttr>($_self).getValueAsDouble() > 0">, "above 0">;

def Demo_SoftClipOp : Demo_Op<"soft_clip", [Df_JoinsTypes, Df_Elementwise,
    DeclareOpInterfaceMethods<ExternalCallOpInterface, ["getParameters"]>, DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "a number into an interval around 0";
  let description = [{
    x / sqrt(1 + (x / limit)^2), which a C function computes (soft_clip.c): in (-limit, limit). The gradient is made of ops
    of df. Constraints: (C1) `limit` is above 0.

    Example: `%y = demo.soft_clip %x {limit = 2.0 : f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins F32Tensor:$operand, ConfinedAttr<DefaultValuedAttr<F32Attr, "1.0f">, [Demo_AboveZero]>:$limit);
  let results = (outs F32Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // DEMO_TD
