// The net of words_full.mlir trained by sampled softmax: the next word of each row and 512 words drawn once a step.
// Evaluation is by the softmax over all words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "words_sampled", mlc.settings = {train.batch_size = 128 : i64, train.epochs = 5 : i64, run_config.seed = 1 : i64}} {
  df.variable @words : tensor<25670x64xf32> = #df.uniform<-0.1, 0.1> {trainable}
  df.variable @hidden : tensor<192x64xf32> = #df.truncated_normal<0.0, 0.07> {trainable}
  df.variable @classes : tensor<25670x64xf32> = #df.uniform<-0.1, 0.1> {trainable}
  df.variable @biases : tensor<25670x1xf32> = #df.constant<0.0> {trainable}
  df.variable @words_sum : tensor<25670x64xf32> = #df.constant<0.1> {slot_of = @words, slot = "sum"}
  df.variable @hidden_sum : tensor<192x64xf32> = #df.constant<0.1> {slot_of = @hidden, slot = "sum"}
  df.variable @classes_sum : tensor<25670x64xf32> = #df.constant<0.1> {slot_of = @classes, slot = "sum"}
  df.variable @biases_sum : tensor<25670x1xf32> = #df.constant<0.1> {slot_of = @biases, slot = "sum"}
  df.variable @loss_sum : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%context: tensor<?x3xi64> {df.name = "context"}, %next: tensor<?xi64> {df.name = "next"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %ids = df.reshape %context : (tensor<?x3xi64>) -> tensor<?xi64>
    %vectors = df.read_rows @words[%ids] : (tensor<?xi64>) -> tensor<?x64xf32>
    %x = df.reshape %vectors : (tensor<?x64xf32>) -> tensor<?x192xf32>
    %wh = df.read @hidden : tensor<192x64xf32>
    %z = df.matmul %x, %wh : (tensor<?x192xf32>, tensor<192x64xf32>) -> tensor<?x64xf32>
    %h = df.tanh %z : tensor<?x64xf32>
    %labels = df.reshape %next : (tensor<?xi64>) -> tensor<?x1xi64>
    %sampled, %te, %se = df.candidate_sampler log_uniform "negatives" %labels {num_classes = 25670 : i64, unique}
        : (tensor<?x1xi64>) -> (tensor<512xi64>, tensor<?x1xf32>, tensor<512xf32>)
    %true = df.read_rows @classes[%next] : (tensor<?xi64>) -> tensor<?x64xf32>
    %tw = df.reshape %true : (tensor<?x64xf32>) -> tensor<?x1x64xf32>
    %tb = df.read_rows @biases[%next] : (tensor<?xi64>) -> tensor<?x1xf32>
    %sw = df.read_rows @classes[%sampled] : (tensor<512xi64>) -> tensor<512x64xf32>
    %sb1 = df.read_rows @biases[%sampled] : (tensor<512xi64>) -> tensor<512x1xf32>
    %sb = df.reshape %sb1 : (tensor<512x1xf32>) -> tensor<512xf32>
    %each = df.sampled_softmax_loss %h, %labels, %tw, %tb, %sw, %sb, %sampled, %te, %se {remove_accidental_hits}
        : (tensor<?x64xf32>, tensor<?x1xi64>, tensor<?x1x64xf32>, tensor<?x1xf32>, tensor<512x64xf32>, tensor<512xf32>,
           tensor<512xi64>, tensor<?x1xf32>, tensor<512xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dv, %dh, %dw, %db = df.gradients %loss wrt [@words, @hidden, @classes, @biases]
        : (tensor<f32>) -> (!df.rows<tensor<25670x64xf32>>, tensor<192x64xf32>, !df.rows<tensor<25670x64xf32>>, !df.rows<tensor<25670x1xf32>>)
    // Adagrad (Duchi et al. 2011).
    %rate = df.setting "learning_rate" = 1.0e-01 : f64 {doc = "of Adagrad"} -> tensor<f32>
    df.apply_rows [@words, @words_sum], %dv : !df.rows<tensor<25670x64xf32>> {
    ^bb0(%v: tensor<64xf32>, %s: tensor<64xf32>, %g: tensor<64xf32>):
      %square = df.square %g : tensor<64xf32>
      %s1 = df.add %s, %square : tensor<64xf32>
      %root = df.sqrt %s1 : tensor<64xf32>
      %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<64xf32>
      %scaled = df.mul %r, %g : tensor<64xf32>
      %step = df.div %scaled, %root : tensor<64xf32>
      %v1 = df.sub %v, %step : tensor<64xf32>
      df.yield %v1, %s1 : tensor<64xf32>, tensor<64xf32>
    }
    %hidden_square = df.square %dh : tensor<192x64xf32>
    df.assign_add @hidden_sum, %hidden_square : tensor<192x64xf32>
    %hidden_sum = df.read @hidden_sum : tensor<192x64xf32>
    %hidden_root = df.sqrt %hidden_sum : tensor<192x64xf32>
    %hidden_rate = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<192x64xf32>
    %hidden_scaled = df.mul %hidden_rate, %dh : tensor<192x64xf32>
    %hidden_step = df.div %hidden_scaled, %hidden_root : tensor<192x64xf32>
    df.assign_sub @hidden, %hidden_step : tensor<192x64xf32>
    df.apply_rows [@classes, @classes_sum], %dw : !df.rows<tensor<25670x64xf32>> {
    ^bb0(%v: tensor<64xf32>, %s: tensor<64xf32>, %g: tensor<64xf32>):
      %square = df.square %g : tensor<64xf32>
      %s1 = df.add %s, %square : tensor<64xf32>
      %root = df.sqrt %s1 : tensor<64xf32>
      %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<64xf32>
      %scaled = df.mul %r, %g : tensor<64xf32>
      %step = df.div %scaled, %root : tensor<64xf32>
      %v1 = df.sub %v, %step : tensor<64xf32>
      df.yield %v1, %s1 : tensor<64xf32>, tensor<64xf32>
    }
    df.apply_rows [@biases, @biases_sum], %db : !df.rows<tensor<25670x1xf32>> {
    ^bb0(%v: tensor<1xf32>, %s: tensor<1xf32>, %g: tensor<1xf32>):
      %square = df.square %g : tensor<1xf32>
      %s1 = df.add %s, %square : tensor<1xf32>
      %root = df.sqrt %s1 : tensor<1xf32>
      %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1xf32>
      %scaled = df.mul %r, %g : tensor<1xf32>
      %step = df.div %scaled, %root : tensor<1xf32>
      %v1 = df.sub %v, %step : tensor<1xf32>
      df.yield %v1, %s1 : tensor<1xf32>, tensor<1xf32>
    }
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%context: tensor<?x3xi64> {df.name = "context"}, %next: tensor<?xi64> {df.name = "next"})
      attributes {role = #df.role<eval_update>} {
    %ids = df.reshape %context : (tensor<?x3xi64>) -> tensor<?xi64>
    %vectors = df.read_rows @words[%ids] : (tensor<?xi64>) -> tensor<?x64xf32>
    %x = df.reshape %vectors : (tensor<?x64xf32>) -> tensor<?x192xf32>
    %wh = df.read @hidden : tensor<192x64xf32>
    %z = df.matmul %x, %wh : (tensor<?x192xf32>, tensor<192x64xf32>) -> tensor<?x64xf32>
    %h = df.tanh %z : tensor<?x64xf32>
    %w = df.read @classes : tensor<25670x64xf32>
    %b1 = df.read @biases : tensor<25670x1xf32>
    %b = df.reshape %b1 : (tensor<25670x1xf32>) -> tensor<25670xf32>
    %hw = df.matmul %h, %w {transpose_b} : (tensor<?x64xf32>, tensor<25670x64xf32>) -> tensor<?x25670xf32>
    %bs = df.broadcast %b like %hw dimensions = [1] : (tensor<25670xf32>, tensor<?x25670xf32>) -> tensor<?x25670xf32>
    %logits = df.add %hw, %bs : tensor<?x25670xf32>
    %each = df.softmax_cross_entropy %logits, %next : (tensor<?x25670xf32>, tensor<?xi64>) -> tensor<?xf32>
    %wide = df.cast %each : (tensor<?xf32>) -> tensor<?xf64>
    %sum = df.reduce_sum %wide {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @loss_sum, %sum : tensor<f64>
    %one = df.constant dense<1.0> : tensor<f64>
    %ones = df.broadcast %one like %wide dimensions = [] : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %n = df.reduce_sum %ones {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @rows, %n : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "full_softmax_loss"}) attributes {role = #df.role<eval_result>} {
    %s = df.read @loss_sum : tensor<f64>
    %n = df.read @rows : tensor<f64>
    %a = df.div %s, %n : tensor<f64>
    df.return %a : tensor<f64>
  }
}
