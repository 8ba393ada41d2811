// RUN: mlc-opt %s --mlc-df-pipeline --convert-df-to-linalg --mlc-fuse --mlc-bufferize | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A service takes elements that lie behind one another: columns of a matrix are copied for it, rows are not.

// CHECK-LABEL: func.func @columns
// CHECK: %[[VIEW:.*]] = memref.subview %{{.*}} : memref<?x7xf32> to memref<?x3xf32, strided<[7, 1], offset: 2>>
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) : memref<?x3xf32>
// CHECK: memref.copy %[[VIEW]], %[[COPY]]
// CHECK: kern.sort_positions keys(%[[COPY]] :
df.function @columns(%x: tensor<?x7xf32> {df.name = "x"}) -> (tensor<?x3xi64> {df.name = "y"}) {
  %l = df.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: -1, 3>} : (tensor<?x7xf32>) -> tensor<?x3xf32>
  %p = df.argsort %l : (tensor<?x3xf32>) -> tensor<?x3xi64>
  df.return %p : tensor<?x3xi64>
}

// CHECK-LABEL: func.func @rows
// CHECK: %[[VIEW:.*]] = memref.subview %{{.*}} : memref<9x7xf32> to memref<4x7xf32, strided<[7, 1], offset: 14>>
// CHECK-NOT: memref.copy
// CHECK: kern.sort_positions keys(%[[VIEW]] :
df.function @rows(%x: tensor<9x7xf32> {df.name = "z"}) -> (tensor<4x7xi64> {df.name = "y"}) {
  %l = df.slice %x {starts = array<i64: 2, 0>, sizes = array<i64: 4, 7>} : (tensor<9x7xf32>) -> tensor<4x7xf32>
  %p = df.argsort %l : (tensor<4x7xf32>) -> tensor<4x7xi64>
  df.return %p : tensor<4x7xi64>
}
