// A step whose branches and loops follow from data: gradients are halved until they are short, by a rule that their length
// chooses, in a loop in which another one counts, and a step of the rate that the loss chooses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "step_flow", mlc.settings = {train.batch_size = 16 : i64, train.epochs = 1 : i64, run_config.seed = 1 : i64}} {
  df.variable @w : tensor<4xf32> = #df.uniform<-0.3, 0.3> {trainable}
  df.variable @rounds : tensor<i64> = #df.constant<0.0>

  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %y: tensor<?xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<4xf32>
    %ws = df.broadcast %w like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %p = df.mul %ws, %x : tensor<?x4xf32>
    %s = df.reduce_sum %p {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    %e = df.sub %s, %y : tensor<?xf32>
    %es = df.broadcast %e like %x dimensions = [0] : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %g = df.mul %es, %x : tensor<?x4xf32>
    %d = df.reduce_sum %g {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
    %sq = df.square %e : tensor<?xf32>
    %loss = df.reduce_sum %sq {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %one = df.constant dense<1.0> : tensor<f32>
    %half = df.constant dense<0.5> : tensor<f32>
    %limit = df.constant dense<0.01> : tensor<f32>
    %zero = df.constant dense<0> : tensor<i64>
    %inc = df.constant dense<1> : tensor<i64>
    %three = df.constant dense<3> : tensor<i64>
    %short, %n = df.while (%d, %zero) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
    ^bb0(%v: tensor<4xf32>, %i: tensor<i64>):
      %vv = df.square %v : tensor<4xf32>
      %length = df.reduce_sum %vv {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
      %go = df.compare gt, %length, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%v: tensor<4xf32>, %i: tensor<i64>):
      %most = df.reduce_max %v {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
      %long = df.compare gt, %most, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %hs = df.broadcast %half dimensions = [] : (tensor<f32>) -> tensor<4xf32>
      %v1 = df.if %long : (tensor<i1>) -> tensor<4xf32> {
        %t = df.tanh %v : tensor<4xf32>
        df.yield %t : tensor<4xf32>
      } else {
        %v2 = df.mul %v, %hs : tensor<4xf32>
        df.yield %v2 : tensor<4xf32>
      }
      // As often as the iteration's number says, three times at most.
      %j = df.while (%zero) : (tensor<i64>) -> tensor<i64> {
      ^bb0(%a: tensor<i64>):
        %least = df.minimum %i, %three : tensor<i64>
        %more = df.compare lt, %a, %least : (tensor<i64>, tensor<i64>) -> tensor<i1>
        df.condition %more : tensor<i1>
      } do {
      ^bb0(%a: tensor<i64>):
        %b = df.add %a, %inc : tensor<i64>
        df.yield %b : tensor<i64>
      }
      %i1 = df.add %i, %inc : tensor<i64>
      %i2 = df.maximum %i1, %j : tensor<i64>
      df.yield %v1, %i2 : tensor<4xf32>, tensor<i64>
    }
    %big = df.compare gt, %loss, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %u = df.if %big : (tensor<i1>) -> tensor<4xf32> {
      df.yield %short : tensor<4xf32>
    } else {
      %hs = df.broadcast %half dimensions = [] : (tensor<f32>) -> tensor<4xf32>
      %v1 = df.mul %d, %hs : tensor<4xf32>
      df.yield %v1 : tensor<4xf32>
    }
    df.assign_sub @w, %u : tensor<4xf32>
    df.assign_add @rounds, %n : tensor<i64>
    df.return %loss : tensor<f32>
  }
}
