// RUN: mlc-opt %s --cuda-lower-kernels=warpgroups=true --canonicalize --cse | FileCheck %s
// Where both factors are matrices of which descriptors can be made, copies of boxes bring chunks for products of warpgroups: one thread asks for them, an mbarrier tells all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of the left factor are lines, of which the last ones may be missing; of the right one neighbours are columns, 64 of them a row of shared memory.
// CHECK-LABEL: @large
// CHECK: %[[LEFT:.*]], %[[IS_LEFT:.*]] = kern.tensor_map %{{.*}}[%{{.*}}, %{{.*}}] offset 0 strides [1, 96] box [32, 128] swizzle 64 : memref<?xbf16, 1>
// CHECK: %[[RIGHT:.*]], %[[IS_RIGHT:.*]] = kern.tensor_map %{{.*}}[%{{.*}}, %{{.*}}] offset 0 strides [1, 4096] box [64, 32] swizzle 128 : memref<?xbf16, 1>
// CHECK: %[[ARE:.*]] = arith.andi %[[IS_LEFT]], %[[IS_RIGHT]]
// CHECK: scf.if %[[ARE]] {
// CHECK:   memref.alloca() {alignment = 1024 : i64, of_launch} : memref<32784xbf16, 3>
// CHECK:   scf.if %[[FIRST:.*]] {
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK:     nvvm.fence.proxy
// CHECK:   nvvm.barrier0
// CHECK:   scf.if %[[FIRST]] {
// CHECK:     nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK:   scf.for
// CHECK:     nvvm.mbarrier.try_wait.parity
// CHECK:     nvvm.barrier0
// CHECK:     scf.if
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:     nvvm.wgmma.fence.aligned
// CHECK-COUNT-2: nvvm.wgmma.mma_async
// CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: } else {
// CHECK:   nvvm.read.ptx.sreg.envreg0
// CHECK:   nvvm.cp.async.shared.global
// CHECK:   nvvm.wgmma.mma_async
// CHECK:   nvvm.mma.sync
func.func @large(%x: memref<?x96xbf16, 1>, %w: memref<96x4096xbf16, 1>, %y: memref<?x4096xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x96xbf16, 1>, memref<96x4096xbf16, 1>) outs(%y : memref<?x4096xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// A stride of 100 halves is no multiple of 16 bytes; nor is it known where a matrix of a batch begins.
// CHECK-LABEL: @unaligned
// CHECK-NOT: kern.tensor_map
// CHECK: nvvm.wgmma.mma_async
func.func @unaligned(%x: memref<?x100xbf16, 1>, %w: memref<100x4096xbf16, 1>, %y: memref<?x4096xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x100xbf16, 1>, memref<100x4096xbf16, 1>) outs(%y : memref<?x4096xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}
