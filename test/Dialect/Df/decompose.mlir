// RUN: mlc-opt %s -df-decompose | FileCheck %s
// RUN: mlc-opt %s -df-decompose="keep-differentiable" | FileCheck %s
// RUN: mlc-opt %s -df-decompose | mlc-opt -df-decompose | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: df.function @straight
// CHECK-NOT:     squared_difference
// CHECK:         %[[D:.*]] = df.sub %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK-NEXT:    %[[S:.*]] = df.square %[[D]] : tensor<?x4xf32>
// CHECK-NEXT:    df.return %[[S]]
df.function @straight(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %d = df.squared_difference %x, %y : tensor<?x4xf32>
  df.return %d : tensor<?x4xf32>
}

// Ops of regions, too.
// CHECK-LABEL: df.function @inside
// CHECK:         df.if
// CHECK-NEXT:      df.sub
// CHECK-NEXT:      df.square
// CHECK-NEXT:      df.yield
df.function @inside(%c: tensor<i1>, %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = df.if %c : (tensor<i1>) -> tensor<4xi32> {
    %d = df.squared_difference %x, %y : tensor<4xi32>
    df.yield %d : tensor<4xi32>
  } else {
    df.yield %x : tensor<4xi32>
  }
  df.return %r : tensor<4xi32>
}
