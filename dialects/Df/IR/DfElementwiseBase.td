// Classes of element-wise ops of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_ELEMENTWISE_BASE_TD
#define DF_ELEMENTWISE_BASE_TD

include "dialects/Df/IR/DfBase.td"

// The element type that stands in the example of an op on `tensor`.
class Df_ExampleElement<Type tensor> {
  string name = !cond(!eq(tensor, Df_BoolTensor) : "i1", !eq(tensor, Df_IntTensor) : "i32", true : "f32");
}

class Df_UnaryOp<string opMnemonic, Type tensor, string what, string formula, list<Trait> extra = []> : Df_Op<opMnemonic,
    !listconcat([Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise], extra)> {
  let summary = what;
  let description = formula # [{

    Example: `%y = df.}] # opMnemonic # " %x : tensor<?x4x" # Df_ExampleElement<tensor>.name # [{>`
  }];
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
}

class Df_BinaryOp<string opMnemonic, Type tensor, string what, string formula, list<Trait> traits = [],
    Trait failure = Df_NeverFails, list<Trait> extra = []> : Df_Op<opMnemonic,
    !listconcat([Df_EffectFree, failure, Df_JoinsTypes, Df_Elementwise], traits, extra)> {
  let summary = what;
  let description = formula # [{

    Example: `%z = df.}] # opMnemonic # " %x, %y : tensor<?x4x" # Df_ExampleElement<tensor>.name # [{>`
  }];
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<JoinedTypes>(type($lhs), type($rhs), type($result))";
}

#endif // DF_ELEMENTWISE_BASE_TD
