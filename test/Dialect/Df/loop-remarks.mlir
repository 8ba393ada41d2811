// What a loop keeps for its gradient, as a remark: tanh; the product is computed again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-expand-gradients --remarks-filter=gradient -o /dev/null 2>&1 | FileCheck %s
// RUN: mlc-opt %s --df-expand-gradients -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// CHECK: loop-remarks.mlir:[[#@LINE+4]]:11: remark: [Analysis] KeptByLoop | Category:gradient | Function=f |
// CHECK-SAME: BytesPerIteration=32, BytesPerIterationAndRow=0, Of=df.tanh, Values=1
// QUIET-NOT: KeptByLoop
df.function @f(%x: tensor<5x4xf64>, %w: tensor<4xf64>) -> tensor<4xf64> {
  %last = df.scan (%w) over (%x) : (tensor<4xf64>, tensor<5x4xf64>) -> tensor<4xf64> {
  ^bb0(%c: tensor<4xf64>, %row: tensor<4xf64>):
    %m = df.mul %c, %row : tensor<4xf64>
    %t = df.tanh %m : tensor<4xf64>
    df.yield %t : tensor<4xf64>
  }
  %loss = df.reduce_sum %last {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %dw = df.gradients %loss wrt [] %w : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  df.return %dw : tensor<4xf64>
}
