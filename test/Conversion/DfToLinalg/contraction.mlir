// Products and convolutions become one kern.contract that reads its operands where they lie; what has no columns becomes loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -df-decompose --convert-df-to-linalg | FileCheck %s
// RUN: mlc-opt %s -df-decompose --convert-df-to-linalg --mlc-fuse | FileCheck %s --check-prefix=FUSED

// Heads stand between rows and depth: no transposition moves them.
// CHECK: #[[$Q:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK: #[[$K:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
// CHECK: #[[$S:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK: #[[$IMAGE:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5 * 3, d6)>
// CHECK: #[[$FILTER:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK: #[[$SPREAD:[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 - d3 + 1, d4)>

// CHECK-LABEL: func.func @scores
// CHECK-NOT:     linalg
// CHECK:         kern.contract
// CHECK:         maps = [#[[$Q]], #[[$K]], #[[$S]]]
df.function @scores(%q: tensor<?x5x2x4xf32> {df.binding = #df.binding<feature, "q">}, %k: tensor<?x7x2x4xf32> {df.binding = #df.binding<feature, "k">})
    -> (tensor<?x2x5x7xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>} {
  %s = df.einsum %q, %k {equation = "bthd,bshd->bhts"} : (tensor<?x5x2x4xf32>, tensor<?x7x2x4xf32>) -> tensor<?x2x5x7xf32>
  df.return %s : tensor<?x2x5x7xf32>
}

// Bias and activation of a convolution are its epilogue.
// CHECK-LABEL: func.func @layer
// CHECK:         tensor.insert_slice
// CHECK:         kern.contract
// CHECK:         maps = [#[[$IMAGE]], #[[$FILTER]],
// FUSED-LABEL: func.func @layer
// FUSED:         kern.contract {{.*}} extras(%{{.*}} : tensor<4xf32>)
// FUSED:           arith.addf
// FUSED:           arith.select
// FUSED-NOT:     linalg.generic
// FUSED:         return
df.function @layer(%x: tensor<?x8x8x3xf32> {df.binding = #df.binding<feature, "x">}, %w: tensor<3x2x3x4xf32> {df.binding = #df.binding<variable, "w">},
    %b: tensor<4xf32> {df.binding = #df.binding<variable, "b">}) -> (tensor<?x4x4x4xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>} {
  %y = df.conv %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 3>, padding = array<i64: 1, 1, 1, 2>} : (tensor<?x8x8x3xf32>, tensor<3x2x3x4xf32>) -> tensor<?x4x4x4xf32>
  %c = df.broadcast %b like %y dimensions = [3] : (tensor<4xf32>, tensor<?x4x4x4xf32>) -> tensor<?x4x4x4xf32>
  %s = df.add %y, %c : tensor<?x4x4x4xf32>
  %r = df.relu %s : tensor<?x4x4x4xf32>
  df.return %r : tensor<?x4x4x4xf32>
}

// The transposed one is a product for each phase of the stride, with every second position of the window, backwards.
// CHECK-LABEL: func.func @transposed
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [%{{.*}}, 3, 4] [1, 1, 1] : {{.*}} into tensor<?x5x4xf32>
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0] [2, 2, 4] [2, 1, 1]
// CHECK:         kern.contract
// CHECK:         maps = [#[[$SPREAD]],
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [%{{.*}}, 4, 2] [1, 2, 1]
// CHECK:         tensor.extract_slice %{{.*}}[1, 0, 0] [1, 2, 4] [2, 1, 1]
// CHECK:         kern.contract
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [%{{.*}}, 3, 2] [1, 2, 1]
df.function @transposed(%y: tensor<?x3x4xf32> {df.binding = #df.binding<feature, "y">}, %w: tensor<3x2x4xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<?x7x2xf32> {df.binding = #df.binding<output, "x">}) attributes {role = #df.role<predict>} {
  %x = df.conv_transpose %y, %w {strides = array<i64: 2>} : (tensor<?x3x4xf32>, tensor<3x2x4xf32>) -> tensor<?x7x2xf32>
  df.return %x : tensor<?x7x2xf32>
}

// Channels that stay apart share nothing that a product could keep in registers: lanes are channels.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT:     kern.contract
// CHECK:         linalg.generic
// CHECK:           math.fma
// What is computed before it stays before it: windows overlap.
// FUSED-LABEL: func.func @depthwise
// FUSED:         linalg.generic
// FUSED:           arith.mulf
// FUSED-NEXT:      linalg.yield
// FUSED:         linalg.generic
// FUSED-NOT:       arith.mulf
// FUSED:           math.fma
df.function @depthwise(%x: tensor<?x9x8xf32> {df.binding = #df.binding<feature, "x">}, %w: tensor<3x1x8xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<?x7x8xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>} {
  %q = df.square %x : tensor<?x9x8xf32>
  %y = df.conv %q, %w {groups = 8 : i64} : (tensor<?x9x8xf32>, tensor<3x1x8xf32>) -> tensor<?x7x8xf32>
  df.return %y : tensor<?x7x8xf32>
}
