// Products and packing to loops over vectors, as tilings say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cpu-attach-target --cpu-lower-kernels | FileCheck %s

// A tile of two rows and two vectors: four FMAs for two loads and two broadcasts.
// CHECK-LABEL: func.func @tile
// CHECK:         kern.launch
// CHECK:           scf.for
// CHECK-COUNT-2:     vector.load
// CHECK:             vector.broadcast
// CHECK-COUNT-2:     math.fma
// CHECK:             vector.broadcast
// CHECK-COUNT-2:     math.fma
// CHECK-NOT:         math.fma
// CHECK:             scf.yield
func.func @tile(%x: memref<2x9xf32>, %p: memref<1x9x16xf32>, %y: memref<2x16xf32>) {
  kern.contract ins(%x, %p : memref<2x9xf32>, memref<1x9x16xf32>) outs(%y : memref<2x16xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 2, columns = 16, inner = 0, task_rows = 1, task_columns = 1>,
     maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

// Narrow integers are extended as their sign says: zeros for lhs, the sign for rhs.
// CHECK-LABEL: func.func @bytes
// CHECK:         vector.load {{.*}} : memref<?xi8>, vector<8xi8>
// CHECK:         arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK:         memref.load
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.muli %{{.*}} : vector<8xi32>
// CHECK:         arith.addi %{{.*}} : vector<8xi32>
func.func @bytes(%x: memref<2x9xi8>, %p: memref<1x9x8xi8>, %y: memref<2x8xi32>) {
  kern.contract ins(%x, %p : memref<2x9xi8>, memref<1x9x8xi8>) outs(%y : memref<2x8xi32>) {
  ^bb0(%acc: i32):
    kern.yield %acc : i32
  } {extra_maps = [], unsigned_lhs, tiling = #kern.tiling<panels, rows = 2, columns = 8, inner = 0, task_rows = 1, task_columns = 1>,
     maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 8, k, n mod 8)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

// Packing converts what it moves; columns that lie after one another are transposed in registers.
// CHECK-LABEL: func.func @pack
// CHECK:         kern.launch
// CHECK:           vector.load {{.*}} vector<8xbf16>
// CHECK:           arith.shli %{{.*}} : vector<8xi32>
// CHECK:           vector.store {{.*}} vector<8xf32>
// CHECK:         kern.launch
// CHECK-COUNT-24:  vector.shuffle
// CHECK:           vector.store {{.*}} vector<8xf32>
func.func @pack(%w: memref<16x8xbf16>, %v: memref<8x16xf32>, %p: memref<1x16x8xf32>) {
  kern.pack ins(%w : memref<16x8xbf16>) outs(%p : memref<1x16x8xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 8, k, n mod 8)>]}
  kern.pack ins(%v : memref<8x16xf32>) outs(%p : memref<1x16x8xf32>) {maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n floordiv 8, k, n mod 8)>]}
  return
}

// -----

func.func @no_tiling(%x: memref<4x4xf32>) {
  // expected-error @+1 {{has no tiling; cpu-plan-contracts gives it one}}
  kern.contract ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

func.func @no_panels(%x: memref<4x4xf32>) {
  // expected-error @+1 {{needs a right side in panels of a multiple of 8 columns; cpu-pack-contracts packs it}}
  kern.contract ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 0, task_rows = 8, task_columns = 1>}
  return
}

// -----

// Blocks of threads are for devices.
func.func @grid(%n: index) {
  // expected-error @+1 {{has a grid, which the CPU has no threads for; found #kern.grid<threads = 32, shared_bytes = 0>}}
  kern.launch %n cost 1 grid <threads = 32, shared_bytes = 0> {
  ^bb0(%block: index, %thread: index):
    kern.yield
  }
  return
}
