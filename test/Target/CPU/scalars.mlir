// A task loads the numbers that all elements use once, before its loop: stores to the results might change them, for all
// that LLVM knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(cpu-lower-kernels))' | FileCheck %s

#scalar = affine_map<(i) -> ()>
#identity = affine_map<(i) -> (i)>

// CHECK-LABEL: @scaled
// CHECK: kern.launch
// CHECK: %[[F:.*]] = memref.load %{{.*}}xf32
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: vector.broadcast %[[F]] : f32 to vector<8xf32>
// CHECK-NOT: memref.load
func.func @scaled(%f: memref<f32>, %x: memref<?xf32>) {
  linalg.generic {indexing_maps = [#scalar, #identity], iterator_types = ["parallel"]} ins(%f : memref<f32>) outs(%x : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %b : f32
    linalg.yield %y : f32
  }
  return
}

// Where the body reads at indices of its own, too.
// CHECK-LABEL: @picked
// CHECK: kern.launch
// CHECK: %[[F:.*]] = memref.load %{{.*}}xf32
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: vector.broadcast %[[F]] : f32 to vector<8xf32>
// CHECK-NOT: memref.load
func.func @picked(%f: memref<f32>, %t: memref<?xf32>, %x: memref<?xf32>) {
  linalg.generic {indexing_maps = [#scalar, #identity], iterator_types = ["parallel"]} ins(%f : memref<f32>) outs(%x : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %e = memref.load %t[%i] : memref<?xf32>
    %y = arith.mulf %a, %e : f32
    linalg.yield %y : f32
  }
  return
}
