// An update of every row is one pass over the table: a task finds the entries of its rows, and updates the rows before each
// of them with zeros for the gradient, those that lie after one another as one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(cpu-lower-kernels,canonicalize))' | FileCheck %s

// CHECK-LABEL: @wide
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: kern.launch
// CHECK-NOT: memref.prefetch
// CHECK: memref.load %{{.*}}xf32
// CHECK-COUNT-2: scf.while
// CHECK: scf.for {{.*}} iter_args(
// CHECK: scf.for
// CHECK: arith.mulf %{{.*}}, %[[ZERO]] : vector<8xf32>
// CHECK: vector.store
// CHECK: }
// CHECK-COUNT-4: vector.store
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: vector.store
// CHECK-NOT: vector.store
// CHECK-NOT: vector.maskedstore
func.func @wide(%ids: memref<?xi64>, %count: memref<i64>, %g: memref<?x32xf32>, %eta: memref<f32>, %w: memref<?x32xf32>) {
  kern.update_rows every_row ids(%ids, %count : memref<?xi64>, memref<i64>) values(%g : memref<?x32xf32>) scalars(%eta : memref<f32>) outs(%w : memref<?x32xf32>) {
  ^bb0(%x: f32, %d: f32, %present: i1, %e: f32):
    %s = arith.mulf %e, %d : f32
    %y = arith.subf %x, %s : f32
    kern.yield %y : f32
  }
  return
}

// What only rows with an id have is not computed for the others.
// CHECK-LABEL: @scaled
// CHECK: scf.for {{.*}} iter_args(
// CHECK-NOT: arith.mulf
// CHECK: vector.store
// CHECK: arith.mulf
// CHECK-NOT: arith.select {{.*}} vector
// CHECK: scf.yield
// CHECK-NOT: arith.mulf
func.func @scaled(%ids: memref<?xi64>, %count: memref<i64>, %g: memref<?x8xf32>, %eta: memref<f32>, %w: memref<900x8xf32>) {
  kern.update_rows every_row ids(%ids, %count : memref<?xi64>, memref<i64>) values(%g : memref<?x8xf32>) scalars(%eta : memref<f32>) outs(%w : memref<900x8xf32>) {
  ^bb0(%x: f32, %d: f32, %present: i1, %e: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.mulf %e, %d : f32
    %p = arith.select %present, %s, %zero : f32
    %y = arith.subf %x, %p : f32
    kern.yield %y : f32
  }
  return
}

// Rows with gaps between them are updated row by row.
// CHECK-LABEL: @gaps
// CHECK: scf.for {{.*}} iter_args(
// CHECK: scf.for
// CHECK: vector.store
// CHECK: vector.maskedstore
func.func @gaps(%ids: memref<?xi64>, %count: memref<i64>, %g: memref<?x12xf32>, %w: memref<900x12xf32, strided<[16, 1]>>) {
  kern.update_rows every_row ids(%ids, %count : memref<?xi64>, memref<i64>) values(%g : memref<?x12xf32>) outs(%w : memref<900x12xf32, strided<[16, 1]>>) {
  ^bb0(%x: f32, %d: f32, %present: i1):
    %y = arith.subf %x, %d : f32
    kern.yield %y : f32
  }
  return
}
