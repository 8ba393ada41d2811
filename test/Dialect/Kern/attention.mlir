// Attention as kernels: what they print as parses again, on tensors and on buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s

// CHECK-LABEL: @tensors
// CHECK: kern.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>) mask(%{{.*}} : tensor<5x7xi8>) outs({{.*}}) {causal, scale = 5.000000e-01 : f32} -> tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>
func.func @tensors(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x3xf32>, %m: tensor<5x7xi8>, %o: tensor<?x5x3xf32>, %r: tensor<?x5xf32>) -> tensor<?x5x3xf32> {
  %y:3 = kern.attention ins(%q, %k, %v : tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>) mask(%m : tensor<5x7xi8>)
      outs(%o, %r, %r : tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>) {causal, scale = 0.5 : f32} -> tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  return %y#0 : tensor<?x5x3xf32>
}

// CHECK-LABEL: @buffers
// CHECK: kern.attention_grad ins({{.*}}) of({{.*}}) outs({{.*}}) {scale = 5.000000e-01 : f32}
func.func @buffers(%q: memref<2x5x4xf32>, %k: memref<2x7x4xf32>, %v: memref<2x7x3xf32>, %g: memref<2x5x3xf32>, %r: memref<2x5xf32>, %dq: memref<2x5x4xf32>, %dk: memref<2x7x4xf32>, %dv: memref<2x7x3xf32>) {
  kern.attention_grad ins(%q, %k, %v : memref<2x5x4xf32>, memref<2x7x4xf32>, memref<2x7x3xf32>) of(%g, %r, %r, %r : memref<2x5x3xf32>, memref<2x5xf32>, memref<2x5xf32>, memref<2x5xf32>)
      outs(%dq, %dk, %dv : memref<2x5x4xf32>, memref<2x7x4xf32>, memref<2x7x3xf32>) {scale = 0.5 : f32}
  return
}
