// Copies of one kind are one op where nothing stands between them.
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-batch-copies))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of a matrix: the buffers differ, and the offsets. Another kind between them stays.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[A:.*]]: memref<?x1xf32>, %[[B:.*]]: memref<?x1xf32>, %[[W:.*]]: memref<4xf32>, %[[V:.*]]: memref<4xf32>
// CHECK:         memref.copy %[[W]], %[[V]]
// CHECK-NOT:     memref.copy
// CHECK:         kern.copies %[[A]], %[[B]], %[[A]], %[[B]] to
// CHECK-NOT:     memref.copy
func.func @columns(%a: memref<?x1xf32>, %b: memref<?x1xf32>, %w: memref<4xf32>, %v: memref<4xf32>, %n: index) -> memref<?x4xf32> {
  %out = memref.alloc(%n) : memref<?x4xf32>
  %0 = memref.subview %out[0, 0] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?x1xf32, strided<[4, 1]>>
  memref.copy %a, %0 : memref<?x1xf32> to memref<?x1xf32, strided<[4, 1]>>
  %1 = memref.subview %out[0, 1] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?x1xf32, strided<[4, 1], offset: 1>>
  memref.copy %b, %1 : memref<?x1xf32> to memref<?x1xf32, strided<[4, 1], offset: 1>>
  memref.copy %w, %v : memref<4xf32> to memref<4xf32>
  %2 = memref.subview %out[0, 2] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?x1xf32, strided<[4, 1], offset: 2>>
  memref.copy %a, %2 : memref<?x1xf32> to memref<?x1xf32, strided<[4, 1], offset: 2>>
  %3 = memref.subview %out[0, 3] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?x1xf32, strided<[4, 1], offset: 3>>
  memref.copy %b, %3 : memref<?x1xf32> to memref<?x1xf32, strided<[4, 1], offset: 3>>
  return %out : memref<?x4xf32>
}

// A copy that reads what another one writes, or writes what it reads, or writes the same place, stays after it; so does everything
// after an op with effects.
// CHECK-LABEL: func.func @chains(
// CHECK-COUNT-4: memref.copy
// CHECK-NOT:     kern.copies
func.func @chains(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.copy %b, %c : memref<4xf32> to memref<4xf32>
  memref.copy %d, %a : memref<4xf32> to memref<4xf32>
  memref.copy %c, %a : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @overlap(
// CHECK-NOT:     kern.copies
// CHECK:         return
func.func @overlap(%a: memref<4xf32>, %out: memref<10xf32>) {
  %0 = memref.subview %out[0] [4] [1] : memref<10xf32> to memref<4xf32, strided<[1]>>
  %1 = memref.subview %out[2] [4] [1] : memref<10xf32> to memref<4xf32, strided<[1], offset: 2>>
  %2 = memref.subview %out[4] [4] [1] : memref<10xf32> to memref<4xf32, strided<[1], offset: 4>>
  %3 = memref.subview %out[6] [4] [1] : memref<10xf32> to memref<4xf32, strided<[1], offset: 6>>
  memref.copy %a, %0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %1 : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %a, %2 : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %3 : memref<4xf32> to memref<4xf32, strided<[1], offset: 6>>
  return
}

// CHECK-LABEL: func.func @between(
// CHECK-COUNT-2: memref.copy
// CHECK:         linalg.exp
// CHECK-COUNT-2: memref.copy
// CHECK-NOT:     kern.copies
func.func @between(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>, %e: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.copy %a, %c : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%a : memref<4xf32>)
  memref.copy %a, %d : memref<4xf32> to memref<4xf32>
  memref.copy %a, %e : memref<4xf32> to memref<4xf32>
  return
}

// Two rows of three numbers each, in one buffer each, to variables.
// CHECK-LABEL: func.func @results(
// CHECK:         kern.copies
// CHECK-NOT:     memref.copy
func.func @results(%all: memref<8x3xf32>, %a: memref<2x3xf32>, %b: memref<2x3xf32>, %c: memref<2x3xf32>, %d: memref<2x3xf32>) {
  %0 = memref.subview %all[0, 0] [2, 3] [1, 1] : memref<8x3xf32> to memref<2x3xf32, strided<[3, 1]>>
  %1 = memref.subview %all[2, 0] [2, 3] [1, 1] : memref<8x3xf32> to memref<2x3xf32, strided<[3, 1], offset: 6>>
  %2 = memref.subview %all[4, 0] [2, 3] [1, 1] : memref<8x3xf32> to memref<2x3xf32, strided<[3, 1], offset: 12>>
  %3 = memref.subview %all[6, 0] [2, 3] [1, 1] : memref<8x3xf32> to memref<2x3xf32, strided<[3, 1], offset: 18>>
  memref.copy %0, %a : memref<2x3xf32, strided<[3, 1]>> to memref<2x3xf32>
  memref.copy %1, %b : memref<2x3xf32, strided<[3, 1], offset: 6>> to memref<2x3xf32>
  memref.copy %2, %c : memref<2x3xf32, strided<[3, 1], offset: 12>> to memref<2x3xf32>
  memref.copy %3, %d : memref<2x3xf32, strided<[3, 1], offset: 18>> to memref<2x3xf32>
  return
}
