// Updates of rows ask for rows ahead, line by line, take rows of few vectors without a loop, and load scalars once a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-lower-kernels))' | FileCheck %s

// CHECK-LABEL: @short
// CHECK: scf.for %[[K:.*]] = {{.*}} {
// CHECK: arith.addi %[[K]], %c8
// CHECK: memref.prefetch {{.*}} write, locality<3>, data
// CHECK: memref.prefetch {{.*}} write, locality<3>, data
// CHECK-NOT: memref.prefetch
// CHECK: memref.load {{.*}} : memref<?xf32>
// CHECK-NOT: {{scf.for|memref.load|memref.prefetch}}
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store
func.func @short(%ids: memref<?xi64>, %count: memref<i64>, %g: memref<?x32xf32>, %eta: memref<f32>, %w: memref<900x32xf32>) {
  kern.update_rows ids(%ids, %count : memref<?xi64>, memref<i64>) values(%g : memref<?x32xf32>) scalars(%eta : memref<f32>) outs(%w : memref<900x32xf32>) {
  ^bb0(%x: f32, %d: f32, %e: f32):
    %s = arith.mulf %e, %d : f32
    %y = arith.subf %x, %s : f32
    kern.yield %y : f32
  }
  return
}
