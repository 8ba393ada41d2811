// RUN: mlc-opt %s --split-input-file --codegen-outline-kernels | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A launch calls a private function of what it captures and the task. Equal ones are one function, in groups, alone and in loops; of constants each
// function makes its own.
// CHECK-LABEL: func.func @a(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK-NEXT:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:  %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:  kern.group {
// CHECK-NEXT:    kern.launch %[[N]] cost 10 {
// CHECK-NEXT:    ^bb0(%[[TASK:.*]]: index):
// CHECK-NEXT:      func.call @kernel_0(%[[X]], %[[TASK]]) : (memref<?xf32>, index) -> ()
// CHECK-NEXT:    }
// CHECK:         kern.launch %[[N]] cost 20 {
// CHECK:           func.call @kernel_0(%[[Y]], %{{.*}})
// CHECK:       scf.for
// CHECK:         kern.launch %[[N]] cost 10 {
// CHECK:           func.call @kernel_1(%[[Y]], %[[X]], %{{.*}})
// CHECK:       func.func private @kernel_0(%[[OUT:.*]]: memref<?xf32>, %[[TASK:.*]]: index) {
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    memref.store %[[ONE]], %[[OUT]][%[[TASK]]]
// CHECK-NEXT:    return
// CHECK:       func.func private @kernel_1(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: index) {
// CHECK-NOT:   @kernel_2
func.func @a(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  kern.group {
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<?xf32>
      kern.yield
    }
    kern.launch %n cost 20 {
    ^bb0(%i: index):
      %one = arith.constant 1.0 : f32
      memref.store %one, %y[%i] : memref<?xf32>
      kern.yield
    }
  }
  scf.for %k = %c0 to %n step %c1 {
    kern.launch %n cost 10 {
    ^bb0(%i: index):
      %e = memref.load %y[%i] : memref<?xf32>
      memref.store %e, %x[%i] : memref<?xf32>
      kern.yield
    }
  }
  return
}

// -----

// Equal ones of two functions are one, too.
// CHECK-LABEL: func.func @first
// CHECK:         call @kernel_0
// CHECK-LABEL: func.func @second
// CHECK:         call @kernel_0
// CHECK:       func.func private @kernel_0
// CHECK-NOT:   @kernel_1
func.func @first(%x: memref<4xf32>, %n: index) {
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i] : memref<4xf32>
    kern.yield
  }
  return
}
func.func @second(%x: memref<4xf32>, %n: index) {
  kern.launch %n cost 30 {
  ^bb0(%i: index):
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i] : memref<4xf32>
    kern.yield
  }
  return
}

// -----

// Kernels of a device are named by what they are made of, too: the field of a spec, or a line. Of equal ones it is the first.
// CHECK-LABEL: func.func @named
// CHECK:         call @kernel_0_model_dnn(
// CHECK:         call @kernel_1_train_7(
// CHECK:         call @kernel_0_model_dnn(
// CHECK:         call @kernel_2(
func.func @named(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %n: index, %s: f32) {
  kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %s, %x[%thread] : memref<?xf32, 1>
    kern.yield
  } loc("model.dnn"("spec.pbtxt":3:4))
  kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %s, %x[%block] : memref<?xf32, 1>
    kern.yield
  } loc("of/a/train.mlir":7:4)
  kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    memref.store %s, %y[%thread] : memref<?xf32, 1>
    kern.yield
  } loc("head"("spec.pbtxt":9:4))
  kern.launch %n cost 1 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %e = memref.load %y[%thread] : memref<?xf32, 1>
    memref.store %e, %x[%thread] : memref<?xf32, 1>
    kern.yield
  } loc(unknown)
  return
}

// -----

// Of a buffer of which a launch needs the address alone it gets a flat one: kernels take no shapes.
// CHECK-LABEL: func.func @addresses(
// CHECK-SAME:    %[[X:.*]]: memref<?x32xf32, 1>, %[[N:.*]]: index)
// CHECK:         %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<f32, 1> to memref<?xf32, 1>
// CHECK:         func.call @kernel_0{{.*}}(%[[FLAT]], %{{.*}}, %{{.*}}) : (memref<?xf32, 1>, index, index) -> ()
func.func @addresses(%x: memref<?x32xf32, 1>, %n: index) {
  kern.launch %n cost 10 grid <threads = 256, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %address = memref.extract_aligned_pointer_as_index %x : memref<?x32xf32, 1> -> index
    %number = arith.index_cast %address : index to i64
    %pointer = llvm.inttoptr %number : i64 to !llvm.ptr<1>
    %one = llvm.mlir.constant(1.0 : f32) : f32
    llvm.store %one, %pointer : f32, !llvm.ptr<1>
    kern.yield
  }
  return
}

// -----

// Functions of a device say which buffers some launch has the same memory for: views of one, two parts of a workspace that begin in the same place, and what a loop carries, of which nothing is known.
// CHECK-LABEL: func.func @aliases(
// CHECK:       func.func private @kernel_0{{.*}} may_alias = array<i64>
// CHECK:       func.func private @kernel_1{{.*}} may_alias = array<i64: 0, 1>
// CHECK:       func.func private @kernel_2{{.*}} may_alias = array<i64: 0, 1>
// CHECK:       func.func private @kernel_3{{.*}} may_alias = array<i64: 0, 1>
func.func @aliases(%x: memref<16xf32, 1>, %workspace: memref<?xi8, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.view %workspace[%c0][] : memref<?xi8, 1> to memref<16xf32, 1>
  %b = memref.view %workspace[%n][] : memref<?xi8, 1> to memref<16xf32, 1>
  %c = memref.view %workspace[%n][] : memref<?xi8, 1> to memref<16xf32, 1>
  %flat = memref.cast %x : memref<16xf32, 1> to memref<?xf32, 1>
  kern.launch %n cost 1 grid <threads = 32, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %e = memref.load %a[%thread] : memref<16xf32, 1>
    memref.store %e, %b[%thread] : memref<16xf32, 1>
    memref.store %e, %x[%thread] : memref<16xf32, 1>
    kern.yield
  }
  kern.launch %n cost 1 grid <threads = 32, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %e = memref.load %b[%thread] : memref<16xf32, 1>
    memref.store %e, %c[%thread] : memref<16xf32, 1>
    kern.yield
  }
  kern.launch %n cost 1 grid <threads = 32, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    %e = memref.load %flat[%thread] : memref<?xf32, 1>
    memref.store %e, %x[%thread] : memref<16xf32, 1>
    kern.yield
  }
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%now = %a) -> memref<16xf32, 1> {
    kern.launch %n cost 1 grid <threads = 32, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      %e = memref.load %now[%block] : memref<16xf32, 1>
      memref.store %e, %x[%thread] : memref<16xf32, 1>
      kern.yield
    }
    scf.yield %b : memref<16xf32, 1>
  }
  return
}
