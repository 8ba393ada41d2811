// Control flow of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_CONTROL_FLOW_OPS_TD
#define DF_CONTROL_FLOW_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Df_YieldOp : Df_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region";
  let description = [{ Example: `df.yield %a, %b : tensor<f32>, tensor<i64>` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

def Df_IfOp : Df_Op<"if", [RecursiveMemoryEffects, NoRegionArguments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one of two regions";
  let description = [{
    Runs the first region if `condition`, else the second. Regions may use values and state from outside. Constraints: (C1) both yield the result types.

    Example:
    ```mlir
    %r = df.if %c : (tensor<i1>) -> tensor<f32> {
      df.yield %a : tensor<f32>
    } else {
      df.yield %b : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Df_ScalarBool:$condition);
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition attr-dict `:` functional-type($condition, results) $thenRegion `else` $elseRegion";
  let hasVerifier = 1;
}

def Df_ConditionOp : Df_Op<"condition", [Pure, Terminator, HasParent<"WhileOp">]> {
  let summary = "ends the condition of a loop";
  let description = [{ Example: `df.condition %go : tensor<i1>` }];
  let arguments = (ins Df_ScalarBool:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Df_WhileOp : Df_Op<"while", [RecursiveMemoryEffects]> {
  let summary = "a loop";
  let description = [{
    Carried values start as `inits`. While the condition region, given them, says so, the body region maps them to their next values. The results are
    their last values. `max_iterations`, if given, bounds the number of iterations: it ends the loop. Constraints: (C1) the arguments of both regions, what the body
    yields and the results have the types of `inits`; (C2) the condition region ends in `df.condition`, the body in `df.yield`; (C3) `max_iterations` >= 0.

    Example:
    ```mlir
    %r = df.while (%i) : (tensor<i64>) -> tensor<i64> {
    ^bb0(%a: tensor<i64>):
      %go = df.compare lt, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%a: tensor<i64>):
      %b = df.add %a, %one : tensor<i64>
      df.yield %b : tensor<i64>
    }
    ```
  }];
  let arguments = (ins Variadic<Df_Tensor>:$inits, OptionalAttr<I64Attr>:$max_iterations);
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$conditionRegion, SizedRegion<1>:$bodyRegion);
  let assemblyFormat = "`(` $inits `)` attr-dict `:` functional-type($inits, results) $conditionRegion `do` $bodyRegion";
  let hasVerifier = 1;
}

#endif // DF_CONTROL_FLOW_OPS_TD
