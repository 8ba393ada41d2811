// Values of the ops that statistics are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// CHECK-LABEL: @statistics
df.function @statistics() -> (tensor<4xi64>, tensor<4xi64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %store = df.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %values = df.constant dense<[7, 8]> : tensor<2xi64>
  %three = df.constant dense<3> : tensor<i64>
  %nine = df.constant dense<9> : tensor<i64>
  // CHECK-NEXT: 0: tensor<4xi64> [1, 2, 3, 7]
  %s = df.put_values %store, %values, %three : (tensor<4xi64>, tensor<2xi64>, tensor<i64>) -> tensor<4xi64>
  // CHECK-NEXT: 1: tensor<4xi64> [1, 2, 3, 4]
  %s1 = df.put_values %store, %values, %nine : (tensor<4xi64>, tensor<2xi64>, tensor<i64>) -> tensor<4xi64>

  // Four bins: negative and below -1.99..., other negative, positive and below 2, 2 and above.
  %bins = df.constant dense<0.5> : tensor<4xf64>
  %keys = df.constant dense<[-3.0, 2.0, -0.0, 2.0]> : tensor<4xf32>
  %w = df.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [1.5, 0.5, 4.5, 10.5]
  %b = df.add_to_bins %bins, %keys, %w : (tensor<4xf64>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf64>

  // CHECK-NEXT: 3: tensor<4xf64> [0.5, 2, 5, 0]
  %r = df.mid_ranks %w, %three : (tensor<4xf64>, tensor<i64>) -> tensor<4xf64>
  // CHECK-NEXT: 4: tensor<4xf64> [0.5, 10, 3, 10]
  %k = df.mid_ranks %w, %nine keys %keys : (tensor<4xf64>, tensor<i64>, tensor<4xf32>) -> tensor<4xf64>
  %groups = df.constant dense<[6, 6, 0, 0]> : tensor<4xi64>
  // CHECK-NEXT: 5: tensor<4xf64> [0.5, 2, 2, 8]
  %g = df.mid_ranks %w, %nine keys %keys groups %groups : (tensor<4xf64>, tensor<i64>, tensor<4xf32>, tensor<4xi64>) -> tensor<4xf64>
  df.return %s, %s1, %b, %r, %k, %g : tensor<4xi64>, tensor<4xi64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// -----

df.function @negative() -> tensor<1xf64> {
  %w = df.constant dense<[1.0]> : tensor<1xf64>
  %g = df.constant dense<[-1]> : tensor<1xi64>
  %n = df.constant dense<1> : tensor<i64>
  // expected-error @+1 {{row 0 is of group -1}}
  %r = df.mid_ranks %w, %n groups %g : (tensor<1xf64>, tensor<i64>, tensor<1xi64>) -> tensor<1xf64>
  df.return %r : tensor<1xf64>
}

// -----

df.function @before() -> tensor<1xf64> {
  %w = df.constant dense<[1.0]> : tensor<1xf64>
  %n = df.constant dense<-1> : tensor<i64>
  // expected-error @+1 {{puts values at position -1}}
  %r = df.put_values %w, %w, %n : (tensor<1xf64>, tensor<1xf64>, tensor<i64>) -> tensor<1xf64>
  df.return %r : tensor<1xf64>
}

// -----

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
