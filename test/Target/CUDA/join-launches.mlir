// Launches of a group become one whose blocks are dealt to them.
// RUN: mlc-opt %s --cuda-join-launches --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two that do the same but for buffers and sizes have one code, the third one has its own. A block finds its kind first.
// CHECK-LABEL: func.func @updates(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32, 1>, %[[Y:.*]]: memref<?xf32, 1>, %[[Z:.*]]: memref<?xf32, 1>, %[[N:.*]]: index
// CHECK-NOT:     kern.group
// CHECK:         %[[END:.*]] = arith.addi %[[N]], %c5
// CHECK:         kern.launch %[[END]] cost 30 grid <threads = 256, shared_bytes = 0> {
// CHECK-NEXT:    ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index):
// CHECK:           arith.cmpi ult, %[[BLOCK]], %c5
// CHECK:           scf.if
// CHECK:             %[[SECOND:.*]] = arith.cmpi ult, %[[BLOCK]], %c2
// CHECK:             arith.select %[[SECOND]], %c0, %c2
// CHECK:             arith.select %[[SECOND]], %c2, %c3
// CHECK:             arith.select %[[SECOND]], %[[X]], %[[Y]]
// CHECK:             arith.select %[[SECOND]], %c512, %c700
// CHECK:             arith.subi %[[BLOCK]]
// CHECK-NOT:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:             arith.mulf
// CHECK:           } else {
// CHECK:             arith.subi %[[BLOCK]], %c5
// CHECK-NOT:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:             arith.addf
// CHECK-NOT:     kern.launch
// CHECK:         return
func.func @updates(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %z: memref<?xf32, 1>, %n: index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c512 = arith.constant 512 : index
  %c700 = arith.constant 700 : index
  kern.group {
    kern.launch %c2 cost 10 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %c256 = arith.constant 256 : index
      %base = arith.muli %block, %c256 : index
      %first = arith.addi %base, %thread : index
      %grid = nvvm.read.ptx.sreg.nctaid.x : i32
      %blocks = arith.index_castui %grid : i32 to index
      %step = arith.muli %blocks, %c256 : index
      %isThere = arith.cmpi ult, %first, %c512 : index
      scf.if %isThere {
        scf.for %i = %first to %c512 step %step {
          %a = memref.load %x[%i] : memref<?xf32, 1>
          %b = arith.mulf %a, %a : f32
          memref.store %b, %x[%i] : memref<?xf32, 1>
        }
      }
      kern.yield
    }
    kern.launch %n cost 30 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %c256 = arith.constant 256 : index
      %base = arith.muli %block, %c256 : index
      %first = arith.addi %base, %thread : index
      %grid = nvvm.read.ptx.sreg.nctaid.x : i32
      %blocks = arith.index_castui %grid : i32 to index
      %step = arith.muli %blocks, %c256 : index
      %isThere = arith.cmpi ult, %first, %n : index
      scf.if %isThere {
        scf.for %i = %first to %n step %step {
          %a = memref.load %z[%i] : memref<?xf32, 1>
          %b = arith.addf %a, %a : f32
          memref.store %b, %z[%i] : memref<?xf32, 1>
        }
      }
      kern.yield
    }
    kern.launch %c3 cost 10 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %c256 = arith.constant 256 : index
      %base = arith.muli %block, %c256 : index
      %first = arith.addi %base, %thread : index
      %grid = nvvm.read.ptx.sreg.nctaid.x : i32
      %blocks = arith.index_castui %grid : i32 to index
      %step = arith.muli %blocks, %c256 : index
      %isThere = arith.cmpi ult, %first, %c700 : index
      scf.if %isThere {
        scf.for %i = %first to %c700 step %step {
          %a = memref.load %y[%i] : memref<?xf32, 1>
          %b = arith.mulf %a, %a : f32
          memref.store %b, %y[%i] : memref<?xf32, 1>
        }
      }
      kern.yield
    }
  }
  return
}

// Blocks whose threads share memory, or with other numbers of threads, stay as they are.
// CHECK-LABEL: func.func @stay(
// CHECK:         kern.group {
// CHECK-COUNT-3:   kern.launch
// CHECK:         return
func.func @stay(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %z: memref<?xf32, 1>) {
  %c2 = arith.constant 2 : index
  kern.group {
    kern.launch %c2 cost 10 grid <threads = 8, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %cells = memref.alloca() {alignment = 16 : i64} : memref<8xf32, 3>
      %a = memref.load %x[%thread] : memref<?xf32, 1>
      memref.store %a, %cells[%thread] : memref<8xf32, 3>
      nvvm.barrier0
      %b = memref.load %cells[%thread] : memref<8xf32, 3>
      memref.store %b, %x[%thread] : memref<?xf32, 1>
      kern.yield
    }
    kern.launch %c2 cost 10 grid <threads = 8, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %a = memref.load %y[%thread] : memref<?xf32, 1>
      %b = arith.mulf %a, %a : f32
      memref.store %b, %y[%thread] : memref<?xf32, 1>
      kern.yield
    }
    kern.launch %c2 cost 10 grid <threads = 16, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %a = memref.load %z[%thread] : memref<?xf32, 1>
      %b = arith.mulf %a, %a : f32
      memref.store %b, %z[%thread] : memref<?xf32, 1>
      kern.yield
    }
  }
  return
}

// Blocks of sums of columns share memory, which is one for all launches that are joined. Others that do stay alone.
// CHECK-LABEL: func.func @columns(
// CHECK:         kern.group
// CHECK:           kern.launch
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:      memref.alloca() : memref<64xf32, 3>
// CHECK:           kern.launch %c5 cost 10
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:      %[[CELLS:.*]] = memref.alloca() {alignment = 16 : i64} : memref<16384xi8, 3>
// CHECK-NOT:       memref.alloca
// CHECK:           memref.view %[[CELLS]][%c0][] : memref<16384xi8, 3> to memref<8xf32, 3>
// CHECK:           nvvm.barrier0 {of_block}
// CHECK:           memref.view %[[CELLS]][%c0][] : memref<16384xi8, 3> to memref<8xi64, 3>
// CHECK:           nvvm.barrier0 {of_block}
// CHECK-NOT:     kern.launch
// CHECK:         return
func.func @columns(%x: memref<?xf32, 1>, %y: memref<?xi64, 1>, %z: memref<?xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  kern.group {
    kern.launch %c2 cost 10 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %cells = memref.alloca() {alignment = 16 : i64} : memref<16384xi8, 3>
      %shared = memref.view %cells[%c0][] : memref<16384xi8, 3> to memref<8xf32, 3>
      %a = memref.load %shared[%c0] : memref<8xf32, 3>
      nvvm.barrier0 {of_block}
      memref.store %a, %x[%block] : memref<?xf32, 1>
      kern.yield
    }
    kern.launch %c3 cost 10 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %cells = memref.alloca() {alignment = 16 : i64} : memref<16384xi8, 3>
      %shared = memref.view %cells[%c0][] : memref<16384xi8, 3> to memref<8xi64, 3>
      %a = memref.load %shared[%c0] : memref<8xi64, 3>
      nvvm.barrier0 {of_block}
      memref.store %a, %y[%block] : memref<?xi64, 1>
      kern.yield
    }
    kern.launch %c3 cost 10 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %shared = memref.alloca() : memref<64xf32, 3>
      %a = memref.load %shared[%c0] : memref<64xf32, 3>
      nvvm.barrier0
      memref.store %a, %z[%block] : memref<?xf32, 1>
      kern.yield
    }
  }
  return
}
