// Passes that run the reference interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_PASSES_TD
#define MLC_INTERPRETER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"df-interpret", "::mlir::ModuleOp"> {
  let summary = "runs functions by the reference interpreter and prints their results";
  let description = [{
    Runs functions in order, all on one state that starts with the initializers, and prints to standard output `@name`, then one line
    for each result and for each variable that changed:

    ```
    @main
      0: tensor<2xf32> [1, 2.5]
      @w = tensor<i64> 3
    ```

    An argument that the state does not bind takes the value of its attribute `df.value`, an elements attribute (of strings, too): so a
    test gives a dynamic argument its rows. Without the option `functions` every function runs whose arguments all have values.

    Of a module of `dist.program`s all parts of an entry run, taking turns, each program on a state of its own; the entries one after another or, with `together`, at once: then one may wait for what another puts into a
    queue. What is printed is the same as of the uncut module.

    Precondition: no `df.gradients` in the functions. Postcondition: the module is unchanged. Fails where a function does.
  }];
  let options = [
    ListOption<"functions", "functions", "std::string", "names of the functions to run, in order">,
    Option<"together", "together", "bool", "false", "run the entries of a partitioned module at once">,
    Option<"seed", "seed", "uint64_t", "0", "seed of random numbers">,
    Option<"step", "step", "int64_t", "0", "number of the training step">,
    Option<"firstRow", "first-row", "int64_t", "0", "row of the global batch that row 0 is">,
  ];
}

#endif // MLC_INTERPRETER_PASSES_TD
