// Tilings of products, a function of types, shapes and strides; and products that the CPU has no code for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cpu-attach-target --cpu-plan-contracts | FileCheck %s
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cpu-attach-target="vector-bits=512 vector-registers=32" --cpu-plan-contracts | FileCheck %s --check-prefix=WIDE

// Twelve accumulators of 8 lanes, or 24 of 16; the inner dimension is short.
// CHECK-LABEL: func.func @layer
// CHECK: tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 0, task_rows = 8, task_columns = 5>
// WIDE-LABEL: func.func @layer
// WIDE: tiling = #kern.tiling<panels, rows = 8, columns = 48, inner = 0, task_rows = 8, task_columns = 2>
func.func @layer(%x: memref<?x100xf32>, %w: memref<100x100xf32>, %y: memref<?x100xf32>) {
  kern.contract ins(%x, %w : memref<?x100xf32>, memref<100x100xf32>) outs(%y : memref<?x100xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

// Of two vectors, as a third one would leave a panel with one.
// WIDE-LABEL: func.func @few_columns
// WIDE: columns = 32
func.func @few_columns(%x: memref<?x100xf32>, %w: memref<100x64xf32>, %y: memref<?x64xf32>) {
  kern.contract ins(%x, %w : memref<?x100xf32>, memref<100x64xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

// An inner dimension that is long, or unknown, is cut; not if the out cannot hold sums.
// CHECK-LABEL: func.func @gradient
// CHECK: tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 256,
// CHECK: tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 0,
func.func @gradient(%x: memref<?x100xf32>, %g: memref<?x10xf32>, %w: memref<100x10xf32>, %h: memref<100x10xf16>) {
  kern.contract ins(%x, %g : memref<?x100xf32>, memref<?x10xf32>) outs(%w : memref<100x10xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], transpose_a}
  kern.contract ins(%x, %g : memref<?x100xf32>, memref<?x10xf32>) outs(%h : memref<100x10xf16>) {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to f16
    kern.yield %t : f16
  } {extra_maps = [], transpose_a}
  return
}

// -----

// One column: along the inner dimension, along rows, or neither.
// CHECK-LABEL: func.func @column
// CHECK: tiling = #kern.tiling<dots, rows = 1, columns = 1, inner = 0, task_rows = 1000, task_columns = 1>
// CHECK: tiling = #kern.tiling<rows, rows = 8, columns = 1, inner = 0, task_rows = 4, task_columns = 1>
// CHECK: tiling = #kern.tiling<panels,
func.func @column(%x: memref<?x100xf32>, %z: memref<100x?xf32>, %w: memref<100x1xf32>, %y: memref<?x1xf32>, %s: memref<?x100xf32, strided<[200, 2]>>) {
  kern.contract ins(%x, %w : memref<?x100xf32>, memref<100x1xf32>) outs(%y : memref<?x1xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  kern.contract ins(%z, %w : memref<100x?xf32>, memref<100x1xf32>) outs(%y : memref<?x1xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], transpose_a}
  // What plans no lanes at all: neither lie the steps of the inner dimension side by side, nor rows do.
  %o = memref.subview %y[0, 0] [4, 1] [2, 1] : memref<?x1xf32> to memref<4x1xf32, strided<[2, 1]>>
  %t = memref.subview %s[0, 0] [4, 100] [1, 1] : memref<?x100xf32, strided<[200, 2]>> to memref<4x100xf32, strided<[200, 2]>>
  kern.contract ins(%t, %w : memref<4x100xf32, strided<[200, 2]>>, memref<100x1xf32>) outs(%o : memref<4x1xf32, strided<[2, 1]>>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

// Sums of 64 bits take two registers.
// CHECK-LABEL: func.func @sums
// CHECK: rows = 3, columns = 8,
// CHECK: rows = 6, columns = 16,
// CHECK: rows = 3, columns = 8,
func.func @sums(%d: memref<4x4xf64>, %h: memref<4x4xbf16>, %f: memref<4x4xf32>, %i: memref<4x4xi8>, %l: memref<4x4xi64>) {
  kern.contract ins(%d, %d : memref<4x4xf64>, memref<4x4xf64>) outs(%d : memref<4x4xf64>) {
  ^bb0(%acc: f64):
    kern.yield %acc : f64
  } {extra_maps = []}
  kern.contract ins(%h, %h : memref<4x4xbf16>, memref<4x4xbf16>) outs(%f : memref<4x4xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  kern.contract ins(%i, %i : memref<4x4xi8>, memref<4x4xi8>) outs(%l : memref<4x4xi64>) {
  ^bb0(%acc: i64):
    kern.yield %acc : i64
  } {extra_maps = []}
  return
}

// -----

// What has a tiling keeps it.
// CHECK-LABEL: func.func @planned
// CHECK: tiling = #kern.tiling<panels, rows = 2, columns = 8, inner = 0, task_rows = 1, task_columns = 1>
func.func @planned(%x: memref<4x4xf32>) {
  kern.contract ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 2, columns = 8, inner = 0, task_rows = 1, task_columns = 1>}
  return
}

// -----

func.func @f8(%x: memref<4x4xf8E4M3FN>, %y: memref<4x4xf32>) {
  // expected-error @+1 {{has no code on the CPU: it adds products of f16, bf16, f32, f64 and integers of 8 to 64 bits in numbers of 32 and 64 bits; found 'f8E4M3FN' by 'f8E4M3FN' in 'f32'}}
  kern.contract ins(%x, %x : memref<4x4xf8E4M3FN>, memref<4x4xf8E4M3FN>) outs(%y : memref<4x4xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

func.func @narrow(%x: memref<4x4xi8>) {
  // expected-error @+1 {{found 'i8' by 'i8' in 'i8'}}
  kern.contract ins(%x, %x : memref<4x4xi8>, memref<4x4xi8>) outs(%x : memref<4x4xi8>) {
  ^bb0(%acc: i8):
    kern.yield %acc : i8
  } {extra_maps = []}
  return
}
