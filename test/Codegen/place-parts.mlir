// Parts of concatenations: computed where they end, or copied.
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-place-parts))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is computed into a buffer of its own is computed in its place; an argument is copied there. The out exists before its first
// part, although its size was asked of that part.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK:         %[[OUT:.*]] = memref.alloc(%[[N]]) : memref<?x2xf32>
// CHECK:         %[[FIRST:.*]] = memref.subview %[[OUT]][0, 0] [%[[N]], 1] [1, 1] : memref<?x2xf32> to memref<?xf32, strided<[2]>>
// CHECK:         linalg.exp ins(%[[X]] : memref<?xf32>) outs(%[[FIRST]] : memref<?xf32, strided<[2]>>)
// CHECK:         %[[COLUMN:.*]] = memref.expand_shape %[[X]]
// CHECK:         %[[SECOND:.*]] = memref.subview %[[OUT]][0, 1]
// CHECK:         memref.copy %[[COLUMN]], %[[SECOND]]
// CHECK-NOT:     kern.concat
func.func @parts(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %first = memref.expand_shape %a [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %second = memref.expand_shape %x [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %d = memref.dim %a, %c0 : memref<?xf32>
  %out = memref.alloc(%d) : memref<?x2xf32>
  kern.concat ins(%first, %second : memref<?x1xf32>, memref<?x1xf32>) outs(%out : memref<?x2xf32>) {axis = 1 : i64}
  return %out : memref<?x2xf32>
}

// Parts of different lengths follow each other; what is computed from the out's sizes stands before them.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[TOTAL:.*]] = arith.addi
// CHECK:         %[[OUT:.*]] = memref.alloc(%[[TOTAL]])
// CHECK:         memref.subview %[[OUT]][0] [%{{.*}}] [1]
// CHECK:         linalg.exp
// CHECK:         memref.subview %[[OUT]][%{{.*}}] [%{{.*}}] [1]
// CHECK:         linalg.exp
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @rows(%x: memref<?xf32>, %n: index, %y: memref<?xf32>, %m: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%m) : memref<?xf32>
  linalg.exp ins(%y : memref<?xf32>) outs(%b : memref<?xf32>)
  %total = arith.addi %n, %m : index
  %out = memref.alloc(%total) : memref<?xf32>
  kern.concat ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>) {axis = 0 : i64}
  return %out : memref<?xf32>
}

// What is read again after the concatenation keeps its buffer: the out may be changed by then. A second place is a copy.
// CHECK-LABEL: func.func @read_again(
// CHECK:         %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.exp {{.*}} outs(%[[A]] : memref<4xf32>)
// CHECK:         memref.copy %[[A]],
// CHECK:         memref.copy %[[A]],
// CHECK:         linalg.exp ins(%[[A]]
func.func @read_again(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %out = memref.alloc() : memref<8xf32>
  kern.concat ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%out : memref<8xf32>) {axis = 0 : i64}
  linalg.exp ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  return %out : memref<8xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         %[[FIRST:.*]] = memref.subview %[[OUT]][0] [4] [1]
// CHECK:         linalg.exp {{.*}} outs(%[[FIRST]]
// CHECK:         %[[SECOND:.*]] = memref.subview %[[OUT]][4] [4] [1]
// CHECK:         memref.copy %[[FIRST]], %[[SECOND]]
func.func @twice(%x: memref<4xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %out = memref.alloc() : memref<8xf32>
  kern.concat ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%out : memref<8xf32>) {axis = 0 : i64}
  return %out : memref<8xf32>
}

// Rows of one number that are taken need their place without gaps; the columns of a matrix have some.
// CHECK-LABEL: func.func @kernels(
// CHECK:         %[[OWN:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         kern.take_rows {{.*}} outs(%[[OWN]]
// CHECK:         %[[COLUMN:.*]] = memref.expand_shape %[[OWN]]
// CHECK:         memref.copy %[[COLUMN]],
func.func @kernels(%table: memref<9xf32>, %ids: memref<4xi64>, %b: memref<4x1xf32>) -> memref<4x2xf32> {
  %a = memref.alloc() : memref<4xf32>
  kern.take_rows ins(%table, %ids : memref<9xf32>, memref<4xi64>) outs(%a : memref<4xf32>)
  %column = memref.expand_shape %a [[0, 1]] output_shape [4, 1] : memref<4xf32> into memref<4x1xf32>
  %out = memref.alloc() : memref<4x2xf32>
  kern.concat ins(%column, %b : memref<4x1xf32>, memref<4x1xf32>) outs(%out : memref<4x2xf32>) {axis = 1 : i64}
  return %out : memref<4x2xf32>
}

// A concatenation of concatenations: the inner one's parts are computed in the outer one's out.
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<4x3xf32>
// CHECK:         %[[INNER:.*]] = memref.subview %[[OUT]][0, 0] [4, 2] [1, 1]
// CHECK:         %[[PART:.*]] = memref.subview %[[INNER]][0, 0] [4, 1] [1, 1]
// CHECK:         linalg.exp {{.*}} outs(%[[PART]]
func.func @nested(%x: memref<4x1xf32>) -> memref<4x3xf32> {
  %a = memref.alloc() : memref<4x1xf32>
  linalg.exp ins(%x : memref<4x1xf32>) outs(%a : memref<4x1xf32>)
  %inner = memref.alloc() : memref<4x2xf32>
  kern.concat ins(%a, %x : memref<4x1xf32>, memref<4x1xf32>) outs(%inner : memref<4x2xf32>) {axis = 1 : i64}
  %out = memref.alloc() : memref<4x3xf32>
  kern.concat ins(%inner, %x : memref<4x2xf32>, memref<4x1xf32>) outs(%out : memref<4x3xf32>) {axis = 1 : i64}
  return %out : memref<4x3xf32>
}

// An out that something reads before holds what was there: parts are copied.
// CHECK-LABEL: func.func @state(
// CHECK-SAME:    %[[V:.*]]: memref<8xf32>
// CHECK:         %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.exp ins(%{{.*}}) outs(%[[A]]
// CHECK:         memref.copy %[[A]],
func.func @state(%v: memref<8xf32>, %x: memref<4xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.exp ins(%v : memref<8xf32>) outs(%y : memref<8xf32>)
  kern.concat ins(%a, %x : memref<4xf32>, memref<4xf32>) outs(%v : memref<8xf32>) {axis = 0 : i64}
  return
}

// Parts that a split makes are copied to where they end.
// CHECK-LABEL: func.func @split(
// CHECK:         %[[A:.*]] = memref.subview %{{.*}}[0, 0] [1, 2] [1, 1]
// CHECK-NEXT:    memref.copy %[[A]], %{{.*}}
// CHECK-NEXT:    %[[B:.*]] = memref.subview %{{.*}}[3, 0] [4, 2] [1, 1]
// CHECK-NEXT:    memref.copy %[[B]], %{{.*}}
// CHECK-NEXT:    return
func.func @split(%x: memref<7x2xf32>, %a: memref<1x2xf32>, %b: memref<4x2xf32>) {
  kern.split ins(%x : memref<7x2xf32>) outs(%a, %b : memref<1x2xf32>, memref<4x2xf32>) {axis = 0 : i64, offsets = array<i64: 0, 3>}
  return
}
