// Tensors of eight dimensions: a feature, a variable, its gradient, outputs. Gradient descent on x . w = y.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.settings = {train.batch_size = 2 : i64, train.epochs = 2 : i64, run_config.seed = 5 : i64}} {
  df.variable @w : tensor<1x1x2x1x1x2x1x1xf32> = #df.constant<0.5> {trainable}
  df.function @train(%x: tensor<?x1x2x1x1x2x1x1xf32> {df.name = "x"}, %y: tensor<?xf32> {df.name = "y"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<1x1x2x1x1x2x1x1xf32>
    %flat = df.reshape %w : (tensor<1x1x2x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x1xf32>
    %ws = df.broadcast %flat like %x dimensions = [1, 2, 3, 4, 5, 6, 7] : (tensor<1x2x1x1x2x1x1xf32>, tensor<?x1x2x1x1x2x1x1xf32>) -> tensor<?x1x2x1x1x2x1x1xf32>
    %products = df.mul %x, %ws : tensor<?x1x2x1x1x2x1x1xf32>
    %p = df.reduce_sum %products {axes = array<i64: 1, 2, 3, 4, 5, 6, 7>} : (tensor<?x1x2x1x1x2x1x1xf32>) -> tensor<?xf32>
    %e = df.sub %p, %y : tensor<?xf32>
    %each = df.square %e : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<1x1x2x1x1x2x1x1xf32>
    %rate = df.constant dense<0.125> : tensor<f32>
    %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1x1x2x1x1x2x1x1xf32>
    %s = df.mul %r, %dw : tensor<1x1x2x1x1x2x1x1xf32>
    df.assign_sub @w, %s : tensor<1x1x2x1x1x2x1x1xf32>
    df.return %loss : tensor<f32>
  }
  df.function @predict(%x: tensor<?x1x2x1x1x2x1x1xf32> {df.name = "x"})
      -> (tensor<?x1x2x1x1x2x1x1xf32> {df.name = "products"}) attributes {role = #df.role<predict>} {
    %w = df.read @w : tensor<1x1x2x1x1x2x1x1xf32>
    %flat = df.reshape %w : (tensor<1x1x2x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x1xf32>
    %ws = df.broadcast %flat like %x dimensions = [1, 2, 3, 4, 5, 6, 7] : (tensor<1x2x1x1x2x1x1xf32>, tensor<?x1x2x1x1x2x1x1xf32>) -> tensor<?x1x2x1x1x2x1x1xf32>
    %products = df.mul %x, %ws : tensor<?x1x2x1x1x2x1x1xf32>
    df.return %products : tensor<?x1x2x1x1x2x1x1xf32>
  }
}
