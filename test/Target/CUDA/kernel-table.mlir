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
