// A table that three features gather: one id each, and three of one of them. A step sums four rows for each of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "gathers"} {
  df.variable @table : tensor<1000x5xf32> = #df.normal<0.0, 1.0> {trainable}
  df.function @train(%a: tensor<?xi64> {df.name = "a"}, %b: tensor<?x3xi64> {df.name = "b"}, %y: tensor<?xf32> {df.name = "y"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %ha = df.hash_bucket %a {buckets = 1000 : i64} : tensor<?xi64>
    %flat = df.reshape %b : (tensor<?x3xi64>) -> tensor<?xi64>
    %hb = df.hash_bucket %flat {buckets = 1000 : i64} : tensor<?xi64>
    %ea = df.read_rows @table[%ha] : (tensor<?xi64>) -> tensor<?x5xf32>
    %eb = df.read_rows @table[%hb] : (tensor<?xi64>) -> tensor<?x5xf32>
    %cells = df.reshape %eb : (tensor<?x5xf32>) -> tensor<?x3x5xf32>
    %sums = df.reduce_sum %cells {axes = array<i64: 1>} : (tensor<?x3x5xf32>) -> tensor<?x5xf32>
    %product = df.mul %ea, %sums : tensor<?x5xf32>
    %score = df.reduce_sum %product {axes = array<i64: 1>} : (tensor<?x5xf32>) -> tensor<?xf32>
    %each = df.sigmoid_cross_entropy %score, %y : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<1000x5xf32>>
    df.apply_rows [@table], %d : !df.rows<tensor<1000x5xf32>> {
    ^bb0(%w: tensor<5xf32>, %g: tensor<5xf32>):
      %w1 = df.sub %w, %g : tensor<5xf32>
      df.yield %w1 : tensor<5xf32>
    }
    df.return %loss : tensor<f32>
  }
}
