// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of factorizations and systems of equations.

// CHECK-LABEL: df.function @linear_algebra
df.function @linear_algebra(%a: tensor<?x3x3xf32>, %b: tensor<?x3x2xf32>, %h: tensor<4x4xbf16>) {
  // CHECK: df.cholesky %{{.*}} : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %l = df.cholesky %a : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  // CHECK: df.triangular_solve %{{.*}}, %{{.*}} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  %x = df.triangular_solve %l, %b : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  // CHECK: df.triangular_solve %{{.*}}, %{{.*}} {transpose, unit_diagonal, upper} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %y = df.triangular_solve %h, %h {transpose, unit_diagonal, upper} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  df.return
}

// CHECK-LABEL: df.function @determinants
df.function @determinants(%a: tensor<?x3x3xf32>, %b: tensor<4x4xbf16>) {
  // CHECK: df.determinant %{{.*}} : (tensor<?x3x3xf32>) -> tensor<?xf32>
  %d = df.determinant %a : (tensor<?x3x3xf32>) -> tensor<?xf32>
  // CHECK: df.slogdet %{{.*}} : (tensor<4x4xbf16>) -> (tensor<bf16>, tensor<bf16>)
  %s, %l = df.slogdet %b : (tensor<4x4xbf16>) -> (tensor<bf16>, tensor<bf16>)
  df.return
}
