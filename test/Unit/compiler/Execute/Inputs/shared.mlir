// A table gathered for one id of each row, for the values of a multi-valued feature, and for the pairs of those with the values of
// another: the ids of its gradient are the sum of three sizes, one of which is a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "shared"} {
  df.variable @table : tensor<50x5xf32> = #df.normal<0.0, 1.0> {trainable}
  df.dimension product [1, 2] as 3
  df.function @train(%a: tensor<?xi64> {df.name = "a"}, %t: tensor<?xi64> {df.name = "t", df.symbol = 1 : i64}, %te: tensor<?xi64> {df.name = "t.ends"},
      %u: tensor<?xi64> {df.name = "u", df.symbol = 2 : i64}, %ue: tensor<?xi64> {df.name = "u.ends"}, %y: tensor<?xf32> {df.name = "y"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %ha = df.hash_bucket %a {buckets = 50 : i64} : tensor<?xi64>
    %ht = df.hash_bucket %t {buckets = 50 : i64} : tensor<?xi64>
    %i, %j, %pe = df.ragged_product lhs_ends(%te) rhs_ends(%ue) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
    %ti = df.gather %t, %i {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %uj = df.gather %u, %j {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %cat = df.fingerprint_cat %ti, %uj : tensor<?xi64>
    %hp = df.hash_bucket %cat {buckets = 50 : i64} : tensor<?xi64>
    %ea = df.read_rows @table[%ha] : (tensor<?xi64>) -> tensor<?x5xf32>
    %et = df.read_rows @table[%ht] : (tensor<?xi64>) -> tensor<?x5xf32>
    %ep = df.read_rows @table[%hp] : (tensor<?xi64>) -> tensor<?x5xf32>
    %st = df.ragged_reduce sum %et, %te : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
    %sp = df.ragged_reduce sum %ep, %pe : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
    %sums = df.add %st, %sp : tensor<?x5xf32>
    %product = df.mul %ea, %sums : tensor<?x5xf32>
    %score = df.reduce_sum %product {axes = array<i64: 1>} : (tensor<?x5xf32>) -> tensor<?xf32>
    %each = df.sigmoid_cross_entropy %score, %y : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<50x5xf32>>
    df.apply_rows [@table], %d : !df.rows<tensor<50x5xf32>> {
    ^bb0(%w: tensor<5xf32>, %g: tensor<5xf32>):
      %w1 = df.sub %w, %g : tensor<5xf32>
      df.yield %w1 : tensor<5xf32>
    }
    df.return %loss : tensor<f32>
  }
}
