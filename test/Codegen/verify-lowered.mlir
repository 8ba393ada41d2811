// RUN: mlc-opt %s --split-input-file --verify-diagnostics --codegen-verify-lowered=target=quantum
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @launch(%x: memref<4xf32>, %n: index) {
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i] : memref<4xf32>
    kern.yield
  }
  return
}

// -----

func.func @rows(%t: memref<9x4xf32>, %ids: memref<?xi64>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{'kern.take_rows' op is a kernel that target 'quantum' has no code for}}
  kern.take_rows ins(%t, %ids : memref<9x4xf32>, memref<?xi64>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @fill(%x: memref<9x4xf32>, %a: f32) {
  // expected-error @+1 {{'linalg.fill' op is a kernel that target 'quantum' has no code for}}
  linalg.fill ins(%a : f32) outs(%x : memref<9x4xf32>)
  return
}

// -----

func.func @copy(%x: memref<9x4xf32>, %y: memref<9x4xf32>) {
  // expected-error @+1 {{'memref.copy' op is a kernel that target 'quantum' has no code for}}
  memref.copy %x, %y : memref<9x4xf32> to memref<9x4xf32>
  return
}
