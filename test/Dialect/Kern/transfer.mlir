// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @tensors
// CHECK:         kern.transfer ins(%{{.*}} : tensor<?x4xf32, 1 : i64>) outs(%{{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @tensors(%x: tensor<?x4xf32, 1 : i64>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = kern.transfer ins(%x : tensor<?x4xf32, 1 : i64>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @buffers
// CHECK:         kern.transfer ins(%{{.*}} : memref<?x4xf32>) outs(%{{.*}} : memref<?x4xf32, 1>)
func.func @buffers(%x: memref<?x4xf32>, %y: memref<?x4xf32, 1>) {
  kern.transfer ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32, 1>)
  return
}

// -----

func.func @shapes(%x: memref<?x4xf32>, %y: memref<?x3xf32, 1>) {
  // expected-error @+1 {{(C1) source and out must agree in element type and sizes; found 'memref<?x4xf32>' and 'memref<?x3xf32, 1>'}}
  kern.transfer ins(%x : memref<?x4xf32>) outs(%y : memref<?x3xf32, 1>)
  return
}

// -----

func.func @outs(%x: memref<4xf32>) {
  // expected-error @+1 {{(C1) needs one out}}
  "kern.transfer"(%x) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @one_space(%x: memref<4xf32, 1>, %y: memref<4xf32, 1>) {
  // expected-error @+1 {{(C2) source and out must lie in different memory spaces}}
  kern.transfer ins(%x : memref<4xf32, 1>) outs(%y : memref<4xf32, 1>)
  return
}

// -----

func.func @strided(%x: memref<4x2xf32, strided<[4, 1]>, 1>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{(C3) elements of a buffer must lie one after another; found 'memref<4x2xf32, strided<[4, 1]>, 1>'}}
  kern.transfer ins(%x : memref<4x2xf32, strided<[4, 1]>, 1>) outs(%y : memref<4x2xf32>)
  return
}
