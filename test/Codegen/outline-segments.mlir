// RUN: mlc-opt %s --split-input-file --codegen-outline-segments | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workspace is a formula; a segment takes a frame; equal kernels are one function; what ran side by side is one call.
// CHECK-LABEL: func.func @a.workspace(%{{.*}}: !llvm.ptr, %{{.*}}: i64) -> i64
// CHECK: func.func @a(%{{.*}}: !llvm.ptr) -> i32
// CHECK-COUNT-2: constant @kernel_0 :
// CHECK: call @run_group(
// CHECK-NOT: memref.alloc
// CHECK-NOT: kern.launch
// CHECK-NOT: @kernel_2
func.func @a(%x: memref<?xf32>, %y: memref<?xf32>, %workspace: memref<?xi8>)
    attributes {df.role = #df.role<predict>, df.type = (tensor<?xf32>, tensor<?xf32>) -> (), mlc.symbols = [array<i64: 0>, array<i64: 0>], mlc.workspace = array<i64: 1, 4, 0>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %own = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?xf32>
  kern.group {
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      memref.store %one, %own[%i] : memref<?xf32>
      kern.yield
    }
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      memref.store %one, %y[%i] : memref<?xf32>
      kern.yield
    }
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    %e = memref.load %own[%i] : memref<?xf32>
    memref.store %e, %x[%i] : memref<?xf32>
    kern.yield
  }
  return
}

// -----

// Stores past the caches are not ordered with what tells that the kernel is done: a fence ends it.
// CHECK-LABEL: func.func @streams.workspace
// CHECK: func.func private @kernel_0
// CHECK: vector.store {{.*}}nontemporal
// CHECK: llvm.fence seq_cst
// CHECK: return
// CHECK: func.func private @kernel_1
// CHECK: vector.store
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @streams(%x: memref<64xf32>, %y: memref<64xf32>, %workspace: memref<?xi8>)
    attributes {df.role = #df.role<predict>, df.type = (tensor<64xf32>, tensor<64xf32>) -> (), mlc.symbols = [array<i64: -1>, array<i64: -1>], mlc.workspace = array<i64: 1, 0, 0>} {
  %n = arith.constant 8 : index
  %ones = arith.constant dense<1.0> : vector<8xf32>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    vector.store %ones, %x[%i] {alignment = 32 : i64, nontemporal = true} : memref<64xf32>, vector<8xf32>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    vector.store %ones, %y[%i] : memref<64xf32>, vector<8xf32>
    kern.yield
  }
  return
}

// -----

// The workspace is a formula of each symbol that the frame tells: of the batch, of a feature's values, of pairs.
// CHECK-LABEL: func.func @symbols.workspace
// CHECK-SAME: (%[[SYMBOLS:.*]]: !llvm.ptr, %{{.*}}: i64) -> i64
// CHECK: %[[AT0:.*]] = llvm.getelementptr %[[SYMBOLS]][0]
// CHECK: %[[BATCH:.*]] = llvm.load %[[AT0]]
// CHECK: %[[AT1:.*]] = llvm.getelementptr %[[SYMBOLS]][1]
// CHECK: %[[VALUES:.*]] = llvm.load %[[AT1]]
// CHECK: %[[AT3:.*]] = llvm.getelementptr %[[SYMBOLS]][3]
// CHECK: %[[PAIRS:.*]] = llvm.load %[[AT3]]
// CHECK: arith.muli %[[BATCH]], %c8
// CHECK: arith.muli %[[VALUES]], %c4
// CHECK: arith.muli %[[PAIRS]], %c4
// CHECK: return
// CHECK: func.func @symbols(%{{.*}}: !llvm.ptr) -> i32
func.func @symbols(%rows: memref<?xf32>, %values: memref<?xf32>, %workspace: memref<?xi8>)
    attributes {df.role = #df.role<predict>, df.type = (tensor<?xf32>, tensor<?xf32>) -> (), mlc.symbols = [array<i64: 0>, array<i64: 1>], mlc.workspace = array<i64: 4, 8, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 4, 0>} {
  return
}
