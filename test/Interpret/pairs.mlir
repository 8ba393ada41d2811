// Pairs of the values of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s
// After df-state-to-values the number of pairs comes from the ends of the features, and is checked.
// RUN: mlc-opt %s --df-state-to-values --df-interpret -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-state-to-values | FileCheck %s --check-prefix=BOUND
// BOUND: %[[N:[^:]*]]: tensor<i64> {df.binding = #df.binding<dimension, "3">}, %[[M:[^:]*]]: tensor<i64> {df.binding = #df.binding<dimension, "4">})
// BOUND: df.ragged_product lhs_ends(%{{.*}}) rhs_ends(%{{.*}}) count(%[[N]])
// BOUND: df.ragged_product rhs_ends(%{{.*}}) count(%[[M]])

df.dimension product [1, 2] as 3
df.dimension sum [0, 2] as 4

// Rows of 2, 0 and 1 values on the left, of 2, 1 and 2 on the right.
// CHECK-LABEL: @pairs
df.function @pairs(%a: tensor<?xi64> {df.name = "a", df.symbol = 1 : i64, df.value = dense<[7, 8, 9]> : tensor<3xi64>},
                   %b: tensor<?xi64> {df.name = "b", df.symbol = 2 : i64, df.value = dense<[1, 2, 3, 4, 5]> : tensor<5xi64>},
                   %ae: tensor<?xi64> {df.name = "a.ends", df.value = dense<[2, 2, 3]> : tensor<3xi64>},
                   %be: tensor<?xi64> {df.name = "b.ends", df.value = dense<[2, 3, 5]> : tensor<3xi64>})
    -> (tensor<?xi64> {df.name = "i"}, tensor<?xi64> {df.name = "j"}, tensor<?xi64> {df.name = "ends"}, tensor<?xi64> {df.name = "taken"}, tensor<?xi64> {df.name = "twice"}) {
  %i, %j, %ends = df.ragged_product lhs_ends(%ae) rhs_ends(%be) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  // CHECK-NEXT: 0: tensor<6xi64> [0, 0, 1, 1, 2, 2]
  // CHECK-NEXT: 1: tensor<6xi64> [0, 1, 0, 1, 3, 4]
  // CHECK-NEXT: 2: tensor<3xi64> [4, 4, 6]
  %taken = df.gather %b, %j {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  // CHECK-NEXT: 3: tensor<6xi64> [1, 2, 1, 2, 4, 5]
  // Two on the left for each on the right, in each row.
  %k, %l, %e = df.ragged_product rhs_ends(%ae) {lhs_per_row = 2 : i64, symbol = 4 : i64} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  // CHECK-NEXT: 4: tensor<6xi64> [0, 0, 1, 1, 4, 5]
  df.return %i, %j, %ends, %taken, %k : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
