// Loops that read the device's memory and compute have several iterations at a time, and another loop for the rest.
// RUN: mlc-opt %s --cuda-unroll-loops --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum of a column: as many loads as are on their way at once, added in their order.
// CHECK-LABEL: func.func @column(
// CHECK-SAME:      %[[X:.*]]: memref<?xf32, 1>, %[[N:.*]]: index, %[[FIRST:.*]]: index, %[[STEP:.*]]: index, %[[OLD:.*]]: f32)
// CHECK:         %[[AHEAD:.*]] = arith.muli %[[STEP]], %c7
// CHECK:         %[[LAST:.*]] = arith.subi %[[N]], %[[AHEAD]]
// CHECK:         %[[STRIDE:.*]] = arith.muli %[[STEP]], %c8
// CHECK:         %[[WIDE:.*]]:2 = scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]] step %[[STRIDE]] iter_args(%{{.*}} = %[[FIRST]], %[[S0:.*]] = %[[OLD]])
// CHECK-NEXT:      %[[X0:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[S1:.*]] = arith.addf %[[S0]], %[[X0]]
// CHECK-NEXT:      %[[I1:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT:      %[[X1:.*]] = memref.load %[[X]][%[[I1]]]
// CHECK-NEXT:      %[[S2:.*]] = arith.addf %[[S1]], %[[X1]]
// CHECK-COUNT-6:  memref.load
// CHECK:         %[[SUM:.*]] = scf.for %{{.*}} = %[[WIDE]]#0 to %[[N]] step %[[STEP]] iter_args(%{{.*}} = %[[WIDE]]#1)
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.addf
// CHECK:         return %[[SUM]]
func.func @column(%x: memref<?xf32, 1>, %n: index, %first: index, %step: index, %old: f32) -> f32 {
  %sum = scf.for %i = %first to %n step %step iter_args(%s = %old) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// Two loads an iteration, and a loop that is known to go round four times alone: nothing is left.
// CHECK-LABEL: func.func @known(
// CHECK-COUNT-8: memref.load
// CHECK-NOT:     memref.load
func.func @known(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %old: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %old) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %b = memref.load %y[%i] : memref<?xf32, 1>
    %t = math.fma %a, %b, %s : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// What writes, waits, or reads memory of the block alone stays.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: scf.for
// CHECK-NOT:     scf.for
func.func @others(%x: memref<?xf32, 1>, %shared: memref<64xf32, 3>, %n: index, %old: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %old) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %t = arith.addf %s, %a : f32
    memref.store %t, %x[%i] : memref<?xf32, 1>
    scf.yield %t : f32
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %old) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %t = arith.addf %s, %a : f32
    nvvm.barrier0
    scf.yield %t : f32
  }
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %old) -> f32 {
    %a = memref.load %shared[%i] : memref<64xf32, 3>
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  return %0, %1, %2 : f32, f32, f32
}

// So do kernels whose threads have memory of their own.
// CHECK-LABEL: func.func @partials(
// CHECK:         scf.for
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      scf.yield
func.func @partials(%x: memref<?xf32, 1>, %n: index, %old: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cells = memref.alloca() : memref<32xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %old) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  memref.store %sum, %cells[%c0] : memref<32xf32>
  return %sum : f32
}
