// A recurrent sum that gathers rows in a loop: of the sequence's ids, of those that it carries from the step before, by chance of another id; and by index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "loop", mlc.settings = {train.batch_size = 32 : i64, train.epochs = 2 : i64}} {
  df.variable @table : tensor<1000x4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @read : tensor<1000x4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @whole : tensor<20x4xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.function @train(%ids: tensor<?x5xi64> {df.name = "sequence"}, %word: tensor<?xi64> {df.name = "word"}, %y: tensor<?xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.transpose %ids {permutation = array<i64: 1, 0>} : (tensor<?x5xi64>) -> tensor<5x?xi64>
    %u = df.random uniform "replaced" like %ids : (tensor<?x5xi64>) -> tensor<?x5xf32>
    %tenth = df.constant dense<0.1> : tensor<f32>
    %limit = df.broadcast %tenth like %u dimensions = [] : (tensor<f32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %replaced = df.compare lt, %u, %limit : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xi1>
    %replacedt = df.transpose %replaced {permutation = array<i64: 1, 0>} : (tensor<?x5xi1>) -> tensor<5x?xi1>
    %other = df.constant dense<999> : tensor<i64>
    %zero = df.constant dense<0.0> : tensor<f32>
    %start = df.broadcast %zero like %y dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %all = df.read @read : tensor<1000x4xf32>
    %s, %last = df.scan (%start, %word) over (%t, %replacedt) : (tensor<?xf32>, tensor<?xi64>, tensor<5x?xi64>, tensor<5x?xi1>) -> (tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%s0: tensor<?xf32>, %before: tensor<?xi64>, %row: tensor<?xi64>, %r: tensor<?xi1>):
      %o = df.broadcast %other like %row dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
      %id = df.select %r, %o, %row : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      %a = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x4xf32>
      %b = df.read_rows @table[%before] : (tensor<?xi64>) -> tensor<?x4xf32>
      %c = df.gather %all, %row {axes = array<i64: 0>, skip_negative} : (tensor<1000x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
      %ab = df.mul %a, %b : tensor<?x4xf32>
      %abc = df.add %ab, %c : tensor<?x4xf32>
      %sum = df.reduce_sum %abc {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
      %x = df.add %s0, %sum : tensor<?xf32>
      %s1 = df.tanh %x : tensor<?xf32>
      df.yield %s1, %row : tensor<?xf32>, tensor<?xi64>
    }
    // Which row of this one is read depends on what was computed.
    %twenty = df.constant dense<9.0> : tensor<f32>
    %scale = df.broadcast %twenty like %s dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %scaled = df.mul %s, %scale : tensor<?xf32>
    %size = df.abs %scaled : tensor<?xf32>
    %chosen = df.cast %size : (tensor<?xf32>) -> tensor<?xi64>
    %w = df.read_rows @whole[%chosen] : (tensor<?xi64>) -> tensor<?x4xf32>
    %ws = df.reduce_sum %w {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    %p = df.add %s, %ws : tensor<?xf32>
    %each = df.squared_difference %p, %y : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dt, %dr, %dw = df.gradients %loss wrt [@table, @read, @whole] : (tensor<f32>) -> (tensor<1000x4xf32>, tensor<1000x4xf32>, !df.rows<tensor<20x4xf32>>)
    %rate = df.constant dense<0.1> : tensor<1000x4xf32>
    %st = df.mul %rate, %dt : tensor<1000x4xf32>
    %sr = df.mul %rate, %dr : tensor<1000x4xf32>
    df.assign_sub @table, %st : tensor<1000x4xf32>
    df.assign_sub @read, %sr : tensor<1000x4xf32>
    df.apply_rows [@whole], %dw : !df.rows<tensor<20x4xf32>> {
    ^bb0(%v: tensor<4xf32>, %g: tensor<4xf32>):
      %n = df.sub %v, %g : tensor<4xf32>
      df.yield %n : tensor<4xf32>
    }
    df.return %loss : tensor<f32>
  }
}
