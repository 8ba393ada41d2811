// What the verifiers of attention refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @factors(%q: memref<2x5x4xf32>, %k: memref<2x7x5xf32>, %r: memref<2x5xf32>) {
  // expected-error @+1 {{(C1) needs query [b.., t, d], key [b.., s, d] and value [b.., s, e] of f32, bf16 or f16, d and e static; found 'memref<2x5x4xf32>', 'memref<2x7x5xf32>' and 'memref<2x7x5xf32>'}}
  kern.attention ins(%q, %k, %k : memref<2x5x4xf32>, memref<2x7x5xf32>, memref<2x7x5xf32>) outs(%q, %r, %r : memref<2x5x4xf32>, memref<2x5xf32>, memref<2x5xf32>) {scale = 1.0 : f32}
  return
}

// -----

func.func @outs(%q: memref<2x5x4xf32>, %r: memref<2x5xf32>) {
  // expected-error @+1 {{(C2) outs must be [b.., t, e] and two of [b.., t], of f32; found 'memref<2x5x4xf32>', 'memref<2x5xf32>'}}
  kern.attention ins(%q, %q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>, memref<2x5x4xf32>) outs(%q, %r : memref<2x5x4xf32>, memref<2x5xf32>) {scale = 1.0 : f32}
  return
}

// -----

func.func @mask(%q: memref<2x5x4xf32>, %r: memref<2x5xf32>, %m: memref<5x4xi8>) {
  // expected-error @+1 {{(C3) the mask must be [t, s] or [b.., t, s] of f32 or i8; found 'memref<5x4xi8>'}}
  kern.attention ins(%q, %q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>, memref<2x5x4xf32>) mask(%m : memref<5x4xi8>) outs(%q, %r, %r : memref<2x5x4xf32>, memref<2x5xf32>, memref<2x5xf32>) {scale = 1.0 : f32}
  return
}

// -----

func.func @cotangent(%q: memref<2x5x4xf32>, %r: memref<2x5xf32>, %g: memref<2x4x4xf32>) {
  // expected-error @+1 {{(C2) the cotangent must be [b.., t, e] of query's elements, maxima, sums and dots [b.., t] of f32; found 'memref<2x4x4xf32>', 'memref<2x5xf32>', 'memref<2x5xf32>' and 'memref<2x5xf32>'}}
  kern.attention_grad ins(%q, %q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>, memref<2x5x4xf32>) of(%g, %r, %r, %r : memref<2x4x4xf32>, memref<2x5xf32>, memref<2x5xf32>, memref<2x5xf32>)
      outs(%q, %q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>, memref<2x5x4xf32>) {scale = 1.0 : f32}
  return
}

// -----

func.func @gradients(%q: memref<2x5x4xf32>, %r: memref<2x5xf32>) {
  // expected-error @+1 {{(C3) outs must have the shapes of query, key and value, of f32; found 'memref<2x5x4xf32>', 'memref<2x5x4xf32>'}}
  kern.attention_grad ins(%q, %q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>, memref<2x5x4xf32>) of(%q, %r, %r, %r : memref<2x5x4xf32>, memref<2x5xf32>, memref<2x5xf32>, memref<2x5xf32>)
      outs(%q, %q : memref<2x5x4xf32>, memref<2x5x4xf32>) {scale = 1.0 : f32}
  return
}
