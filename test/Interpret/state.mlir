// Reads, writes and sparse updates of variables, by symbol and as values; settings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

df.variable @w : tensor<2xf32> = #df.constant<1.0>
df.variable @n : tensor<i64> = #df.constant<7.0>
df.variable @table : tensor<4x2xf32> = #df.constant<1.0>
df.variable @acc : tensor<4x2xf32> = #df.constant<0.5>

// CHECK-LABEL: @assign
df.function @assign() -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>) {
  %x = df.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %one = df.constant dense<1> : tensor<i64>
  // CHECK-NEXT: 0: tensor<2xf32> [1, 1]
  %before = df.read @w : tensor<2xf32>
  df.assign_add @w, %x : tensor<2xf32>
  // CHECK-NEXT: 1: tensor<2xf32> [3, 4]
  %after = df.read @w : tensor<2xf32>
  df.assign @w, %x : tensor<2xf32>
  df.assign_sub @w, %before : tensor<2xf32>
  df.assign_sub @n, %one : tensor<i64>
  // CHECK-NEXT: 2: tensor<i64> 6
  %n = df.read @n : tensor<i64>
  // CHECK-NEXT: @n = tensor<i64> 6
  // CHECK-NEXT: @w = tensor<2xf32> [1, 2]
  df.return %before, %after, %n : tensor<2xf32>, tensor<2xf32>, tensor<i64>
}

// CHECK-LABEL: @sparse
df.function @sparse() -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  // Rows 1 and 3 of a batch in which id 3 occurs twice and one id is missing.
  %ids = df.constant dense<[3, -1, 1]> : tensor<3xi64>
  // CHECK-NEXT: 0: tensor<3x2xf32> {{\[}}[1, 1], [0, 0], [1, 1]]
  %e = df.read_rows @table[%ids] : (tensor<3xi64>) -> tensor<3x2xf32>
  %u = df.constant dense<[1, 3, 99]> : tensor<3xi64>
  %g = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %count = df.constant dense<2> : tensor<i64>
  %rows = df.pack_rows %u, %g, %count : (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  df.apply_rows [@table, @acc], %rows : !df.rows<tensor<4x2xf32>> {
  ^bb0(%w: tensor<2xf32>, %a: tensor<2xf32>, %d: tensor<2xf32>):
    %sq = df.square %d : tensor<2xf32>
    %a1 = df.add %a, %sq : tensor<2xf32>
    %w1 = df.sub %w, %d : tensor<2xf32>
    df.yield %w1, %a1 : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-NEXT: 1: tensor<3x2xf32> {{\[}}[-2, -3], [0, 0], [0, -1]]
  %f = df.read_rows @table[%ids] : (tensor<3xi64>) -> tensor<3x2xf32>
  // CHECK-NEXT: @acc = tensor<4x2xf32> {{\[}}[0.5, 0.5], [1.5, 4.5], [0.5, 0.5], [9.5, 16.5]]
  // CHECK-NEXT: @table = tensor<4x2xf32> {{\[}}[1, 1], [0, -1], [1, 1], [-2, -3]]
  df.return %e, %f : tensor<3x2xf32>, tensor<3x2xf32>
}

// Rows without a gradient have one of zeros: after what @sparse left.
// CHECK-LABEL: @every_row
df.function @every_row() {
  %u = df.constant dense<[1, 2, 99]> : tensor<3xi64>
  %g = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %count = df.constant dense<2> : tensor<i64>
  %rows = df.pack_rows %u, %g, %count : (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  df.apply_rows every_row [@table, @acc], %rows : !df.rows<tensor<4x2xf32>> {
  ^bb0(%w: tensor<2xf32>, %a: tensor<2xf32>, %d: tensor<2xf32>):
    %a0 = df.add %a, %a : tensor<2xf32>
    %a1 = df.add %a0, %d : tensor<2xf32>
    %w1 = df.sub %w, %a1 : tensor<2xf32>
    df.yield %w1, %a1 : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-NEXT: @acc = tensor<4x2xf32> {{\[}}[1, 1], [4, 11], [4, 5], [19, 33]]
  // CHECK-NEXT: @table = tensor<4x2xf32> {{\[}}[0, 0], [-4, -12], [-3, -4], [-21, -36]]
  df.return
}

// CHECK-LABEL: @values
df.function @values() -> (tensor<2x1xf32>, tensor<3x1xf32>) {
  %t = df.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %ids = df.constant dense<[2, -9]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<2x1xf32> {{\[}}[3], [0]]
  %e = df.gather %t, %ids {axes = array<i64: 0>, skip_negative} : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<2x1xf32>
  %g = df.constant dense<[[0.5], [7.0]]> : tensor<2x1xf32>
  %count = df.constant dense<1> : tensor<i64>
  // CHECK-NEXT: 1: tensor<3x1xf32> {{\[}}[1], [2], [2.5]]
  %u = df.update_rows tables(%t) ids(%ids) rows(%g) count(%count) : (tensor<3x1xf32>, tensor<2xi64>, tensor<2x1xf32>, tensor<i64>) -> tensor<3x1xf32> {
  ^bb0(%w: tensor<1xf32>, %d: tensor<1xf32>):
    %w1 = df.sub %w, %d : tensor<1xf32>
    df.yield %w1 : tensor<1xf32>
  }
  df.return %e, %u : tensor<2x1xf32>, tensor<3x1xf32>
}

// CHECK-LABEL: @setting
df.function @setting() -> (tensor<f32>, tensor<i64>) {
  // CHECK-NEXT: 0: tensor<f32> 0.05
  %a = df.setting "learning_rate" = 5.0e-2 : f64 -> tensor<f32>
  // CHECK-NEXT: 1: tensor<i64> 12
  %b = df.setting "steps" = 12 : i64 -> tensor<i64>
  df.return %a, %b : tensor<f32>, tensor<i64>
}
