// Panels of right sides: what prints, what becomes a buffer, and what the verifier refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --codegen-bufferize | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @matrix
// CHECK: kern.pack ins(%{{.*}} : tensor<4x20xbf16>) outs(%{{.*}} : tensor<2x4x16xf32>)
// BUFFERS-LABEL: func.func @matrix
// BUFFERS: kern.pack ins(%{{.*}} : memref<4x20xbf16{{.*}}>) outs(%{{.*}} : memref<2x4x16xf32>) {maps = [#{{.*}}, #{{.*}}]}
func.func @matrix(%w: tensor<4x20xbf16>) -> tensor<2x4x16xf32> {
  %e = tensor.empty() : tensor<2x4x16xf32>
  %p = kern.pack ins(%w : tensor<4x20xbf16>) outs(%e : tensor<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]} -> tensor<2x4x16xf32>
  return %p : tensor<2x4x16xf32>
}

// -----

// Batches, and more than one inner dimension.
// CHECK-LABEL: func.func @batches
// CHECK: kern.pack unsigned ins(
func.func @batches(%w: memref<3x5x?x7xi8>, %p: memref<?x1x3x5x8xi32>) {
  kern.pack unsigned ins(%w : memref<3x5x?x7xi8>) outs(%p : memref<?x1x3x5x8xi32>)
    {maps = [affine_map<(b, n, k, l) -> (k, l, b, n)>, affine_map<(b, n, k, l) -> (b, n floordiv 8, k, l, n mod 8)>]}
  return
}

// -----

func.func @order(%w: memref<4x20xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C1) panels must be (b.., n floordiv w, k.., n mod w) of the loops (b.., n, k..)}}
  kern.pack ins(%w : memref<4x20xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n floordiv 16, k, n mod 16)>]}
  return
}

// -----

func.func @one_map(%w: memref<4x20xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C1) maps must be those of the source and of the panels}}
  kern.pack ins(%w : memref<4x20xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>]}
  return
}

// -----

func.func @ranks(%w: memref<4x20xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C1) maps must go from the same loops to the operands' dimensions}}
  kern.pack ins(%w : memref<4x20xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
  return
}

// -----

func.func @columns(%w: memref<4x40xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C1) the source's dimensions must be linear in the loops, and the columns one of them}}
  kern.pack ins(%w : memref<4x40xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n * 2)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
  return
}

// -----

func.func @sizes(%w: memref<5x20xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C2) loop 1 has 5 iterations; found 'memref<2x4x16xf32>' with 4 in dimension 1}}
  kern.pack ins(%w : memref<5x20xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
  return
}

// -----

func.func @panels(%w: memref<4x40xf32>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C2) panels must be as wide as their map says, and as many as hold all columns}}
  kern.pack ins(%w : memref<4x40xf32>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
  return
}

// -----

func.func @types(%w: memref<4x20xf64>, %p: memref<2x4x16xf32>) {
  // expected-error @+1 {{(C3) panels must hold every value of the source, and only integers are unsigned; found 'memref<2x4x16xf32>' of 'memref<4x20xf64>'}}
  kern.pack ins(%w : memref<4x20xf64>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
  return
}
