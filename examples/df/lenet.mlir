// A convolutional net for digits in the manner of LeNet-5 (LeCun et al. 1998): two convolutions with relu and maximum pooling, two
// dense layers; momentum under a rate that decays. docs/df-programs.md tells what its parts mean.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "lenet", mlc.settings = {train.batch_size = 100 : i64, train.epochs = 12 : i64, run_config.seed = 1 : i64}} {
  df.variable @conv1 : tensor<5x5x1x16xf32> = #df.truncated_normal<0.0, 0.2> {trainable}
  df.variable @bias1 : tensor<16xf32> = #df.constant<0.0> {trainable}
  df.variable @conv2 : tensor<5x5x16x32xf32> = #df.truncated_normal<0.0, 0.07> {trainable}
  df.variable @bias2 : tensor<32xf32> = #df.constant<0.0> {trainable}
  df.variable @dense : tensor<1568x120xf32> = #df.truncated_normal<0.0, 0.03> {trainable}
  df.variable @bias3 : tensor<120xf32> = #df.constant<0.0> {trainable}
  df.variable @output : tensor<120x10xf32> = #df.truncated_normal<0.0, 0.1> {trainable}
  df.variable @bias4 : tensor<10xf32> = #df.constant<0.0> {trainable}
  df.variable @conv1_momentum : tensor<5x5x1x16xf32> = #df.constant<0.0> {slot_of = @conv1, slot = "momentum"}
  df.variable @bias1_momentum : tensor<16xf32> = #df.constant<0.0> {slot_of = @bias1, slot = "momentum"}
  df.variable @conv2_momentum : tensor<5x5x16x32xf32> = #df.constant<0.0> {slot_of = @conv2, slot = "momentum"}
  df.variable @bias2_momentum : tensor<32xf32> = #df.constant<0.0> {slot_of = @bias2, slot = "momentum"}
  df.variable @dense_momentum : tensor<1568x120xf32> = #df.constant<0.0> {slot_of = @dense, slot = "momentum"}
  df.variable @bias3_momentum : tensor<120xf32> = #df.constant<0.0> {slot_of = @bias3, slot = "momentum"}
  df.variable @output_momentum : tensor<120x10xf32> = #df.constant<0.0> {slot_of = @output, slot = "momentum"}
  df.variable @bias4_momentum : tensor<10xf32> = #df.constant<0.0> {slot_of = @bias4, slot = "momentum"}
  df.variable @steps : tensor<f32> = #df.constant<0.0>
  df.variable @correct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %x = df.reshape %image : (tensor<?x784xf32>) -> tensor<?x28x28x1xf32>
    %w1 = df.read @conv1 : tensor<5x5x1x16xf32>
    %b1 = df.read @bias1 : tensor<16xf32>
    %p1 = df.conv %x, %w1 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x28x28x1xf32>, tensor<5x5x1x16xf32>) -> tensor<?x28x28x16xf32>
    %bs1 = df.broadcast %b1 like %p1 dimensions = [3] : (tensor<16xf32>, tensor<?x28x28x16xf32>) -> tensor<?x28x28x16xf32>
    %s1 = df.add %p1, %bs1 : tensor<?x28x28x16xf32>
    %h1 = df.relu %s1 : tensor<?x28x28x16xf32>
    %m1 = df.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x28x28x16xf32>) -> tensor<?x14x14x16xf32>
    %w2 = df.read @conv2 : tensor<5x5x16x32xf32>
    %b2 = df.read @bias2 : tensor<32xf32>
    %p2 = df.conv %m1, %w2 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x14x14x16xf32>, tensor<5x5x16x32xf32>) -> tensor<?x14x14x32xf32>
    %bs2 = df.broadcast %b2 like %p2 dimensions = [3] : (tensor<32xf32>, tensor<?x14x14x32xf32>) -> tensor<?x14x14x32xf32>
    %s2 = df.add %p2, %bs2 : tensor<?x14x14x32xf32>
    %h2 = df.relu %s2 : tensor<?x14x14x32xf32>
    %m2 = df.max_pool %h2 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x32xf32>) -> tensor<?x7x7x32xf32>
    %flat = df.reshape %m2 : (tensor<?x7x7x32xf32>) -> tensor<?x1568xf32>
    %w3 = df.read @dense : tensor<1568x120xf32>
    %b3 = df.read @bias3 : tensor<120xf32>
    %p3 = df.matmul %flat, %w3 : (tensor<?x1568xf32>, tensor<1568x120xf32>) -> tensor<?x120xf32>
    %bs3 = df.broadcast %b3 like %p3 dimensions = [1] : (tensor<120xf32>, tensor<?x120xf32>) -> tensor<?x120xf32>
    %s3 = df.add %p3, %bs3 : tensor<?x120xf32>
    %h3 = df.relu %s3 : tensor<?x120xf32>
    %w4 = df.read @output : tensor<120x10xf32>
    %b4 = df.read @bias4 : tensor<10xf32>
    %p4 = df.matmul %h3, %w4 : (tensor<?x120xf32>, tensor<120x10xf32>) -> tensor<?x10xf32>
    %bs4 = df.broadcast %b4 like %p4 dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %s4 = df.add %p4, %bs4 : tensor<?x10xf32>
    %each = df.softmax_cross_entropy %s4, %digit : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7 = df.gradients %loss wrt [@conv1, @bias1, @conv2, @bias2, @dense, @bias3, @output, @bias4] : (tensor<f32>)
        -> (tensor<5x5x1x16xf32>, tensor<16xf32>, tensor<5x5x16x32xf32>, tensor<32xf32>, tensor<1568x120xf32>, tensor<120xf32>, tensor<120x10xf32>, tensor<10xf32>)
    // The rate halves every 240 steps: rate * 2^(-step / 240).
    %rate0 = df.setting "learning_rate" = 5.0e-02 : f64 {doc = "of momentum, at the first step"} -> tensor<f32>
    %steps = df.read @steps : tensor<f32>
    %unit = df.constant dense<1.0> : tensor<f32>
    df.assign_add @steps, %unit : tensor<f32>
    %span = df.constant dense<-240.0> : tensor<f32>
    %halvings = df.div %steps, %span : tensor<f32>
    %decay = df.exp2 %halvings : tensor<f32>
    %rate = df.mul %rate0, %decay : tensor<f32>
    %keep = df.constant dense<0.9> : tensor<f32>
    %keep0 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<5x5x1x16xf32>
    %v0 = df.read @conv1_momentum : tensor<5x5x1x16xf32>
    %kept0 = df.mul %keep0, %v0 : tensor<5x5x1x16xf32>
    %next0 = df.add %kept0, %d0 : tensor<5x5x1x16xf32>
    df.assign @conv1_momentum, %next0 : tensor<5x5x1x16xf32>
    %rates0 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<5x5x1x16xf32>
    %step0 = df.mul %rates0, %next0 : tensor<5x5x1x16xf32>
    df.assign_sub @conv1, %step0 : tensor<5x5x1x16xf32>
    %keep1 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<16xf32>
    %v1 = df.read @bias1_momentum : tensor<16xf32>
    %kept1 = df.mul %keep1, %v1 : tensor<16xf32>
    %next1 = df.add %kept1, %d1 : tensor<16xf32>
    df.assign @bias1_momentum, %next1 : tensor<16xf32>
    %rates1 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<16xf32>
    %step1 = df.mul %rates1, %next1 : tensor<16xf32>
    df.assign_sub @bias1, %step1 : tensor<16xf32>
    %keep2 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<5x5x16x32xf32>
    %v2 = df.read @conv2_momentum : tensor<5x5x16x32xf32>
    %kept2 = df.mul %keep2, %v2 : tensor<5x5x16x32xf32>
    %next2 = df.add %kept2, %d2 : tensor<5x5x16x32xf32>
    df.assign @conv2_momentum, %next2 : tensor<5x5x16x32xf32>
    %rates2 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<5x5x16x32xf32>
    %step2 = df.mul %rates2, %next2 : tensor<5x5x16x32xf32>
    df.assign_sub @conv2, %step2 : tensor<5x5x16x32xf32>
    %keep3 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<32xf32>
    %v3 = df.read @bias2_momentum : tensor<32xf32>
    %kept3 = df.mul %keep3, %v3 : tensor<32xf32>
    %next3 = df.add %kept3, %d3 : tensor<32xf32>
    df.assign @bias2_momentum, %next3 : tensor<32xf32>
    %rates3 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32xf32>
    %step3 = df.mul %rates3, %next3 : tensor<32xf32>
    df.assign_sub @bias2, %step3 : tensor<32xf32>
    %keep4 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<1568x120xf32>
    %v4 = df.read @dense_momentum : tensor<1568x120xf32>
    %kept4 = df.mul %keep4, %v4 : tensor<1568x120xf32>
    %next4 = df.add %kept4, %d4 : tensor<1568x120xf32>
    df.assign @dense_momentum, %next4 : tensor<1568x120xf32>
    %rates4 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1568x120xf32>
    %step4 = df.mul %rates4, %next4 : tensor<1568x120xf32>
    df.assign_sub @dense, %step4 : tensor<1568x120xf32>
    %keep5 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<120xf32>
    %v5 = df.read @bias3_momentum : tensor<120xf32>
    %kept5 = df.mul %keep5, %v5 : tensor<120xf32>
    %next5 = df.add %kept5, %d5 : tensor<120xf32>
    df.assign @bias3_momentum, %next5 : tensor<120xf32>
    %rates5 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<120xf32>
    %step5 = df.mul %rates5, %next5 : tensor<120xf32>
    df.assign_sub @bias3, %step5 : tensor<120xf32>
    %keep6 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<120x10xf32>
    %v6 = df.read @output_momentum : tensor<120x10xf32>
    %kept6 = df.mul %keep6, %v6 : tensor<120x10xf32>
    %next6 = df.add %kept6, %d6 : tensor<120x10xf32>
    df.assign @output_momentum, %next6 : tensor<120x10xf32>
    %rates6 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<120x10xf32>
    %step6 = df.mul %rates6, %next6 : tensor<120x10xf32>
    df.assign_sub @output, %step6 : tensor<120x10xf32>
    %keep7 = df.broadcast %keep dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %v7 = df.read @bias4_momentum : tensor<10xf32>
    %kept7 = df.mul %keep7, %v7 : tensor<10xf32>
    %next7 = df.add %kept7, %d7 : tensor<10xf32>
    df.assign @bias4_momentum, %next7 : tensor<10xf32>
    %rates7 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %step7 = df.mul %rates7, %next7 : tensor<10xf32>
    df.assign_sub @bias4, %step7 : tensor<10xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%image: tensor<?x784xf32> {df.name = "image"}, %digit: tensor<?xi64> {df.name = "digit"})
      attributes {role = #df.role<eval_update>} {
    %x = df.reshape %image : (tensor<?x784xf32>) -> tensor<?x28x28x1xf32>
    %w1 = df.read @conv1 : tensor<5x5x1x16xf32>
    %b1 = df.read @bias1 : tensor<16xf32>
    %p1 = df.conv %x, %w1 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x28x28x1xf32>, tensor<5x5x1x16xf32>) -> tensor<?x28x28x16xf32>
    %bs1 = df.broadcast %b1 like %p1 dimensions = [3] : (tensor<16xf32>, tensor<?x28x28x16xf32>) -> tensor<?x28x28x16xf32>
    %s1 = df.add %p1, %bs1 : tensor<?x28x28x16xf32>
    %h1 = df.relu %s1 : tensor<?x28x28x16xf32>
    %m1 = df.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x28x28x16xf32>) -> tensor<?x14x14x16xf32>
    %w2 = df.read @conv2 : tensor<5x5x16x32xf32>
    %b2 = df.read @bias2 : tensor<32xf32>
    %p2 = df.conv %m1, %w2 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x14x14x16xf32>, tensor<5x5x16x32xf32>) -> tensor<?x14x14x32xf32>
    %bs2 = df.broadcast %b2 like %p2 dimensions = [3] : (tensor<32xf32>, tensor<?x14x14x32xf32>) -> tensor<?x14x14x32xf32>
    %s2 = df.add %p2, %bs2 : tensor<?x14x14x32xf32>
    %h2 = df.relu %s2 : tensor<?x14x14x32xf32>
    %m2 = df.max_pool %h2 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x32xf32>) -> tensor<?x7x7x32xf32>
    %flat = df.reshape %m2 : (tensor<?x7x7x32xf32>) -> tensor<?x1568xf32>
    %w3 = df.read @dense : tensor<1568x120xf32>
    %b3 = df.read @bias3 : tensor<120xf32>
    %p3 = df.matmul %flat, %w3 : (tensor<?x1568xf32>, tensor<1568x120xf32>) -> tensor<?x120xf32>
    %bs3 = df.broadcast %b3 like %p3 dimensions = [1] : (tensor<120xf32>, tensor<?x120xf32>) -> tensor<?x120xf32>
    %s3 = df.add %p3, %bs3 : tensor<?x120xf32>
    %h3 = df.relu %s3 : tensor<?x120xf32>
    %w4 = df.read @output : tensor<120x10xf32>
    %b4 = df.read @bias4 : tensor<10xf32>
    %p4 = df.matmul %h3, %w4 : (tensor<?x120xf32>, tensor<120x10xf32>) -> tensor<?x10xf32>
    %bs4 = df.broadcast %b4 like %p4 dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %s4 = df.add %p4, %bs4 : tensor<?x10xf32>
    %class = df.argmax %s4 : (tensor<?x10xf32>) -> tensor<?xi64>
    %hit = df.compare eq, %class, %digit : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
    %hitf = df.cast %hit : (tensor<?xi1>) -> tensor<?xf64>
    %hits = df.reduce_sum %hitf {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @correct, %hits : tensor<f64>
    %count = df.size %hitf {dimensions = array<i64: 0>} : (tensor<?xf64>) -> tensor<i64>
    %n = df.cast %count : (tensor<i64>) -> tensor<f64>
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
    %x = df.reshape %image : (tensor<?x784xf32>) -> tensor<?x28x28x1xf32>
    %w1 = df.read @conv1 : tensor<5x5x1x16xf32>
    %b1 = df.read @bias1 : tensor<16xf32>
    %p1 = df.conv %x, %w1 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x28x28x1xf32>, tensor<5x5x1x16xf32>) -> tensor<?x28x28x16xf32>
    %bs1 = df.broadcast %b1 like %p1 dimensions = [3] : (tensor<16xf32>, tensor<?x28x28x16xf32>) -> tensor<?x28x28x16xf32>
    %s1 = df.add %p1, %bs1 : tensor<?x28x28x16xf32>
    %h1 = df.relu %s1 : tensor<?x28x28x16xf32>
    %m1 = df.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x28x28x16xf32>) -> tensor<?x14x14x16xf32>
    %w2 = df.read @conv2 : tensor<5x5x16x32xf32>
    %b2 = df.read @bias2 : tensor<32xf32>
    %p2 = df.conv %m1, %w2 {padding = array<i64: 2, 2, 2, 2>} : (tensor<?x14x14x16xf32>, tensor<5x5x16x32xf32>) -> tensor<?x14x14x32xf32>
    %bs2 = df.broadcast %b2 like %p2 dimensions = [3] : (tensor<32xf32>, tensor<?x14x14x32xf32>) -> tensor<?x14x14x32xf32>
    %s2 = df.add %p2, %bs2 : tensor<?x14x14x32xf32>
    %h2 = df.relu %s2 : tensor<?x14x14x32xf32>
    %m2 = df.max_pool %h2 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x14x14x32xf32>) -> tensor<?x7x7x32xf32>
    %flat = df.reshape %m2 : (tensor<?x7x7x32xf32>) -> tensor<?x1568xf32>
    %w3 = df.read @dense : tensor<1568x120xf32>
    %b3 = df.read @bias3 : tensor<120xf32>
    %p3 = df.matmul %flat, %w3 : (tensor<?x1568xf32>, tensor<1568x120xf32>) -> tensor<?x120xf32>
    %bs3 = df.broadcast %b3 like %p3 dimensions = [1] : (tensor<120xf32>, tensor<?x120xf32>) -> tensor<?x120xf32>
    %s3 = df.add %p3, %bs3 : tensor<?x120xf32>
    %h3 = df.relu %s3 : tensor<?x120xf32>
    %w4 = df.read @output : tensor<120x10xf32>
    %b4 = df.read @bias4 : tensor<10xf32>
    %p4 = df.matmul %h3, %w4 : (tensor<?x120xf32>, tensor<120x10xf32>) -> tensor<?x10xf32>
    %bs4 = df.broadcast %b4 like %p4 dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %s4 = df.add %p4, %bs4 : tensor<?x10xf32>
    %class = df.argmax %s4 : (tensor<?x10xf32>) -> tensor<?xi64>
    %probabilities = df.softmax %s4 : (tensor<?x10xf32>) -> tensor<?x10xf32>
    df.return %class, %probabilities : tensor<?xi64>, tensor<?x10xf32>
  }
}
