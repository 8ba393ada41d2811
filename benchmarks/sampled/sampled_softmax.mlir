// The net of full_softmax.mlir trained by sampled softmax: the true class of each row and 512 classes drawn once a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "sampled_softmax", mlc.settings = {train.batch_size = 128 : i64}} {
  df.variable @hidden : tensor<256x256xf32> = #df.truncated_normal<0.0, 6.25e-02> {trainable}
  df.variable @classes : tensor<40000x256xf32> = #df.truncated_normal<0.0, 6.25e-02> {trainable}
  df.variable @biases : tensor<40000x1xf32> = #df.constant<0.0> {trainable}

  df.function @train(%x: tensor<?x256xf32> {df.name = "x"}, %label: tensor<?xi64> {df.name = "label"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %wh = df.read @hidden : tensor<256x256xf32>
    %z = df.matmul %x, %wh : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
    %h = df.tanh %z : tensor<?x256xf32>
    %labels = df.reshape %label : (tensor<?xi64>) -> tensor<?x1xi64>
    %sampled, %te, %se = df.candidate_sampler log_uniform "negatives" %labels {num_classes = 40000 : i64, unique}
        : (tensor<?x1xi64>) -> (tensor<512xi64>, tensor<?x1xf32>, tensor<512xf32>)
    %true = df.read_rows @classes[%label] : (tensor<?xi64>) -> tensor<?x256xf32>
    %tw = df.reshape %true : (tensor<?x256xf32>) -> tensor<?x1x256xf32>
    %tb = df.read_rows @biases[%label] : (tensor<?xi64>) -> tensor<?x1xf32>
    %sw = df.read_rows @classes[%sampled] : (tensor<512xi64>) -> tensor<512x256xf32>
    %sb1 = df.read_rows @biases[%sampled] : (tensor<512xi64>) -> tensor<512x1xf32>
    %sb = df.reshape %sb1 : (tensor<512x1xf32>) -> tensor<512xf32>
    %each = df.sampled_softmax_loss %h, %labels, %tw, %tb, %sw, %sb, %sampled, %te, %se {remove_accidental_hits}
        : (tensor<?x256xf32>, tensor<?x1xi64>, tensor<?x1x256xf32>, tensor<?x1xf32>, tensor<512x256xf32>, tensor<512xf32>,
           tensor<512xi64>, tensor<?x1xf32>, tensor<512xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dh, %dw, %db = df.gradients %loss wrt [@hidden, @classes, @biases]
        : (tensor<f32>) -> (tensor<256x256xf32>, !df.rows<tensor<40000x256xf32>>, !df.rows<tensor<40000x1xf32>>)
    %rate = df.setting "learning_rate" = 1.0e-01 : f64 {doc = "of gradient descent"} -> tensor<f32>
    %rh = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<256x256xf32>
    %sh = df.mul %rh, %dh : tensor<256x256xf32>
    df.assign_sub @hidden, %sh : tensor<256x256xf32>
    df.apply_rows [@classes], %dw : !df.rows<tensor<40000x256xf32>> {
    ^bb0(%w: tensor<256xf32>, %g: tensor<256xf32>):
      %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<256xf32>
      %s = df.mul %r, %g : tensor<256xf32>
      %w1 = df.sub %w, %s : tensor<256xf32>
      df.yield %w1 : tensor<256xf32>
    }
    df.apply_rows [@biases], %db : !df.rows<tensor<40000x1xf32>> {
    ^bb0(%w: tensor<1xf32>, %g: tensor<1xf32>):
      %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1xf32>
      %s = df.mul %r, %g : tensor<1xf32>
      %w1 = df.sub %w, %s : tensor<1xf32>
      df.yield %w1 : tensor<1xf32>
    }
    df.return %loss : tensor<f32>
  }
}
