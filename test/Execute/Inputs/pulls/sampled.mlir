// Softmax over classes drawn for each step, the rows of their weights alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "sampled", mlc.settings = {train.batch_size = 32 : i64, train.epochs = 2 : i64}} {
  df.variable @input : tensor<1000x8xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @weights : tensor<1000x8xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @biases : tensor<1000xf32> = #df.constant<0.0> {trainable}
  df.variable @weights_sum : tensor<1000x8xf32> = #df.constant<1.0e-1> {slot_of = @weights, slot = "accumulator"}
  df.function @train(%word: tensor<?xi64> {df.name = "word"}, %next: tensor<?xi64> {df.name = "next"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %x = df.read_rows @input[%word] : (tensor<?xi64>) -> tensor<?x8xf32>
    %labels = df.reshape %next : (tensor<?xi64>) -> tensor<?x1xi64>
    %sampled, %in_true, %in_sampled = df.candidate_sampler log_uniform "negatives" %labels {num_classes = 1000 : i64, unique}
        : (tensor<?x1xi64>) -> (tensor<16xi64>, tensor<?x1xf32>, tensor<16xf32>)
    %tw = df.read_rows @weights[%next] : (tensor<?xi64>) -> tensor<?x8xf32>
    %tw1 = df.reshape %tw : (tensor<?x8xf32>) -> tensor<?x1x8xf32>
    %tb = df.read_rows @biases[%next] : (tensor<?xi64>) -> tensor<?xf32>
    %tb1 = df.reshape %tb : (tensor<?xf32>) -> tensor<?x1xf32>
    %sw = df.read_rows @weights[%sampled] : (tensor<16xi64>) -> tensor<16x8xf32>
    %sb = df.read_rows @biases[%sampled] : (tensor<16xi64>) -> tensor<16xf32>
    %each = df.sampled_softmax_loss %x, %labels, %tw1, %tb1, %sw, %sb, %sampled, %in_true, %in_sampled {remove_accidental_hits}
        : (tensor<?x8xf32>, tensor<?x1xi64>, tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x1xf32>, tensor<16xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %di, %dw, %db = df.gradients %loss wrt [@input, @weights, @biases] : (tensor<f32>) -> (!df.rows<tensor<1000x8xf32>>, !df.rows<tensor<1000x8xf32>>, !df.rows<tensor<1000xf32>>)
    df.apply_rows [@input], %di : !df.rows<tensor<1000x8xf32>> {
    ^bb0(%w: tensor<8xf32>, %g: tensor<8xf32>):
      %n = df.sub %w, %g : tensor<8xf32>
      df.yield %n : tensor<8xf32>
    }
    df.apply_rows [@weights, @weights_sum], %dw : !df.rows<tensor<1000x8xf32>> {
    ^bb0(%w: tensor<8xf32>, %a: tensor<8xf32>, %g: tensor<8xf32>):
      %q = df.square %g : tensor<8xf32>
      %a1 = df.add %a, %q : tensor<8xf32>
      %root = df.sqrt %a1 : tensor<8xf32>
      %s = df.div %g, %root : tensor<8xf32>
      %n = df.sub %w, %s : tensor<8xf32>
      df.yield %n, %a1 : tensor<8xf32>, tensor<8xf32>
    }
    df.apply_rows [@biases], %db : !df.rows<tensor<1000xf32>> {
    ^bb0(%w: tensor<f32>, %g: tensor<f32>):
      %n = df.sub %w, %g : tensor<f32>
      df.yield %n : tensor<f32>
    }
    df.return %loss : tensor<f32>
  }
}
