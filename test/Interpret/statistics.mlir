// Values of counts and distances.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// The row at fault is that of the value.
df.function @value() -> tensor<3xi64> {
  %ids = df.constant dense<[0, 1, 5]> : tensor<3xi64>
  %ends = df.constant dense<[1, 1, 3]> : tensor<3xi64>
  // expected-error @+1 {{row 2: tag: 5 is out of range}}
  %r = df.check_ids %ids ends(%ends) {low = 0 : i64, high = 2 : i64, what = "tag"} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  df.return %r : tensor<3xi64>
}

// -----

// A negative id counts nowhere.
// CHECK-LABEL: @bincount
df.function @bincount() -> (tensor<4xi64>, tensor<4xf32>) {
  %ids = df.constant dense<[0, 3, 3, -1, 1]> : tensor<5xi64>
  // CHECK-NEXT: 0: tensor<4xi64> [1, 1, 0, 2]
  %counts = df.bincount %ids : (tensor<5xi64>) -> tensor<4xi64>
  %w = df.constant dense<[0.5, 1.0, 2.0, 9.0, -1.0]> : tensor<5xf32>
  // CHECK-NEXT: 1: tensor<4xf32> [0.5, -1, 0, 3]
  %sums = df.bincount %ids, %w : (tensor<5xi64>, tensor<5xf32>) -> tensor<4xf32>
  df.return %counts, %sums : tensor<4xi64>, tensor<4xf32>
}

// -----

// The counts of tf.histogram_fixed_width (TensorFlow 2.21); NaN counts nowhere.
// CHECK-LABEL: @histogram
df.function @histogram() -> (tensor<5xi64>, tensor<2xi64>, tensor<3xi64>) {
  %x = df.constant dense<[-1.0, 0.0, 1.5, 2.0, 5.0, 15.0, 2.5, 4.999, -0.001, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %low = df.constant dense<0.0> : tensor<f32>
  %high = df.constant dense<5.0> : tensor<f32>
  // CHECK-NEXT: 0: tensor<5xi64> [4, 1, 2, 0, 4]
  %h = df.histogram %x, %low, %high : (tensor<12xf32>, tensor<f32>, tensor<f32>) -> tensor<5xi64>
  %i = df.constant dense<[[1, 2, 3], [9, 0, -4]]> : tensor<2x3xi8>
  %ilow = df.constant dense<0> : tensor<i8>
  %ihigh = df.constant dense<6> : tensor<i8>
  // CHECK-NEXT: 1: tensor<2xi64> [4, 2]
  %g = df.histogram %i, %ilow, %ihigh : (tensor<2x3xi8>, tensor<i8>, tensor<i8>) -> tensor<2xi64>
  %none = df.constant dense<0.0> : tensor<0xbf16>
  %blow = df.constant dense<1.0> : tensor<bf16>
  // CHECK-NEXT: 2: tensor<3xi64> [0, 0, 0]
  %n = df.histogram %none, %blow, %blow : (tensor<0xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<3xi64>
  df.return %h, %g, %n : tensor<5xi64>, tensor<2xi64>, tensor<3xi64>
}

// -----

df.function @histogram_without_range() -> tensor<3xi64> {
  %x = df.constant dense<0.0> : tensor<1xf32>
  %low = df.constant dense<1.0> : tensor<f32>
  // expected-error @+1 {{component 0 of index 0 is 3, not in [0, 3)}}
  %h = df.histogram %x, %low, %low : (tensor<1xf32>, tensor<f32>, tensor<f32>) -> tensor<3xi64>
  df.return %h : tensor<3xi64>
}

// -----

// The values of tf.edit_distance (TensorFlow 2.21). Lengths above the size count as that.
// CHECK-LABEL: @edit_distance
df.function @edit_distance() -> (tensor<6xf32>, tensor<6xf32>, tensor<2xf32>) {
  %x = df.constant dense<[[1, 2, 3, 4, 5], [7, 7, 9, 9, 9], [9, 9, 9, 9, 9], [1, 2, 9, 9, 9], [9, 9, 9, 9, 9], [3, 1, 4, 1, 5]]> : tensor<6x5xi64>
  %y = df.constant dense<[[2, 3, 5, 5, 8], [7, 8, 7, 9, 8], [1, 2, 8, 8, 8], [8, 8, 8, 8, 8], [8, 8, 8, 8, 8], [3, 1, 4, 1, 5]]> : tensor<6x5xi64>
  %m = df.constant dense<[5, 2, 0, 2, 0, 7]> : tensor<6xi64>
  %n = df.constant dense<[4, 4, 2, 0, 0, 6]> : tensor<6xi64>
  // CHECK-NEXT: 0: tensor<6xf32> [2, 2, 2, 2, 0, 0]
  %d = df.edit_distance %x, %y, %m, %n : (tensor<6x5xi64>, tensor<6x5xi64>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xf32>
  // CHECK-NEXT: 1: tensor<6xf32> [0.5, 0.5, 1, inf, 0, 0]
  %e = df.edit_distance %x, %y, %m, %n {normalize} : (tensor<6x5xi64>, tensor<6x5xi64>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xf32>
  %none = df.constant dense<0> : tensor<2x0xi8>
  %z = df.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %nothing = df.constant dense<[-1, 2]> : tensor<2xi64>
  %some = df.constant dense<[2, 9]> : tensor<2xi64>
  // CHECK-NEXT: 2: tensor<2xf32> [2, 3]
  %f = df.edit_distance %none, %z, %nothing, %some : (tensor<2x0xi8>, tensor<2x3xi8>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  df.return %d, %e, %f : tensor<6xf32>, tensor<6xf32>, tensor<2xf32>
}
