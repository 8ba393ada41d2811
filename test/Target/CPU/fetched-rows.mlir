// A reduction over rows asks for the lines of the block after the next while it reads one, where the data is large.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s

#matrix = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL:   func.func @large
// CHECK-COUNT-4: memref.prefetch
// CHECK-NOT:     memref.prefetch
// CHECK:         arith.maximumf
// CHECK:         return
func.func @large(%x: memref<1024x1024xf32>, %y: memref<1024xf32>) {
  linalg.generic {indexing_maps = [#matrix, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  }
  return
}

// CHECK-LABEL:   func.func @small
// CHECK-NOT:     memref.prefetch
// CHECK:         arith.minimumf
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @small(%x: memref<256x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#matrix, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<256x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.minimumf %out, %in : f32
    linalg.yield %m : f32
  }
  return
}
