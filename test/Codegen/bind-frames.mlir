// RUN: mlc-opt %s --split-input-file --verify-diagnostics --codegen-bind-frames | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workspace is a formula; a segment takes a frame, a kernel cells and a range of tasks; what ran side by side is one call.
// CHECK-LABEL: func.func @a.workspace(%{{.*}}: !llvm.ptr, %{{.*}}: i64) -> i64
// CHECK: func.func @a(%{{.*}}: !llvm.ptr) -> i32
// CHECK-COUNT-2: constant @kernel_0 :
// CHECK: call @run_group(
// CHECK: constant @kernel_1 :
// CHECK: call @run_group(
// CHECK-NOT: memref.alloc
// CHECK-NOT: kern.launch
// CHECK: func.func private @kernel_0(%[[CELLS:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64, %{{.*}}: i64) -> i32
// CHECK: llvm.getelementptr %[[CELLS]][0]
// CHECK: arith.constant 1.000000e+00 : f32
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[FIRST]]
// CHECK: %[[END:.*]] = arith.index_cast %[[LAST]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: return %{{.*}} : i32
func.func @a(%x: memref<?xf32>, %y: memref<?xf32>, %workspace: memref<?xi8>)
    attributes {df.role = #df.role<predict>, df.type = (tensor<?xf32>, tensor<?xf32>) -> (), mlc.symbols = [array<i64: 0>, array<i64: 0>], mlc.workspace = array<i64: 1, 4, 0>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %own = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?xf32>
  kern.group {
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      func.call @kernel_0(%own, %i) : (memref<?xf32>, index) -> ()
      kern.yield
    }
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      func.call @kernel_0(%y, %i) : (memref<?xf32>, index) -> ()
      kern.yield
    }
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    func.call @kernel_1(%own, %x, %i) : (memref<?xf32>, memref<?xf32>, index) -> ()
    kern.yield
  }
  return
}
func.func private @kernel_0(%out: memref<?xf32>, %i: index) {
  %one = arith.constant 1.0 : f32
  memref.store %one, %out[%i] : memref<?xf32>
  return
}
func.func private @kernel_1(%in: memref<?xf32>, %out: memref<?xf32>, %i: index) {
  %e = memref.load %in[%i] : memref<?xf32>
  memref.store %e, %out[%i] : memref<?xf32>
  return
}

// -----

// Numbers, indices and what a constant vector repeats are in cells; what a task keeps on the stack it has once.
// CHECK-LABEL: func.func @numbers(
// CHECK:         %[[KEY:.*]] = arith.constant 7 : i32
// CHECK:         llvm.store %[[KEY]]
// CHECK:       func.func private @kernel_0(
// CHECK-DAG:     llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-DAG:     vector.broadcast %{{.*}} : i32 to vector<4xi32>
// CHECK-DAG:     memref.alloca() : memref<4xi32>
// CHECK:         scf.for
// CHECK-NOT:     memref.alloca
func.func @numbers(%x: memref<64xi32>) attributes {df.role = #df.role<predict>, df.type = (tensor<64xi32>) -> (), mlc.symbols = [array<i64: -1>]} {
  %n = arith.constant 8 : index
  %keys = arith.constant dense<7> : vector<4xi32>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_0(%x, %n, %keys, %i) : (memref<64xi32>, index, vector<4xi32>, index) -> ()
    kern.yield
  }
  return
}
func.func private @kernel_0(%out: memref<64xi32>, %step: index, %keys: vector<4xi32>, %i: index) {
  %at = arith.muli %i, %step : index
  %own = memref.alloca() : memref<4xi32>
  vector.store %keys, %own[%step] : memref<4xi32>, vector<4xi32>
  %e = memref.load %own[%at] : memref<4xi32>
  memref.store %e, %out[%at] : memref<64xi32>
  return
}

// -----

// Stores past the caches are not ordered with what tells that the kernel is done: a fence ends it.
// CHECK-LABEL: func.func @streams(
// CHECK: func.func private @kernel_0
// CHECK: vector.store {{.*}}nontemporal
// CHECK: llvm.fence seq_cst
// CHECK: return
// CHECK: func.func private @kernel_1
// CHECK: vector.store
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @streams(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {df.role = #df.role<predict>, df.type = (tensor<64xf32>, tensor<64xf32>) -> (), mlc.symbols = [array<i64: -1>, array<i64: -1>]} {
  %n = arith.constant 8 : index
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_0(%x, %i) : (memref<64xf32>, index) -> ()
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_1(%y, %i) : (memref<64xf32>, index) -> ()
    kern.yield
  }
  return
}
func.func private @kernel_0(%out: memref<64xf32>, %i: index) {
  %ones = arith.constant dense<1.0> : vector<8xf32>
  vector.store %ones, %out[%i] {alignment = 32 : i64, nontemporal = true} : memref<64xf32>, vector<8xf32>
  return
}
func.func private @kernel_1(%out: memref<64xf32>, %i: index) {
  %ones = arith.constant dense<1.0> : vector<8xf32>
  vector.store %ones, %out[%i] : memref<64xf32>, vector<8xf32>
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

// -----

// A workspace without slots.
// CHECK-LABEL: func.func @none.workspace
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         return %[[ZERO]]
func.func @none(%workspace: memref<?xi8>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = [], mlc.workspace = array<i64: 1>} {
  return
}

// -----

// expected-error @+1 {{'mlc.workspace' is no formula; expected array<i64> of a number of symbols}}
func.func @empty(%workspace: memref<?xi8>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = [], mlc.workspace = array<i64>} {
  return
}

// -----

// expected-error @+1 {{'mlc.workspace' is no formula}}
func.func @partial(%workspace: memref<?xi8>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = [], mlc.workspace = array<i64: 2, 4, 0>} {
  return
}

// -----

// expected-error @+1 {{the last argument is no workspace, of which 'mlc.workspace' tells; expected one of type 'memref<?xi8>'}}
func.func @no_workspace(%x: memref<?xf32>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = [], mlc.workspace = array<i64: 1, 4, 0>} {
  return
}

// -----

func.func @not_outlined(%x: memref<64xf32>, %y: memref<64xf32>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = []} {
  %n = arith.constant 8 : index
  // expected-error @+1 {{does not call a kernel; expected codegen-outline-kernels to run before}}
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %e = memref.load %x[%i] : memref<64xf32>
    memref.store %e, %y[%i] : memref<64xf32>
    kern.yield
  }
  return
}

