// Attention by tiles of 64 queries by 64 keys: chunks of 16 numbers through shared memory, the tile of scores too, sums in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cuda-lower-kernels --canonicalize --cse | FileCheck %s

// A block for each tile of queries at each position: 2 x 4 x ceil(200 / 64).
// CHECK-LABEL: @forward
// CHECK: %[[BLOCKS:.*]] = arith.constant 32 : index
// CHECK: kern.launch %[[BLOCKS]] cost {{.*}} grid <threads = 256, shared_bytes = 0>
// CHECK-DAG: memref.alloca() {alignment = 16 : i64} : memref<4352xf32, 3>
// CHECK: scf.for
// CHECK: nvvm.barrier0 {own_order}
// CHECK: math.fma
// CHECK: nvvm.shfl.sync bfly
// CHECK: vector.store {{.*}} : memref<4352xf32, 3>, vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK: math.fma
// CHECK: arith.divf
func.func @forward(%q: memref<2x4x200x64xf32, 1>, %k: memref<2x4x300x64xf32, 1>, %v: memref<2x4x300x64xf32, 1>, %y: memref<2x4x200x64xf32, 1>, %m: memref<2x4x200xf32, 1>, %l: memref<2x4x200xf32, 1>) {
  kern.attention ins(%q, %k, %v : memref<2x4x200x64xf32, 1>, memref<2x4x300x64xf32, 1>, memref<2x4x300x64xf32, 1>)
      outs(%y, %m, %l : memref<2x4x200x64xf32, 1>, memref<2x4x200xf32, 1>, memref<2x4x200xf32, 1>) {scale = 0.125 : f32}
  return
}

// Two launches: gradients of queries by tiles of these, of keys and values by tiles of keys. Nothing is added in memory.
// CHECK-LABEL: @backward
// CHECK: kern.launch
// CHECK: kern.launch
// CHECK-NOT: kern.launch
// CHECK-NOT: atomic
func.func @backward(%q: memref<8x128x16xf32, 1>, %g: memref<8x128x16xf32, 1>, %r: memref<8x128xf32, 1>, %dq: memref<8x128x16xf32, 1>, %dk: memref<8x128x16xf32, 1>, %dv: memref<8x128x16xf32, 1>) {
  kern.attention_grad ins(%q, %q, %q : memref<8x128x16xf32, 1>, memref<8x128x16xf32, 1>, memref<8x128x16xf32, 1>)
      of(%g, %r, %r, %r : memref<8x128x16xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>)
      outs(%dq, %dk, %dv : memref<8x128x16xf32, 1>, memref<8x128x16xf32, 1>, memref<8x128x16xf32, 1>) {causal, scale = 0.25 : f32}
  return
}
