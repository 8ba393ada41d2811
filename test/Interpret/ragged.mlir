// Values of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// CHECK-LABEL: @segments
df.function @segments() -> (tensor<3x2xf32>, tensor<4x2xf32>, tensor<0x2xf32>) {
  %v = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %ends = df.constant dense<[1, 1, 4]> : tensor<3xi64>
  // CHECK-NEXT: 0: tensor<3x2xf32> {{\[\[}}1, 2], [0, 0], [15, 18]]
  %s = df.segment_sum %v, %ends : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  // CHECK-NEXT: 1: tensor<4x2xf32> {{\[\[}}1, 2], [15, 18], [15, 18], [15, 18]]
  %r = df.segment_repeat %s, %ends like %v : (tensor<3x2xf32>, tensor<3xi64>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %none = df.constant dense<> : tensor<0x2xf32>
  %no_ends = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 2: tensor<0x2xf32>
  %e = df.segment_sum %none, %no_ends : (tensor<0x2xf32>, tensor<0xi64>) -> tensor<0x2xf32>
  df.return %s, %r, %e : tensor<3x2xf32>, tensor<4x2xf32>, tensor<0x2xf32>
}

// -----

df.function @short() -> tensor<1xf32> {
  %v = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ends = df.constant dense<[1]> : tensor<1xi64>
  // expected-error @+1 {{the last end is 1 of 2 values}}
  %s = df.segment_sum %v, %ends : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  df.return %s : tensor<1xf32>
}

// -----

df.function @which_row(%ids: tensor<?xi64> {df.value = dense<[0, 1, 5, 1]> : tensor<4xi64>}, %ends: tensor<?xi64> {df.value = dense<[0, 2, 2, 4]> : tensor<4xi64>}) -> tensor<?xi64> {
  // expected-error @+1 {{row 3: column 'x': 5 is out of range; expected: an integer from 0 to 1}}
  %ok = df.check_ids %ids ends(%ends) {low = 0 : i64, high = 2 : i64, what = "column 'x'"} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  df.return %ok : tensor<?xi64>
}
