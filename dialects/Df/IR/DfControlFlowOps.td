// Control flow of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_CONTROL_FLOW_OPS_TD
#define DF_CONTROL_FLOW_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Df_IfOp : Df_Op<"if", [Df_Work<"Free">, DeclareOpInterfaceMethods<RegionSizesOpInterface>, RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorRegions", "getRegionInvocationBounds"]>, Df_InfersTypes]> {
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
}

def Df_ConditionOp : Df_Op<"condition", [Pure, Terminator, HasParent<"WhileOp">,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "ends the condition of a loop";
  let description = [{ Example: `df.condition %go : tensor<i1>` }];
  let arguments = (ins Df_ScalarBool:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

// What a loop carries: its initial values, region arguments, what it yields for the next iteration, results.
defvar Df_CarryingLoop = ["getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"];

// No successor has values that are forwarded to it: `df.condition` hands on the carried values without naming them, which
// upstream's analyses cannot see. They take what a while carries for unknown.
def Df_WhileOp : Df_Op<"while", [Df_Work<"Free">, DeclareOpInterfaceMethods<RegionSizesOpInterface, ["forEachCarried"]>, RecursiveMemoryEffects, DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, Df_CarryingLoop>, Df_InfersTypes]> {
  let summary = "a loop";
  let description = [{
    Carried values start as `inits`. While the condition region, given them, says so, the body region maps them to their next values. The results are
    their last values. `max_iterations`, if given, bounds the number of iterations: it ends the loop, or with `must_end`
    the run fails if the condition still holds then.

    The body may yield rows after the carried values. They are stacked as those of `df.scan`: row i of a result
    [max_iterations, ..] is what iteration i yielded, rows that no iteration reached are zeros, and the last result is
    the number of iterations. `df-decompose` makes a `df.scan` over the iterations that there may be of such a loop,
    which is differentiated as one.

    Constraints: (C1) the arguments of both regions and the first results have the types of `inits`; (C2) the condition
    region ends in `df.condition`, the body in `df.yield` of the types of `inits` and of rows; (C3) `max_iterations`
    >= 0, and `must_end` needs it; (C4) rows need `max_iterations`; the results after the carried ones are
    [max_iterations, ..] for each row, then an i64.

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
  let arguments = (ins Variadic<Df_Tensor>:$inits, OptionalAttr<I64Attr>:$max_iterations, UnitAttr:$must_end);
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$conditionRegion, SizedRegion<1>:$bodyRegion);
  let assemblyFormat = "`(` $inits `)` attr-dict `:` functional-type($inits, results) $conditionRegion `do` $bodyRegion";
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getInits().size(); }
    /// Whether rows are stacked. Only before df-decompose.
    bool hasStacked() { return getNumResults() > getNumCarried(); }
    ::mlir::ResultRange getStacked() {
      return hasStacked() ? getResults().drop_front(getNumCarried()).drop_back() : getResults().take_front(0);
    }
    YieldOp getYield();
  }];
  let hasVerifier = 1;
}

