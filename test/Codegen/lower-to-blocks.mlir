// Loops, branches and views become blocks and arithmetic; a function without them stays as it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-lower-to-blocks))' | FileCheck %s

// CHECK-LABEL: func.func @sum(
// CHECK: cf.br ^[[HEAD:bb[0-9]+]](
// CHECK: ^[[HEAD]](%[[I:.*]]: index, %[[SUM:.*]]: f32):
// CHECK: cf.cond_br
// CHECK: memref.load
// CHECK-NOT: scf.
func.func @sum(%buffer: memref<8xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %start = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %eight step %one iter_args(%before = %start) -> f32 {
    %x = memref.load %buffer[%i] : memref<8xf32>
    %after = arith.addf %before, %x : f32
    scf.yield %after : f32
  }
  return %sum : f32
}

// Offsets of a view are ops of affine at first.
// CHECK-LABEL: func.func @row(
// CHECK-NOT: affine.
// CHECK-NOT: memref.subview
// CHECK: arith.muli
// CHECK: memref.reinterpret_cast
func.func @row(%buffer: memref<4x8xf32>, %row: index, %column: index) -> f32 {
  %view = memref.subview %buffer[%row, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %x = memref.load %view[%column] : memref<8xf32, strided<[1], offset: ?>>
  return %x : f32
}

// CHECK-LABEL: func.func @straight(
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @straight(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
