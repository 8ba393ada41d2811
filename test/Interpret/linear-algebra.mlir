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
