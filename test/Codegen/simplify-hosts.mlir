// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-simplify-hosts))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is not in a launch is folded, in control flow too; the body of a launch gets the values and stays as it was.
// CHECK-LABEL: func.func @folds(
// CHECK-SAME:    %[[X:.*]]: memref<8xf32>, %[[LOW:.*]]: index, %[[HIGH:.*]]: index)
// CHECK-NOT:     memref.dim
// CHECK:         %[[SIZE:.*]] = arith.constant 8 : index
// CHECK-NOT:     arith.addi
// CHECK:         scf.for %[[J:.*]] = %[[LOW]] to %[[HIGH]]
// CHECK-NEXT:      kern.launch %[[SIZE]] cost 10
// CHECK-NEXT:      ^bb0(%[[I:.*]]: index):
// CHECK-NEXT:        %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %[[I]], %[[ZERO]] : index
// CHECK-NEXT:        %[[REST:.*]] = arith.subi %[[SIZE]], %[[J]] : index
// CHECK-NEXT:        %[[NUMBER:.*]] = arith.index_cast %[[REST]]
func.func @folds(%x: memref<8xf32>, %low: index, %high: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<8xf32>
  scf.for %j = %low to %high step %c1 {
    %size = arith.addi %n, %c0 : index
    kern.launch %size cost 10 {
    ^bb0(%i: index):
      %zero = arith.constant 0 : index
      %at = arith.addi %i, %zero : index
      %rest = arith.subi %n, %j : index
      %number = arith.index_cast %rest : index to i32
      %v = arith.sitofp %number : i32 to f32
      memref.store %v, %x[%at] : memref<8xf32>
      kern.yield
    }
  }
  return
}
