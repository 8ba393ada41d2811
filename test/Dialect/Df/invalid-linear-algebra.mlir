// RUN: mlc-opt --split-input-file --verify-diagnostics %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @f(%a: tensor<?x3x4xf32>) {
  // expected-error @+1 {{'df.cholesky' op (C1) matrices must be [.., n, n] for a static n; found 'tensor<?x3x4xf32>'}}
  %r = df.cholesky %a : (tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  df.return
}

// -----

df.function @f(%a: tensor<?x?xf32>) {
  // expected-error @+1 {{(C1) matrices must be [.., n, n] for a static n; found 'tensor<?x?xf32>'}}
  %r = df.cholesky %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  df.return
}

// -----

df.function @f(%a: tensor<3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{'df.triangular_solve' op (C1) matrices must be [.., n, n] for a static n; found 'tensor<3xf32>'}}
  %r = df.triangular_solve %a, %b : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  df.return
}

// -----

df.function @f(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{(C2) right sides must be [.., n, m] of the matrices' leading dimensions and element type}}
  %r = df.triangular_solve %a, %b : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  df.return
}

// -----

df.function @f(%a: tensor<5x3x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error @+1 {{(C2) right sides must be [.., n, m] of the matrices' leading dimensions and element type}}
  %r = df.triangular_solve %a, %b : (tensor<5x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  df.return
}

// -----

df.function @f(%a: tensor<?x3x4xf32>) {
  // expected-error @+1 {{'df.determinant' op (C1) matrices must be [.., n, n] for a static n; found 'tensor<?x3x4xf32>'}}
  %r = df.determinant %a : (tensor<?x3x4xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%a: tensor<5x3x3xf32>) {
  // expected-error @+1 {{'df.determinant' op (C2) a result must have the operand's leading dimensions and its element type; expected 'tensor<5xf32>', found 'tensor<5x1xf32>'}}
  %r = df.determinant %a : (tensor<5x3x3xf32>) -> tensor<5x1xf32>
  df.return
}

// -----

df.function @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'df.slogdet' op (C1) matrices must be [.., n, n] for a static n; found 'tensor<3xf32>'}}
  %s, %l = df.slogdet %a : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  df.return
}

// -----

df.function @f(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{(C2) a result must have the operand's leading dimensions and its element type; expected 'tensor<f32>', found 'tensor<f64>'}}
  %s, %l = df.slogdet %a : (tensor<3x3xf32>) -> (tensor<f32>, tensor<f64>)
  df.return
}
