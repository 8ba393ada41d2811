// Products, convolutions and pooling whose sizes do not fit at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.function @dot(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<2x4xf32>}, %y: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}) -> tensor<4x4xf32> {
  // expected-error @+1 {{dimension 0 of lhs is 2, dimension 0 of rhs 3}}
  %z = df.dot_general %x, %y {lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  df.return %z : tensor<4x4xf32>
}

// -----

df.function @transposed(%y: tensor<1x?x1xf32> {df.value = dense<1.0> : tensor<1x4x1xf32>}, %x: tensor<1x?x1xf32> {df.value = dense<1.0> : tensor<1x9x1xf32>}) -> tensor<1x?x1xf32> {
  %w = df.constant dense<1.0> : tensor<2x1x1xf32>
  // expected-error @+1 {{the output over an image of [1, 9, 1] is [1, 8, 1]; found [1, 4, 1]}}
  %z = df.conv_transpose %y, %w, %x : (tensor<1x?x1xf32>, tensor<2x1x1xf32>, tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
  df.return %z : tensor<1x?x1xf32>
}

// -----

df.function @filter(%x: tensor<?x4x1xf32> {df.value = dense<1.0> : tensor<2x4x1xf32>}, %y: tensor<?x3x1xf32> {df.value = dense<1.0> : tensor<3x3x1xf32>}) -> tensor<2x1x1xf32> {
  // expected-error @+1 {{the output over an image of [2, 4, 1] is [2, 3, 1]; found [3, 3, 1]}}
  %z = df.conv_filter_gradient %x, %y : (tensor<?x4x1xf32>, tensor<?x3x1xf32>) -> tensor<2x1x1xf32>
  df.return %z : tensor<2x1x1xf32>
}

// -----

df.function @scatter(%y: tensor<1x?x1xf32> {df.value = dense<1.0> : tensor<1x2x1xf32>}, %i: tensor<1x?x1xi32> {df.value = dense<0> : tensor<1x3x1xi32>},
    %x: tensor<1x?x1xf32> {df.value = dense<1.0> : tensor<1x2x1xf32>}) -> tensor<1x?x1xf32> {
  // expected-error @+1 {{positions are [1, 3, 1], the output is [1, 2, 1]}}
  %z = df.pool_scatter %y, %i, %x {window = array<i64: 1>} : (tensor<1x?x1xf32>, tensor<1x?x1xi32>, tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
  df.return %z : tensor<1x?x1xf32>
}

// -----

df.function @select(%x: tensor<1x?x1xf32> {df.value = dense<1.0> : tensor<1x4x1xf32>}, %i: tensor<1x?x1xi32> {df.value = dense<0> : tensor<1x3x1xi32>}) -> tensor<1x?x1xf32> {
  // expected-error @+1 {{the output over an image of [1, 4, 1] is [1, 2, 1]; found [1, 3, 1]}}
  %z = df.pool_select %x, %i {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x?x1xf32>, tensor<1x?x1xi32>) -> tensor<1x?x1xf32>
  df.return %z : tensor<1x?x1xf32>
}
