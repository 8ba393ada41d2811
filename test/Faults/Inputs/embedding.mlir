// A classifier of ids that come from data as they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "emb", mlc.settings = {train.batch_size = 4 : i64, train.epochs = 1 : i64}} {
  df.variable @table : tensor<5x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xi64> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %e = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x2xf32>
    %l = df.softmax_cross_entropy %e, %label : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %l : (tensor<?xf32>) -> tensor<f32>
    %g = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<5x2xf32>>
    df.apply_rows [@table], %g : !df.rows<tensor<5x2xf32>> {
    ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
      %n = df.sub %w, %d : tensor<2xf32>
      df.yield %n : tensor<2xf32>
    }
    df.return %loss : tensor<f32>
  }
}
