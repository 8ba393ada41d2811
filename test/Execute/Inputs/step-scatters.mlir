// An evaluation that adds to what rows name, keeps the most of each, and finds where a mask is true.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "step_scatters", mlc.settings = {train.batch_size = 32 : i64, train.epochs = 1 : i64}} {
  df.variable @w : tensor<f32> = #df.constant<0.5> {trainable}
  df.variable @sums : tensor<2048x2xf32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @most : tensor<2048xf32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @places : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<f32>
    %ws = df.broadcast %w like %label dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %d = df.sub %ws, %label : tensor<?xf32>
    %loss = df.batch_mean %d : (tensor<?xf32>) -> tensor<f32>
    df.assign @w, %loss : tensor<f32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) attributes {role = #df.role<eval_update>} {
    // Ids that no other op knows to be apart, and that are all in range.
    %i = df.hash_bucket %id {buckets = 2048 : i64} : tensor<?xi64>
    %x = df.reshape %label : (tensor<?xf32>) -> tensor<?x1xf32>
    %r = df.sqrt %x : tensor<?x1xf32>
    %xs = df.concat %x, %r {axis = 1 : i64} : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
    %sums = df.read @sums : tensor<2048x2xf32>
    %s = df.scatter add %sums, %i, %xs {axes = array<i64: 0>} : (tensor<2048x2xf32>, tensor<?xi64>, tensor<?x2xf32>) -> tensor<2048x2xf32>
    df.assign @sums, %s : tensor<2048x2xf32>
    %most = df.read @most : tensor<2048xf32>
    %m = df.scatter max %most, %i, %label {axes = array<i64: 0>} : (tensor<2048xf32>, tensor<?xi64>, tensor<?xf32>) -> tensor<2048xf32>
    df.assign @most, %m : tensor<2048xf32>
    %half = df.constant dense<0.5> : tensor<f32>
    %halves = df.broadcast %half like %label dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %mask = df.compare gt, %label, %halves : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %where = df.nonzero %mask : (tensor<?xi1>) -> tensor<?x1xi64>
    %place = df.reduce_sum %where {axes = array<i64: 0, 1>} : (tensor<?x1xi64>) -> tensor<i64>
    %p = df.cast %place : (tensor<i64>) -> tensor<f64>
    df.assign_add @places, %p : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "sums"}, tensor<f64> {df.name = "most"}, tensor<f64> {df.name = "places"}) attributes {role = #df.role<eval_result>} {
    %s = df.read @sums : tensor<2048x2xf32>
    %squares = df.square %s : tensor<2048x2xf32>
    %all = df.reduce_sum %squares {axes = array<i64: 0, 1>} : (tensor<2048x2xf32>) -> tensor<f32>
    %sums = df.cast %all : (tensor<f32>) -> tensor<f64>
    %m = df.read @most : tensor<2048xf32>
    %ms = df.reduce_sum %m {axes = array<i64: 0>} : (tensor<2048xf32>) -> tensor<f32>
    %most = df.cast %ms : (tensor<f32>) -> tensor<f64>
    %p = df.read @places : tensor<f64>
    df.return %sums, %most, %p : tensor<f64>, tensor<f64>, tensor<f64>
  }
}
