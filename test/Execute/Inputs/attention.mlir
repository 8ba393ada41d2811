// Causal attention over 80 positions, its weights trained: more than a tile of queries and of keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "attention", mlc.settings = {train.batch_size = 4 : i64, train.epochs = 1 : i64, run_config.seed = 5 : i64}} {
  df.variable @wq : tensor<16x16xf32> = #df.normal<0.0, 0.5> {trainable}
  df.variable @wk : tensor<16x16xf32> = #df.normal<0.0, 0.5> {trainable}
  df.variable @wv : tensor<16x16xf32> = #df.normal<0.0, 0.5> {trainable}
  df.function @train(%x: tensor<?x80x16xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %wq = df.read @wq : tensor<16x16xf32>
    %wk = df.read @wk : tensor<16x16xf32>
    %wv = df.read @wv : tensor<16x16xf32>
    %q = df.batch_matmul %x, %wq : (tensor<?x80x16xf32>, tensor<16x16xf32>) -> tensor<?x80x16xf32>
    %k = df.batch_matmul %x, %wk : (tensor<?x80x16xf32>, tensor<16x16xf32>) -> tensor<?x80x16xf32>
    %v = df.batch_matmul %x, %wv : (tensor<?x80x16xf32>, tensor<16x16xf32>) -> tensor<?x80x16xf32>
    %y = df.attention %q, %k, %v {causal} : (tensor<?x80x16xf32>, tensor<?x80x16xf32>, tensor<?x80x16xf32>) -> tensor<?x80x16xf32>
    %d = df.sub %y, %x : tensor<?x80x16xf32>
    %s = df.square %d : tensor<?x80x16xf32>
    %each = df.reduce_mean %s {axes = array<i64: 1, 2>} : (tensor<?x80x16xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g:3 = df.gradients %loss wrt [@wq, @wk, @wv] : (tensor<f32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>)
    df.assign_sub @wq, %g#0 : tensor<16x16xf32>
    df.assign_sub @wk, %g#1 : tensor<16x16xf32>
    df.assign_sub @wv, %g#2 : tensor<16x16xf32>
    df.return %loss : tensor<f32>
  }
}
