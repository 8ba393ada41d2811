// A layer of 256 units in front of a softmax over 40,000 classes: every class in every step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "full_softmax", mlc.settings = {train.batch_size = 128 : i64}} {
  df.variable @hidden : tensor<256x256xf32> = #df.truncated_normal<0.0, 6.25e-02> {trainable}
  df.variable @classes : tensor<40000x256xf32> = #df.truncated_normal<0.0, 6.25e-02> {trainable}
  df.variable @biases : tensor<40000xf32> = #df.constant<0.0> {trainable}

  df.function @train(%x: tensor<?x256xf32> {df.name = "x"}, %label: tensor<?xi64> {df.name = "label"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %wh = df.read @hidden : tensor<256x256xf32>
    %z = df.matmul %x, %wh : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
    %h = df.tanh %z : tensor<?x256xf32>
    %w = df.read @classes : tensor<40000x256xf32>
    %b = df.read @biases : tensor<40000xf32>
    %hw = df.matmul %h, %w {transpose_b} : (tensor<?x256xf32>, tensor<40000x256xf32>) -> tensor<?x40000xf32>
    %bs = df.broadcast %b like %hw dimensions = [1] : (tensor<40000xf32>, tensor<?x40000xf32>) -> tensor<?x40000xf32>
    %logits = df.add %hw, %bs : tensor<?x40000xf32>
    %each = df.softmax_cross_entropy %logits, %label : (tensor<?x40000xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dh, %dw, %db = df.gradients %loss wrt [@hidden, @classes, @biases]
        : (tensor<f32>) -> (tensor<256x256xf32>, tensor<40000x256xf32>, tensor<40000xf32>)
    %rate = df.setting "learning_rate" = 1.0e-01 : f64 {doc = "of gradient descent"} -> tensor<f32>
    %rh = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<256x256xf32>
    %sh = df.mul %rh, %dh : tensor<256x256xf32>
    df.assign_sub @hidden, %sh : tensor<256x256xf32>
    %rw = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<40000x256xf32>
    %sw = df.mul %rw, %dw : tensor<40000x256xf32>
    df.assign_sub @classes, %sw : tensor<40000x256xf32>
    %rb = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<40000xf32>
    %sb = df.mul %rb, %db : tensor<40000xf32>
    df.assign_sub @biases, %sb : tensor<40000xf32>
    df.return %loss : tensor<f32>
  }
}
