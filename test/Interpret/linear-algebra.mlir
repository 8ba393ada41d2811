// Values of factorizations and systems of equations, as JAX has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// What is above the diagonal is not read. The second matrix is not positive definite from its second column on.
// CHECK-LABEL: @cholesky
df.function @cholesky() -> tensor<2x3x3xf64> {
  %a = df.constant dense<[[[4.0, 99.0, 0x7FF8000000000000], [2.0, 5.0, 99.0], [-1.0, 0.5, 3.0]], [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]]> : tensor<2x3x3xf64>
  // CHECK-NEXT: 0: tensor<2x3x3xf64> {{\[\[}}[2, 0, 0], [1, 2, 0], [-0.5, 0.5, 1.58113883008418{{[0-9]+}}]], {{\[}}[1, 0, 0], [0, nan, 0], [0, nan, nan]]]
  %l = df.cholesky %a : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  df.return %l : tensor<2x3x3xf64>
}

// CHECK-LABEL: @triangular_solve
df.function @triangular_solve() -> (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf16>) {
  %a = df.constant dense<[[1.0, 3.0, -2.0], [9.0, -1.0, 8.0], [7.0, 5.0, 2.0]]> : tensor<3x3xf64>
  %b = df.constant dense<[[-1.0, 2.0], [3.0, 0.0], [0.5, 6.0]]> : tensor<3x2xf64>
  // CHECK-NEXT: 0: tensor<3x2xf64> {{\[}}[-1, 2], [-12, 18], [33.75, -49]]
  %lower = df.triangular_solve %a, %b : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  // CHECK-NEXT: 1: tensor<3x2xf64> {{\[}}[13, -154], [-1.75, 15], [0.25, 3]]
  %transposed = df.triangular_solve %a, %b {transpose} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  // CHECK-NEXT: 2: tensor<3x2xf64> {{\[}}[3, 158], [-1, -48], [0.5, 6]]
  %unit = df.triangular_solve %a, %b {upper, unit_diagonal} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  // CHECK-NEXT: 3: tensor<3x2xf64> {{\[}}[-1, 2], [-6, 6], [23.25, -19]]
  %upper = df.triangular_solve %a, %b {upper, transpose} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %ha = df.cast %a : (tensor<3x3xf64>) -> tensor<3x3xf16>
  %hb = df.cast %b : (tensor<3x2xf64>) -> tensor<3x2xf16>
  // CHECK-NEXT: 4: tensor<3x2xf16> {{\[}}[-1, 2], [-12, 18], [33.75, -49]]
  %half = df.triangular_solve %ha, %hb : (tensor<3x3xf16>, tensor<3x2xf16>) -> tensor<3x2xf16>
  df.return %lower, %transposed, %unit, %upper, %half : tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf16>
}

// As NumPy has them, but that of the third matrix, which is singular, has no rounding errors here.
// CHECK-LABEL: @determinant
df.function @determinant() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f32>, tensor<2xf16>) {
  %a = df.constant dense<[[[2.0, -1.0, 0.0], [1.0, 3.0, 5.0], [-2.0, 0.5, 4.0]], [[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]], [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [7.0, 8.0, 9.0]], [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<4x3x3xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [33, -6, {{-?}}0, {{-?}}0]
  %d = df.determinant %a : (tensor<4x3x3xf64>) -> tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [1, -1, {{-?}}0, {{-?}}0]
  // CHECK-NEXT: 2: tensor<4xf64> [3.496507561466{{[0-9]+}}, 1.79175946922805{{[0-9]*}}, -inf, -inf]
  %s, %l = df.slogdet %a : (tensor<4x3x3xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  %one = df.constant dense<[[-3.0]]> : tensor<1x1xf32>
  // CHECK-NEXT: 3: tensor<f32> -3
  %e = df.determinant %one : (tensor<1x1xf32>) -> tensor<f32>
  %h = df.constant dense<[[[2.0, 1.0], [4.0, 3.0]], [[0.5, 8.0], [2.0, 1.0]]]> : tensor<2x2x2xf16>
  // CHECK-NEXT: 4: tensor<2xf16> [2, -15.5]
  %g = df.determinant %h : (tensor<2x2x2xf16>) -> tensor<2xf16>
  df.return %d, %s, %l, %e, %g : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f32>, tensor<2xf16>
}

// A matrix of no rows has the determinant 1. Its magnitude may be beyond the numbers of the type.
// CHECK-LABEL: @determinant_limits
df.function @determinant_limits() -> (tensor<2xf32>, tensor<f32>, tensor<f32>) {
  %none = df.constant dense<0.0> : tensor<2x0x0xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [1, 1]
  %d = df.determinant %none : (tensor<2x0x0xf32>) -> tensor<2xf32>
  %large = df.constant dense<[[1.0e30, 0.0], [0.0, -1.0e30]]> : tensor<2x2xf32>
  // CHECK-NEXT: 1: tensor<f32> -1
  // CHECK-NEXT: 2: tensor<f32> 138.155
  %s, %l = df.slogdet %large : (tensor<2x2xf32>) -> (tensor<f32>, tensor<f32>)
  df.return %d, %s, %l : tensor<2xf32>, tensor<f32>, tensor<f32>
}
