// RUN: mlc-opt %s --split-input-file --verify-diagnostics --codegen-verify-spaces
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names and sizes of buffers are no accesses.
func.func @good(%x: memref<?xf32>, %w: memref<?xf32, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %w, %c0 : memref<?xf32, 1>
  %t = memref.alloc(%m) : memref<?xf32, 1>
  kern.transfer ins(%x : memref<?xf32>) outs(%t : memref<?xf32, 1>)
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %own = memref.alloca() : memref<4xf32>
    %a = memref.load %t[%i] : memref<?xf32, 1>
    memref.store %a, %own[%c0] : memref<4xf32>
    memref.store %a, %w[%i] : memref<?xf32, 1>
    kern.yield
  }
  %y = memref.load %x[%c0] : memref<?xf32>
  return
}

// -----

func.func @load(%w: memref<?xf32, 1>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.load' op is code of the host and touches memory space 1; expected a kern.transfer}}
  %a = memref.load %w[%c0] : memref<?xf32, 1>
  return %a : f32
}

// -----

// A loop that only writes elements is a kernel in the making.
func.func @element_loop(%w: memref<?xf32, 1>, %n: index, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %a, %w[%i] : memref<?xf32, 1>
  }
  return
}

// -----

func.func @two_spaces(%w: memref<?xf32, 1>, %x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    // expected-error @+1 {{'memref.store' op touches memory spaces 0 and 1 in one kernel}}
    memref.store %a, %w[%i] : memref<?xf32, 1>
  }
  return
}

// -----

// One that tells the host how far it came is not.
func.func @in_loop(%w: memref<?xf32, 1>, %n: index, %a: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> index {
    // expected-error @+1 {{'memref.store' op is code of the host and touches memory space 1}}
    memref.store %a, %w[%i] : memref<?xf32, 1>
    scf.yield %i : index
  }
  return %last : index
}

// -----

func.func @service(%ids: memref<?xi64, 1>, %out: memref<?xi64>) {
  // expected-error @+1 {{'kern.fingerprint_ints' op is code of the host and touches memory space 1}}
  kern.fingerprint_ints in(%ids : memref<?xi64, 1>) outs(%out : memref<?xi64>)
  return
}

// -----

func.func @kernel(%x: memref<4xf32>, %w: memref<4xf32, 1>) {
  // expected-error @+1 {{'linalg.add' op touches memory spaces 0 and 1 in one kernel; expected a kern.transfer before it}}
  linalg.add ins(%x, %w : memref<4xf32>, memref<4xf32, 1>) outs(%w : memref<4xf32, 1>)
  return
}

// -----

func.func @copy(%x: memref<4xf32>, %w: memref<4xf32, 1>) {
  // expected-error @+1 {{'memref.copy' op touches memory spaces 0 and 1 in one kernel}}
  memref.copy %x, %w : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

func.func @launch(%x: memref<?xf32>, %w: memref<?xf32, 1>, %n: index) {
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<?xf32>
    // expected-error @+1 {{'memref.store' op touches memory spaces 0 and 1 in one kernel}}
    memref.store %a, %w[%i] : memref<?xf32, 1>
    kern.yield
  }
  return
}

// -----

// The host or the kernels read the number of ids.
func.func @counts(%ids: memref<?xi64, 1>, %count: memref<i64, 1>, %host: memref<i64>, %g: memref<?x4xf32, 1>, %w: memref<9x4xf32, 1>) {
  kern.update_rows ids(%ids, %count : memref<?xi64, 1>, memref<i64, 1>) values(%g : memref<?x4xf32, 1>) outs(%w : memref<9x4xf32, 1>) {
  ^bb0(%a: f32, %d: f32):
    kern.yield %d : f32
  }
  kern.update_rows ids(%ids, %host : memref<?xi64, 1>, memref<i64>) values(%g : memref<?x4xf32, 1>) outs(%w : memref<9x4xf32, 1>) {
  ^bb0(%a: f32, %d: f32):
    kern.yield %d : f32
  }
  return
}

// -----

func.func @count(%ids: memref<?xi64, 1>, %count: memref<i64, 2>, %g: memref<?x4xf32, 1>, %w: memref<9x4xf32, 1>) {
  // expected-error @+1 {{'kern.update_rows' op touches memory spaces 1 and 2 in one kernel}}
  kern.update_rows ids(%ids, %count : memref<?xi64, 1>, memref<i64, 2>) values(%g : memref<?x4xf32, 1>) outs(%w : memref<9x4xf32, 1>) {
  ^bb0(%a: f32, %d: f32):
    %s = arith.subf %a, %d : f32
    kern.yield %s : f32
  }
  return
}
