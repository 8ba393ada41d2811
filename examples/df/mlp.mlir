// A multilayer perceptron for digits with momentum, written by hand: docs/df-programs.md tells what its parts mean.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "mlp", mlc.settings = {train.batch_size = 100 : i64, train.epochs = 5 : i64, run_config.seed = 1 : i64}} {
  df.variable @hidden_kernel : tensor<784x128xf32> = #df.truncated_normal<0.0, 0.05> {trainable}
  df.variable @hidden_bias : tensor<128xf32> = #df.constant<0.0> {trainable}
  df.variable @kernel : tensor<128x10xf32> = #df.truncated_normal<0.0, 0.1> {trainable}
  df.variable @bias : tensor<10xf32> = #df.constant<0.0> {trainable}
  df.variable @hidden_kernel_momentum : tensor<784x128xf32> = #df.constant<0.0> {slot_of = @hidden_kernel, slot = "momentum"}
  df.variable @hidden_bias_momentum : tensor<128xf32> = #df.constant<0.0> {slot_of = @hidden_bias, slot = "momentum"}
  df.variable @kernel_momentum : tensor<128x10xf32> = #df.constant<0.0> {slot_of = @kernel, slot = "momentum"}
  df.variable @bias_momentum : tensor<10xf32> = #df.constant<0.0> {slot_of = @bias, slot = "momentum"}
  df.variable @correct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %hw = df.read @hidden_kernel : tensor<784x128xf32>
    %hb = df.read @hidden_bias : tensor<128xf32>
    %h0 = df.matmul %image, %hw : (tensor<?x784xf32>, tensor<784x128xf32>) -> tensor<?x128xf32>
    %hbs = df.broadcast %hb like %h0 dimensions = [1] : (tensor<128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
    %h1 = df.add %h0, %hbs : tensor<?x128xf32>
    %hidden = df.relu %h1 {df.name = "hidden"} : tensor<?x128xf32>
    %w = df.read @kernel : tensor<128x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %hidden, %w : (tensor<?x128xf32>, tensor<128x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs {df.name = "logits"} : tensor<?x10xf32>
    %each = df.softmax_cross_entropy %logits, %digit : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g0, %g1, %g2, %g3 = df.gradients %loss wrt [@hidden_kernel, @hidden_bias, @kernel, @bias] : (tensor<f32>)
      -> (tensor<784x128xf32>, tensor<128xf32>, tensor<128x10xf32>, tensor<10xf32>)
    %rate = df.setting "learning_rate" = 5.0e-02 : f64 {doc = "of momentum"} -> tensor<f32>
    %momentum = df.setting "momentum" = 9.0e-01 : f64 {doc = "share of the last update that stays"} -> tensor<f32>
    // v = momentum * v + gradient; hidden_kernel -= rate * v
    %m0 = df.broadcast %momentum dimensions = [] : (tensor<f32>) -> tensor<784x128xf32>
    %v0 = df.read @hidden_kernel_momentum : tensor<784x128xf32>
    %kept0 = df.mul %m0, %v0 : tensor<784x128xf32>
    %next0 = df.add %kept0, %g0 : tensor<784x128xf32>
    df.assign @hidden_kernel_momentum, %next0 : tensor<784x128xf32>
    %rate0 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<784x128xf32>
    %step0 = df.mul %rate0, %next0 : tensor<784x128xf32>
    df.assign_sub @hidden_kernel, %step0 : tensor<784x128xf32>
    // v = momentum * v + gradient; hidden_bias -= rate * v
    %m1 = df.broadcast %momentum dimensions = [] : (tensor<f32>) -> tensor<128xf32>
    %v1 = df.read @hidden_bias_momentum : tensor<128xf32>
    %kept1 = df.mul %m1, %v1 : tensor<128xf32>
    %next1 = df.add %kept1, %g1 : tensor<128xf32>
    df.assign @hidden_bias_momentum, %next1 : tensor<128xf32>
    %rate1 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<128xf32>
    %step1 = df.mul %rate1, %next1 : tensor<128xf32>
    df.assign_sub @hidden_bias, %step1 : tensor<128xf32>
    // v = momentum * v + gradient; kernel -= rate * v
    %m2 = df.broadcast %momentum dimensions = [] : (tensor<f32>) -> tensor<128x10xf32>
    %v2 = df.read @kernel_momentum : tensor<128x10xf32>
    %kept2 = df.mul %m2, %v2 : tensor<128x10xf32>
    %next2 = df.add %kept2, %g2 : tensor<128x10xf32>
    df.assign @kernel_momentum, %next2 : tensor<128x10xf32>
    %rate2 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<128x10xf32>
    %step2 = df.mul %rate2, %next2 : tensor<128x10xf32>
    df.assign_sub @kernel, %step2 : tensor<128x10xf32>
    // v = momentum * v + gradient; bias -= rate * v
    %m3 = df.broadcast %momentum dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %v3 = df.read @bias_momentum : tensor<10xf32>
    %kept3 = df.mul %m3, %v3 : tensor<10xf32>
    %next3 = df.add %kept3, %g3 : tensor<10xf32>
    df.assign @bias_momentum, %next3 : tensor<10xf32>
    %rate3 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %step3 = df.mul %rate3, %next3 : tensor<10xf32>
    df.assign_sub @bias, %step3 : tensor<10xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      attributes {role = #df.role<eval_update>} {
    %hw = df.read @hidden_kernel : tensor<784x128xf32>
    %hb = df.read @hidden_bias : tensor<128xf32>
    %h0 = df.matmul %image, %hw : (tensor<?x784xf32>, tensor<784x128xf32>) -> tensor<?x128xf32>
    %hbs = df.broadcast %hb like %h0 dimensions = [1] : (tensor<128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
    %h1 = df.add %h0, %hbs : tensor<?x128xf32>
    %hidden = df.relu %h1 {df.name = "hidden"} : tensor<?x128xf32>
    %w = df.read @kernel : tensor<128x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %hidden, %w : (tensor<?x128xf32>, tensor<128x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs {df.name = "logits"} : tensor<?x10xf32>
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
    %hw = df.read @hidden_kernel : tensor<784x128xf32>
    %hb = df.read @hidden_bias : tensor<128xf32>
    %h0 = df.matmul %image, %hw : (tensor<?x784xf32>, tensor<784x128xf32>) -> tensor<?x128xf32>
    %hbs = df.broadcast %hb like %h0 dimensions = [1] : (tensor<128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
    %h1 = df.add %h0, %hbs : tensor<?x128xf32>
    %hidden = df.relu %h1 {df.name = "hidden"} : tensor<?x128xf32>
    %w = df.read @kernel : tensor<128x10xf32>
    %b = df.read @bias : tensor<10xf32>
    %xw = df.matmul %hidden, %w : (tensor<?x128xf32>, tensor<128x10xf32>) -> tensor<?x10xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %logits = df.add %xw, %bs {df.name = "logits"} : tensor<?x10xf32>
    %class = df.argmax %logits : (tensor<?x10xf32>) -> tensor<?xi64>
    %p = df.softmax %logits : (tensor<?x10xf32>) -> tensor<?x10xf32>
    df.return %class, %p : tensor<?xi64>, tensor<?x10xf32>
  }
}
