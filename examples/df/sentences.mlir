// Whether sentences are positive: a recurrent net over sentences of different lengths. docs/df-programs.md tells what its parts mean. The gates are those of a minimal gated unit (Zhou et al. 2016), the
// optimizer is Adagrad (Duchi et al. 2011). Data: words.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "sentences", mlc.settings = {train.batch_size = 64 : i64, train.epochs = 4 : i64, run_config.seed = 1 : i64}} {
  df.variable @words : tensor<16384x32xf32> = #df.uniform<-0.1, 0.1> {trainable}
  df.variable @words_sum : tensor<16384x32xf32> = #df.constant<1.0e-4> {slot_of = @words, slot = "accumulator"}
  df.variable @input : tensor<32x64xf32> = #df.uniform<-0.3, 0.3> {trainable}
  df.variable @bias : tensor<64xf32> = #df.constant<0.0> {trainable}
  df.variable @forget : tensor<32x32xf32> = #df.uniform<-0.3, 0.3> {trainable}
  df.variable @candidate : tensor<32x32xf32> = #df.uniform<-0.3, 0.3> {trainable}
  df.variable @output : tensor<32x1xf32> = #df.uniform<-0.3, 0.3> {trainable}
  df.variable @output_bias : tensor<1xf32> = #df.constant<0.0> {trainable}
  df.variable @input_sum : tensor<32x64xf32> = #df.constant<1.0e-4> {slot_of = @input, slot = "accumulator"}
  df.variable @bias_sum : tensor<64xf32> = #df.constant<1.0e-4> {slot_of = @bias, slot = "accumulator"}
  df.variable @forget_sum : tensor<32x32xf32> = #df.constant<1.0e-4> {slot_of = @forget, slot = "accumulator"}
  df.variable @candidate_sum : tensor<32x32xf32> = #df.constant<1.0e-4> {slot_of = @candidate, slot = "accumulator"}
  df.variable @output_sum : tensor<32x1xf32> = #df.constant<1.0e-4> {slot_of = @output, slot = "accumulator"}
  df.variable @output_bias_sum : tensor<1xf32> = #df.constant<1.0e-4> {slot_of = @output_bias, slot = "accumulator"}
  df.variable @correct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @sentences : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%words: tensor<?x!df.string> {df.name = "words", df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.name = "words.ends"}, %label: tensor<?xi64> {df.name = "label"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    // Words by a hash of their text, each an embedding and its share of both gates: computed for the words alone.
    %print = df.fingerprint %words : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 16384 : i64} : tensor<?xi64>
    %word = df.read_rows @words[%ids] : (tensor<?xi64>) -> tensor<?x32xf32>
    %input = df.read @input : tensor<32x64xf32>
    %bias = df.read @bias : tensor<64xf32>
    %xw = df.matmul %word, %input : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
    %bs = df.broadcast %bias like %xw dimensions = [1] : (tensor<64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %shares = df.add %xw, %bs : tensor<?x64xf32>
    // [sentences, words of the longest one, 64], and time first.
    %zero = df.constant dense<0.0> : tensor<f32>
    %padded, %length = df.ragged_to_dense %shares, %ends, %zero : (tensor<?x64xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x64xf32>, tensor<?xi64>)
    %times = df.transpose %padded {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %size = df.cast %length : (tensor<?xi64>) -> tensor<?xf32>
    %column = df.reshape %size : (tensor<?xf32>) -> tensor<?x1xf32>
    %none = df.constant dense<0.0> : tensor<1x32xf32>
    %start = df.matmul %column, %none : (tensor<?x1xf32>, tensor<1x32xf32>) -> tensor<?x32xf32>
    %t0 = df.constant dense<0> : tensor<i64>
    %u = df.read @forget : tensor<32x32xf32>
    %v = df.read @candidate : tensor<32x32xf32>
    // As many iterations as the longest sentence of the batch has words. Sentences that have ended keep their state.
    %t, %h, %sum = df.scan (%t0, %start, %start) over (%times) : (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x?x64xf32>)
        -> (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>) {
    ^bb0(%i: tensor<i64>, %h0: tensor<?x32xf32>, %s0: tensor<?x32xf32>, %share: tensor<?x64xf32>):
      %xf = df.slice %share {starts = array<i64: 0, 0>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %xc = df.slice %share {starts = array<i64: 0, 32>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %hu = df.matmul %h0, %u : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %af = df.add %xf, %hu : tensor<?x32xf32>
      %f = df.sigmoid %af : tensor<?x32xf32>
      %fh = df.mul %f, %h0 : tensor<?x32xf32>
      %fv = df.matmul %fh, %v : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %ac = df.add %xc, %fv : tensor<?x32xf32>
      %c = df.tanh %ac : tensor<?x32xf32>
      %change = df.sub %c, %h0 : tensor<?x32xf32>
      %moved = df.mul %f, %change : tensor<?x32xf32>
      %next = df.add %h0, %moved : tensor<?x32xf32>
      %more = df.add %s0, %next : tensor<?x32xf32>
      %now = df.broadcast %i like %length dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
      %goes = df.compare lt, %now, %length : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
      %mask = df.broadcast %goes like %next dimensions = [0] : (tensor<?xi1>, tensor<?x32xf32>) -> tensor<?x32xi1>
      %h1 = df.select %mask, %next, %h0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %s1 = df.select %mask, %more, %s0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %step = df.constant dense<1> : tensor<i64>
      %i1 = df.add %i, %step : tensor<i64>
      df.yield %i1, %h1, %s1 : tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>
    }
    // The mean of the states; of no word zeros.
    %one = df.constant dense<1.0> : tensor<f32>
    %ones = df.broadcast %one like %size dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %least = df.maximum %size, %ones : tensor<?xf32>
    %divisor = df.broadcast %least like %sum dimensions = [0] : (tensor<?xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %mean = df.div %sum, %divisor : tensor<?x32xf32>
    // Dropout: half of the state, twice as large.
    %uniform = df.random uniform "dropout" like %mean : (tensor<?x32xf32>) -> tensor<?x32xf32>
    %half = df.constant dense<0.5> : tensor<f32>
    %limit = df.broadcast %half like %mean dimensions = [] : (tensor<f32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %stays = df.compare lt, %uniform, %limit : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xi1>
    %twice = df.add %mean, %mean : tensor<?x32xf32>
    %zeros = df.broadcast %zero like %mean dimensions = [] : (tensor<f32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %state = df.select %stays, %twice, %zeros : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %w = df.read @output : tensor<32x1xf32>
    %b = df.read @output_bias : tensor<1xf32>
    %sw = df.matmul %state, %w : (tensor<?x32xf32>, tensor<32x1xf32>) -> tensor<?x1xf32>
    %obs = df.broadcast %b like %sw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %logit = df.add %sw, %obs : tensor<?x1xf32>
    %logits = df.reshape %logit : (tensor<?x1xf32>) -> tensor<?xf32>
    %target = df.cast %label : (tensor<?xi64>) -> tensor<?xf32>
    %each = df.sigmoid_cross_entropy %logits, %target : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dwords, %d0, %d1, %d2, %d3, %d4, %d5 = df.gradients %loss wrt [@words, @input, @bias, @forget, @candidate, @output, @output_bias]
        : (tensor<f32>) -> (!df.rows<tensor<16384x32xf32>>, tensor<32x64xf32>, tensor<64xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x1xf32>, tensor<1xf32>)
    %rate = df.setting "learning_rate" = 3.0e-02 : f64 {doc = "of Adagrad"} -> tensor<f32>
    df.apply_rows [@words, @words_sum], %dwords : !df.rows<tensor<16384x32xf32>> {
    ^bb0(%row: tensor<32xf32>, %a: tensor<32xf32>, %g: tensor<32xf32>):
      %square = df.square %g : tensor<32xf32>
      %a1 = df.add %a, %square : tensor<32xf32>
      %root = df.sqrt %a1 : tensor<32xf32>
      %direction = df.div %g, %root : tensor<32xf32>
      %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32xf32>
      %step = df.mul %rates, %direction : tensor<32xf32>
      %row1 = df.sub %row, %step : tensor<32xf32>
      df.yield %row1, %a1 : tensor<32xf32>, tensor<32xf32>
    }
    // @input
    %square0 = df.square %d0 : tensor<32x64xf32>
    df.assign_add @input_sum, %square0 : tensor<32x64xf32>
    %a0 = df.read @input_sum : tensor<32x64xf32>
    %root0 = df.sqrt %a0 : tensor<32x64xf32>
    %direction0 = df.div %d0, %root0 : tensor<32x64xf32>
    %rate0 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32x64xf32>
    %step0 = df.mul %rate0, %direction0 : tensor<32x64xf32>
    df.assign_sub @input, %step0 : tensor<32x64xf32>
    // @bias
    %square1 = df.square %d1 : tensor<64xf32>
    df.assign_add @bias_sum, %square1 : tensor<64xf32>
    %a1 = df.read @bias_sum : tensor<64xf32>
    %root1 = df.sqrt %a1 : tensor<64xf32>
    %direction1 = df.div %d1, %root1 : tensor<64xf32>
    %rate1 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<64xf32>
    %step1 = df.mul %rate1, %direction1 : tensor<64xf32>
    df.assign_sub @bias, %step1 : tensor<64xf32>
    // @forget
    %square2 = df.square %d2 : tensor<32x32xf32>
    df.assign_add @forget_sum, %square2 : tensor<32x32xf32>
    %a2 = df.read @forget_sum : tensor<32x32xf32>
    %root2 = df.sqrt %a2 : tensor<32x32xf32>
    %direction2 = df.div %d2, %root2 : tensor<32x32xf32>
    %rate2 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32x32xf32>
    %step2 = df.mul %rate2, %direction2 : tensor<32x32xf32>
    df.assign_sub @forget, %step2 : tensor<32x32xf32>
    // @candidate
    %square3 = df.square %d3 : tensor<32x32xf32>
    df.assign_add @candidate_sum, %square3 : tensor<32x32xf32>
    %a3 = df.read @candidate_sum : tensor<32x32xf32>
    %root3 = df.sqrt %a3 : tensor<32x32xf32>
    %direction3 = df.div %d3, %root3 : tensor<32x32xf32>
    %rate3 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32x32xf32>
    %step3 = df.mul %rate3, %direction3 : tensor<32x32xf32>
    df.assign_sub @candidate, %step3 : tensor<32x32xf32>
    // @output
    %square4 = df.square %d4 : tensor<32x1xf32>
    df.assign_add @output_sum, %square4 : tensor<32x1xf32>
    %a4 = df.read @output_sum : tensor<32x1xf32>
    %root4 = df.sqrt %a4 : tensor<32x1xf32>
    %direction4 = df.div %d4, %root4 : tensor<32x1xf32>
    %rate4 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<32x1xf32>
    %step4 = df.mul %rate4, %direction4 : tensor<32x1xf32>
    df.assign_sub @output, %step4 : tensor<32x1xf32>
    // @output_bias
    %square5 = df.square %d5 : tensor<1xf32>
    df.assign_add @output_bias_sum, %square5 : tensor<1xf32>
    %a5 = df.read @output_bias_sum : tensor<1xf32>
    %root5 = df.sqrt %a5 : tensor<1xf32>
    %direction5 = df.div %d5, %root5 : tensor<1xf32>
    %rate5 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<1xf32>
    %step5 = df.mul %rate5, %direction5 : tensor<1xf32>
    df.assign_sub @output_bias, %step5 : tensor<1xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%words: tensor<?x!df.string> {df.name = "words", df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.name = "words.ends"}, %label: tensor<?xi64> {df.name = "label"})
      attributes {role = #df.role<eval_update>} {
    // Words by a hash of their text, each an embedding and its share of both gates: computed for the words alone.
    %print = df.fingerprint %words : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 16384 : i64} : tensor<?xi64>
    %word = df.read_rows @words[%ids] : (tensor<?xi64>) -> tensor<?x32xf32>
    %input = df.read @input : tensor<32x64xf32>
    %bias = df.read @bias : tensor<64xf32>
    %xw = df.matmul %word, %input : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
    %bs = df.broadcast %bias like %xw dimensions = [1] : (tensor<64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %shares = df.add %xw, %bs : tensor<?x64xf32>
    // [sentences, words of the longest one, 64], and time first.
    %zero = df.constant dense<0.0> : tensor<f32>
    %padded, %length = df.ragged_to_dense %shares, %ends, %zero : (tensor<?x64xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x64xf32>, tensor<?xi64>)
    %times = df.transpose %padded {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %size = df.cast %length : (tensor<?xi64>) -> tensor<?xf32>
    %column = df.reshape %size : (tensor<?xf32>) -> tensor<?x1xf32>
    %none = df.constant dense<0.0> : tensor<1x32xf32>
    %start = df.matmul %column, %none : (tensor<?x1xf32>, tensor<1x32xf32>) -> tensor<?x32xf32>
    %t0 = df.constant dense<0> : tensor<i64>
    %u = df.read @forget : tensor<32x32xf32>
    %v = df.read @candidate : tensor<32x32xf32>
    // As many iterations as the longest sentence of the batch has words. Sentences that have ended keep their state.
    %t, %h, %sum = df.scan (%t0, %start, %start) over (%times) : (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x?x64xf32>)
        -> (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>) {
    ^bb0(%i: tensor<i64>, %h0: tensor<?x32xf32>, %s0: tensor<?x32xf32>, %share: tensor<?x64xf32>):
      %xf = df.slice %share {starts = array<i64: 0, 0>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %xc = df.slice %share {starts = array<i64: 0, 32>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %hu = df.matmul %h0, %u : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %af = df.add %xf, %hu : tensor<?x32xf32>
      %f = df.sigmoid %af : tensor<?x32xf32>
      %fh = df.mul %f, %h0 : tensor<?x32xf32>
      %fv = df.matmul %fh, %v : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %ac = df.add %xc, %fv : tensor<?x32xf32>
      %c = df.tanh %ac : tensor<?x32xf32>
      %change = df.sub %c, %h0 : tensor<?x32xf32>
      %moved = df.mul %f, %change : tensor<?x32xf32>
      %next = df.add %h0, %moved : tensor<?x32xf32>
      %more = df.add %s0, %next : tensor<?x32xf32>
      %now = df.broadcast %i like %length dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
      %goes = df.compare lt, %now, %length : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
      %mask = df.broadcast %goes like %next dimensions = [0] : (tensor<?xi1>, tensor<?x32xf32>) -> tensor<?x32xi1>
      %h1 = df.select %mask, %next, %h0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %s1 = df.select %mask, %more, %s0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %step = df.constant dense<1> : tensor<i64>
      %i1 = df.add %i, %step : tensor<i64>
      df.yield %i1, %h1, %s1 : tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>
    }
    // The mean of the states; of no word zeros.
    %one = df.constant dense<1.0> : tensor<f32>
    %ones = df.broadcast %one like %size dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %least = df.maximum %size, %ones : tensor<?xf32>
    %divisor = df.broadcast %least like %sum dimensions = [0] : (tensor<?xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %mean = df.div %sum, %divisor : tensor<?x32xf32>
    %w = df.read @output : tensor<32x1xf32>
    %b = df.read @output_bias : tensor<1xf32>
    %sw = df.matmul %mean, %w : (tensor<?x32xf32>, tensor<32x1xf32>) -> tensor<?x1xf32>
    %obs = df.broadcast %b like %sw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %logit = df.add %sw, %obs : tensor<?x1xf32>
    %logits = df.reshape %logit : (tensor<?x1xf32>) -> tensor<?xf32>
    %zeros = df.broadcast %zero like %logits dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %class = df.compare gt, %logits, %zeros : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %isOne = df.cast %label : (tensor<?xi64>) -> tensor<?xi1>
    %wrong = df.logical_xor %class, %isOne : tensor<?xi1>
    %right = df.logical_not %wrong : tensor<?xi1>
    %hits = df.cast %right : (tensor<?xi1>) -> tensor<?xf64>
    %correct = df.reduce_sum %hits {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @correct, %correct : tensor<f64>
    %count = df.size %logits {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
    %rows = df.cast %count : (tensor<i64>) -> tensor<f64>
    df.assign_add @sentences, %rows : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "accuracy"}) attributes {role = #df.role<eval_result>} {
    %c = df.read @correct : tensor<f64>
    %n = df.read @sentences : tensor<f64>
    %a = df.div %c, %n : tensor<f64>
    df.return %a : tensor<f64>
  }

  df.function @predict(%words: tensor<?x!df.string> {df.name = "words", df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.name = "words.ends"})
      -> (tensor<?xf32> {df.name = "probability"}) attributes {role = #df.role<predict>} {
    // Words by a hash of their text, each an embedding and its share of both gates: computed for the words alone.
    %print = df.fingerprint %words : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 16384 : i64} : tensor<?xi64>
    %word = df.read_rows @words[%ids] : (tensor<?xi64>) -> tensor<?x32xf32>
    %input = df.read @input : tensor<32x64xf32>
    %bias = df.read @bias : tensor<64xf32>
    %xw = df.matmul %word, %input : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
    %bs = df.broadcast %bias like %xw dimensions = [1] : (tensor<64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %shares = df.add %xw, %bs : tensor<?x64xf32>
    // [sentences, words of the longest one, 64], and time first.
    %zero = df.constant dense<0.0> : tensor<f32>
    %padded, %length = df.ragged_to_dense %shares, %ends, %zero : (tensor<?x64xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x64xf32>, tensor<?xi64>)
    %times = df.transpose %padded {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %size = df.cast %length : (tensor<?xi64>) -> tensor<?xf32>
    %column = df.reshape %size : (tensor<?xf32>) -> tensor<?x1xf32>
    %none = df.constant dense<0.0> : tensor<1x32xf32>
    %start = df.matmul %column, %none : (tensor<?x1xf32>, tensor<1x32xf32>) -> tensor<?x32xf32>
    %t0 = df.constant dense<0> : tensor<i64>
    %u = df.read @forget : tensor<32x32xf32>
    %v = df.read @candidate : tensor<32x32xf32>
    // As many iterations as the longest sentence of the batch has words. Sentences that have ended keep their state.
    %t, %h, %sum = df.scan (%t0, %start, %start) over (%times) : (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x?x64xf32>)
        -> (tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>) {
    ^bb0(%i: tensor<i64>, %h0: tensor<?x32xf32>, %s0: tensor<?x32xf32>, %share: tensor<?x64xf32>):
      %xf = df.slice %share {starts = array<i64: 0, 0>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %xc = df.slice %share {starts = array<i64: 0, 32>, sizes = array<i64: -1, 32>} : (tensor<?x64xf32>) -> tensor<?x32xf32>
      %hu = df.matmul %h0, %u : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %af = df.add %xf, %hu : tensor<?x32xf32>
      %f = df.sigmoid %af : tensor<?x32xf32>
      %fh = df.mul %f, %h0 : tensor<?x32xf32>
      %fv = df.matmul %fh, %v : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
      %ac = df.add %xc, %fv : tensor<?x32xf32>
      %c = df.tanh %ac : tensor<?x32xf32>
      %change = df.sub %c, %h0 : tensor<?x32xf32>
      %moved = df.mul %f, %change : tensor<?x32xf32>
      %next = df.add %h0, %moved : tensor<?x32xf32>
      %more = df.add %s0, %next : tensor<?x32xf32>
      %now = df.broadcast %i like %length dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
      %goes = df.compare lt, %now, %length : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
      %mask = df.broadcast %goes like %next dimensions = [0] : (tensor<?xi1>, tensor<?x32xf32>) -> tensor<?x32xi1>
      %h1 = df.select %mask, %next, %h0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %s1 = df.select %mask, %more, %s0 : (tensor<?x32xi1>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
      %step = df.constant dense<1> : tensor<i64>
      %i1 = df.add %i, %step : tensor<i64>
      df.yield %i1, %h1, %s1 : tensor<i64>, tensor<?x32xf32>, tensor<?x32xf32>
    }
    // The mean of the states; of no word zeros.
    %one = df.constant dense<1.0> : tensor<f32>
    %ones = df.broadcast %one like %size dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %least = df.maximum %size, %ones : tensor<?xf32>
    %divisor = df.broadcast %least like %sum dimensions = [0] : (tensor<?xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %mean = df.div %sum, %divisor : tensor<?x32xf32>
    %w = df.read @output : tensor<32x1xf32>
    %b = df.read @output_bias : tensor<1xf32>
    %sw = df.matmul %mean, %w : (tensor<?x32xf32>, tensor<32x1xf32>) -> tensor<?x1xf32>
    %obs = df.broadcast %b like %sw dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %logit = df.add %sw, %obs : tensor<?x1xf32>
    %logits = df.reshape %logit : (tensor<?x1xf32>) -> tensor<?xf32>
    %p = df.sigmoid %logits : tensor<?xf32>
    df.return %p : tensor<?xf32>
  }
}
