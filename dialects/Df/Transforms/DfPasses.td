// Passes of the df dialect, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_PASSES_TD
#define DF_PASSES_TD

include "mlir/Pass/PassBase.td"

def DfStateToValuesPass : Pass<"df-state-to-values", "::mlir::ModuleOp"> {
  let summary = "makes state, settings and sparse rows values at the border of functions";
  let description = [{
    Each function gets one argument for each variable, setting and context value that it reads and one result for each
    variable that it writes, told by `df.binding`; state moves as SSA values through straight code, `df.if` and `df.while`.

    - `df.read` becomes the current value, `df.assign` sets it, `df.assign_add` and `df.assign_sub` become `df.add` and `df.sub`,
      `df.gather` becomes `df.take_rows`, `df.apply_rows` becomes `df.update_rows`.
    - `df.setting` becomes an argument, one for each path; the module attribute `df.settings` keeps the defaults by path.
    - `df.random` gets its seed and, with `like`, step and first row from the context.
    - `!df.rows` values dissolve into (ids, rows, count).
    - `df.name` of arguments and results becomes a binding to a feature or output.
    - A variable that ends with the value it was read with is not returned.

    Precondition: stage 3 of the dialect's invariants. Postcondition: stage 4, which the pass checks.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

#endif // DF_PASSES_TD
