// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s
// RUN: mlc-opt %s | mlc-opt | FileCheck %s --check-prefix=FORM
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value carried along an axis: lanes lie along another one where its elements are neighbours.

// FORM-LABEL: func.func @columns
// FORM: kern.scan ins(%{{.*}} : memref<?x8xf32>) outs(%{{.*}} : memref<?x8xf32>) {
// CHECK-LABEL: func.func @columns
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (vector<8xf32>)
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] : vector<8xf32>
// CHECK: vector.store %[[NEXT]]
// CHECK: scf.yield %[[NEXT]]
func.func @columns(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  kern.scan ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%sum: f32, %a: f32):
    %next = arith.addf %sum, %a : f32
    kern.yield %next, %next : f32, f32
  } {axis = 0 : i64, initial = 0.0 : f32}
  return
}

// Exclusive and from the last element on: the carried value is stored before it is changed.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[BEST:.*]] = %{{.*}}) -> (i32)
// CHECK: arith.subi %{{.*}}, %[[I]] : index
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[BEST]], %[[X]] : i32
// CHECK: memref.store %[[BEST]]
// CHECK: scf.yield %[[NEXT]]
func.func @rows(%x: memref<?x5xi32>, %y: memref<?x5xi32>) {
  kern.scan ins(%x : memref<?x5xi32>) outs(%y : memref<?x5xi32>) {
  ^bb0(%best: i32, %a: i32):
    %next = arith.maxsi %best, %a : i32
    kern.yield %next, %best : i32, i32
  } {axis = 1 : i64, initial = -2147483648 : i32, reverse}
  return
}
