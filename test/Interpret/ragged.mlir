// Values of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// CHECK-LABEL: @segments
df.function @segments() -> (tensor<3x2xf32>, tensor<4x2xf32>, tensor<0x2xf32>) {
  %v = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %ends = df.constant dense<[1, 1, 4]> : tensor<3xi64>
  // CHECK-NEXT: 0: tensor<3x2xf32> {{\[\[}}1, 2], [0, 0], [15, 18]]
  %s = df.ragged_reduce sum %v, %ends : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  // CHECK-NEXT: 1: tensor<4x2xf32> {{\[\[}}1, 2], [15, 18], [15, 18], [15, 18]]
  %r = df.ragged_repeat %s, %ends like %v : (tensor<3x2xf32>, tensor<3xi64>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %none = df.constant dense<> : tensor<0x2xf32>
  %no_ends = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 2: tensor<0x2xf32>
  %e = df.ragged_reduce sum %none, %no_ends : (tensor<0x2xf32>, tensor<0xi64>) -> tensor<0x2xf32>
  df.return %s, %r, %e : tensor<3x2xf32>, tensor<4x2xf32>, tensor<0x2xf32>
}

// -----

// CHECK-LABEL: @reductions
df.function @reductions() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>, tensor<3xui8>, tensor<4xi64>) {
  %v = df.constant dense<[2.0, 3.0, -4.0, 5.0]> : tensor<4xf32>
  %ends = df.constant dense<[1, 1, 4]> : tensor<3xi64>
  // CHECK-NEXT: 0: tensor<3xf32> [2, 0, 1.3333334]
  %mean = df.ragged_reduce mean %v, %ends : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  // CHECK-NEXT: 1: tensor<3xf32> [2, 1, -60]
  %prod = df.ragged_reduce prod %v, %ends : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  // CHECK-NEXT: 2: tensor<3xf32> [2, -inf, 5]
  %max = df.ragged_reduce max %v, %ends : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  // CHECK-NEXT: 3: tensor<3xf32> [2, inf, -4]
  %min = df.ragged_reduce min %v, %ends : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  %i = df.constant dense<[1, 100, 100, -3]> : tensor<4xi8>
  // CHECK-NEXT: 4: tensor<3xi8> [1, 0, -59]
  %wrapped = df.ragged_reduce sum %i, %ends : (tensor<4xi8>, tensor<3xi64>) -> tensor<3xi8>
  %u = df.constant dense<[1, 200, 100, 3]> : tensor<4xui8>
  // CHECK-NEXT: 5: tensor<3xui8> [1, 255, 3]
  %least = df.ragged_reduce min %u, %ends : (tensor<4xui8>, tensor<3xi64>) -> tensor<3xui8>
  %rows = df.iota {axis = 0 : i64} : () -> tensor<3xi64>
  // CHECK-NEXT: 6: tensor<4xi64> [0, 2, 2, 2]
  %ids = df.ragged_repeat %rows, %ends like %v : (tensor<3xi64>, tensor<3xi64>, tensor<4xf32>) -> tensor<4xi64>
  df.return %mean, %prod, %max, %min, %wrapped, %least, %ids : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>, tensor<3xui8>, tensor<4xi64>
}

// -----

df.function @descends() -> tensor<2xf32> {
  %v = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ends = df.constant dense<[2, 1]> : tensor<2xi64>
  // expected-error @+1 {{row 1 is [2, 1) of 2 values}}
  %s = df.ragged_reduce max %v, %ends : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  df.return %s : tensor<2xf32>
}

// -----

df.function @short() -> tensor<1xf32> {
  %v = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ends = df.constant dense<[1]> : tensor<1xi64>
  // expected-error @+1 {{the last end is 1 of 2 values}}
  %s = df.ragged_reduce sum %v, %ends : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  df.return %s : tensor<1xf32>
}

// -----

df.function @which_row(%ids: tensor<?xi64> {df.value = dense<[0, 1, 5, 1]> : tensor<4xi64>}, %ends: tensor<?xi64> {df.value = dense<[0, 2, 2, 4]> : tensor<4xi64>}) -> tensor<?xi64> {
  // expected-error @+1 {{row 3: column 'x': 5 is out of range; expected: an integer from 0 to 1}}
  %ok = df.check_ids %ids ends(%ends) {low = 0 : i64, high = 2 : i64, what = "column 'x'"} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  df.return %ok : tensor<?xi64>
}

// -----

// CHECK-LABEL: @padded
df.function @padded() -> (tensor<3x?x2xf32>, tensor<3xi64>, tensor<2x?xi64>, tensor<0x?xf32>) {
  %v = df.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %ends = df.constant dense<[1, 1, 4]> : tensor<3xi64>
  %zero = df.constant dense<0.0> : tensor<f32>
  // CHECK-NEXT: 0: tensor<3x3x2xf32> {{\[\[\[}}1, 2], [0, 0], [0, 0]], {{\[\[}}0, 0], [0, 0], [0, 0]], {{\[\[}}3, 4], [5, 6], [7, 8]]]
  // CHECK-NEXT: 1: tensor<3xi64> [1, 0, 3]
  %x, %n = df.ragged_to_dense %v, %ends, %zero : (tensor<4x2xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<3x?x2xf32>, tensor<3xi64>)
  %ids = df.constant dense<[7, 8, 9]> : tensor<3xi64>
  %id_ends = df.constant dense<[2, 3]> : tensor<2xi64>
  %filler = df.constant dense<-1> : tensor<i64>
  // CHECK-NEXT: 2: tensor<2x2xi64> {{\[\[}}7, 8], [9, -1]]
  %y, %m = df.ragged_to_dense %ids, %id_ends, %filler : (tensor<3xi64>, tensor<2xi64>, tensor<i64>) -> (tensor<2x?xi64>, tensor<2xi64>)
  %none = df.constant dense<> : tensor<0xf32>
  %no_ends = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 3: tensor<0x0xf32>
  %e, %l = df.ragged_to_dense %none, %no_ends, %zero : (tensor<0xf32>, tensor<0xi64>, tensor<f32>) -> (tensor<0x?xf32>, tensor<0xi64>)
  df.return %x, %n, %y, %e : tensor<3x?x2xf32>, tensor<3xi64>, tensor<2x?xi64>, tensor<0x?xf32>
}

// -----

df.function @beyond() -> tensor<1x?xf32> {
  %v = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ends = df.constant dense<[3]> : tensor<1xi64>
  %zero = df.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{component 0 of index 2 is 2, not in [0, 2)}}
  %x, %n = df.ragged_to_dense %v, %ends, %zero : (tensor<2xf32>, tensor<1xi64>, tensor<f32>) -> (tensor<1x?xf32>, tensor<1xi64>)
  df.return %x : tensor<1x?xf32>
}
