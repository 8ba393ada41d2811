// Kernels hold small constants that they read.
// RUN: mlc-opt %s --split-input-file --cuda-embed-constants | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The copy, and the view of it, are made in the kernel.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT:     kern.transfer
// CHECK-NOT:     memref.alloc
// CHECK:         kern.launch
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[THREAD:.*]]: index):
// CHECK-NEXT:      %[[GLOBAL:.*]] = memref.get_global @weights : memref<2x2xf32>
// CHECK-NEXT:      %[[COPY:.*]] = memref.memory_space_cast %[[GLOBAL]] : memref<2x2xf32> to memref<2x2xf32, 1>
// CHECK-NEXT:      %[[FLAT:.*]] = memref.reinterpret_cast %[[COPY]]
// CHECK-NEXT:      memref.load %[[FLAT]][%[[THREAD]]]
memref.global "private" constant @weights : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
func.func @reads(%y: memref<?xf32, 1>) {
  %c1 = arith.constant 1 : index
  %w = memref.get_global @weights : memref<2x2xf32>
  %copy = memref.alloc() : memref<2x2xf32, 1>
  kern.transfer ins(%w : memref<2x2xf32>) outs(%copy : memref<2x2xf32, 1>)
  %flat = memref.reinterpret_cast %copy to offset: [0], sizes: [4], strides: [1] : memref<2x2xf32, 1> to memref<4xf32, 1>
  kern.launch %c1 cost 1 grid <threads = 4, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %a = memref.load %flat[%thread] : memref<4xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    kern.yield
  }
  return
}

// -----

// What a branch yields may be another buffer for who reads it.
// CHECK-LABEL: func.func @yielded(
// CHECK:         kern.transfer
// CHECK:         scf.if
// CHECK:         } else {
// CHECK-NEXT:      scf.yield
memref.global "private" constant @either : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @yielded(%x: memref<4xf32, 1>, %y: memref<?xf32, 1>, %c: i1) {
  %c1 = arith.constant 1 : index
  %w = memref.get_global @either : memref<4xf32>
  %copy = memref.alloc() : memref<4xf32, 1>
  kern.transfer ins(%w : memref<4xf32>) outs(%copy : memref<4xf32, 1>)
  %from = scf.if %c -> memref<4xf32, 1> {
    scf.yield %x : memref<4xf32, 1>
  } else {
    scf.yield %copy : memref<4xf32, 1>
  }
  kern.launch %c1 cost 1 grid <threads = 4, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %a = memref.load %from[%thread] : memref<4xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    kern.yield
  }
  return
}

// -----

// What a kernel writes stays a copy; so does what is too large for text.
// CHECK-LABEL: func.func @stays(
// CHECK:         kern.transfer
// CHECK:         kern.transfer
memref.global "private" constant @start : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @large : memref<20000xf32> = dense<1.0>
func.func @stays(%y: memref<?xf32, 1>) {
  %c1 = arith.constant 1 : index
  %w = memref.get_global @start : memref<4xf32>
  %copy = memref.alloc() : memref<4xf32, 1>
  kern.transfer ins(%w : memref<4xf32>) outs(%copy : memref<4xf32, 1>)
  %l = memref.get_global @large : memref<20000xf32>
  %large = memref.alloc() : memref<20000xf32, 1>
  kern.transfer ins(%l : memref<20000xf32>) outs(%large : memref<20000xf32, 1>)
  kern.launch %c1 cost 1 grid <threads = 4, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %a = memref.load %large[%thread] : memref<20000xf32, 1>
    memref.store %a, %copy[%thread] : memref<4xf32, 1>
    kern.yield
  }
  return
}
