// Passes that turn one dialect into another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CONVERSION_PASSES_TD
#define MLC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEstToDf : Pass<"convert-est-to-df", "::mlir::ModuleOp"> {
  let summary = "Turns an estimator into state and entry functions of the df dialect";
  let description = [{
    Precondition: the module holds one `est.estimator` and nothing else. Columns have distinct names; there is at most one
    linear and one dnn body.

    Postcondition: no est op is left. The module holds the variables (named as tf.estimator names them), the vocabularies
    and the entries `train`, `eval_update`, `eval_result` and `predict`; `df-materialize-initializers` makes `init` and
    `eval_reset`. An entry's arguments are the columns of the input that it uses, as read: a row without a value is '' or
    -1. `train` holds one `df.gradients` and the update of every trainable variable, then the increment of
    `global_step`. Metrics are variables of lifetime eval that are sums over rows or batches, so evaluations of parts can
    be added. The module has the attributes `mlc.name` and `mlc.manifest` (JSON with name, compat, input, settings, eval,
    head).

    Warns where a sparse gradient is applied to a whole large table, as sparse_update EXACT of Adam asks for.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def ConvertEstUpdatesToDf : Pass<"convert-est-updates-to-df", "::mlir::ModuleOp"> {
  let summary = "Puts the ops of optimizers in the place of est.apply_gradients";
  let description = [{
    Precondition: a df module as built. What `est.apply_gradients` names are variables of f32, declared in the module, and
    each gradient is a tensor of its variable's type or rows of it.

    Postcondition: no `est.apply_gradients` is left. Slots are declared beside the variables, which are named as
    TensorFlow names them, and each number of an optimizer that may change at a start is a `df.setting`. The formulas are
    those that `convert-est-to-df` builds, so a spec and a module with one model train the same bits.

    Warns where a sparse gradient is applied to a whole large table.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

#endif // MLC_CONVERSION_PASSES_TD
