// An unknown size agrees with every other one; types that differ are printed, and parse again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --emit-bytecode | mlc-opt | FileCheck %s

// CHECK-LABEL: @mixed
// CHECK-NEXT: df.add %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: df.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
// CHECK-NEXT: df.relu %{{.*}} : (tensor<?xf32>) -> tensor<4xf32>
// CHECK-NEXT: df.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: df.gelu %{{.*}} {approximate} : (tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: df.exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT: df.select {{.*}} : (tensor<?xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: df.matmul {{.*}} : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x?xf32>
// CHECK-NEXT: df.batch_matmul {{.*}} : (tensor<2x3x?xf32>, tensor<?x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: df.dot_general {{.*}} : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: df.cast_shape %{{.*}} : tensor<?xf32> to tensor<4xf32>
df.function @mixed(%x: tensor<?xf32>, %y: tensor<4xf32>, %c: tensor<?xi1>, %a: tensor<3x?xf32>, %b: tensor<4x5xf32>,
                   %d: tensor<2x3x?xf32>, %e: tensor<?x4x5xf32>) {
  %0 = "df.add"(%x, %y) : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %1 = "df.add"(%y, %x) : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %2 = df.relu %x : (tensor<?xf32>) -> tensor<4xf32>
  %3 = df.clamp %y, %x, %y : (tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = df.gelu %y {approximate} : (tensor<4xf32>) -> tensor<?xf32>
  %5 = df.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %6 = df.select %c, %y, %x : (tensor<?xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %7 = df.matmul %a, %b : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x?xf32>
  %8 = df.batch_matmul %d, %e : (tensor<2x3x?xf32>, tensor<?x4x5xf32>) -> tensor<2x3x5xf32>
  %9 = df.dot_general %a, %b {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %10 = df.cast_shape %x : tensor<?xf32> to tensor<4xf32>
  df.return
}

// What cannot fail folds away.
// RUN: mlc-opt %s --canonicalize | FileCheck %s --check-prefix=FOLDED
// FOLDED-LABEL: @casts
// FOLDED-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<?xf32>)
// FOLDED-NEXT: %[[K:.*]] = df.cast_shape %[[Y]]
// FOLDED-NEXT: %[[U:.*]] = df.cast_shape %[[K]]
// FOLDED-NEXT: df.return %[[X]], %[[X]], %[[U]]
df.function @casts(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) {
  %0 = df.cast_shape %x : tensor<4xf32> to tensor<4xf32>
  %1 = df.cast_shape %x : tensor<4xf32> to tensor<?xf32>
  %2 = df.cast_shape %1 : tensor<?xf32> to tensor<4xf32>
  %3 = df.cast_shape %y : tensor<?xf32> to tensor<3xf32>
  %4 = df.cast_shape %3 : tensor<3xf32> to tensor<?xf32>
  df.return %0, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<?xf32>
}
