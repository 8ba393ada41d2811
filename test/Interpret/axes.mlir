// Values of reductions that are products, truth values, positions and compositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @products
df.function @products() -> (tensor<2xf32>, tensor<i8>, tensor<f32>, tensor<2xi1>, tensor<2xi1>, tensor<i1>, tensor<i1>) {
  %x = df.constant dense<[[1.0, 5.0, 3.0], [4.0, -2.0, 0.5]]> : tensor<2x3xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [15, -4]
  %p = df.reduce_prod %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %i = df.constant dense<[100, 3]> : tensor<2xi8>
  // CHECK-NEXT: 1: tensor<i8> 44
  %q = df.reduce_prod %i {axes = array<i64: 0>} : (tensor<2xi8>) -> tensor<i8>
  %none = df.constant dense<> : tensor<0xf32>
  // CHECK-NEXT: 2: tensor<f32> 1
  %one = df.reduce_prod %none {axes = array<i64: 0>} : (tensor<0xf32>) -> tensor<f32>
  %t = df.constant dense<[[true, true], [false, false]]> : tensor<2x2xi1>
  // CHECK-NEXT: 3: tensor<2xi1> [false, false]
  %all = df.reduce_all %t {axes = array<i64: 0>} : (tensor<2x2xi1>) -> tensor<2xi1>
  // CHECK-NEXT: 4: tensor<2xi1> [true, false]
  %any = df.reduce_any %t {axes = array<i64: 1>} : (tensor<2x2xi1>) -> tensor<2xi1>
  %nothing = df.constant dense<> : tensor<0xi1>
  // CHECK-NEXT: 5: tensor<i1> true
  %e = df.reduce_all %nothing {axes = array<i64: 0>} : (tensor<0xi1>) -> tensor<i1>
  // CHECK-NEXT: 6: tensor<i1> false
  %f = df.reduce_any %nothing {axes = array<i64: 0>} : (tensor<0xi1>) -> tensor<i1>
  df.return %p, %q, %one, %all, %any, %e, %f : tensor<2xf32>, tensor<i8>, tensor<f32>, tensor<2xi1>, tensor<2xi1>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: @positions
df.function @positions(%none: tensor<?x2xf32> {df.value = dense<> : tensor<0x2xf32>}) -> (tensor<3xi64>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) {
  %x = df.constant dense<[[1.0, 0.0, 0x7FC00000], [4.0, -0.0, 6.0]]> : tensor<2x3xf32>
  // Zeros are equal: the first one is found.
  // CHECK-NEXT: 0: tensor<3xi64> [1, 0, 0]
  %a = df.argmax %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xi64>
  // CHECK-NEXT: 1: tensor<2xi64> [2, 1]
  %b = df.argmin %x : (tensor<2x3xf32>) -> tensor<2xi64>
  // CHECK-NEXT: 2: tensor<3xi64> [0, 0, 0]
  %c = df.argmin %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xi64>
  // Of nothing: 0.
  // CHECK-NEXT: 3: tensor<2xi64> [0, 0]
  %d = df.argmax %none {axis = 0 : i64} : (tensor<?x2xf32>) -> tensor<2xi64>
  df.return %a, %b, %c, %d : tensor<3xi64>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>
}

// CHECK-LABEL: @size
df.function @size(%x: tensor<?x3x?xf32> {df.value = dense<0.0> : tensor<4x3x5xf32>}) -> (tensor<i64>, tensor<i64>) {
  // CHECK-NEXT: 0: tensor<i64> 20
  %a = df.size %x {dimensions = array<i64: 0, 2>} : (tensor<?x3x?xf32>) -> tensor<i64>
  // CHECK-NEXT: 1: tensor<i64> 1
  %b = df.size %x {dimensions = array<i64>} : (tensor<?x3x?xf32>) -> tensor<i64>
  df.return %a, %b : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @compositions
df.function @compositions() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<bf16>) {
  %x = df.constant dense<[3.0, -4.0, 1.0, 0.0]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<f64> 0
  %m = df.reduce_mean %x {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  // CHECK-NEXT: 1: tensor<f64> 6.5
  %v = df.reduce_variance %x {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %p = df.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>} : (tensor<4xf64>) -> tensor<2xf64>
  // CHECK-NEXT: 2: tensor<f64> 24.5
  %u = df.reduce_variance %p {axes = array<i64: 0>, correction = 1 : i64} : (tensor<2xf64>) -> tensor<f64>
  // CHECK-NEXT: 3: tensor<f64> 7
  %l1 = df.reduce_l1 %p {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  // CHECK-NEXT: 4: tensor<f64> 5
  %l2 = df.reduce_l2 %p {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  // exp overflows; the result does not.
  %big = df.constant dense<1000.0> : tensor<1xf64>
  // CHECK-NEXT: 5: tensor<f64> 1000
  %s = df.reduce_logsumexp %big {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
  %low = df.constant dense<0xFFF0000000000000> : tensor<3xf64>
  // CHECK-NEXT: 6: tensor<f64> -inf
  %t = df.reduce_logsumexp %low {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  // Computed in f32: 300 ones have a mean of 1, though 300 bf16 ones add up to 256.
  %ones = df.constant dense<1.0> : tensor<300xbf16>
  // CHECK-NEXT: 7: tensor<bf16> 1
  %n = df.reduce_mean %ones {axes = array<i64: 0>} : (tensor<300xbf16>) -> tensor<bf16>
  df.return %m, %v, %u, %l1, %l2, %s, %t, %n : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<bf16>
}

// CHECK-LABEL: @softmax
df.function @softmax(%x: tensor<?x2xf64> {df.value = dense<[[0.0, 1000.0], [0.0, 0.0]]> : tensor<2x2xf64>}) -> (tensor<?x2xf64>, tensor<?x2xf64>) {
  // CHECK-NEXT: 0: tensor<2x2xf64> {{\[}}[0.5, 1], [0.5, 0]]
  %p = df.softmax %x {axis = 0 : i64} : (tensor<?x2xf64>) -> tensor<?x2xf64>
  // CHECK-NEXT: 1: tensor<2x2xf64> {{\[}}[-1000, 0], [-0.693147{{[0-9]*}}, -0.693147{{[0-9]*}}]]
  %l = df.log_softmax %x : (tensor<?x2xf64>) -> tensor<?x2xf64>
  df.return %p, %l : tensor<?x2xf64>, tensor<?x2xf64>
}
