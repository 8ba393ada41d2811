// Products have the first tile of their module's table that is for their shapes: four chunks of 8 numbers of 128 rows and
// of 64 columns, padded.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cuda-lower-kernels --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: @product
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<6272xf32, 3>
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 n=1..47 32x32x16\0Atile any f32 128x64x8\0Atile any f64 64x64x16\0Atile any tf32 32x32x32\0Atile any f16 32x32x32\0Atile any bf16 32x32x32\0A"} {
  func.func @product(%x: memref<?x64xf32, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
    kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = []}
    return
  }
}

// -----

// Lines with a form are for products whose factors lie so: three chunks of 32 numbers of 32 and 32, 64 and 64, 128 and 64,
// 128 and 128 rows and columns.
// CHECK-LABEL: @forward
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<6144xbf16, 3>
// CHECK-LABEL: @gradient_of_inputs
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<12288xbf16, 3>
// CHECK-LABEL: @gradient_of_weights
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<18432xbf16, 3>
// CHECK-LABEL: @transposed
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<24576xbf16, 3>
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 32x32x16\0Atile any f64 64x64x16\0Atile any tf32 32x32x32\0Atile any f16 32x32x32\0Atile any bf16 form=nt 64x64x32\0Atile any bf16 form=tn 128x64x32\0Atile any bf16 form=tt 128x128x32\0Atile any bf16 32x32x32\0A"} {
  func.func @forward(%x: memref<64x64xbf16, 1>, %w: memref<64x64xbf16, 1>, %y: memref<64x64xf32, 1>) {
    kern.contract ins(%x, %w : memref<64x64xbf16, 1>, memref<64x64xbf16, 1>) outs(%y : memref<64x64xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
    return
  }
  func.func @gradient_of_inputs(%x: memref<64x64xbf16, 1>, %w: memref<64x64xbf16, 1>, %y: memref<64x64xf32, 1>) {
    kern.contract ins(%x, %w : memref<64x64xbf16, 1>, memref<64x64xbf16, 1>) outs(%y : memref<64x64xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    return
  }
  func.func @gradient_of_weights(%x: memref<64x64xbf16, 1>, %w: memref<64x64xbf16, 1>, %y: memref<64x64xf32, 1>) {
    kern.contract ins(%x, %w : memref<64x64xbf16, 1>, memref<64x64xbf16, 1>) outs(%y : memref<64x64xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = [], maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
    return
  }
  func.func @transposed(%x: memref<64x64xbf16, 1>, %w: memref<64x64xbf16, 1>, %y: memref<64x64xf32, 1>) {
    kern.contract ins(%x, %w : memref<64x64xbf16, 1>, memref<64x64xbf16, 1>) outs(%y : memref<64x64xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = [], maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
    return
  }
}

// -----

// expected-error @below {{kern.kernel_table: the table has no line of f64; expected lines of each kind}}
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 128x64x8\0A"} {
  func.func @product(%x: memref<?x64xf32, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
    kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = []}
    return
  }
}

// -----

// expected-error @below {{kern.kernel_table:2: there is no code for tiles of 256x64x8 of f32}}
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 256x64x8\0A"} {
  func.func @product(%x: memref<?x64xf32, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
    kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = []}
    return
  }
}
