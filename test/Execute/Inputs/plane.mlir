// A regression written by hand: y = x . w + b over two inputs, gradient descent; eval and predict.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.settings = {train.batch_size = 16 : i64, train.epochs = 3 : i64, run_config.seed = 5 : i64}} {
  df.variable @w : tensor<2x1xf32> = #df.truncated_normal<0.0, 0.5> {trainable}
  df.variable @b : tensor<1xf32> = #df.constant<0.0> {trainable}
  df.variable @sum : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @count : tensor<i64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %y: tensor<?xf32> {df.name = "y"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<2x1xf32>
    %b = df.read @b : tensor<1xf32>
    %xw = df.matmul %x, %w {df.name = "product"} : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %p = df.add %xw, %bs : tensor<?x1xf32> loc("prediction")
    %flat = df.reshape %p : (tensor<?x1xf32>) -> tensor<?xf32>
    %e = df.sub %flat, %y {df.name = "error"} : tensor<?xf32>
    %each = df.square %e : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw, %db = df.gradients %loss wrt [@w, @b] {df.name = "gradient"} : (tensor<f32>) -> (tensor<2x1xf32>, tensor<1xf32>)
    %rate = df.setting "rate" = 1.0e-02 : f64 {doc = "of gradient descent"} -> tensor<f32>
    %rw = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<2x1xf32>
    %sw = df.mul %rw, %dw : tensor<2x1xf32>
    df.assign_sub @w, %sw : tensor<2x1xf32>
    %rb = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1xf32>
    %sb = df.mul %rb, %db : tensor<1xf32>
    df.assign_sub @b, %sb : tensor<1xf32>
    %after = df.read @b : tensor<1xf32> loc("b_after")
    df.return %loss : tensor<f32>
  }
  df.function @eval_update(%x: tensor<?x2xf32> {df.name = "x"}, %y: tensor<?xf32> {df.name = "y"})
      attributes {role = #df.role<eval_update>} {
    %w = df.read @w : tensor<2x1xf32>
    %b = df.read @b : tensor<1xf32>
    %xw = df.matmul %x, %w : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %p = df.add %xw, %bs : tensor<?x1xf32>
    %flat = df.reshape %p : (tensor<?x1xf32>) -> tensor<?xf32>
    %e = df.sub %flat, %y : tensor<?xf32>
    %each = df.square %e : tensor<?xf32>
    %s = df.reduce_sum %each {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    df.assign_add @sum, %s : tensor<f32>
    %one = df.constant dense<1> : tensor<i64>
    %ones = df.broadcast %one like %y dimensions = [] : (tensor<i64>, tensor<?xf32>) -> tensor<?xi64>
    %n = df.reduce_sum %ones {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    df.assign_add @count, %n : tensor<i64>
    df.return
  }
  df.function @eval_result() -> (tensor<f32> {df.name = "mse"}, tensor<i64> {df.name = "rows"}) attributes {role = #df.role<eval_result>} {
    %s = df.read @sum : tensor<f32>
    %n = df.read @count : tensor<i64>
    %nf = df.cast %n : (tensor<i64>) -> tensor<f32>
    %mse = df.div %s, %nf : tensor<f32>
    df.return %mse, %n : tensor<f32>, tensor<i64>
  }
  df.function @predict(%x: tensor<?x2xf32> {df.name = "x"}) -> (tensor<?x1xf32> {df.name = "value"}) attributes {role = #df.role<predict>} {
    %w = df.read @w : tensor<2x1xf32>
    %b = df.read @b : tensor<1xf32>
    %xw = df.matmul %x, %w : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %p = df.add %xw, %bs : tensor<?x1xf32>
    df.return %p : tensor<?x1xf32>
  }
}
