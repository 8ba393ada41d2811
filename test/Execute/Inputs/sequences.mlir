// Features with a size of their own after the rows: the weighted sum of the first `count` numbers of a sequence, learned by a scan over time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "sequences", mlc.settings = {train.batch_size = 16 : i64, train.epochs = 20 : i64}} {
  df.variable @w : tensor<1xf32> = #df.constant<0.0> {trainable}
  df.variable @b : tensor<1xf32> = #df.constant<0.0> {trainable}
  df.function @train(%x: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 1>}, %m: tensor<?x?xi64> {df.name = "mask", df.symbols = array<i64: 0, 1>},
                     %y: tensor<?xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %p = df.read @w : tensor<1xf32>
    %w = df.reshape %p : (tensor<1xf32>) -> tensor<f32>
    %q = df.read @b : tensor<1xf32>
    %xt = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
    %mt = df.transpose %m {permutation = array<i64: 1, 0>} : (tensor<?x?xi64>) -> tensor<?x?xi64>
    %zero = df.constant dense<0.0> : tensor<f32>
    %start = df.broadcast %zero like %y dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %s = df.scan (%start) over (%xt, %mt) : (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xi64>) -> tensor<?xf32> {
    ^bb0(%s0: tensor<?xf32>, %row: tensor<?xf32>, %mask: tensor<?xi64>):
      %ws = df.broadcast %w like %row dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
      %v = df.mul %ws, %row : tensor<?xf32>
      %s1 = df.add %s0, %v : tensor<?xf32>
      %goes = df.cast %mask : (tensor<?xi64>) -> tensor<?xi1>
      %r = df.select %goes, %s1, %s0 : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      df.yield %r : tensor<?xf32>
    }
    %c = df.reshape %s : (tensor<?xf32>) -> tensor<?x1xf32>
    %bs = df.broadcast %q like %c dimensions = [1] : (tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %z = df.add %c, %bs : tensor<?x1xf32>
    %z1 = df.reshape %z : (tensor<?x1xf32>) -> tensor<?xf32>
    %each = df.squared_difference %z1, %y : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw, %db = df.gradients %loss wrt [@w, @b] : (tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>)
    %rate = df.constant dense<0.05> : tensor<1xf32>
    %sw = df.mul %rate, %dw : tensor<1xf32>
    %sb = df.mul %rate, %db : tensor<1xf32>
    df.assign_sub @w, %sw : tensor<1xf32>
    df.assign_sub @b, %sb : tensor<1xf32>
    df.return %loss : tensor<f32>
  }
  // Without a loop: numbers outside of the mask count as 0.
  df.function @predict(%x: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 1>}, %m: tensor<?x?xi64> {df.name = "mask"})
      -> (tensor<?xf32> {df.name = "sum"}, tensor<?x?xf32> {df.name = "parts"}) attributes {role = #df.role<predict>} {
    %p = df.read @w : tensor<1xf32>
    %w = df.reshape %p : (tensor<1xf32>) -> tensor<f32>
    %q = df.read @b : tensor<1xf32>
    %b = df.reshape %q : (tensor<1xf32>) -> tensor<f32>
    %f = df.cast %m : (tensor<?x?xi64>) -> tensor<?x?xf32>
    %ws = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %v = df.mul %ws, %x : tensor<?x?xf32>
    %parts = df.mul %v, %f {df.name = "masked"} : tensor<?x?xf32>
    %s = df.reduce_sum %parts {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
    %bs = df.broadcast %b like %s dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %y = df.add %s, %bs : tensor<?xf32>
    df.return %y, %parts : tensor<?xf32>, tensor<?x?xf32>
  }
}
