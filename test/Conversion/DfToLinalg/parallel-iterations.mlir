// Iterations of a df.scan that may overlap: a loop over two rows at a time, and one for the rest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg | FileCheck %s

// CHECK: scf.for %{{.*}} step %[[TWO:.*]] iter_args
// CHECK: kern.contract
// CHECK: kern.contract
// CHECK: kern.contract
// CHECK: kern.contract
// CHECK: scf.for
// CHECK: kern.contract
// CHECK: kern.contract
// CHECK-NOT: kern.contract
df.function @predict(%x: tensor<?x4x4xf32> {df.binding = #df.binding<feature, "x">}, %w: tensor<4x4xf32> {df.binding = #df.binding<feature, "w">})
    -> (tensor<?x4x4xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<other>, segment = #df.segment<step>, entry = "predict"} {
  %y = df.scan () over (%x) parallel_iterations 2 : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  ^bb0(%row: tensor<4x4xf32>):
    %p = df.matmul %row, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = df.matmul %p, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    df.yield %q : tensor<4x4xf32>
  }
  df.return %y : tensor<?x4x4xf32>
}
