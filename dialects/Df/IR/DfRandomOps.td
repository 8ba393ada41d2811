// Random numbers and values the runtime gives a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_RANDOM_OPS_TD
#define DF_RANDOM_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Df_RandomOp : Df_Op<"random", [Pure, AttrSizedOperandSegments]> {
  let summary = "counter-based random numbers";
  let description = [{
    Philox4x32-10 keyed by (seed, `name`), counted by (step, row in the global batch, column): docs/architecture.md, Randomness. uniform is on
    [0, 1), of 24 bits in f32 and 53 in f64; normal and truncated_normal have mean 0 and deviation 1 (truncated: redrawn beyond 2, as the inverse CDF does).
    With `like`, the result has its shape, dimension 0 counts rows from `first_row` and the rest, row-major, columns; without, it is an initializer: a
    static shape counted by linear index at step 0. `seed`, `step` and `first_row` are absent until `df-state-to-values` binds them to the context.
    Dimension 0 of `like` must be rows of the batch. Constraints: (C1) `like` has the result's shape; without it the result is static; (C2) `name` is not empty; (C3) `step` and `first_row` come with `like` only.

    Example: `%u = df.random uniform "dropout_0" like %x : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_DistributionAttr:$distribution, StrAttr:$name, Optional<Df_Tensor>:$like, Optional<Df_ScalarId>:$seed,
                       Optional<Df_ScalarId>:$step, Optional<Df_ScalarId>:$first_row);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $distribution $name (`like` $like^)? (`seed` $seed^)? (`step` $step^)? (`row` $first_row^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Df_SettingOp : Df_Op<"setting", [Pure]> {
  let summary = "the value in force of a setting that may change at start";
  let description = [{
    `default_value` is the artifact's; the trainer's --set changes it. Constraints: (C1) `default_value` is a float for float
    results, an integer for integer results.

    Example: `%lr = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.0e-2 : f64 -> tensor<f32>`
  }];
  let arguments = (ins StrAttr:$path, TypedAttrInterface:$default_value);
  let results = (outs 0DTensorOf<[F32, F64, I64]>:$result);
  let assemblyFormat = "$path `=` $default_value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

#endif // DF_RANDOM_OPS_TD
