// Steps that read tables at places which they compute from their own state: `id` plus the steps that were done. A step
// checks them, and updates dense variables, rows of a table, and elements of a histogram.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "computed_ids", mlc.settings = {train.batch_size = 8 : i64, train.epochs = 1 : i64}} {
  df.variable @table : tensor<40x4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @weights : tensor<4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @scores : tensor<20xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @shift : tensor<i64> = #df.constant<0.0>
  df.variable @seen : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %i = df.add %id, %shifts : tensor<?xi64>
    %j = df.add %i, %shifts : tensor<?xi64>
    %x = df.read_rows @table[%j] : (tensor<?xi64>) -> tensor<?x4xf32>
    %w = df.read @weights : tensor<4xf32>
    %ws = df.broadcast %w like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %xw = df.mul %x, %ws : tensor<?x4xf32>
    %p = df.reduce_sum %xw {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    %scores = df.read @scores : tensor<20xf32>
    %s = df.gather %scores, %i {axes = array<i64: 0>} : (tensor<20xf32>, tensor<?xi64>) -> tensor<?xf32>
    %q = df.add %p, %s : tensor<?xf32>
    %d = df.sub %q, %label : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g:3 = df.gradients %loss wrt [@table, @weights, @scores] : (tensor<f32>) -> (!df.rows<tensor<40x4xf32>>, tensor<4xf32>, tensor<20xf32>)
    df.apply_rows [@table], %g#0 : !df.rows<tensor<40x4xf32>> {
    ^bb0(%r: tensor<4xf32>, %dr: tensor<4xf32>):
      %n = df.sub %r, %dr : tensor<4xf32>
      df.yield %n : tensor<4xf32>
    }
    %nw = df.sub %w, %g#1 : tensor<4xf32>
    df.assign @weights, %nw : tensor<4xf32>
    %ns = df.sub %scores, %g#2 : tensor<20xf32>
    df.assign @scores, %ns : tensor<20xf32>
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @shift, %one : tensor<i64>
    df.return %loss : tensor<f32>
  }
}
