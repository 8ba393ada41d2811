// Values of df.scan, df.remat and df.optimization_barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @forward
df.function @forward(%zero: tensor<2xf32> {df.value = dense<0.0> : tensor<2xf32>}, %x: tensor<?x2xf32> {df.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %last, %sums = df.scan (%zero) over (%x) : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%sum: tensor<2xf32>, %row: tensor<2xf32>):
    %next = df.add %sum, %row : tensor<2xf32>
    df.yield %next, %next : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-NEXT: 0: tensor<2xf32> [9, 12]
  // CHECK-NEXT: 1: tensor<3x2xf32> {{\[\[}}1, 2], [4, 6], [9, 12]]
  df.return %last, %sums : tensor<2xf32>, tensor<?x2xf32>
}

// The first two rows, the second one first; the third one is not reached.
// CHECK-LABEL: @some_backwards
df.function @some_backwards(%zero: tensor<2xf32> {df.value = dense<0.0> : tensor<2xf32>}, %x: tensor<?x2xf32> {df.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = df.constant dense<2> : tensor<i64>
  %last, %sums = df.scan (%zero) over (%x) count %n {reverse} : (tensor<2xf32>, tensor<?x2xf32>, tensor<i64>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%sum: tensor<2xf32>, %row: tensor<2xf32>):
    %next = df.add %sum, %row : tensor<2xf32>
    df.yield %next, %next : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK-NEXT: 0: tensor<2xf32> [4, 6]
  // CHECK-NEXT: 1: tensor<3x2xf32> {{\[\[}}4, 6], [3, 4], [0, 0]]
  df.return %last, %sums : tensor<2xf32>, tensor<?x2xf32>
}

// No row at all: sizes are known from outside.
// CHECK-LABEL: @none
df.function @none(%h: tensor<?xf32> {df.value = dense<[7.0, 8.0]> : tensor<2xf32>}) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %n = df.constant dense<0> : tensor<i64>
  %last, %all = df.scan (%h) count %n : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%c: tensor<?xf32>):
    %e = df.exp %c : tensor<?xf32>
    df.yield %c, %e : tensor<?xf32>, tensor<?xf32>
  }
  // CHECK-NEXT: 0: tensor<2xf32> [7, 8]
  // CHECK-NEXT: 1: tensor<0x2xf32> []
  df.return %last, %all : tensor<?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: @checkpoint
df.function @checkpoint() -> tensor<2xf32> {
  %x = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = df.remat : () -> tensor<2xf32> {
    %a = df.add %x, %x : tensor<2xf32>
    df.yield %a : tensor<2xf32>
  }
  %z = df.optimization_barrier %y, %x : tensor<2xf32>, tensor<2xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [2, 4]
  df.return %z : tensor<2xf32>
}
