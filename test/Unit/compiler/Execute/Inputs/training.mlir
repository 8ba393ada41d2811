// A classifier with a bit of everything that a step may have: vocabularies with a check of the labels, two tables that
// are gathered, a hidden layer, dropout, weights, settings, dense and sparse updates, streaming metrics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "training"} {
  df.variable @emb : tensor<13x5xf32> = #df.truncated_normal<0.0, 5.0e-1> {trainable}
  df.variable @emb_acc : tensor<13x5xf32> = #df.constant<1.0e-1> {slot_of = @emb, slot = "accumulator"}
  df.variable @wide : tensor<17x1xf32> = #df.constant<0.0> {trainable}
  df.variable @wide_m : tensor<17x1xf32> = #df.constant<0.0> {slot_of = @wide, slot = "momentum"}
  df.variable @kernel : tensor<9x11xf32> = #df.uniform<-6.0e-1, 6.0e-1> {trainable}
  df.variable @kernel_acc : tensor<9x11xf32> = #df.constant<1.0e-1> {slot_of = @kernel, slot = "accumulator"}
  df.variable @bias : tensor<11xf32> = #df.constant<1.0e-1> {trainable}
  df.variable @logits_kernel : tensor<11x3xf32> = #df.normal<0.0, 3.0e-1> {trainable}
  df.variable @step : tensor<i64> = #df.constant<0.0>
  df.variable @eval_weight : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @eval_loss : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @eval_correct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.vocabulary @words ["red", "green", "blue", "", "a longer term than fits in a register"] {num_oov = 8 : i64}
  df.vocabulary @numbers [10 : i64, -3 : i64, 7 : i64] {default_value = -1 : i64}
  df.vocabulary @classes ["no", "perhaps", "yes"]

  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %word: tensor<?x!df.string> {df.name = "word"},
                     %number: tensor<?xi64> {df.name = "number"}, %label: tensor<?x!df.string> {df.name = "label"},
                     %weight: tensor<?xf32> {df.name = "weight"})
      -> (tensor<f32> {df.name = "loss"}, tensor<i64> {df.name = "step"}) attributes {role = #df.role<train>} {
    // Features.
    %word_id = df.lookup @words, %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %word_hash = df.fingerprint %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %number_hash = df.fingerprint %number : (tensor<?xi64>) -> tensor<?xi64>
    %cross_hash = df.fingerprint_cat %word_hash, %number_hash : tensor<?xi64>
    %cross_id = df.hash_bucket %cross_hash {buckets = 17 : i64} : tensor<?xi64>
    %class = df.lookup @classes, %label : (tensor<?x!df.string>) -> tensor<?xi64>
    %y = df.check_ids %class, %label in @classes {low = 0 : i64, high = 3 : i64, what = "label 'answer'"} : (tensor<?xi64>, tensor<?x!df.string>) -> tensor<?xi64>
    // Forward.
    %e = df.read_rows @emb[%word_id] : (tensor<?xi64>) -> tensor<?x5xf32>
    %in = df.concat %x, %e {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x9xf32>
    %k = df.read @kernel : tensor<9x11xf32>
    %h0 = df.matmul %in, %k : (tensor<?x9xf32>, tensor<9x11xf32>) -> tensor<?x11xf32>
    %b = df.read @bias : tensor<11xf32>
    %bs = df.broadcast %b like %h0 dimensions = [1] : (tensor<11xf32>, tensor<?x11xf32>) -> tensor<?x11xf32>
    %h1 = df.add %h0, %bs : tensor<?x11xf32>
    %h2 = df.relu %h1 : tensor<?x11xf32>
    %u = df.random uniform "drop" like %h2 : (tensor<?x11xf32>) -> tensor<?x11xf32>
    %rate = df.constant dense<2.5e-01> : tensor<f32>
    %rates = df.broadcast %rate like %h2 dimensions = [] : (tensor<f32>, tensor<?x11xf32>) -> tensor<?x11xf32>
    %keep = df.compare ge, %u, %rates : (tensor<?x11xf32>, tensor<?x11xf32>) -> tensor<?x11xi1>
    %kept = df.cast %keep : (tensor<?x11xi1>) -> tensor<?x11xf32>
    %h = df.mul %h2, %kept : tensor<?x11xf32>
    %lk = df.read @logits_kernel : tensor<11x3xf32>
    %deep = df.matmul %h, %lk : (tensor<?x11xf32>, tensor<11x3xf32>) -> tensor<?x3xf32>
    %wide = df.read_rows @wide[%cross_id] : (tensor<?xi64>) -> tensor<?x1xf32>
    %wides = df.broadcast %wide like %deep dimensions = [0, 1] : (tensor<?x1xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %tilt = df.constant dense<[1.0, 5.0e-01, -1.0]> : tensor<3xf32>
    %tilts = df.broadcast %tilt like %deep dimensions = [1] : (tensor<3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %tilted = df.mul %wides, %tilts : tensor<?x3xf32>
    %logits = df.add %deep, %tilted : tensor<?x3xf32>
    %each = df.softmax_cross_entropy %logits, %y : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each, %weight {reduction = #df.batch_reduction<mean>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
    // Updates.
    %de, %dw, %dk, %db, %dlk = df.gradients %loss wrt [@emb, @wide, @kernel, @bias, @logits_kernel] : (tensor<f32>)
      -> (!df.rows<tensor<13x5xf32>>, !df.rows<tensor<17x1xf32>>, tensor<9x11xf32>, tensor<11xf32>, tensor<11x3xf32>)
    %lr = df.setting "optimizer.learning_rate" = 5.0e-02 : f64 -> tensor<f32>
    %decay_steps = df.setting "optimizer.decay_steps" = 100 : i64 -> tensor<i64>
    %now = df.read @step : tensor<i64>
    %past = df.compare ge, %now, %decay_steps : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %half = df.constant dense<5.0e-01> : tensor<f32>
    %less = df.mul %lr, %half : tensor<f32>
    %eta = df.select %past, %less, %lr : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    df.apply_rows [@emb, @emb_acc], %de : !df.rows<tensor<13x5xf32>> {
    ^bb0(%w: tensor<5xf32>, %a: tensor<5xf32>, %g: tensor<5xf32>):
      %s = df.square %g : tensor<5xf32>
      %a1 = df.add %a, %s : tensor<5xf32>
      %etas = df.broadcast %eta dimensions = [] : (tensor<f32>) -> tensor<5xf32>
      %num = df.mul %etas, %g : tensor<5xf32>
      %den = df.sqrt %a1 : tensor<5xf32>
      %q = df.div %num, %den : tensor<5xf32>
      %w1 = df.sub %w, %q : tensor<5xf32>
      df.yield %w1, %a1 : tensor<5xf32>, tensor<5xf32>
    }
    df.apply_rows every_row [@wide, @wide_m], %dw : !df.rows<tensor<17x1xf32>> {
    ^bb0(%w: tensor<1xf32>, %m: tensor<1xf32>, %g: tensor<1xf32>):
      %etas = df.broadcast %eta dimensions = [] : (tensor<f32>) -> tensor<1xf32>
      %halves = df.broadcast %half dimensions = [] : (tensor<f32>) -> tensor<1xf32>
      %m0 = df.mul %halves, %m : tensor<1xf32>
      %m1 = df.add %m0, %g : tensor<1xf32>
      %d = df.mul %etas, %m1 : tensor<1xf32>
      %w1 = df.sub %w, %d : tensor<1xf32>
      df.yield %w1, %m1 : tensor<1xf32>, tensor<1xf32>
    }
    %ka = df.read @kernel_acc : tensor<9x11xf32>
    %ks = df.square %dk : tensor<9x11xf32>
    %ka1 = df.add %ka, %ks : tensor<9x11xf32>
    df.assign @kernel_acc, %ka1 : tensor<9x11xf32>
    %keta = df.broadcast %eta dimensions = [] : (tensor<f32>) -> tensor<9x11xf32>
    %knum = df.mul %keta, %dk : tensor<9x11xf32>
    %kden = df.sqrt %ka1 : tensor<9x11xf32>
    %kq = df.div %knum, %kden : tensor<9x11xf32>
    df.assign_sub @kernel, %kq : tensor<9x11xf32>
    %beta = df.broadcast %eta dimensions = [] : (tensor<f32>) -> tensor<11xf32>
    %bq = df.mul %beta, %db : tensor<11xf32>
    df.assign_sub @bias, %bq : tensor<11xf32>
    %leta = df.broadcast %eta dimensions = [] : (tensor<f32>) -> tensor<11x3xf32>
    %lq = df.mul %leta, %dlk : tensor<11x3xf32>
    df.assign_sub @logits_kernel, %lq : tensor<11x3xf32>
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @step, %one : tensor<i64>
    %done = df.read @step : tensor<i64>
    df.return %loss, %done : tensor<f32>, tensor<i64>
  }

  df.function @eval_update(%x: tensor<?x4xf32> {df.name = "x"}, %word: tensor<?x!df.string> {df.name = "word"},
                           %label: tensor<?x!df.string> {df.name = "label"}, %weight: tensor<?xf32> {df.name = "weight"})
      attributes {role = #df.role<eval_update>} {
    %word_id = df.lookup @words, %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %class = df.lookup @classes, %label : (tensor<?x!df.string>) -> tensor<?xi64>
    %y = df.check_ids %class, %label in @classes {low = 0 : i64, high = 3 : i64, what = "label 'answer'"} : (tensor<?xi64>, tensor<?x!df.string>) -> tensor<?xi64>
    %e = df.read_rows @emb[%word_id] : (tensor<?xi64>) -> tensor<?x5xf32>
    %in = df.concat %x, %e {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x9xf32>
    %k = df.read @kernel : tensor<9x11xf32>
    %h0 = df.matmul %in, %k : (tensor<?x9xf32>, tensor<9x11xf32>) -> tensor<?x11xf32>
    %h = df.relu %h0 : tensor<?x11xf32>
    %lk = df.read @logits_kernel : tensor<11x3xf32>
    %logits = df.matmul %h, %lk : (tensor<?x11xf32>, tensor<11x3xf32>) -> tensor<?x3xf32>
    %each = df.softmax_cross_entropy %logits, %y : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?xf32>
    %weighed = df.mul %each, %weight : tensor<?xf32>
    %sum = df.reduce_sum %weighed {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %sum64 = df.cast %sum : (tensor<f32>) -> tensor<f64>
    df.assign_add @eval_loss, %sum64 : tensor<f64>
    %w = df.reduce_sum %weight {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %w64 = df.cast %w : (tensor<f32>) -> tensor<f64>
    df.assign_add @eval_weight, %w64 : tensor<f64>
    %best = df.argmax %logits : (tensor<?x3xf32>) -> tensor<?xi64>
    %hit = df.compare eq, %best, %y : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
    %hits = df.cast %hit : (tensor<?xi1>) -> tensor<?xf64>
    %correct = df.reduce_sum %hits {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
    df.assign_add @eval_correct, %correct : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "correct"}) attributes {role = #df.role<eval_result>} {
    %sum = df.read @eval_loss : tensor<f64>
    %weight = df.read @eval_weight : tensor<f64>
    %mean = df.div %sum, %weight : tensor<f64>
    %correct = df.read @eval_correct : tensor<f64>
    df.return %mean, %correct : tensor<f64>, tensor<f64>
  }

  df.function @predict(%x: tensor<?x4xf32> {df.name = "x"}, %word: tensor<?x!df.string> {df.name = "word"},
                       %number: tensor<?xi64> {df.name = "number"})
      -> (tensor<?x3xf32> {df.name = "probabilities"}, tensor<?x1xi64> {df.name = "class_id"}, tensor<?x1x!df.string> {df.name = "class"},
          tensor<?xi64> {df.name = "number_id"})
      attributes {role = #df.role<predict>} {
    %word_id = df.lookup @words, %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %e = df.read_rows @emb[%word_id] : (tensor<?xi64>) -> tensor<?x5xf32>
    %in = df.concat %x, %e {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x9xf32>
    %k = df.read @kernel : tensor<9x11xf32>
    %h0 = df.matmul %in, %k : (tensor<?x9xf32>, tensor<9x11xf32>) -> tensor<?x11xf32>
    %h = df.relu %h0 : tensor<?x11xf32>
    %lk = df.read @logits_kernel : tensor<11x3xf32>
    %logits = df.matmul %h, %lk : (tensor<?x11xf32>, tensor<11x3xf32>) -> tensor<?x3xf32>
    %p = df.softmax %logits : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %best = df.argmax %logits : (tensor<?x3xf32>) -> tensor<?xi64>
    %id = df.reshape %best : (tensor<?xi64>) -> tensor<?x1xi64>
    %class = df.term @classes, %id : (tensor<?x1xi64>) -> tensor<?x1x!df.string>
    %number_id = df.lookup @numbers, %number : (tensor<?xi64>) -> tensor<?xi64>
    df.return %p, %id, %class, %number_id : tensor<?x3xf32>, tensor<?x1xi64>, tensor<?x1x!df.string>, tensor<?xi64>
  }
}