// -----

func.func @matrix(%x: memref<8x8xf32>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = []} {
  %n = arith.constant 8 : index
  // expected-error @+1 {{hands its kernel a value of type 'memref<8x8xf32>'; expected flat buffers, scalars and constant vectors}}
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_0(%x, %i) : (memref<8x8xf32>, index) -> ()
    kern.yield
  }
  return
}
func.func private @kernel_0(%x: memref<8x8xf32>, %i: index) {
  return
}

// -----

// Memory of a device: its kernels run by parallel_for whatever they cost, those of the host on the host; a transfer is the device's copy, which is waited for.
// Workspaces are in the order of their spaces.
// CHECK-LABEL: func.func @device.workspace(
// CHECK:         arith.constant 64 : i64
// CHECK:       func.func @device.workspace.1(
// CHECK:         arith.constant 128 : i64
// CHECK:       func.func @device(%[[FRAME:.*]]: !llvm.ptr) -> i32
// CHECK:         call @run_group(
// CHECK:         %[[TO:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call {{.*}} {mlc.service_call} : !llvm.ptr, (!llvm.ptr, i32, i32, !llvm.ptr, i32, i64, !llvm.ptr) -> i32
// CHECK:         llvm.call {{.*}} {mlc.service_call} : !llvm.ptr, (!llvm.ptr, i32) -> i32
// CHECK:         call @run_device_group(
// CHECK-NOT:   memref<{{.*}}, 1>
func.func @device(%x: memref<8xf32>, %w: memref<8xf32, 1>, %host: memref<?xi8>, %there: memref<?xi8, 1>)
    attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = [array<i64: -1>, array<i64: -1>], mlc.workspace = array<i64: 1, 0, 1>, mlc.workspace.1 = array<i64: 1, 0, 65>} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 8 : index
  %t = memref.view %there[%c0][] : memref<?xi8, 1> to memref<8xf32, 1>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_0(%x, %i) : (memref<8xf32>, index) -> ()
    kern.yield
  }
  kern.transfer ins(%x : memref<8xf32>) outs(%t : memref<8xf32, 1>)
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    func.call @kernel_1(%t, %w, %i) : (memref<8xf32, 1>, memref<8xf32, 1>, index) -> ()
    kern.yield
  }
  return
}
func.func private @kernel_0(%out: memref<8xf32>, %i: index) {
  %one = arith.constant 1.0 : f32
  memref.store %one, %out[%i] : memref<8xf32>
  return
}
func.func private @kernel_1(%in: memref<8xf32, 1>, %out: memref<8xf32, 1>, %i: index) {
  %e = memref.load %in[%i] : memref<8xf32, 1>
  memref.store %e, %out[%i] : memref<8xf32, 1>
  return
}

// -----

// Memory of the device that is not planned is given back when it is allocated again, and at the end.
// CHECK-LABEL: func.func @unplanned(
// CHECK:         scf.if
// CHECK:           llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK:         llvm.intr.umul.with.overflow
// CHECK:         llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, i64, !llvm.ptr) -> i32
// CHECK:         scf.if
// CHECK:           llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> i32
func.func @unplanned(%n: memref<index>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = []} {
  %size = memref.load %n[] : memref<index>
  %x = memref.alloc(%size) : memref<?xf32, 1>
  %y = memref.alloc(%size) : memref<?xf32>
  kern.transfer ins(%y : memref<?xf32>) outs(%x : memref<?xf32, 1>)
  return
}

// -----

// An index has 8 bytes.
// CHECK-LABEL: func.func @indices(
// CHECK:         arith.constant 8 : index
// CHECK:         llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, i32, !llvm.ptr, i32, i64, !llvm.ptr) -> i32
func.func @indices(%x: memref<4xindex>, %y: memref<4xindex, 1>) attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.symbols = []} {
  kern.transfer ins(%x : memref<4xindex>) outs(%y : memref<4xindex, 1>)
  return
}
