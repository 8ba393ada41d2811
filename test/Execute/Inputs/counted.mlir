// Counts how often each example was used: x is its row of the identity, the gradient of the mean of x . w does not depend on w, and the
// rate is the rows of a batch, so w falls by exactly 1 where an example was used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.settings = {train.batch_size = 16 : i64, train.epochs = 3 : i64, run_config.seed = 5 : i64}} {
  df.variable @w : tensor<256x1xf32> = #df.constant<0.0> {trainable}
  df.variable @global_step : tensor<i64> = #df.constant<0.0>
  df.function @train(%x: tensor<?x256xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<256x1xf32>
    %xw = df.matmul %x, %w : (tensor<?x256xf32>, tensor<256x1xf32>) -> tensor<?x1xf32>
    %each = df.reshape %xw : (tensor<?x1xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<256x1xf32>
    %rate = df.constant dense<16.0> : tensor<f32>
    %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<256x1xf32>
    %down = df.mul %rates, %dw : tensor<256x1xf32>
    df.assign_sub @w, %down : tensor<256x1xf32>
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @global_step, %one : tensor<i64>
    df.return %loss : tensor<f32>
  }
}
