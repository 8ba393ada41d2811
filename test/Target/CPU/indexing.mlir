// Reads at indices of their own: neighbours in memory are read as vectors, an index that data says is a scalar.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s

// Whole rows, and what is computed of them in one pass: the index is read once for each row.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[I:.*]] = memref.load %{{.*}} : memref<{{.*}}xi64
// CHECK:         arith.index_cast %[[I]] : i64 to index
// CHECK-NOT:     arith.index_cast {{.*}} : vector
// CHECK:         %[[X:.*]] = vector.load %{{.*}} : memref<{{.*}}>, vector<8xf32>
// CHECK:         %[[N:.*]] = arith.negf %[[X]] : vector<8xf32>
// CHECK:         vector.store %[[N]], %{{.*}} : memref<{{.*}}>, vector<8xf32>
func.func @rows(%x: memref<7x16xf32>, %ids: memref<?xi64>, %y: memref<?x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %id = memref.load %ids[%i] : memref<?xi64>
    %row = arith.index_cast %id : i64 to index
    %e = memref.load %x[%row, %j] : memref<7x16xf32>
    %n = arith.negf %e : f32
    linalg.yield %n : f32
  }
  return
}
