// RUN: mlc-opt %s --codegen-signal-operands | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each variable is awaited right before the first op that reads it, through a view, too; each sum is done after the last op
// that touches it, while others are still to run. Of the buffers x, w0, w1, g1 and g0 two are variables and two are sums.
// CHECK-LABEL: func.func @grad(
// CHECK-NOT: mlc.signals
// CHECK: memref.subview
// CHECK-NEXT: kern.await_operand operand = 1
// CHECK-NEXT: kern.launch %{{.*}} cost 10
// CHECK: kern.await_operand operand = 2
// CHECK-NEXT: kern.launch %{{.*}} cost 20
// CHECK: kern.operand_done operand = 3
// CHECK-NEXT: kern.launch %{{.*}} cost 30
// CHECK: kern.operand_done operand = 4
// CHECK-NEXT: return
func.func @grad(%x: memref<8xf32>, %w0: memref<8x8xf32>, %w1: memref<8xf32>, %g1: memref<8xf32>, %g0: memref<8xf32>, %n: index)
    attributes {mlc.signals = array<i64: 0, 1, 1, 2, 2>} {
  %view = memref.subview %w0[0, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1]>>
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    %a = memref.load %view[%t] : memref<8xf32, strided<[1]>>
    memref.store %a, %x[%t] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %a = memref.load %w1[%t] : memref<8xf32>
    memref.store %a, %g1[%t] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%t: index):
    %a = memref.load %w0[%t, %t] : memref<8x8xf32>
    memref.store %a, %g0[%t] : memref<8xf32>
    kern.yield
  }
  return
}

// A variable that only a branch reads is awaited before the branch; one that nothing reads is not waited for.
// CHECK-LABEL: func.func @branch(
// CHECK-NEXT: kern.await_operand operand = 0
// CHECK-NEXT: scf.if
// CHECK-NOT: await_operand
// CHECK: kern.operand_done operand = 2
// CHECK-NEXT: return
func.func @branch(%w: memref<f32>, %v: memref<f32>, %g: memref<f32>, %c: i1) attributes {mlc.signals = array<i64: 1, 1, 2>} {
  scf.if %c {
    %a = memref.load %w[] : memref<f32>
    memref.store %a, %g[] : memref<f32>
  }
  return
}

// A sum that nothing computes is done at the end.
// CHECK-LABEL: func.func @untouched(
// CHECK-NEXT: kern.operand_done operand = 0
// CHECK-NEXT: return
func.func @untouched(%g: memref<f32>) attributes {mlc.signals = array<i64: 2>} {
  return
}

// A function whose operands are not signalled says nothing.
// CHECK-LABEL: func.func @combine(
// CHECK-NOT: kern.{{await_operand|operand_done}}
// CHECK: return
func.func @combine(%a: memref<f32>, %b: memref<f32>) {
  memref.copy %a, %b : memref<f32> to memref<f32>
  return
}
