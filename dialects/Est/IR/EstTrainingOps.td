//===- Ops of the est dialect: what optimizers do, in functions of df. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_TRAINING_OPS
#define MLC_EST_TRAINING_OPS

include "mlir/IR/BuiltinAttributes.td"
include "dialects/Est/IR/EstBase.td"

def Est_ApplyGradientsOp : Est_Op<"apply_gradients", [AttrSizedOperandSegments]> {
  let summary = "An optimizer moves variables by their gradients";
  let description = [{
    Stands in a function of df, beside the ops that make the gradients, one for each of `variables`, which are of f32: a
    tensor, or the touched rows of a table (`!df.rows`), as `df.gradients` gives them. `step` is the global step before
    its increment, which schedules and the corrections of Adam depend on. `learning_rate` takes the place of the rule's
    and of its schedule. Rows without a gradient are treated as TensorFlow's kernels treat them: Adam and RMSProp without
    a momentum as by a dense gradient of zeros, Nadam alike but for the variable itself, which is a pass over the whole
    table; other rules leave them alone, and with `lazy` all do.

    `convert-est-updates-to-df` puts the ops of the optimizer in its place and declares its slots, called
    `<variable>/<rule>` as in TensorFlow ("w/Adam", "w/Adam_1"; those of a second optimizer of one variable count on).
    Constraints: (C1) there is a gradient for each variable, and a variable at least; (C2) `step` is a scalar i64,
    `learning_rate` a scalar f32.

    Example:

    ```mlir
    df.variable @global_step : tensor<i64> = #df.constant<0.0>
    df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
    df.function @train(%x: tensor<4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
      %w = df.read @w : tensor<4xf32>
      %p = df.mul %w, %x : tensor<4xf32>
      %loss = df.reduce_sum %p {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
      %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4xf32>
      %step = df.read @global_step : tensor<i64>
      est.apply_gradients [@w] (%dw) step %step optimizer(<rule = #est.sgd<learning_rate = <"SGD.learning_rate" = 0.1 : f64>>>)
        : (tensor<4xf32>), tensor<i64>
      df.return %loss : tensor<f32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$variables, Variadic<AnyType>:$gradients, AnyRankedTensor:$step,
                       Optional<AnyRankedTensor>:$learning_rate, Est_OptimizerAttr:$optimizer, UnitAttr:$lazy);
  let assemblyFormat = [{
    $variables `(` $gradients `)` `step` $step (`learning_rate` $learning_rate^)? `optimizer` `(` $optimizer `)`
    (`lazy` $lazy^)? attr-dict `:` `(` qualified(type($gradients)) `)` `,` type($step) (`,` type($learning_rate)^)?
  }];
  let hasVerifier = 1;
}

#endif // MLC_EST_TRAINING_OPS
