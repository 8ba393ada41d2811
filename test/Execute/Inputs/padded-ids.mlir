// Rows of a table gathered in a loop, of padded ids: neither the number of iterations nor that of ids is static. Its gradient is asked for as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "padded_ids", mlc.settings = {train.batch_size = 16 : i64, train.epochs = 40 : i64}} {
  df.variable @table : tensor<7x1xf32> = #df.constant<0.0> {trainable}
  df.function @train(%ids: tensor<?x?xi64> {df.name = "ids"}, %y: tensor<?xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.transpose %ids {permutation = array<i64: 1, 0>} : (tensor<?x?xi64>) -> tensor<?x?xi64>
    %target = df.reshape %y : (tensor<?xf32>) -> tensor<?x1xf32>
    %zero = df.constant dense<0.0> : tensor<f32>
    %start = df.broadcast %zero like %target dimensions = [] : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %s = df.scan (%start) over (%t) : (tensor<?x1xf32>, tensor<?x?xi64>) -> tensor<?x1xf32> {
    ^bb0(%s0: tensor<?x1xf32>, %row: tensor<?xi64>):
      %e = df.read_rows @table[%row] : (tensor<?xi64>) -> tensor<?x1xf32>
      %s1 = df.add %s0, %e : tensor<?x1xf32>
      df.yield %s1 : tensor<?x1xf32>
    }
    %each = df.squared_difference %s, %target : tensor<?x1xf32>
    %l = df.reshape %each : (tensor<?x1xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %l : (tensor<?xf32>) -> tensor<f32>
    %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> tensor<7x1xf32>
    %rate = df.constant dense<0.05> : tensor<7x1xf32>
    %step = df.mul %rate, %d : tensor<7x1xf32>
    df.assign_sub @table, %step : tensor<7x1xf32>
    df.return %loss : tensor<f32>
  }
  df.function @values() -> (tensor<7x1xf32> {df.name = "table"}) {
    %v = df.read @table : tensor<7x1xf32>
    df.return %v : tensor<7x1xf32>
  }
}
