// A feature with any number of values: their weighted sum, times a weight that counts steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.variable @steps : tensor<f32> = #df.constant<0.0>
df.function @train(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %loss = df.batch_mean %x : (tensor<?xf32>) -> tensor<f32>
  %one = df.constant dense<1.0> : tensor<f32>
  df.assign_add @steps, %one : tensor<f32>
  df.return %loss : tensor<f32>
}
df.function @predict(%t: tensor<?xf32> {df.name = "tags", df.symbol = 1}, %e: tensor<?xi64> {df.name = "tags.ends"},
                     %w: tensor<?xf32> {df.name = "tags.weight", df.symbol = 1}, %x: tensor<?xf32> {df.name = "x"})
    -> (tensor<?xf32> {df.name = "sum"}) attributes {role = #df.role<predict>} {
  %tw = df.mul %t, %w : tensor<?xf32>
  %s = df.ragged_reduce sum %tw, %e : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  %n = df.read @steps : tensor<f32>
  %ns = df.broadcast %n like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %y = df.mul %s, %ns : tensor<?xf32>
  %z = df.add %y, %x : tensor<?xf32>
  df.return %z : tensor<?xf32>
}
