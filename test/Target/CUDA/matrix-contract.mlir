// RUN: mlc-opt %s --cuda-lower-kernels --canonicalize --cse | FileCheck %s
// Products of halves in f32 go to tensor cores: chunks of both factors to shared memory as memory has them, matrices to
// registers, transposed where their lines are not along the inner dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: @forward
// CHECK: kern.launch
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<6144xbf16, 3>
// CHECK-COUNT-2: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.barrier0
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 2
// CHECK: nvvm.mma.sync {{.*}} #nvvm.mma_type<bf16>
func.func @forward(%x: memref<?x64xbf16, 1>, %w: memref<64x48xbf16, 1>, %y: memref<?x48xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xbf16, 1>, memref<64x48xbf16, 1>) outs(%y : memref<?x48xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// Elements that are not there in pieces of memory are brought one by one, through registers.
// CHECK-LABEL: @uneven
// CHECK-NOT: nvvm.cp.async
// CHECK-NOT: vector.store
// CHECK: memref.store {{.*}} : memref<2048xf16, 3>
// CHECK: nvvm.mma.sync {{.*}} vector<2xf16>
func.func @uneven(%x: memref<?x33xf16, 1>, %w: memref<33x47xf16, 1>, %y: memref<?x47xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x33xf16, 1>, memref<33x47xf16, 1>) outs(%y : memref<?x47xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// Where the types differ, or products are added in another one, sums have the order that the op says.
// CHECK-LABEL: @mixed
// CHECK-NOT: nvvm.mma.sync
// CHECK: math.fma
func.func @mixed(%x: memref<?x64xbf16, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xbf16, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  return
}

// Of tf32: the factor along the inner dimension by matrices of four words in each row, the other one word by word.
// CHECK-LABEL: @tf32
// CHECK: memref.alloca() {alignment = 16 : i64} : memref<6144xf32, 3>
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK-NOT: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// CHECK: memref.load {{.*}} : memref<6144xf32, 3>
// CHECK: nvvm.mma.sync {{.*}} #nvvm.mma_type<tf32>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
func.func @tf32(%x: memref<?x64xf32, 1>, %w: memref<64x48xf32, 1>, %y: memref<?x48xf32, 1>) {
  kern.contract ins(%x, %w : memref<?x64xf32, 1>, memref<64x48xf32, 1>) outs(%y : memref<?x48xf32, 1>) {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], kern.tf32}
  return
}