def Df_ScanOp : Df_Op<"scan", [Df_Work<"Free">,
    DeclareOpInterfaceMethods<RegionSizesOpInterface, ["forEachCarried", "forEachSameSize"]>, RecursiveMemoryEffects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, Df_CarryingLoop # ["getStaticTripCount"]>, Df_InfersTypes]> {
  let summary = "a loop over the rows of tensors";
  let description = [{
    Runs the body once for each row of `sequences`, which have equally many, in order, or with `reverse` from the last to the first; with `count` for
    the first `count` rows only. Without sequences it runs `count` times. The body takes the carried values, which start as `inits`, and a row of each sequence; it
    yields their next values and a row of each stacked result. The results are the last carried values, then the stacked results: row i is what the body yielded for row i,
    rows from `count` on are zeros. A recurrent layer is a scan over time. With `parallel_iterations` = k compiled code puts k iterations into one: what of them
    does not need the others' results runs at once. Results stay the same.

    Constraints: (C1) there is a sequence or `count`; sequences have rank >= 1 and one leading dimension, all static or all dynamic; (C2) the body takes the types of
    `inits`, then those of the sequences' rows; (C3) it yields the types of `inits`, then rows of the stacked results; (C4) results have the types of `inits`, then those of
    the stacked rows after the sequences' leading dimension, which is dynamic without sequences; (C5) `parallel_iterations` is in [1, 1024]. At run time 0 <= `count` <= number of rows.

    The gradient runs backwards over the rows. It keeps, stacked, what the backward body needs of each iteration and cannot cheaply compute again: results of
    products, sums and the like, functions beyond arithmetic, carried values; all else is computed again from these.

    Example:
    ```mlir
    %last, %sums = df.scan (%zero) over (%x) : (tensor<4xf32>, tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
    ^bb0(%sum: tensor<4xf32>, %row: tensor<4xf32>):
      %next = df.add %sum, %row : tensor<4xf32>
      df.yield %next, %next : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Df_Tensor>:$inits, Variadic<Df_Tensor>:$sequences, Optional<Df_ScalarId>:$count, UnitAttr:$reverse,
                       OptionalAttr<I64Attr>:$parallel_iterations);
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inits `)` (`over` `(` $sequences^ `)`)? (`count` $count^)? (`parallel_iterations` $parallel_iterations^)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let extraClassDeclaration = [{
    unsigned getNumCarried() { return getInits().size(); }
    ::mlir::ResultRange getStacked() { return getResults().drop_front(getNumCarried()); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getCarriedArguments() { return getBody().getArguments().take_front(getNumCarried()); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getRowArguments() { return getBody().getArguments().drop_front(getNumCarried()); }
    YieldOp getYield();
    /// The leading dimension of sequences and stacked results.
    int64_t getNumRows();
  }];
  let hasVerifier = 1;
}

def Df_CustomGradientOp : Df_Op<"custom_gradient", [Df_Work<"Free">, RecursiveMemoryEffects, RecursivelySpeculatable,
    Df_InfersTypes]> {
  let summary = "a function with a backward function of its own";
  let description = [{
    What the first region yields of the operands, which are its arguments: the outputs, then `residuals` values that are
    kept for the backward function. Where the op is differentiated its gradient is not that of the first region: the
    second one maps the residuals and the cotangents of the outputs of floats to the gradients of the operands of floats.
    What it needs of the operands has to be a residual. Residuals are results as others are; where the loss depends on
    them by another way they are differentiated as the first region computes them. Elsewhere the op is its first region,
    which `df-expand-gradients` puts in its place.

    Regions may use values from outside and read state, but a gradient by one of those is an error, as it would be lost:
    it has to be an operand. Constraints: (C1) the first region takes the operands' types; (C2) it yields the result
    types; (C3) `residuals` >= 0, and no more than there are results; (C4) the second region takes the types of the
    residuals, then those of the outputs of floats; (C5) it yields the types of the operands of floats.

    Example:
    ```mlir
    %y, %kept = df.custom_gradient (%x) {residuals = 1 : i64} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    ^bb0(%a: tensor<?x4xf32>):
      %b = df.exp %a : tensor<?x4xf32>
      df.yield %b, %b : tensor<?x4xf32>, tensor<?x4xf32>
    } gradient {
    ^bb0(%b: tensor<?x4xf32>, %cotangent: tensor<?x4xf32>):
      %g = df.mul %cotangent, %b : tensor<?x4xf32>
      df.yield %g : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Df_Tensor>:$operands, DefaultValuedAttr<I64Attr, "0">:$residuals);
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$forward, SizedRegion<1>:$backward);
  let assemblyFormat = [{
    `(` $operands `)` attr-dict `:` functional-type($operands, results) $forward `gradient` $backward
  }];
  let extraClassDeclaration = [{
    /// The results that are no residuals; and those that are.
    ::mlir::ResultRange getOutputs() { return getResults().drop_back(getResiduals()); }
    ::mlir::ResultRange getKept() { return getResults().take_back(getResiduals()); }
  }];
  let hasVerifier = 1;
}

def Df_RematOp : Df_Op<"remat", [Df_Work<"Free">, DeclareOpInterfaceMethods<RegionSizesOpInterface>, RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>, Df_InfersTypes]> {
  let summary = "values that are computed again for the gradient";
  let description = [{
    What the region yields. The backward pass keeps nothing of the region but computes it again from the values it uses from outside. Constraints: (C1) the region yields
    the result types; (C2) it writes no state.

    Example:
    ```mlir
    %y = df.remat : () -> tensor<?x4xf32> {
      %a = df.exp %x : tensor<?x4xf32>
      %b = df.tanh %a : tensor<?x4xf32>
      df.yield %b : tensor<?x4xf32>
    }
    ```
  }];
  let results = (outs Variadic<Df_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results) $body";
}

def Df_OptimizationBarrierOp : Df_Op<"optimization_barrier", [Df_Work<"Free">, Df_MovesAll, Df_MapsDimensions, Df_EffectFree, TypesMatchWith<"result has the operand's type", "operand", "result", "$_self">]> {
  let summary = "a value that is not used before another one is known";
  let description = [{
    `operand`, as another value: what is computed from it is not the same, to passes, as what is computed from `operand` itself, and stands after `other`. So
    the gradient of `df.remat` computes its region again instead of keeping it.

    Example: `%a = df.optimization_barrier %x, %gradient : tensor<?x4xf32>, tensor<?x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_Tensor:$other);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$operand `,` $other attr-dict `:` type($operand) `,` type($other)";
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

#endif // DF_CONTROL_FLOW_OPS_TD
