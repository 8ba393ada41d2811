// Random numbers are a function of seed, name, step, row in the global batch and column; initializers of the linear index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret='seed=7 step=3' -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-interpret='seed=7 step=3 first-row=2' -o /dev/null | FileCheck %s --check-prefix=SHIFT

df.variable @u : tensor<4xf32> = #df.uniform<0.0, 1.0>

// The variable's numbers are those of an initializer of its name.
// CHECK-LABEL: @initializer
// CHECK-NEXT: 0: tensor<4xi1> [true, true, true, true]
df.function @initializer() -> tensor<4xi1> {
  %r = df.random uniform "u" : () -> tensor<4xf32>
  %u = df.read @u : tensor<4xf32>
  %same = df.compare eq, %r, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  df.return %same : tensor<4xi1>
}

// Rows 2 and 3 of a batch are rows 0 and 1 of the shard that starts at row 2.
// CHECK-LABEL: @rows
// CHECK-NEXT: 0: {{.*}}, [[$ROW2:\[[-0-9.e+]+, [-0-9.e+]+\]]], [[$ROW3:\[[-0-9.e+]+, [-0-9.e+]+\]]]]
// CHECK-LABEL: @shifted
// CHECK-NEXT: 0: tensor<2x2xf32> {{\[}}[[$ROW2]], [[$ROW3]]]
// SHIFT-LABEL: @rows
// SHIFT-NEXT: 0: tensor<4x2xf32> {{\[}}[[$FIRST:\[[-0-9.e+]+, [-0-9.e+]+\]]], [[$SECOND:\[[-0-9.e+]+, [-0-9.e+]+\]]]
// SHIFT-LABEL: @shifted
// SHIFT-NEXT: 0: tensor<2x2xf32> {{\[}}[[$FIRST]], [[$SECOND]]]
df.function @rows(%x: tensor<?x2xf32> {df.value = dense<0.0> : tensor<4x2xf32>}) -> tensor<?x2xf32> {
  %r = df.random normal "drop" like %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  df.return %r : tensor<?x2xf32>
}
df.function @shifted(%x: tensor<?x2xf32> {df.value = dense<0.0> : tensor<2x2xf32>}) -> tensor<?x2xf32> {
  %two = df.constant dense<2> : tensor<i64>
  %r = df.random normal "drop" like %x row %two : (tensor<?x2xf32>, tensor<i64>) -> tensor<?x2xf32>
  df.return %r : tensor<?x2xf32>
}

// CHECK-LABEL: @empty
// CHECK-NEXT: 0: tensor<0x2xf64> []
df.function @empty(%x: tensor<?x2xf32> {df.value = dense<> : tensor<0x2xf32>}) -> tensor<?x2xf64> {
  %r = df.random truncated_normal "drop" like %x : (tensor<?x2xf32>) -> tensor<?x2xf64>
  df.return %r : tensor<?x2xf64>
}
