// Embeddings of words on the CPU, whose rows a layer on the GPU reads; the gradients of the rows come back. What says nothing is placed by cost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "words", mlc.settings = {train.batch_size = 16 : i64, train.epochs = 2 : i64, run_config.seed = 1 : i64}} {
  df.variable @table : tensor<64x8xf32> = #df.uniform<-0.1, 0.1> {trainable, dist.device = "/cpu:0"}
  df.variable @kernel : tensor<8x16xf32> = #df.uniform<-0.3, 0.3> {trainable, dist.device = "/gpu:0"}
  df.variable @bias : tensor<16xf32> = #df.constant<0.0> {trainable, dist.device = "/gpu:0"}
  df.variable @total : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>, dist.device = "/gpu:0"}
  df.variable @rows : tensor<i64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>, dist.device = "/cpu:0"}

  df.function @train(%word: tensor<?x!df.string> {df.name = "word"}, %y: tensor<?xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %print = df.fingerprint %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 64 : i64} : tensor<?xi64>
    %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
    %w = df.read @kernel : tensor<8x16xf32>
    %b = df.read @bias : tensor<16xf32>
    %xw = df.matmul %e, %w {dist.device = "/gpu:0"} : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %h0 = df.add %xw, %bs : tensor<?x16xf32>
    %h = df.tanh %h0 {df.name = "hidden", dist.device = "/gpu:0"} : tensor<?x16xf32>
    %p = df.reduce_sum %h {axes = array<i64: 1>} : (tensor<?x16xf32>) -> tensor<?xf32>
    %d = df.sub %p, %y {dist.device = "/gpu:0"} : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dt, %dw, %db = df.gradients %loss wrt [@table, @kernel, @bias] : (tensor<f32>) -> (!df.rows<tensor<64x8xf32>>, tensor<8x16xf32>, tensor<16xf32>)
    %rate = df.constant dense<0.05> : tensor<f32>
    df.apply_rows [@table], %dt : !df.rows<tensor<64x8xf32>> {
    ^bb0(%row: tensor<8xf32>, %g: tensor<8xf32>):
      %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<8xf32>
      %step = df.mul %rates, %g : tensor<8xf32>
      %next = df.sub %row, %step : tensor<8xf32>
      df.yield %next : tensor<8xf32>
    }
    %rw = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<8x16xf32>
    %sw = df.mul %rw, %dw {dist.device = "/gpu:0"} : tensor<8x16xf32>
    df.assign_sub @kernel, %sw : tensor<8x16xf32>
    %rb = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<16xf32>
    %sb = df.mul %rb, %db : tensor<16xf32>
    df.assign_sub @bias, %sb : tensor<16xf32>
    df.return %loss : tensor<f32>
  }
  df.function @eval_update(%word: tensor<?x!df.string> {df.name = "word"}, %y: tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<eval_update>} {
    %print = df.fingerprint %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 64 : i64} : tensor<?xi64>
    %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
    %w = df.read @kernel : tensor<8x16xf32>
    %b = df.read @bias : tensor<16xf32>
    %xw = df.matmul %e, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %h0 = df.add %xw, %bs : tensor<?x16xf32>
    %h = df.tanh %h0 : tensor<?x16xf32>
    %p = df.reduce_sum %h {axes = array<i64: 1>} : (tensor<?x16xf32>) -> tensor<?xf32>
    %d = df.sub %p, %y : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %s = df.reduce_sum %each {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    df.assign_add @total, %s : tensor<f32>
    %one = df.constant dense<1> : tensor<i64>
    %ones = df.broadcast %one like %y dimensions = [] : (tensor<i64>, tensor<?xf32>) -> tensor<?xi64>
    %n = df.reduce_sum %ones {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    df.assign_add @rows, %n : tensor<i64>
    df.return
  }
  df.function @eval_result() -> (tensor<f32> {df.name = "mse"}) attributes {role = #df.role<eval_result>} {
    %s = df.read @total : tensor<f32>
    %n = df.read @rows : tensor<i64>
    %nf = df.cast %n : (tensor<i64>) -> tensor<f32>
    %mse = df.div %s, %nf : tensor<f32>
    df.return %mse : tensor<f32>
  }
  df.function @predict(%word: tensor<?x!df.string> {df.name = "word"}) -> (tensor<?xf32> {df.name = "value"}) attributes {role = #df.role<predict>} {
    %print = df.fingerprint %word : (tensor<?x!df.string>) -> tensor<?xi64>
    %ids = df.hash_bucket %print {buckets = 64 : i64} : tensor<?xi64>
    %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
    %w = df.read @kernel : tensor<8x16xf32>
    %b = df.read @bias : tensor<16xf32>
    %xw = df.matmul %e, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    %bs = df.broadcast %b like %xw dimensions = [1] : (tensor<16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %h0 = df.add %xw, %bs : tensor<?x16xf32>
    %h = df.tanh %h0 : tensor<?x16xf32>
    %p = df.reduce_sum %h {axes = array<i64: 1>} : (tensor<?x16xf32>) -> tensor<?xf32>
    df.return %p : tensor<?xf32>
  }
}
