// A regression on three columns beside each other: a number, two of one cell, a number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.settings = {train.batch_size = 16 : i64, train.epochs = 2 : i64, run_config.seed = 5 : i64}} {
  df.variable @w : tensor<4x1xf32> = #df.truncated_normal<0.0, 0.5> {trainable}
  df.function @train(%a: tensor<?xf32> {df.name = "a"}, %b: tensor<?xf32> {df.name = "b"}, %v: tensor<?x2xf32> {df.name = "v"}, %y: tensor<?xf32> {df.name = "y"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %a1 = df.reshape %a : (tensor<?xf32>) -> tensor<?x1xf32>
    %b1 = df.reshape %b : (tensor<?xf32>) -> tensor<?x1xf32>
    %bb = df.abs %b1 : tensor<?x1xf32>
    %x = df.concat %a1, %v, %b1 {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
    %w = df.read @w : tensor<4x1xf32>
    %xw = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
    %p = df.reshape %xw : (tensor<?x1xf32>) -> tensor<?xf32>
    %e = df.sub %p, %y : tensor<?xf32>
    %each = df.square %e : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4x1xf32>
    %rate = df.constant dense<0.001> : tensor<f32>
    %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<4x1xf32>
    %s = df.mul %r, %dw : tensor<4x1xf32>
    df.assign_sub @w, %s : tensor<4x1xf32>
    df.return %loss : tensor<f32>
  }
  df.function @predict(%a: tensor<?xf32> {df.name = "a"}, %b: tensor<?xf32> {df.name = "b"}, %v: tensor<?x2xf32> {df.name = "v"})
      -> (tensor<?x1xf32> {df.name = "value"}) attributes {role = #df.role<predict>} {
    %a1 = df.reshape %a : (tensor<?xf32>) -> tensor<?x1xf32>
    %b1 = df.reshape %b : (tensor<?xf32>) -> tensor<?x1xf32>
    %bb = df.abs %b1 : tensor<?x1xf32>
    %x = df.concat %a1, %v, %b1 {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
    %w = df.read @w : tensor<4x1xf32>
    %xw = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
    df.return %xw : tensor<?x1xf32>
  }
}
