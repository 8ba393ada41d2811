// Results that no cache holds are stored past the caches, and a fence ends the task.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @large
// CHECK:         vector.store %{{.*}} {alignment = 32 : i64, nontemporal = true} : {{.*}}, vector<8xf32>
// CHECK:         return
func.func @large(%x: memref<8388608xf32>, %y: memref<8388608xf32>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<8388608xf32>) outs(%y : memref<8388608xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }
  return
}

// Twice as many elements of half the width.
// CHECK-LABEL: func.func @narrow
// CHECK:         vector.store %{{.*}} {alignment = 16 : i64, nontemporal = true} : {{.*}}, vector<8xbf16>
// CHECK:         return
func.func @narrow(%x: memref<16777216xf32>, %y: memref<16777216xbf16>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<16777216xf32>) outs(%y : memref<16777216xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %n = arith.truncf %in : f32 to bf16
    linalg.yield %n : bf16
  }
  return
}

// One element less lies in a cache.
// CHECK-LABEL: func.func @small
// CHECK:         vector.store
// CHECK-NOT:     nontemporal
// CHECK-NOT:     llvm.fence
// CHECK:         return
func.func @small(%x: memref<8388607xf32>, %y: memref<8388607xf32>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<8388607xf32>) outs(%y : memref<8388607xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }
  return
}
