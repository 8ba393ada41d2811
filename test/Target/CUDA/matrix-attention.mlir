// Attention of halves and tf32 by tensor cores: tiles of keys and values through shared memory, matrices to registers, those of values transposed; scores stay in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cuda-lower-kernels --canonicalize --cse | FileCheck %s

// A block for each tile of 128 queries at each position: 2 x 4 x ceil(200 / 128). The next tile is read while one is multiplied.
// CHECK-LABEL: @halves
// CHECK: %[[BLOCKS:.*]] = arith.constant 16 : index
// CHECK: kern.launch %[[BLOCKS]] cost {{.*}} grid <threads = 256, shared_bytes = 0>
// CHECK-COUNT-2: memref.alloca() {alignment = 16 : i64} : memref<4096xbf16, 3>
// CHECK: scf.for {{.*}} iter_args({{.*}}vector<8xbf16>
// CHECK: nvvm.barrier0 {own_order}
// CHECK: vector.store {{.*}} : memref<4096xbf16, 3>, vector<8xbf16>
// CHECK: nvvm.barrier0
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.mma.sync {{.*}} #nvvm.mma_type<bf16>
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: math.exp
// CHECK: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK: nvvm.mma.sync
// CHECK: arith.divf
func.func @halves(%q: memref<2x4x200x64xbf16, 1>, %k: memref<2x4x300x64xbf16, 1>, %v: memref<2x4x300x64xbf16, 1>, %y: memref<2x4x200x64xf32, 1>, %m: memref<2x4x200xf32, 1>, %l: memref<2x4x200xf32, 1>) {
  kern.attention ins(%q, %k, %v : memref<2x4x200x64xbf16, 1>, memref<2x4x300x64xbf16, 1>, memref<2x4x300x64xbf16, 1>)
      outs(%y, %m, %l : memref<2x4x200x64xf32, 1>, memref<2x4x200xf32, 1>, memref<2x4x200xf32, 1>) {scale = 0.125 : f32}
  return
}

// Values of tf32 are loaded word by word. Tiles of words, of wide lines, and of scores with a mask have half as many lines each.
// CHECK-LABEL: @tf32
// CHECK-COUNT-2: memref.alloca() {alignment = 16 : i64} : memref<2048xf32, 3>
// CHECK: nvvm.mma.sync {{.*}} #nvvm.mma_type<tf32>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT: layout = #nvvm.mma_layout<col>, num
// CHECK: memref.load {{.*}} : memref<2048xf32, 3>
func.func @tf32(%q: memref<8x128x128xf32, 1>, %r: memref<8x128xf32, 1>, %y: memref<8x128x128xf32, 1>) {
  kern.attention ins(%q, %q, %q : memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>)
      outs(%y, %r, %r : memref<8x128x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>) {scale = 0.25 : f32, kern.tf32}
  return
}

// Two launches: gradients of queries by tiles of keys and values, of these by tiles of queries and cotangents. Tiles are factors over their numbers and over their lines.
// CHECK-LABEL: @backward
// CHECK: kern.launch
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK: kern.launch
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: kern.launch
// CHECK-NOT: atomic
func.func @backward(%q: memref<8x128x64xbf16, 1>, %r: memref<8x128xf32, 1>, %d: memref<8x128x64xf32, 1>) {
  kern.attention_grad ins(%q, %q, %q : memref<8x128x64xbf16, 1>, memref<8x128x64xbf16, 1>, memref<8x128x64xbf16, 1>)
      of(%q, %r, %r, %r : memref<8x128x64xbf16, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>)
      outs(%d, %d, %d : memref<8x128x64xf32, 1>, memref<8x128x64xf32, 1>, memref<8x128x64xf32, 1>) {causal, scale = 0.125 : f32}
  return
}

// Of more than 128 numbers in all, sums for keys and for values are kernels of their own.
// CHECK-LABEL: @wide
// CHECK-COUNT-3: kern.launch
// CHECK-NOT: kern.launch
func.func @wide(%q: memref<8x128x80xf16, 1>, %r: memref<8x128xf32, 1>, %d: memref<8x128x80xf32, 1>) {
  kern.attention_grad ins(%q, %q, %q : memref<8x128x80xf16, 1>, memref<8x128x80xf16, 1>, memref<8x128x80xf16, 1>)
      of(%q, %r, %r, %r : memref<8x128x80xf16, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>)
      outs(%d, %d, %d : memref<8x128x80xf32, 1>, memref<8x128x80xf32, 1>, memref<8x128x80xf32, 1>) {scale = 0.125 : f32}
  return
}

// Words of tf32 are twice as many: sums of 128 numbers for queries, and for keys, are three kernels each, of 48, 48 and 32 columns.
// CHECK-LABEL: @wide_tf32
// CHECK-COUNT-7: kern.launch
// CHECK-NOT: kern.launch
func.func @wide_tf32(%q: memref<8x128x128xf32, 1>, %r: memref<8x128xf32, 1>, %d: memref<8x128x128xf32, 1>) {
  kern.attention_grad ins(%q, %q, %q : memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>)
      of(%q, %r, %r, %r : memref<8x128x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>, memref<8x128xf32, 1>)
      outs(%d, %d, %d : memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>, memref<8x128x128xf32, 1>) {scale = 0.125 : f32, kern.tf32}
  return
}

// Rows of a batch whose number is not known begin at multiples of their length: they are read 16 bytes at a time.
// CHECK-LABEL: @rows
// CHECK: scf.for {{.*}} iter_args({{.*}}vector<8xbf16>
func.func @rows(%q: memref<4x?x32xbf16, 1>, %v: memref<4x?x128xbf16, 1>, %y: memref<4x?x128xf32, 1>, %r: memref<4x?xf32, 1>) {
  kern.attention ins(%q, %q, %v : memref<4x?x32xbf16, 1>, memref<4x?x32xbf16, 1>, memref<4x?x128xbf16, 1>)
      outs(%y, %r, %r : memref<4x?x128xf32, 1>, memref<4x?xf32, 1>, memref<4x?xf32, 1>) {scale = 0.125 : f32}
  return
}
