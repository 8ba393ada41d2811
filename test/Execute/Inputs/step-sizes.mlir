// A step whose sizes follow from data: what is above a threshold, which the step moves, and the distinct numbers among it.
// The last function needs a size on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "step_sizes", mlc.settings = {train.batch_size = 24 : i64, train.epochs = 1 : i64}} {
  df.variable @threshold : tensor<f32> = #df.constant<4.0> {trainable}
  df.variable @table : tensor<32xf32> = #df.constant<0.0> {trainable}
  df.variable @seen : tensor<i64> = #df.constant<0.0>
  df.variable @rows : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @groups : tensor<f64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.read @threshold : tensor<f32>
    %ts = df.broadcast %t like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %mask = df.compare gt, %x, %ts : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    // How many are above it, and their sum.
    %above = df.boolean_mask %x, %mask : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
    %root = df.sqrt %above : tensor<?xf32>
    %sum = df.reduce_sum %root {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %count = df.size %above {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
    // The distinct ids of these, each with how often it is there.
    %ids = df.boolean_mask %id, %mask : (tensor<?xi64>, tensor<?xi1>) -> tensor<?xi64>
    %v, %i, %n = df.unique %ids {sorted} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
    %often = df.cast %n : (tensor<?xi64>) -> tensor<?xf32>
    %squares = df.square %often : tensor<?xf32>
    %spread = df.reduce_sum %squares {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %groups = df.size %v {dimensions = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
    // Where they are.
    %places = df.nonzero %mask : (tensor<?xi1>) -> tensor<?x1xi64>
    %place = df.reduce_sum %places {axes = array<i64: 0, 1>} : (tensor<?x1xi64>) -> tensor<i64>
    %both = df.add %count, %groups : tensor<i64>
    %all = df.add %both, %place : tensor<i64>
    df.assign_add @seen, %all : tensor<i64>
    %rate = df.constant dense<0.001> : tensor<f32>
    %part = df.mul %sum, %rate : tensor<f32>
    df.assign_add @threshold, %part : tensor<f32>
    %loss = df.add %sum, %spread : tensor<f32>
    %losses = df.broadcast %part dimensions = [] : (tensor<f32>) -> tensor<32xf32>
    df.assign_add @table, %losses : tensor<32xf32>
    df.return %loss : tensor<f32>
  }

  // The iterations are as many as rows that are above.
  df.function @eval_update(%id: tensor<?xi64> {df.name = "id"}, %x: tensor<?xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
    %t = df.read @threshold : tensor<f32>
    %ts = df.broadcast %t like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %mask = df.compare gt, %x, %ts : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %above = df.boolean_mask %x, %mask : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
    %table = df.read @table : tensor<32xf32>
    %sum = df.scan (%table) over (%above) : (tensor<32xf32>, tensor<?xf32>) -> (tensor<32xf32>) {
    ^bb0(%h: tensor<32xf32>, %a: tensor<f32>):
      %as = df.broadcast %a dimensions = [] : (tensor<f32>) -> tensor<32xf32>
      %more = df.add %h, %as : tensor<32xf32>
      %next = df.tanh %more : tensor<32xf32>
      df.yield %next : tensor<32xf32>
    }
    %total = df.reduce_sum %sum {axes = array<i64: 0>} : (tensor<32xf32>) -> tensor<f32>
    %wide = df.cast %total : (tensor<f32>) -> tensor<f64>
    df.assign_add @groups, %wide : tensor<f64>
    %size = df.size %above {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
    %rows = df.cast %size : (tensor<i64>) -> tensor<f64>
    df.assign_add @rows, %rows : tensor<f64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "rows"}, tensor<f64> {df.name = "groups"}) attributes {role = #df.role<eval_result>} {
    %r = df.read @rows : tensor<f64>
    %g = df.read @groups : tensor<f64>
    df.return %r, %g : tensor<f64>, tensor<f64>
  }
}
