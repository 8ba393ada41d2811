// RUN: mlc-opt %s --split-input-file --mlc-df-pipeline | FileCheck %s
// Dimension symbols through the passes of the df pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A table gathered for rows and for pairs of values: the rows of its gradient are a symbol of their own, which the pipeline declares
// once. Pairs are counted by the runtime.
// CHECK: df.dimension product [1, 2] as 3
// CHECK-NEXT: df.dimension sum [1, 0, 0, 1] as 4
// CHECK-NOT: df.dimension
// CHECK-LABEL: df.function @train.features
// CHECK-SAME: %[[PAIRS:[^:]*]]: tensor<i64> {df.binding = #df.binding<dimension, "3">}
// CHECK-SAME: df.symbol = 4 : i64
// CHECK: df.ragged_product lhs_ends(%{{.*}}) rhs_ends(%{{.*}}) count(%[[PAIRS]]) {symbol = 3 : i64}
// CHECK-LABEL: df.function @train_grad.step
// CHECK-SAME: tensor<?x8xf32> {df.binding = #df.binding<sum_out, "table.rows">, df.symbol = 4 : i64}
// CHECK-LABEL: df.function @train_combine
// CHECK-SAME: tensor<?x8xf32> {df.binding = #df.binding<sum_a, "table.rows">, df.symbol = 4 : i64}
df.variable @table : tensor<50x8xf32> = #df.constant<0.0> {trainable}
df.dimension product [1, 2] as 3
df.function @train(%a: tensor<?xi64> {df.name = "a"}, %s: tensor<?xi64> {df.name = "s", df.symbol = 1 : i64}, %se: tensor<?xi64> {df.name = "s.ends"},
                   %t: tensor<?xi64> {df.name = "t", df.symbol = 2 : i64}, %te: tensor<?xi64> {df.name = "t.ends"})
    -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %i, %j, %e = df.ragged_product lhs_ends(%se) rhs_ends(%te) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %si = df.gather %s, %i {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %tj = df.gather %t, %j {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %cat = df.fingerprint_cat %si, %tj : tensor<?xi64>
  %ids = df.hash_bucket %cat {buckets = 50 : i64} : tensor<?xi64>
  %ha = df.hash_bucket %a {buckets = 50 : i64} : tensor<?xi64>
  %ra = df.read_rows @table[%ha] : (tensor<?xi64>) -> tensor<?x8xf32>
  %rows = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  %sum = df.ragged_reduce sum %rows, %e : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %both = df.mul %sum, %ra : tensor<?x8xf32>
  %each = df.reduce_sum %both {axes = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<50x8xf32>>
  df.apply_rows [@table], %d : !df.rows<tensor<50x8xf32>> {
  ^bb0(%w: tensor<8xf32>, %g: tensor<8xf32>):
    %w1 = df.sub %w, %g : tensor<8xf32>
    df.yield %w1 : tensor<8xf32>
  }
  df.return %loss : tensor<f32>
}

// -----

// The values of a multi-valued feature have a symbol of their own, also where they cross into the step.
// CHECK-LABEL: df.function @predict.features
// CHECK-SAME: (%{{.*}}: tensor<?x!df.string> {df.binding = #df.binding<feature, "tags">, df.symbol = 1 : i64}) -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">, df.symbol = 1 : i64})
// CHECK-LABEL: df.function @predict.step
// CHECK-SAME: tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">, df.names_rows, df.symbol = 1 : i64}
df.variable @table : tensor<50x8xf32> = #df.constant<0.0> {trainable}
df.function @predict(%tags: tensor<?x!df.string> {df.name = "tags", df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.name = "tags.ends"})
    -> (tensor<?x8xf32> {df.name = "sum"}) attributes {role = #df.role<predict>} {
  %hash = df.fingerprint %tags : (tensor<?x!df.string>) -> tensor<?xi64>
  %ids = df.hash_bucket %hash {buckets = 50 : i64} : tensor<?xi64>
  %rows = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  %sum = df.ragged_reduce sum %rows, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  df.return %sum : tensor<?x8xf32>
}
