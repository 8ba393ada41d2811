// Losses over the batch and sparse gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @batch_mean
df.function @batch_mean() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %l = df.constant dense<[1.0, 2.0, 6.0]> : tensor<3xf32>
  %w = df.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf32>
  // CHECK-NEXT: 0: tensor<f32> 3
  %a = df.batch_mean %l : (tensor<3xf32>) -> tensor<f32>
  // CHECK-NEXT: 1: tensor<f32> 1
  %b = df.batch_mean %l, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  // CHECK-NEXT: 2: tensor<f32> 1.5
  %c = df.batch_mean %l, %w {reduction = #df.batch_reduction<mean>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  // CHECK-NEXT: 3: tensor<f32> 9
  %d = df.batch_mean %l {reduction = #df.batch_reduction<sum>} : (tensor<3xf32>) -> tensor<f32>
  %none = df.constant dense<> : tensor<0xf32>
  // CHECK-NEXT: 4: tensor<f32> 0
  %e = df.batch_mean %none : (tensor<0xf32>) -> tensor<f32>
  %zero = df.constant dense<0.0> : tensor<3xf32>
  // CHECK-NEXT: 5: tensor<f32> 0
  %f = df.batch_mean %l, %zero {reduction = #df.batch_reduction<mean>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  df.return %a, %b, %c, %d, %e, %f : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Undefined ids hold the largest integer, undefined rows NaN.
// CHECK-LABEL: @group
df.function @group() -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>, tensor<5x1xf32>) {
  %ids = df.constant dense<[9, 2, -1, 9, 2]> : tensor<5xi64>
  // CHECK-NEXT: 0: tensor<5xi64> [2, 9, 9223372036854775807, 9223372036854775807, 9223372036854775807]
  // CHECK-NEXT: 1: tensor<5xi64> [2, 4, 9223372036854775807, 9223372036854775807, 9223372036854775807]
  // CHECK-NEXT: 2: tensor<5xi64> [1, 4, 0, 3, 9223372036854775807]
  // CHECK-NEXT: 3: tensor<i64> 2
  %u, %e, %o, %n = df.group_ids %ids : (tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>)
  %v = df.constant dense<[[1.0], [2.0], [4.0], [8.0], [16.0]]> : tensor<5x1xf32>
  // CHECK-NEXT: 4: tensor<5x1xf32> {{\[}}[18], [9], [nan], [nan], [nan]]
  %g = df.group_sum %v, %e, %o, %n : (tensor<5x1xf32>, tensor<5xi64>, tensor<5xi64>, tensor<i64>) -> tensor<5x1xf32>
  df.return %u, %e, %o, %n, %g : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>, tensor<5x1xf32>
}

// CHECK-LABEL: @no_ids
df.function @no_ids() -> (tensor<0xi64>, tensor<i64>) {
  %ids = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 0: tensor<0xi64> []
  // CHECK-NEXT: 1: tensor<i64> 0
  %u, %e, %o, %n = df.group_ids %ids : (tensor<0xi64>) -> (tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<i64>)
  df.return %u, %n : tensor<0xi64>, tensor<i64>
}

// CHECK-LABEL: @rows
df.function @rows() -> (!df.rows<tensor<9x2xf32>>, !df.rows<tensor<9x2xf32>>, tensor<9x2xf32>, !df.rows<tensor<9x2xf32>>, tensor<i64>) {
  %ids = df.constant dense<[1, 4, 0]> : tensor<3xi64>
  %g = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %two = df.constant dense<2> : tensor<i64>
  %half = df.constant dense<0.5> : tensor<f32>
  // CHECK-NEXT: 0: rows {1: [1, 2], 4: [3, 4]}
  %r = df.pack_rows %ids, %g, %two : (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  // CHECK-NEXT: 1: rows {1: [0.5, 1], 4: [1.5, 2]}
  %s = df.scale_rows %r, %half : (!df.rows<tensor<9x2xf32>>, tensor<f32>) -> !df.rows<tensor<9x2xf32>>
  // CHECK-NEXT: 2: tensor<9x2xf32> {{\[}}[0, 0], [1, 2], [0, 0], [0, 0], [3, 4], [0, 0], [0, 0], [0, 0], [0, 0]]
  %d = df.densify_rows %r : (!df.rows<tensor<9x2xf32>>) -> tensor<9x2xf32>
  // CHECK-NEXT: 3: rows {1: [1, 2], 4: [3, 4]}
  %t = df.all_reduce %r {name = "t"} : (!df.rows<tensor<9x2xf32>>) -> !df.rows<tensor<9x2xf32>>
  // CHECK-NEXT: 4: tensor<i64> 2
  %i, %v, %n = df.unpack_rows %t : (!df.rows<tensor<9x2xf32>>) -> (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>)
  df.return %r, %s, %d, %t, %n : !df.rows<tensor<9x2xf32>>, !df.rows<tensor<9x2xf32>>, tensor<9x2xf32>, !df.rows<tensor<9x2xf32>>, tensor<i64>
}

// CHECK-LABEL: @merge
df.function @merge(%ai: tensor<?xi64> {df.value = dense<[1, 4]> : tensor<2xi64>}, %ar: tensor<?x1xf32> {df.value = dense<[[1.0], [2.0]]> : tensor<2x1xf32>},
                   %bi: tensor<?xi64> {df.value = dense<[4, 7]> : tensor<2xi64>}, %br: tensor<?x1xf32> {df.value = dense<[[10.0], [20.0]]> : tensor<2x1xf32>})
    -> (!df.rows<tensor<9x1xf32>>, !df.rows<tensor<9x1xf32>>) {
  %two = df.constant dense<2> : tensor<i64>
  %zero = df.constant dense<0> : tensor<i64>
  %i, %r, %n = df.merge_rows %ai, %ar, %two, %bi, %br, %two : (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>, tensor<?xi64>, tensor<?x1xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>)
  // CHECK-NEXT: 0: rows {1: [1], 4: [12], 7: [20]}
  %p = df.pack_rows %i, %r, %n : (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>) -> !df.rows<tensor<9x1xf32>>
  %j, %s, %m = df.merge_rows %ai, %ar, %zero, %bi, %br, %two : (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>, tensor<?xi64>, tensor<?x1xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>)
  // CHECK-NEXT: 1: rows {4: [10], 7: [20]}
  %q = df.pack_rows %j, %s, %m : (tensor<?xi64>, tensor<?x1xf32>, tensor<i64>) -> !df.rows<tensor<9x1xf32>>
  df.return %p, %q : !df.rows<tensor<9x1xf32>>, !df.rows<tensor<9x1xf32>>
}
