// A table that a step gathers twice, by numbers that it computes from its own state: it groups equal ids, and merges the
// gradients of both gathers. The evaluation counts distinct values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "step_groups", mlc.settings = {train.batch_size = 32 : i64, train.epochs = 1 : i64}} {
  df.variable @table : tensor<40x4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @shift : tensor<i64> = #df.constant<0.0>
  df.variable @distinct : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @total : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %left = df.add %id, %shifts : tensor<?xi64>
    %right = df.add %left, %left : tensor<?xi64>
    %i = df.hash_bucket %left {buckets = 40 : i64} : tensor<?xi64>
    %j = df.hash_bucket %right {buckets = 40 : i64} : tensor<?xi64>
    %x = df.read_rows @table[%i] : (tensor<?xi64>) -> tensor<?x4xf32>
    %y = df.read_rows @table[%j] : (tensor<?xi64>) -> tensor<?x4xf32>
    %xy = df.mul %x, %y : tensor<?x4xf32>
    %p = df.reduce_sum %xy {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    %d = df.sub %p, %label : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<40x4xf32>>
    df.apply_rows [@table], %g : !df.rows<tensor<40x4xf32>> {
    ^bb0(%w: tensor<4xf32>, %dw: tensor<4xf32>):
      %n = df.sub %w, %dw : tensor<4xf32>
      df.yield %n : tensor<4xf32>
    }
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @shift, %one : tensor<i64>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) attributes {role = #df.role<eval_update>} {
    %shift = df.read @shift : tensor<i64>
    %shifts = df.broadcast %shift like %id dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %ids = df.sub %id, %shifts : tensor<?xi64>
    %v, %i, %n = df.unique %ids : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
    %size = df.size %v {dimensions = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    %count = df.cast %size : (tensor<i64>) -> tensor<f64>
    df.assign_add @distinct, %count : tensor<f64>
    // Each value by how often it occurs, and the places of the groups.
    %products = df.mul %v, %n : tensor<?xi64>
    %values = df.reduce_sum %products {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    %places = df.reduce_sum %i {axes = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    %sum = df.add %values, %places : tensor<i64>
    %all = df.cast %sum : (tensor<i64>) -> tensor<f64>
    df.assign_add @total, %all : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "distinct"}, tensor<f64> {df.name = "total"}) attributes {role = #df.role<eval_result>} {
    %c = df.read @distinct : tensor<f64>
    %t = df.read @total : tensor<f64>
    df.return %c, %t : tensor<f64>, tensor<f64>
  }
}
