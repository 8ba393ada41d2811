// RUN: mlc-opt %s --cuda-lower-kernels=warpgroups=true --canonicalize --cse | FileCheck %s
// RUN: mlc-opt %s --cuda-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=WARPS
// Where a chip multiplies by warpgroups, larger tiles have this way beside that of warps: by the same chunks in shared
// memory, which copies bring, three of them at once, in rows whose order of pieces the instruction knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WARPS-NOT: nvvm.wgmma
// WARPS-NOT: nvvm.read.ptx.sreg.envreg0

// A tile of 128 x 128: each warpgroup has 64 rows. Of the right factor neighbours are columns.
// CHECK-LABEL: @large
// CHECK: memref.alloca() {alignment = 1024 : i64} : memref<24576xbf16, 3>
// CHECK: %[[CHIP:.*]] = nvvm.read.ptx.sreg.envreg0 : i32
// CHECK: %[[HAS:.*]] = arith.cmpi ne, %[[CHIP]], %{{.*}} : i32
// CHECK: scf.if %[[HAS]] {
// CHECK:   nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK:   nvvm.cp.async.commit.group
// CHECK:   nvvm.cp.async.commit.group
// CHECK:   scf.for
// CHECK:     nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK-NEXT: nvvm.barrier0
// CHECK:     nvvm.cp.async.commit.group
// CHECK:     nvvm.wgmma.fence.aligned
// CHECK-COUNT-2: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, {{.*}}], A[<bf16>, {{.*}}, <row>], B[<bf16>, {{.*}}, <row>]
// CHECK:     nvvm.wgmma.commit.group.sync.aligned
// CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: } else {
// CHECK-NOT: nvvm.wgmma
// CHECK:   nvvm.mma.sync
func.func @large(%x: memref<?x96xbf16, 1>, %w: memref<96x4096xbf16, 1>, %y: memref<?x4096xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x96xbf16, 1>, memref<96x4096xbf16, 1>) outs(%y : memref<?x4096xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// A tile of 64 x 64: each warpgroup has 32 columns. Both factors are transposed where they are read. Rows of a batch may
// end within a chunk, or there may be none.
// CHECK-LABEL: @across
// CHECK: memref.alloca() {alignment = 1024 : i64} : memref<16384xf16, 3>
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 32, k = 16>, {{.*}} A[<f16>, {{.*}}, <col>], B[<f16>, {{.*}}, <row>]
func.func @across(%x: memref<?x1024xf16, 1>, %g: memref<?x1024xf16, 1>, %y: memref<1024x1024xf32, 1>) {
  kern.contract ins(%x, %g : memref<?x1024xf16, 1>, memref<?x1024xf16, 1>) outs(%y : memref<1024x1024xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], transpose_a}
  return
}

// Words of tf32 are not transposed: both factors have to be along the inner dimension.
// CHECK-LABEL: @words
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 8>, {{.*}} A[<tf32>, {{.*}}, <row>], B[<tf32>, {{.*}}, <col>]
func.func @words(%x: memref<?x64xf32, 1>, %w: memref<4096x64xf32, 1>, %y: memref<?x4096xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<4096x64xf32, 1>) outs(%y : memref<?x4096xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], kern.tf32, transpose_b}
  return
}

// CHECK-LABEL: @words_across
// CHECK-NOT: nvvm.wgmma
// CHECK: nvvm.mma.sync
func.func @words_across(%x: memref<?x64xf32, 1>, %w: memref<64x4096xf32, 1>, %y: memref<?x4096xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x4096xf32, 1>) outs(%y : memref<?x4096xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], kern.tf32}
  return
}

// A tile of 32 x 32 is too small.
// CHECK-LABEL: @small
// CHECK-NOT: nvvm.wgmma
// CHECK: nvvm.mma.sync
func.func @small(%x: memref<?x64xbf16, 1>, %w: memref<64x48xbf16, 1>, %y: memref<?x48xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xbf16, 1>, memref<64x48xbf16, 1>) outs(%y : memref<?x48xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}
