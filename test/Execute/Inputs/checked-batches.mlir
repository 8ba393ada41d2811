// Batches that are evaluated and predicted, at places that are computed from `id` and the state, and checked: `id` plus the steps that were done must be in [0, 20).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "checked_batches", mlc.settings = {train.batch_size = 8 : i64, eval.batch_size = 8 : i64, predict.batch_size = 8 : i64, train.epochs = 1 : i64}} {
  df.variable @scores : tensor<20xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @shift : tensor<i64> = #df.constant<0.0>
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @squares : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}

  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %scores = df.read @scores : tensor<20xf32>
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %i = df.add %id, %shifts : tensor<?xi64>
    %s = df.gather %scores, %i {axes = array<i64: 0>} : (tensor<20xf32>, tensor<?xi64>) -> tensor<?xf32>
    %d = df.sub %s, %label : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g = df.gradients %loss wrt [@scores] : (tensor<f32>) -> tensor<20xf32>
    df.assign_sub @scores, %g : tensor<20xf32>
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @shift, %one : tensor<i64>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) attributes {role = #df.role<eval_update>} {
    %scores = df.read @scores : tensor<20xf32>
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %i = df.add %id, %shifts : tensor<?xi64>
    %s = df.gather %scores, %i {axes = array<i64: 0>} : (tensor<20xf32>, tensor<?xi64>) -> tensor<?xf32>
    %d = df.sub %s, %label : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %sum = df.reduce_sum %each {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %wide = df.cast %sum : (tensor<f32>) -> tensor<f64>
    df.assign_add @squares, %wide : tensor<f64>
    %size = df.size %id {dimensions = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    %rows = df.cast %size : (tensor<i64>) -> tensor<f64>
    df.assign_add @rows, %rows : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "rows"}, tensor<f64> {df.name = "squares"}) attributes {role = #df.role<eval_result>} {
    %r = df.read @rows : tensor<f64>
    %s = df.read @squares : tensor<f64>
    df.return %r, %s : tensor<f64>, tensor<f64>
  }

  df.function @predict(%id: tensor<?xi64> {df.name = "id"}) -> (tensor<?xf32> {df.name = "score"}) attributes {role = #df.role<predict>} {
    %scores = df.read @scores : tensor<20xf32>
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %i = df.add %id, %shifts : tensor<?xi64>
    %s = df.gather %scores, %i {axes = array<i64: 0>} : (tensor<20xf32>, tensor<?xi64>) -> tensor<?xf32>
    df.return %s : tensor<?xf32>
  }
}
