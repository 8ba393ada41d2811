// An update that needs all rows of its variable. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  df.variable @w : tensor<4x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<4x2xf32>
    %y = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %each = df.reduce_sum %y {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4x2xf32>
    %sums = df.reduce_sum %dw {axes = array<i64: 0>} : (tensor<4x2xf32>) -> tensor<2xf32>
    %along = df.broadcast %sums dimensions = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
    %step = df.div %dw, %along : tensor<4x2xf32>
    df.assign_sub @w, %step : tensor<4x2xf32>
    df.return %loss : tensor<f32>
  }
}
