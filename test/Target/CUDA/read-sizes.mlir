// Kernels read sizes that follow from data.
// RUN: mlc-opt %s --split-input-file --cuda-read-sizes | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory and blocks are those of as many elements as there can be; the launch computes with as many as there are.
// CHECK-LABEL: func.func @reads(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32, 1>, %[[COUNT:.*]]: memref<i64, 1>
// CHECK-NOT:     kern.transfer
// CHECK:         memref.extract_strided_metadata %[[X]] : memref<?xf32, 1> -> memref<f32, 1>, index, index, index
// CHECK-NOT:     kern.transfer
// CHECK:         memref.alloc(%[[N:.*]])
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivui %[[N]]
// CHECK:         kern.launch %[[BLOCKS]]
// CHECK-NEXT:    ^bb0
// CHECK:           %[[READ:.*]] = memref.load
// CHECK-NEXT:      %[[INDEX:.*]] = arith.index_cast %[[READ]] : i64 to index
// CHECK-NEXT:      %[[OWN:.*]] = arith.minui %[[INDEX]], %[[N]]
// CHECK-NEXT:      arith.cmpi ult, %{{.*}}, %[[OWN]]
// CHECK-NOT:     memref.load %{{.*}} : memref<i64>
func.func @reads(%x: memref<?xf32, 1>, %count: memref<i64, 1>, %y: memref<f32, 1>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, 1>
  %host = memref.alloc() : memref<i64>
  kern.transfer ins(%count : memref<i64, 1>) outs(%host : memref<i64>)
  %number = memref.load %host[] : memref<i64>
  %index = arith.index_cast %number : i64 to index
  %size = arith.minui %index, %n : index
  %part = memref.alloc(%size) : memref<?xf32, 1>
  %blocks = arith.ceildivui %size, %c256 : index
  kern.launch %blocks cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %is = arith.cmpi ult, %thread, %size : index
    scf.if %is {
      memref.store %zero, %part[%thread] : memref<?xf32, 1>
    }
    kern.yield
  }
  return
}

// -----

// What is asked of a part is what it was before its memory became larger.
// CHECK-LABEL: func.func @parts(
// CHECK:         %[[N:.*]], %{{.*}} = memref.extract_strided_metadata
// CHECK-NOT:     kern.transfer
// CHECK:         kern.launch
// CHECK:           %[[OWN:.*]] = arith.minui
// CHECK-NOT:       memref.dim
// CHECK:           arith.cmpi ult, %{{.*}}, %[[OWN]]
func.func @parts(%x: memref<?xf32, 1>, %count: memref<i64, 1>, %y: memref<?xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, 1>
  %host = memref.alloc() : memref<i64>
  kern.transfer ins(%count : memref<i64, 1>) outs(%host : memref<i64>)
  %number = memref.load %host[] : memref<i64>
  %index = arith.index_cast %number : i64 to index
  %size = arith.minui %index, %n : index
  %part = memref.alloc(%size) : memref<?x1xf32, 1>
  %flat = memref.collapse_shape %part [[0, 1]] : memref<?x1xf32, 1> into memref<?xf32, 1>
  %length = memref.dim %flat, %c0 : memref<?xf32, 1>
  kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %is = arith.cmpi ult, %thread, %length : index
    scf.if %is {
      memref.store %zero, %y[%thread] : memref<?xf32, 1>
    }
    kern.yield
  }
  return
}

// -----

// Who writes the number later does not change what was read: a copy of it is kept.
// CHECK-LABEL: func.func @changes(
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<i64, 1>
// CHECK-NOT:     kern.transfer
// CHECK:         kern.launch
// CHECK:           memref.store {{.*}} : memref<?xi64, 1>
// CHECK:         kern.launch
// CHECK:           memref.store {{.*}} : memref<i64, 1>
// CHECK:         kern.launch
// CHECK:           memref.load {{.*}} : memref<?xi64, 1>
func.func @changes(%count: memref<i64, 1>, %y: memref<?xi64, 1>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %host = memref.alloc() : memref<i64>
  kern.transfer ins(%count : memref<i64, 1>) outs(%host : memref<i64>)
  %number = memref.load %host[] : memref<i64>
  kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %one, %count[] : memref<i64, 1>
    kern.yield
  }
  kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %number, %y[%thread] : memref<?xi64, 1>
    kern.yield
  }
  return
}

// -----

// Nothing bounds the memory: the host reads how much it is.
// CHECK-LABEL: func.func @unbounded(
// CHECK:         kern.transfer
// CHECK:         memref.load
func.func @unbounded(%count: memref<index, 1>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %host = memref.alloc() : memref<index>
  kern.transfer ins(%count : memref<index, 1>) outs(%host : memref<index>)
  %size = memref.load %host[] : memref<index>
  %part = memref.alloc(%size) : memref<?xf32, 1>
  kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %zero, %part[%thread] : memref<?xf32, 1>
    kern.yield
  }
  return
}

// -----

// The host goes round as often as the number says.
// CHECK-LABEL: func.func @loops(
// CHECK:         kern.transfer
// CHECK:         scf.for
func.func @loops(%count: memref<index, 1>, %y: memref<?xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %host = memref.alloc() : memref<index>
  kern.transfer ins(%count : memref<index, 1>) outs(%host : memref<index>)
  %size = memref.load %host[] : memref<index>
  scf.for %i = %c0 to %size step %c1 {
    kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      memref.store %zero, %y[%i] : memref<?xf32, 1>
      kern.yield
    }
  }
  return
}

// -----

// A loop that goes round so often is counted by the device, and kernels read its number.
// CHECK-LABEL: func.func @counts(
// CHECK-NOT:     kern.transfer
// CHECK:         scf.while : () -> () {
// CHECK:           arith.cmpi slt
// CHECK:           kern.loop 0 while
// CHECK:         } do {
// CHECK-NOT:     kern.transfer
// CHECK:           %[[SIZE:.*]] = arith.minui
// CHECK:           %[[NUMBER:.*]] = arith.minui %{{.*}}, %[[SIZE]]
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[NUMBER]]]
// CHECK-NOT:     kern.transfer
// CHECK:         return
func.func @counts(%x: memref<?xf32, 1>, %count: memref<i64, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, 1>
  %host = memref.alloc() : memref<i64>
  kern.transfer ins(%count : memref<i64, 1>) outs(%host : memref<i64>)
  %number = memref.load %host[] : memref<i64>
  %index = arith.index_cast %number : i64 to index
  %size = arith.minui %index, %n : index
  scf.for %i = %c0 to %size step %c1 {
    kern.launch %c1 cost 1 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      memref.store %zero, %x[%i] : memref<?xf32, 1>
      kern.yield
    }
  }
  return
}

// -----

// The host does something in each iteration.
// CHECK-LABEL: func.func @host_work(
// CHECK:         kern.transfer
// CHECK:         scf.for
// CHECK-NOT:     kern.loop
func.func @host_work(%x: memref<?xf32, 1>, %count: memref<i64, 1>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, 1>
  %host = memref.alloc() : memref<i64>
  kern.transfer ins(%count : memref<i64, 1>) outs(%host : memref<i64>)
  %number = memref.load %host[] : memref<i64>
  %index = arith.index_cast %number : i64 to index
  %size = arith.minui %index, %n : index
  scf.for %i = %c0 to %size step %c1 {
    memref.store %zero, %y[] : memref<f32>
  }
  return
}
