// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.variable @total : tensor<3xf32> = #df.constant<0.0>

df.function @sums(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<3xf32> {df.name = "sum"}, tensor<?x3xf32> {df.name = "root"}) {
  %sum = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<3xf32>
  df.assign_add @total, %sum : tensor<3xf32>
  %root = df.sqrt %x : tensor<?x3xf32>
  df.return %sum, %root : tensor<3xf32>, tensor<?x3xf32>
}
