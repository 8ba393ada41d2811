// Softmax regression of digits, written by hand: docs/df-programs.md goes through it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "softmax", mlc.settings = {train.batch_size = 100 : i64, train.epochs = 5 : i64}} {
  df.variable @kernel : tensor<784x10xf32> = #df.constant<0.0> {trainable}
  df.variable @bias : tensor<10xf32> = #df.constant<0.0> {trainable}
  df.variable @correct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @kernel : tensor<784x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %image, %w : (tensor<?x784xf32>, tensor<784x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs {df.name = "logits"} : tensor<?x10xf32>
    %each = df.softmax_cross_entropy %logits, %digit : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw, %db = df.gradients %loss wrt [@kernel, @bias] : (tensor<f32>) -> (tensor<784x10xf32>, tensor<10xf32>)
    %rate = df.setting "learning_rate" = 5.0e-01 : f64 {doc = "of gradient descent"} -> tensor<f32>
    %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<784x10xf32>
    %sw = df.mul %rates, %dw : tensor<784x10xf32>
    df.assign_sub @kernel, %sw : tensor<784x10xf32>
    %rateb = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %sb = df.mul %rateb, %db : tensor<10xf32>
    df.assign_sub @bias, %sb : tensor<10xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      attributes {role = #df.role<eval_update>} {
    %w = df.read @kernel : tensor<784x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %image, %w : (tensor<?x784xf32>, tensor<784x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs : tensor<?x10xf32>
    %class = df.argmax %logits : (tensor<?x10xf32>) -> tensor<?xi64>
    %hit = df.compare eq, %class, %digit : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
    %hitf = df.cast %hit : (tensor<?xi1>) -> tensor<?xf64>
    %hits = df.reduce_sum %hitf {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @correct, %hits : tensor<f64>
    %one = df.constant dense<1.0> : tensor<f64>
    %ones = df.broadcast %one like %hitf dimensions = [] : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %n = df.reduce_sum %ones {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @rows, %n : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "accuracy"}) attributes {role = #df.role<eval_result>} {
    %c = df.read @correct : tensor<f64>
    %n = df.read @rows : tensor<f64>
    %a = df.div %c, %n : tensor<f64>
    df.return %a : tensor<f64>
  }

  df.function @predict(%image: tensor<?x784xf32> {df.name = "image"})
      -> (tensor<?xi64> {df.name = "class"}, tensor<?x10xf32> {df.name = "probabilities"}) attributes {role = #df.role<predict>} {
    %w = df.read @kernel : tensor<784x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %image, %w : (tensor<?x784xf32>, tensor<784x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs : tensor<?x10xf32>
    %class = df.argmax %logits : (tensor<?x10xf32>) -> tensor<?xi64>
    %p = df.softmax %logits : (tensor<?x10xf32>) -> tensor<?x10xf32>
    df.return %class, %p : tensor<?xi64>, tensor<?x10xf32>
  }
}
