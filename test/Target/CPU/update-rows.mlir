// Updates of rows ask for rows ahead, line by line, take rows of few vectors without a loop, and load scalars once a row.
// How far ahead depends on the lines of a row in all tables; a task begins by asking for its first rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(cpu-lower-kernels))' | FileCheck %s

// CHECK-LABEL: @short
// CHECK: kern.launch
// CHECK: scf.for
// CHECK-COUNT-2: memref.prefetch {{.*}} write, locality<3>, data
// CHECK-NEXT: }
// CHECK: scf.for %[[K:.*]] = {{.*}} {
// CHECK: arith.addi %[[K]], %c32
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

// Three tables of two lines each.
// CHECK-LABEL: @three
// CHECK: scf.for
// CHECK-COUNT-6: memref.prefetch {{.*}} write, locality<3>, data
// CHECK-NEXT: }
// CHECK: scf.for %[[K:.*]] = {{.*}} {
// CHECK: arith.addi %[[K]], %c16
// CHECK-COUNT-6: memref.prefetch {{.*}} write, locality<3>, data
// CHECK-NOT: memref.prefetch
func.func @three(%ids: memref<?xi64>, %count: memref<i64>, %g: memref<?x32xf32>, %w: memref<900x32xf32>, %a: memref<900x32xf32>, %b: memref<900x32xf32>) {
  kern.update_rows ids(%ids, %count : memref<?xi64>, memref<i64>) values(%g : memref<?x32xf32>) outs(%w, %a, %b : memref<900x32xf32>, memref<900x32xf32>, memref<900x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %d: f32):
    %x1 = arith.subf %x, %d : f32
    %y1 = arith.subf %y, %d : f32
    %z1 = arith.subf %z, %d : f32
    kern.yield %x1, %y1, %z1 : f32, f32, f32
  }
  return
}

// So are rows that are gathered, of long ones the first lines; a missing id asks for row 0.
// CHECK-LABEL: @gather
// CHECK: scf.for
// CHECK: arith.maxsi
// CHECK-COUNT-4: memref.prefetch {{.*}} read, locality<3>, data
// CHECK-NEXT: }
// CHECK: scf.for %[[K:.*]] = {{.*}} {
// CHECK: arith.addi %[[K]], %c24
// CHECK-COUNT-4: memref.prefetch {{.*}} read, locality<3>, data
// CHECK-NOT: memref.prefetch
func.func @gather(%t: memref<900x128xf32>, %ids: memref<?xi64>, %o: memref<?x128xf32>) {
  kern.take_rows ins(%t, %ids : memref<900x128xf32>, memref<?xi64>) outs(%o : memref<?x128xf32>)
  return
}
