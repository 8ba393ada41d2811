// Narrow operands of products are widened where they are computed; in memory a right side stays what it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cpu-widen-operands | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @weights
// CHECK:         %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x4xbf16>) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK:           arith.shli
// CHECK:         kern.contract ins(%[[X]], %arg1 : tensor<?x4xf32>, tensor<4x8xbf16>)
func.func @weights(%x: tensor<?x4xbf16>, %w: tensor<4x8xbf16>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = kern.contract ins(%x, %w : tensor<?x4xbf16>, tensor<4x8xbf16>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @computed
// CHECK:         arith.negf
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:         kern.contract ins(%arg0, %[[G]] : tensor<?x4xf32>, tensor<4x8xf32>)
func.func @computed(%x: tensor<?x4xf32>, %w: tensor<4x8xf16>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x8xf16>) outs(%w : tensor<4x8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %a = arith.negf %in : f16
    linalg.yield %a : f16
  } -> tensor<4x8xf16>
  %y = kern.contract ins(%x, %n : tensor<?x4xf32>, tensor<4x8xf16>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @bytes
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         kern.contract ins(%{{.*}}, %arg1 : tensor<?x4xi32>, tensor<4x8xi8>)
// CHECK-NOT:     unsigned_lhs
// CHECK:         unsigned_rhs
func.func @bytes(%x: tensor<?x4xi8>, %w: tensor<4x8xi8>, %e: tensor<?x8xi32>) -> tensor<?x8xi32> {
  %y = kern.contract ins(%x, %w : tensor<?x4xi8>, tensor<4x8xi8>) outs(%e : tensor<?x8xi32>) -> tensor<?x8xi32> {
  ^bb0(%acc: i32):
    kern.yield %acc : i32
  } {extra_maps = [], unsigned_lhs, unsigned_rhs}
  return %y : tensor<?x8xi32>
}

// Each element of a product with one column is converted once anyway.
// CHECK-LABEL: func.func @column
// CHECK-NOT:     linalg.generic
// CHECK:         kern.contract ins(%arg0, %arg1 : tensor<?x4xbf16>, tensor<4x1xbf16>)
func.func @column(%x: tensor<?x4xbf16>, %w: tensor<4x1xbf16>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %y = kern.contract ins(%x, %w : tensor<?x4xbf16>, tensor<4x1xbf16>) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return %y : tensor<?x1xf32>
}
