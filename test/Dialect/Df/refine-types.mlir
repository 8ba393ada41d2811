// Types of one op say of a dimension what one of them knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df-refine-types)' | FileCheck %s
// RUN: mlc-opt %s --pass-pipeline='builtin.module(df-refine-types,df-refine-types)' | FileCheck %s

// An operand of which another one knows more is checked; the result, and what is made of it, know it, too. The function
// returns the type that it declares.
// CHECK-LABEL: @operand
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[K:.*]] = df.cast_shape %[[X]] : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = df.add %[[K]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = df.relu %[[S]] : tensor<4xf32>
// CHECK-NEXT: %[[U:.*]] = df.cast_shape %[[R]] : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: df.return %[[U]] : tensor<?xf32>
df.function @operand(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %s = df.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %r = df.relu %s : tensor<?xf32>
  df.return %r : tensor<?xf32>
}

// What the type of a result says is checked of the operand.
// CHECK-LABEL: @result
// CHECK-NEXT: %[[K:.*]] = df.cast_shape %{{.*}} : tensor<?x?xf32> to tensor<?x4xf32>
// CHECK-NEXT: %[[P:.*]] = df.matmul %[[K]], %{{.*}} : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: %[[C:.*]] = df.cast_shape %[[P]] : tensor<?x8xf32> to tensor<2x8xf32>
// CHECK-NEXT: df.exp %[[C]] : tensor<2x8xf32>
df.function @result(%x: tensor<?x?xf32>, %w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %p = df.matmul %x, %w : (tensor<?x?xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  %e = df.exp %p : (tensor<?x?xf32>) -> tensor<2x8xf32>
  df.return %e : tensor<2x8xf32>
}

// An op to which the dimension means something else has it as it was: here as one of several factors.
// CHECK-LABEL: @others
// CHECK: %[[A:.*]] = df.add {{.*}} : tensor<4x6xf32>
// CHECK-NEXT: %[[U:.*]] = df.cast_shape %[[A]] : tensor<4x6xf32> to tensor<?x6xf32>
// CHECK-NEXT: df.reshape %[[U]] : (tensor<?x6xf32>) -> tensor<?x3xf32>
// CHECK: df.yield %{{.*}} : tensor<?x6xf32>
df.function @others(%x: tensor<?x6xf32>, %y: tensor<4x6xf32>, %c: tensor<i1>) -> (tensor<?x3xf32>, tensor<?x6xf32>) {
  %a = df.add %x, %y : (tensor<?x6xf32>, tensor<4x6xf32>) -> tensor<?x6xf32>
  %r = df.reshape %a : (tensor<?x6xf32>) -> tensor<?x3xf32>
  %i = df.if %c : (tensor<i1>) -> tensor<?x6xf32> {
    df.yield %a : tensor<?x6xf32>
  } else {
    df.yield %x : tensor<?x6xf32>
  }
  df.return %r, %i : tensor<?x3xf32>, tensor<?x6xf32>
}

// Nothing to say: nothing changes.
// CHECK-LABEL: @same
// CHECK-NEXT: df.mul
// CHECK-NEXT: df.return
df.function @same(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %m = df.mul %x, %y : tensor<?xf32>
  df.return %m : tensor<?xf32>
}
