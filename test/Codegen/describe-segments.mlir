// Segments tell where their buffers lie, and whether they ask a device for the same each time.
// RUN: mlc-opt %s --codegen-describe-segments | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches by sizes alone; the workspace is no operand.
// CHECK-LABEL: func.func @launches(
// CHECK-SAME:    kern.capturable
// CHECK-SAME:    kern.spaces = array<i64: 1, 1>
func.func @launches(%x: memref<?xf32, 1 : i64>, %y: memref<f32, 1 : i64>, %w: memref<?xi8, 1 : i64>)
    attributes {df.role = #df.role<train>, mlc.workspace.1 = array<i64: 1, 0, 64>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, 1 : i64>
  %some = arith.cmpi ugt, %n, %c0 : index
  scf.if %some {
    kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      memref.store %zero, %y[] : memref<f32, 1 : i64>
      kern.yield
    }
  }
  return
}

// Sizes that do not fit end the segment.
// CHECK-LABEL: func.func @fails(
// CHECK-SAME:    kern.capturable
func.func @fails(%x: memref<?xf32, 1 : i64>) attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32, 1 : i64>
  %none = arith.cmpi eq, %n, %c0 : index
  scf.if %none {
    kern.report_error code = 2 row = -1 message = "nothing"
  }
  return
}

// The number of blocks is an element of a buffer.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT:     kern.capturable
// CHECK-SAME:    kern.spaces = array<i64: 0, 1>
func.func @reads(%x: memref<index>, %y: memref<f32, 1 : i64>) attributes {df.role = #df.role<train>} {
  %zero = arith.constant 0.0 : f32
  %n = memref.load %x[] : memref<index>
  kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %zero, %y[] : memref<f32, 1 : i64>
    kern.yield
  }
  return
}

// What comes from the host is another thing each time.
// CHECK-LABEL: func.func @transfers(
// CHECK-NOT:     kern.capturable
// CHECK-SAME:    kern.spaces = array<i64: 0, 1>
func.func @transfers(%x: memref<f32>, %y: memref<f32, 1 : i64>) attributes {df.role = #df.role<train>} {
  kern.transfer ins(%x : memref<f32>) outs(%y : memref<f32, 1 : i64>)
  return
}

// Tasks of the host's threads.
// CHECK-LABEL: func.func @host_tasks(
// CHECK-NOT:     kern.capturable
func.func @host_tasks(%x: memref<f32>, %y: memref<f32, 1 : i64>) attributes {df.role = #df.role<train>} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  kern.launch %c1 cost 1 {
  ^bb0(%task: index):
    memref.store %zero, %x[] : memref<f32>
    kern.yield
  }
  return
}

// One memory: nothing to tell.
// CHECK-LABEL: func.func @host(
// CHECK-NOT:     kern.spaces
func.func @host(%x: memref<f32>) attributes {df.role = #df.role<train>} {
  return
}
