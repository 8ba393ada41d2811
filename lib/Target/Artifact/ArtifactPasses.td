// Passes that decide what the artifact's table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_ARTIFACT_PASSES_TD
#define MLC_ARTIFACT_PASSES_TD

include "mlir/Pass/PassBase.td"

def JoinFeatures : Pass<"artifact-join-features", "::mlir::ModuleOp"> {
  let summary = "Features that segments use side by side alone become one argument";
  let description = [{
    Whoever reads a batch may put the values of features side by side (mlcrt_matrix), so that no code does. Features of one type of elements that stand next to each other in concatenations of rows, in one order wherever they
    occur, and that no segment uses otherwise, become one argument bound to a feature whose name is theirs with '|' between them, with the attribute `mlc.matrix`: name and type of each.

    Precondition: segments on tensors (`convert-df-to-linalg`), none with another's code. Postcondition: what a concatenation joins of two features or more that nothing else uses is one argument.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // MLC_ARTIFACT_PASSES_TD
