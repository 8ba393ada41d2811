// Reductions of 64 MB: over everything, along rows, along columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @sum_all(%x: tensor<16777216xf32> {df.name = "vector"}) -> (tensor<f32> {df.name = "y"}) {
  %y = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<16777216xf32>) -> tensor<f32>
  df.return %y : tensor<f32>
}
df.function @max_all(%x: tensor<16777216xf32> {df.name = "vector"}) -> (tensor<f32> {df.name = "y"}) {
  %y = df.reduce_max %x {axes = array<i64: 0>} : (tensor<16777216xf32>) -> tensor<f32>
  df.return %y : tensor<f32>
}
df.function @sum_rows(%x: tensor<4096x4096xf32> {df.name = "matrix"}) -> (tensor<4096xf32> {df.name = "y"}) {
  %y = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  df.return %y : tensor<4096xf32>
}
df.function @max_rows(%x: tensor<4096x4096xf32> {df.name = "matrix"}) -> (tensor<4096xf32> {df.name = "y"}) {
  %y = df.reduce_max %x {axes = array<i64: 1>} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  df.return %y : tensor<4096xf32>
}
df.function @sum_columns(%x: tensor<4096x4096xf32> {df.name = "matrix"}) -> (tensor<4096xf32> {df.name = "y"}) {
  %y = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  df.return %y : tensor<4096xf32>
}
df.function @max_columns(%x: tensor<4096x4096xf32> {df.name = "matrix"}) -> (tensor<4096xf32> {df.name = "y"}) {
  %y = df.reduce_max %x {axes = array<i64: 0>} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  df.return %y : tensor<4096xf32>
}
