// Right sides become panels: once for products that share one, and before loops that do not write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cpu-attach-target --cpu-plan-contracts --cpu-pack-contracts | FileCheck %s

// CHECK-DAG: #[[$FROM:[a-z0-9]+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$TO:[a-z0-9]+]] = affine_map<(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
// CHECK-DAG: #[[$PANELS:[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>

// Two products of one matrix; of a third one it is the other way round.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<7x100x16xf32>
// CHECK-NEXT:    kern.pack ins(%arg1 : memref<100x100xf32>) outs(%[[P]] : memref<7x100x16xf32>) {maps = [#[[$FROM]], #[[$TO]]]}
// CHECK-NEXT:    kern.contract ins(%arg0, %[[P]] : memref<?x100xf32>, memref<7x100x16xf32>)
// CHECK:         maps = [#{{.*}}, #[[$PANELS]], #{{.*}}]
// CHECK-NOT:     kern.pack
// CHECK:         kern.contract ins(%arg2, %[[P]] :
// CHECK:         kern.pack
// CHECK:         kern.contract ins(%arg3,
// CHECK-NOT:     transpose_b
func.func @shared(%x: memref<?x100xf32>, %w: memref<100x100xf32>, %y: memref<?x100xf32>, %z: memref<?x100xf32>) {
  kern.contract ins(%x, %w : memref<?x100xf32>, memref<100x100xf32>) outs(%y : memref<?x100xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  kern.contract ins(%y, %w : memref<?x100xf32>, memref<100x100xf32>) outs(%z : memref<?x100xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  kern.contract ins(%z, %w : memref<?x100xf32>, memref<100x100xf32>) outs(%y : memref<?x100xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], transpose_b}
  return
}

// -----

// What is written between is packed again.
// CHECK-LABEL: func.func @written
// CHECK:         kern.pack
// CHECK:         kern.contract
// CHECK:         memref.copy
// CHECK:         kern.pack
// CHECK:         kern.contract
func.func @written(%x: memref<?x8xf32>, %w: memref<8x8xf32>, %v: memref<8x8xf32>, %y: memref<?x8xf32>) {
  kern.contract ins(%x, %w : memref<?x8xf32>, memref<8x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  memref.copy %v, %w : memref<8x8xf32> to memref<8x8xf32>
  kern.contract ins(%x, %w : memref<?x8xf32>, memref<8x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

// The weights of a recurrence are packed once; its state, which each iteration writes, in each.
// CHECK-LABEL: func.func @loop
// CHECK:         kern.pack ins(%arg1
// CHECK:         scf.for
// CHECK-NOT:       kern.pack ins(%arg1
// CHECK:           kern.contract ins(%arg0,
// CHECK:           kern.pack ins(%arg0
// CHECK:           kern.contract ins(%arg1,
func.func @loop(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    kern.contract ins(%x, %w : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
    ^bb0(%acc: f32):
      kern.yield %acc : f32
    } {extra_maps = []}
    kern.contract ins(%w, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
    ^bb0(%acc: f32):
      kern.yield %acc : f32
    } {extra_maps = []}
    memref.copy %y, %x : memref<8x8xf32> to memref<8x8xf32>
  }
  return
}

// -----

// Batches and two inner dimensions, of sizes that the call knows; bytes become sums' integers where they are packed.
// CHECK-LABEL: func.func @batches
// CHECK:         %[[B:.*]] = memref.dim %arg1, %{{.*}} : memref<?x3x?x20xi8>
// CHECK:         %[[P:.*]] = memref.alloc(%[[B]], %{{.*}}) {alignment = 64 : i64} : memref<?x2x3x?x16xi32>
// CHECK:         kern.pack unsigned ins(%arg1 : memref<?x3x?x20xi8>) outs(%[[P]] : memref<?x2x3x?x16xi32>)
// CHECK:         kern.contract ins(%arg0, %[[P]] :
// CHECK-NOT:     unsigned_rhs
func.func @batches(%x: memref<?x5x3x?xi32>, %w: memref<?x3x?x20xi8>, %y: memref<?x5x20xi32>) {
  kern.contract ins(%x, %w : memref<?x5x3x?xi32>, memref<?x3x?x20xi8>) outs(%y : memref<?x5x20xi32>) {
  ^bb0(%acc: i32):
    kern.yield %acc : i32
  } {extra_maps = [], unsigned_rhs, maps = [affine_map<(b, m, n, k, l) -> (b, m, k, l)>, affine_map<(b, m, n, k, l) -> (b, k, l, n)>, affine_map<(b, m, n, k, l) -> (b, m, n)>]}
  return
}

// -----

// One column needs no panels.
// CHECK-LABEL: func.func @column
// CHECK-NOT:     kern.pack
// CHECK:         return
func.func @column(%x: memref<?x100xf32>, %w: memref<100x1xf32>, %y: memref<?x1xf32>) {
  kern.contract ins(%x, %w : memref<?x100xf32>, memref<100x1xf32>) outs(%y : memref<?x1xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

func.func @columns(%x: memref<?x9xf32>, %w: memref<9x39xf32>, %y: memref<?x20xf32>) {
  // expected-error @+1 {{has columns that are no dimension of its right side, which the CPU does not pack}}
  kern.contract ins(%x, %w : memref<?x9xf32>, memref<9x39xf32>) outs(%y : memref<?x20xf32>) {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n * 2)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}
