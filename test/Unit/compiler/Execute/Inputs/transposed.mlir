// A transposed convolution whose 'like' has twice the rows: sizes fit where there is no row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "transposed"} {
  df.function @predict(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "sum"}) {
    %w = df.constant dense<1.0> : tensor<1x3x3xf32>
    %two = df.concat %x, %x {axis = 0 : i64} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %one = df.constant dense<1.0> : tensor<1xf32>
    %y = df.dot_general %one, %x : (tensor<1xf32>, tensor<?x3xf32>) -> tensor<1x?x3xf32>
    %like = df.dot_general %one, %two : (tensor<1xf32>, tensor<?x3xf32>) -> tensor<1x?x3xf32>
    %z = df.conv_transpose %y, %w, %like : (tensor<1x?x3xf32>, tensor<1x3x3xf32>, tensor<1x?x3xf32>) -> tensor<1x?x3xf32>
    %sum = df.reduce_sum %z {axes = array<i64: 0, 1, 2>} : (tensor<1x?x3xf32>) -> tensor<f32>
    df.return %sum : tensor<f32>
  }
}
