// RUN: mlc-opt %s --canonicalize | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that the type says are constants.

// CHECK-LABEL: df.function @sizes
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3x5xf32>
// CHECK-DAG: %[[KNOWN:.*]] = df.constant dense<15> : tensor<i64>
// CHECK-DAG: %[[ONE:.*]] = df.constant dense<1> : tensor<i64>
// CHECK-DAG: %[[SIZE:.*]] = df.size %[[X]] {dimensions = array<i64: 0, 2>}
// CHECK: df.return %[[KNOWN]], %[[ONE]], %[[SIZE]]
df.function @sizes(%x: tensor<?x3x5xf32>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %a = df.size %x {dimensions = array<i64: 1, 2>} : (tensor<?x3x5xf32>) -> tensor<i64>
  %b = df.size %x {dimensions = array<i64>} : (tensor<?x3x5xf32>) -> tensor<i64>
  %c = df.size %x {dimensions = array<i64: 0, 2>} : (tensor<?x3x5xf32>) -> tensor<i64>
  df.return %a, %b, %c : tensor<i64>, tensor<i64>, tensor<i64>
}
