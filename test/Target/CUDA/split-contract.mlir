// Parts of a long inner dimension are blocks of their own, whose sums another launch adds, in order, before the epilogue.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cuda-lower-kernels --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the built-in table has for 64 x 64 of 1,024: four parts of 256 numbers of four tiles.
// CHECK-LABEL: @built_in
// CHECK-DAG: %[[BLOCKS:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[PARTS:.*]] = memref.alloc() : memref<16384xf32, 1
// CHECK: kern.launch %[[BLOCKS]]
// CHECK:   %[[FIRST:.*]] = arith.muli %{{.*}}, %c256
// CHECK:   %[[END:.*]] = arith.minui %{{.*}}, %c1024
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c32
// CHECK-NOT: arith.addf
// CHECK-NOT: atomic
// CHECK: kern.launch
// CHECK:   memref.load
// CHECK-COUNT-3: arith.addf {{.*}} : f32
// CHECK:   memref.load
// CHECK:   arith.addf
// CHECK:   memref.store
// CHECK-NOT: kern.launch
func.func @built_in(%x: memref<64x1024xbf16, 1>, %w: memref<1024x64xbf16, 1>, %b: memref<64xf32, 1>, %y: memref<64x64xf32, 1>) {
  kern.contract ins(%x, %w : memref<64x1024xbf16, 1>, memref<1024x64xbf16, 1>) extras(%b : memref<64xf32, 1>) outs(%y : memref<64x64xf32, 1>) {
  ^bb0(%sum: f32, %bias: f32):
    %s = arith.addf %sum, %bias : f32
    kern.yield %s : f32
  } {extra_maps = [affine_map<(m, n) -> (n)>]}
  return
}

// Sums of FMAs have the program's order.
// CHECK-LABEL: @ordered
// CHECK: kern.launch
// CHECK-NOT: kern.launch
func.func @ordered(%x: memref<64x1024xf32, 1>, %w: memref<1024x64xf32, 1>, %y: memref<64x64xf32, 1>) {
  kern.contract ins(%x, %w : memref<64x1024xf32, 1>, memref<1024x64xf32, 1>) outs(%y : memref<64x64xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// -----

// A batch of which nobody knows how many rows it has: parts are whole chunks of it.
// CHECK-LABEL: @gradient
// CHECK: memref.extract_strided_metadata %arg1
// CHECK: arith.divui %{{.*}}, %c32
// CHECK: arith.divui %{{.*}}, %c3 :
// CHECK: kern.launch
// CHECK: kern.launch
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 128x64x8\0Atile any f64 64x64x16\0Atile any tf32 32x32x32\0Atile any f16 32x32x32\0Atile any bf16 splits=3 32x32x32\0A"} {
  func.func @gradient(%x: memref<64x?xbf16, strided<[1, 64]>, 1>, %w: memref<?x64xbf16, 1>, %y: memref<64x64xf32, 1>) {
    kern.contract ins(%x, %w : memref<64x?xbf16, strided<[1, 64]>, 1>, memref<?x64xbf16, 1>) outs(%y : memref<64x64xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = []}
    return
  }
}

// -----

// expected-error @below {{kern.kernel_table:2: splits=4 of f32; expected no splits: sums of FMAs have the order that the program states}}
module attributes {kern.kernel_table = "mlc-kernel-table 1\0Atile any f32 splits=4 128x64x8\0A"} {
  func.func @product(%x: memref<?x64xf32, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
    kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
    ^bb0(%sum: f32):
      kern.yield %sum : f32
    } {extra_maps = []}
    return
  }
}
