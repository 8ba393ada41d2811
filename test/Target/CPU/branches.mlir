// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A choice in a body is a branch that a vector takes if some lane of it does; both sides are then combined by lanes.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[X:.*]] = vector.load {{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %[[X]], {{.*}} : vector<8xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]] : vector<8xi1> into i1
// CHECK: %[[R:.*]] = scf.if %[[ANY]] -> (vector<8xf32>) {
// CHECK:   %[[ROOT:.*]] = math.sqrt %[[X]] : vector<8xf32>
// CHECK:   %[[BOTH:.*]] = arith.select %[[LARGE]], %[[ROOT]], %[[X]] : vector<8xi1>, vector<8xf32>
// CHECK:   scf.yield %[[BOTH]]
// CHECK: } else {
// CHECK:   scf.yield %[[X]]
// CHECK: vector.store %[[R]]
func.func @branch(%x: memref<64xf32>, %y: memref<64xf32>) {
  %limit = arith.constant 1.0e+06 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %large = arith.cmpf ogt, %in, %limit : f32
    %r = scf.if %large -> (f32) {
      %s = math.sqrt %in : f32
      scf.yield %s : f32
    } else {
      scf.yield %in : f32
    }
    linalg.yield %r : f32
  }
  return
}

// A body with a loop has one lane: each element takes its own number of iterations.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: vector
// CHECK: scf.while
// CHECK: memref.load {{.*}} : memref<?xf32>
func.func @loop(%x: memref<64xf32>, %table: memref<8xf32>, %y: memref<64xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 8 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xi64>) {
  ^bb0(%in: f32, %out: i64):
    %r = scf.while (%i = %zero) : (index) -> index {
      %more = arith.cmpi ult, %i, %size : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %e = memref.load %table[%i] : memref<8xf32>
      %above = arith.cmpf ogt, %e, %in : f32
      %next = arith.addi %i, %one : index
      %to = arith.select %above, %size, %next : index
      scf.yield %to : index
    }
    %place = arith.index_cast %r : index to i64
    linalg.yield %place : i64
  }
  return
}
