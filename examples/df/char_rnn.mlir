// A recurrent net that predicts the next character: one layer of 256 LSTM cells as a scan over time, and Adam, written by hand.
// docs/df-programs.md tells what its parts mean. `text` holds windows of 65 characters by their number: the first 64 are read, the
// last 64 are to be predicted. Cells: Hochreiter and Schmidhuber 1997, with forget gates (Gers et al. 2000) whose bias starts at 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "char_rnn", mlc.settings = {train.batch_size = 64 : i64, train.epochs = 16 : i64, run_config.seed = 1 : i64}} {
  df.variable @input : tensor<65x1024xf32> = #df.uniform<-0.1, 0.1> {trainable}
  df.variable @recurrent : tensor<256x1024xf32> = #df.uniform<-0.0625, 0.0625> {trainable}
  df.variable @output : tensor<256x65xf32> = #df.uniform<-0.0625, 0.0625> {trainable}
  df.variable @output_bias : tensor<65xf32> = #df.constant<0.0> {trainable}
  df.variable @input_m : tensor<65x1024xf32> = #df.constant<0.0> {slot_of = @input, slot = "m"}
  df.variable @input_v : tensor<65x1024xf32> = #df.constant<0.0> {slot_of = @input, slot = "v"}
  df.variable @recurrent_m : tensor<256x1024xf32> = #df.constant<0.0> {slot_of = @recurrent, slot = "m"}
  df.variable @recurrent_v : tensor<256x1024xf32> = #df.constant<0.0> {slot_of = @recurrent, slot = "v"}
  df.variable @output_m : tensor<256x65xf32> = #df.constant<0.0> {slot_of = @output, slot = "m"}
  df.variable @output_v : tensor<256x65xf32> = #df.constant<0.0> {slot_of = @output, slot = "v"}
  df.variable @output_bias_m : tensor<65xf32> = #df.constant<0.0> {slot_of = @output_bias, slot = "m"}
  df.variable @output_bias_v : tensor<65xf32> = #df.constant<0.0> {slot_of = @output_bias, slot = "v"}
  df.variable @steps : tensor<f32> = #df.constant<0.0>
  df.variable @loss_sum : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @characters : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%text: tensor<?x65xi64> {df.name = "text"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %read = df.slice %text {starts = array<i64: 0, 0>, sizes = array<i64: -1, 64>} : (tensor<?x65xi64>) -> tensor<?x64xi64>
    %next = df.slice %text {starts = array<i64: 0, 1>, sizes = array<i64: -1, 64>} : (tensor<?x65xi64>) -> tensor<?x64xi64>
    %ids = df.transpose %read {permutation = array<i64: 1, 0>} : (tensor<?x64xi64>) -> tensor<64x?xi64>
    %labels = df.transpose %next {permutation = array<i64: 1, 0>} : (tensor<?x64xi64>) -> tensor<64x?xi64>
    // A character's share of the four gates, biases included, is a row of @input.
    %each_id = df.reshape %ids : (tensor<64x?xi64>) -> tensor<?xi64>
    %each_share = df.read_rows @input[%each_id] : (tensor<?xi64>) -> tensor<?x1024xf32>
    %shares = df.reshape %each_share : (tensor<?x1024xf32>) -> tensor<64x?x1024xf32>
    %u = df.read @recurrent : tensor<256x1024xf32>
    // Zeros for each row of the batch.
    %first = df.slice %shares {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, -1, 1024>} : (tensor<64x?x1024xf32>) -> tensor<1x?x1024xf32>
    %gates0 = df.reshape %first : (tensor<1x?x1024xf32>) -> tensor<?x1024xf32>
    %cells0 = df.slice %gates0 {starts = array<i64: 0, 0>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
    %zero = df.constant dense<0.0> : tensor<f32>
    %zeros = df.broadcast %zero like %cells0 dimensions = [] : (tensor<f32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %h, %c, %all = df.scan (%zeros, %zeros) over (%shares) : (tensor<?x256xf32>, tensor<?x256xf32>, tensor<64x?x1024xf32>)
        -> (tensor<?x256xf32>, tensor<?x256xf32>, tensor<64x?x256xf32>) {
    ^bb0(%h0: tensor<?x256xf32>, %c0: tensor<?x256xf32>, %share: tensor<?x1024xf32>):
      %hu = df.matmul %h0, %u : (tensor<?x256xf32>, tensor<256x1024xf32>) -> tensor<?x1024xf32>
      %gates = df.add %hu, %share : tensor<?x1024xf32>
      %gi = df.slice %gates {starts = array<i64: 0, 0>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %gf = df.slice %gates {starts = array<i64: 0, 256>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %gg = df.slice %gates {starts = array<i64: 0, 512>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %go = df.slice %gates {starts = array<i64: 0, 768>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %one = df.constant dense<1.0> : tensor<f32>
      %ones = df.broadcast %one like %gf dimensions = [] : (tensor<f32>, tensor<?x256xf32>) -> tensor<?x256xf32>
      %gf1 = df.add %gf, %ones : tensor<?x256xf32>
      %i = df.sigmoid %gi : tensor<?x256xf32>
      %f = df.sigmoid %gf1 : tensor<?x256xf32>
      %g = df.tanh %gg : tensor<?x256xf32>
      %o = df.sigmoid %go : tensor<?x256xf32>
      %kept = df.mul %f, %c0 : tensor<?x256xf32>
      %new = df.mul %i, %g : tensor<?x256xf32>
      %c1 = df.add %kept, %new : tensor<?x256xf32>
      %t = df.tanh %c1 : tensor<?x256xf32>
      %h1 = df.mul %o, %t : tensor<?x256xf32>
      df.yield %h1, %c1, %h1 : tensor<?x256xf32>, tensor<?x256xf32>, tensor<?x256xf32>
    }
    %rows = df.reshape %all : (tensor<64x?x256xf32>) -> tensor<?x256xf32>
    %w = df.read @output : tensor<256x65xf32>
    %b = df.read @output_bias : tensor<65xf32>
    %xw = df.matmul %rows, %w : (tensor<?x256xf32>, tensor<256x65xf32>) -> tensor<?x65xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<65xf32>, tensor<?x65xf32>) -> tensor<?x65xf32>
    %logits = df.add %xw, %bs : tensor<?x65xf32>
    %label = df.reshape %labels : (tensor<64x?xi64>) -> tensor<?xi64>
    %nats = df.softmax_cross_entropy %logits, %label : (tensor<?x65xf32>, tensor<?xi64>) -> tensor<?xf32>
    // The mean over the characters of each window.
    %by_time = df.reshape %nats : (tensor<?xf32>) -> tensor<64x?xf32>
    %sums = df.reduce_sum %by_time {axes = array<i64: 0>} : (tensor<64x?xf32>) -> tensor<?xf32>
    %share_of_one = df.constant dense<0.015625> : tensor<f32>
    %scale = df.broadcast %share_of_one like %sums dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %each = df.mul %sums, %scale : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %d0, %d1, %d2, %d3 = df.gradients %loss wrt [@input, @recurrent, @output, @output_bias] : (tensor<f32>)
        -> (tensor<65x1024xf32>, tensor<256x1024xf32>, tensor<256x65xf32>, tensor<65xf32>)
    // Adam (Kingma and Ba 2015): the corrections of both means go into the rate.
    %rate = df.setting "learning_rate" = 4.0e-03 : f64 {doc = "of Adam"} -> tensor<f32>
    %one = df.constant dense<1.0> : tensor<f32>
    df.assign_add @steps, %one : tensor<f32>
    %steps = df.read @steps : tensor<f32>
    %beta1 = df.constant dense<0.9> : tensor<f32>
    %rest1 = df.constant dense<0.1> : tensor<f32>
    %beta2 = df.constant dense<0.999> : tensor<f32>
    %rest2 = df.constant dense<0.001> : tensor<f32>
    %epsilon = df.constant dense<1.0e-8> : tensor<f32>
    %p1 = df.pow %beta1, %steps : tensor<f32>
    %p2 = df.pow %beta2, %steps : tensor<f32>
    %q1 = df.sub %one, %p1 : tensor<f32>
    %q2 = df.sub %one, %p2 : tensor<f32>
    %root = df.sqrt %q2 : tensor<f32>
    %correction = df.div %root, %q1 : tensor<f32>
    %corrected = df.mul %rate, %correction : tensor<f32>
    // @input
    %beta1_0 = df.broadcast %beta1 dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %rest1_0 = df.broadcast %rest1 dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %beta2_0 = df.broadcast %beta2 dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %rest2_0 = df.broadcast %rest2 dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %epsilon_0 = df.broadcast %epsilon dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %corrected_0 = df.broadcast %corrected dimensions = [] : (tensor<f32>) -> tensor<65x1024xf32>
    %m_0 = df.read @input_m : tensor<65x1024xf32>
    %m_kept_0 = df.mul %beta1_0, %m_0 : tensor<65x1024xf32>
    %m_new_0 = df.mul %rest1_0, %d0 : tensor<65x1024xf32>
    %m_next_0 = df.add %m_kept_0, %m_new_0 : tensor<65x1024xf32>
    df.assign @input_m, %m_next_0 : tensor<65x1024xf32>
    %v_0 = df.read @input_v : tensor<65x1024xf32>
    %v_kept_0 = df.mul %beta2_0, %v_0 : tensor<65x1024xf32>
    %squares_0 = df.square %d0 : tensor<65x1024xf32>
    %v_new_0 = df.mul %rest2_0, %squares_0 : tensor<65x1024xf32>
    %v_next_0 = df.add %v_kept_0, %v_new_0 : tensor<65x1024xf32>
    df.assign @input_v, %v_next_0 : tensor<65x1024xf32>
    %root_0 = df.sqrt %v_next_0 : tensor<65x1024xf32>
    %below_0 = df.add %root_0, %epsilon_0 : tensor<65x1024xf32>
    %direction_0 = df.div %m_next_0, %below_0 : tensor<65x1024xf32>
    %step_0 = df.mul %corrected_0, %direction_0 : tensor<65x1024xf32>
    df.assign_sub @input, %step_0 : tensor<65x1024xf32>
    // @recurrent
    %beta1_1 = df.broadcast %beta1 dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %rest1_1 = df.broadcast %rest1 dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %beta2_1 = df.broadcast %beta2 dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %rest2_1 = df.broadcast %rest2 dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %epsilon_1 = df.broadcast %epsilon dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %corrected_1 = df.broadcast %corrected dimensions = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %m_1 = df.read @recurrent_m : tensor<256x1024xf32>
    %m_kept_1 = df.mul %beta1_1, %m_1 : tensor<256x1024xf32>
    %m_new_1 = df.mul %rest1_1, %d1 : tensor<256x1024xf32>
    %m_next_1 = df.add %m_kept_1, %m_new_1 : tensor<256x1024xf32>
    df.assign @recurrent_m, %m_next_1 : tensor<256x1024xf32>
    %v_1 = df.read @recurrent_v : tensor<256x1024xf32>
    %v_kept_1 = df.mul %beta2_1, %v_1 : tensor<256x1024xf32>
    %squares_1 = df.square %d1 : tensor<256x1024xf32>
    %v_new_1 = df.mul %rest2_1, %squares_1 : tensor<256x1024xf32>
    %v_next_1 = df.add %v_kept_1, %v_new_1 : tensor<256x1024xf32>
    df.assign @recurrent_v, %v_next_1 : tensor<256x1024xf32>
    %root_1 = df.sqrt %v_next_1 : tensor<256x1024xf32>
    %below_1 = df.add %root_1, %epsilon_1 : tensor<256x1024xf32>
    %direction_1 = df.div %m_next_1, %below_1 : tensor<256x1024xf32>
    %step_1 = df.mul %corrected_1, %direction_1 : tensor<256x1024xf32>
    df.assign_sub @recurrent, %step_1 : tensor<256x1024xf32>
    // @output
    %beta1_2 = df.broadcast %beta1 dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %rest1_2 = df.broadcast %rest1 dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %beta2_2 = df.broadcast %beta2 dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %rest2_2 = df.broadcast %rest2 dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %epsilon_2 = df.broadcast %epsilon dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %corrected_2 = df.broadcast %corrected dimensions = [] : (tensor<f32>) -> tensor<256x65xf32>
    %m_2 = df.read @output_m : tensor<256x65xf32>
    %m_kept_2 = df.mul %beta1_2, %m_2 : tensor<256x65xf32>
    %m_new_2 = df.mul %rest1_2, %d2 : tensor<256x65xf32>
    %m_next_2 = df.add %m_kept_2, %m_new_2 : tensor<256x65xf32>
    df.assign @output_m, %m_next_2 : tensor<256x65xf32>
    %v_2 = df.read @output_v : tensor<256x65xf32>
    %v_kept_2 = df.mul %beta2_2, %v_2 : tensor<256x65xf32>
    %squares_2 = df.square %d2 : tensor<256x65xf32>
    %v_new_2 = df.mul %rest2_2, %squares_2 : tensor<256x65xf32>
    %v_next_2 = df.add %v_kept_2, %v_new_2 : tensor<256x65xf32>
    df.assign @output_v, %v_next_2 : tensor<256x65xf32>
    %root_2 = df.sqrt %v_next_2 : tensor<256x65xf32>
    %below_2 = df.add %root_2, %epsilon_2 : tensor<256x65xf32>
    %direction_2 = df.div %m_next_2, %below_2 : tensor<256x65xf32>
    %step_2 = df.mul %corrected_2, %direction_2 : tensor<256x65xf32>
    df.assign_sub @output, %step_2 : tensor<256x65xf32>
    // @output_bias
    %beta1_3 = df.broadcast %beta1 dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %rest1_3 = df.broadcast %rest1 dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %beta2_3 = df.broadcast %beta2 dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %rest2_3 = df.broadcast %rest2 dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %epsilon_3 = df.broadcast %epsilon dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %corrected_3 = df.broadcast %corrected dimensions = [] : (tensor<f32>) -> tensor<65xf32>
    %m_3 = df.read @output_bias_m : tensor<65xf32>
    %m_kept_3 = df.mul %beta1_3, %m_3 : tensor<65xf32>
    %m_new_3 = df.mul %rest1_3, %d3 : tensor<65xf32>
    %m_next_3 = df.add %m_kept_3, %m_new_3 : tensor<65xf32>
    df.assign @output_bias_m, %m_next_3 : tensor<65xf32>
    %v_3 = df.read @output_bias_v : tensor<65xf32>
    %v_kept_3 = df.mul %beta2_3, %v_3 : tensor<65xf32>
    %squares_3 = df.square %d3 : tensor<65xf32>
    %v_new_3 = df.mul %rest2_3, %squares_3 : tensor<65xf32>
    %v_next_3 = df.add %v_kept_3, %v_new_3 : tensor<65xf32>
    df.assign @output_bias_v, %v_next_3 : tensor<65xf32>
    %root_3 = df.sqrt %v_next_3 : tensor<65xf32>
    %below_3 = df.add %root_3, %epsilon_3 : tensor<65xf32>
    %direction_3 = df.div %m_next_3, %below_3 : tensor<65xf32>
    %step_3 = df.mul %corrected_3, %direction_3 : tensor<65xf32>
    df.assign_sub @output_bias, %step_3 : tensor<65xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%text: tensor<?x65xi64> {df.name = "text"}) attributes {role = #df.role<eval_update>} {
    %read = df.slice %text {starts = array<i64: 0, 0>, sizes = array<i64: -1, 64>} : (tensor<?x65xi64>) -> tensor<?x64xi64>
    %next = df.slice %text {starts = array<i64: 0, 1>, sizes = array<i64: -1, 64>} : (tensor<?x65xi64>) -> tensor<?x64xi64>
    %ids = df.transpose %read {permutation = array<i64: 1, 0>} : (tensor<?x64xi64>) -> tensor<64x?xi64>
    %labels = df.transpose %next {permutation = array<i64: 1, 0>} : (tensor<?x64xi64>) -> tensor<64x?xi64>
    // A character's share of the four gates, biases included, is a row of @input.
    %each_id = df.reshape %ids : (tensor<64x?xi64>) -> tensor<?xi64>
    %each_share = df.read_rows @input[%each_id] : (tensor<?xi64>) -> tensor<?x1024xf32>
    %shares = df.reshape %each_share : (tensor<?x1024xf32>) -> tensor<64x?x1024xf32>
    %u = df.read @recurrent : tensor<256x1024xf32>
    // Zeros for each row of the batch.
    %first = df.slice %shares {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, -1, 1024>} : (tensor<64x?x1024xf32>) -> tensor<1x?x1024xf32>
    %gates0 = df.reshape %first : (tensor<1x?x1024xf32>) -> tensor<?x1024xf32>
    %cells0 = df.slice %gates0 {starts = array<i64: 0, 0>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
    %zero = df.constant dense<0.0> : tensor<f32>
    %zeros = df.broadcast %zero like %cells0 dimensions = [] : (tensor<f32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %h, %c, %all = df.scan (%zeros, %zeros) over (%shares) : (tensor<?x256xf32>, tensor<?x256xf32>, tensor<64x?x1024xf32>)
        -> (tensor<?x256xf32>, tensor<?x256xf32>, tensor<64x?x256xf32>) {
    ^bb0(%h0: tensor<?x256xf32>, %c0: tensor<?x256xf32>, %share: tensor<?x1024xf32>):
      %hu = df.matmul %h0, %u : (tensor<?x256xf32>, tensor<256x1024xf32>) -> tensor<?x1024xf32>
      %gates = df.add %hu, %share : tensor<?x1024xf32>
      %gi = df.slice %gates {starts = array<i64: 0, 0>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %gf = df.slice %gates {starts = array<i64: 0, 256>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %gg = df.slice %gates {starts = array<i64: 0, 512>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %go = df.slice %gates {starts = array<i64: 0, 768>, sizes = array<i64: -1, 256>} : (tensor<?x1024xf32>) -> tensor<?x256xf32>
      %one = df.constant dense<1.0> : tensor<f32>
      %ones = df.broadcast %one like %gf dimensions = [] : (tensor<f32>, tensor<?x256xf32>) -> tensor<?x256xf32>
      %gf1 = df.add %gf, %ones : tensor<?x256xf32>
      %i = df.sigmoid %gi : tensor<?x256xf32>
      %f = df.sigmoid %gf1 : tensor<?x256xf32>
      %g = df.tanh %gg : tensor<?x256xf32>
      %o = df.sigmoid %go : tensor<?x256xf32>
      %kept = df.mul %f, %c0 : tensor<?x256xf32>
      %new = df.mul %i, %g : tensor<?x256xf32>
      %c1 = df.add %kept, %new : tensor<?x256xf32>
      %t = df.tanh %c1 : tensor<?x256xf32>
      %h1 = df.mul %o, %t : tensor<?x256xf32>
      df.yield %h1, %c1, %h1 : tensor<?x256xf32>, tensor<?x256xf32>, tensor<?x256xf32>
    }
    %rows = df.reshape %all : (tensor<64x?x256xf32>) -> tensor<?x256xf32>
    %w = df.read @output : tensor<256x65xf32>
    %b = df.read @output_bias : tensor<65xf32>
    %xw = df.matmul %rows, %w : (tensor<?x256xf32>, tensor<256x65xf32>) -> tensor<?x65xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<65xf32>, tensor<?x65xf32>) -> tensor<?x65xf32>
    %logits = df.add %xw, %bs : tensor<?x65xf32>
    %label = df.reshape %labels : (tensor<64x?xi64>) -> tensor<?xi64>
    %nats = df.softmax_cross_entropy %logits, %label : (tensor<?x65xf32>, tensor<?xi64>) -> tensor<?xf32>
    // The mean over the characters of each window.
    %by_time = df.reshape %nats : (tensor<?xf32>) -> tensor<64x?xf32>
    %sums = df.reduce_sum %by_time {axes = array<i64: 0>} : (tensor<64x?xf32>) -> tensor<?xf32>
    %share_of_one = df.constant dense<0.015625> : tensor<f32>
    %scale = df.broadcast %share_of_one like %sums dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %each = df.mul %sums, %scale : tensor<?xf32>
    %wide = df.cast %each : (tensor<?xf32>) -> tensor<?xf64>
    %sum = df.reduce_sum %wide {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @loss_sum, %sum : tensor<f64>
    %unit = df.constant dense<1.0> : tensor<f64>
    %units = df.broadcast %unit like %wide dimensions = [] : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %n = df.reduce_sum %units {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @characters, %n : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "nats_per_character"}) attributes {role = #df.role<eval_result>} {
    %s = df.read @loss_sum : tensor<f64>
    %n = df.read @characters : tensor<f64>
    %a = df.div %s, %n : tensor<f64>
    df.return %a : tensor<f64>
  }
}
