// Upstream's passes ask ops that tell their dimensions for sizes of results: those of operands, what is made of them, or none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --resolve-ranked-shaped-type-result-dims | FileCheck %s

// CHECK-LABEL: @kept
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: tensor<4x?xf32>)
// CHECK-NOT: df.
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[W]], %c1
// CHECK: return %[[M]], %[[N]]
func.func @kept(%x: tensor<?x4xf32>, %w: tensor<4x?xf32>) -> (index, index) {
  %y = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
  %z = df.tanh %y : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %z, %c0 : tensor<?x?xf32>
  %n = tensor.dim %z, %c1 : tensor<?x?xf32>
  return %m, %n : index, index
}

// One operand knows what the result's type does not.
// CHECK-LABEL: @known
// CHECK-NEXT: %[[C:.*]] = arith.constant 4 : index
// CHECK-NEXT: return %[[C]]
func.func @known(%x: tensor<?xf32>, %y: tensor<4xf32>) -> index {
  %z = df.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %z, %c0 : tensor<?xf32>
  return %n : index
}

// What concatenations and reshapes make of sizes is computed.
// CHECK-LABEL: @made
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x6xf32>)
// CHECK-NOT: df.
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[M:.*]] = arith.addi
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[Y]], %c0
// CHECK-DAG: %[[ALL:.*]] = arith.muli %[[ROWS]], %c6
// CHECK-DAG: %[[THIRD:.*]] = arith.divui %[[ALL]], %c2
// CHECK: return %[[M]], %[[N]], %[[THIRD]]
func.func @made(%x: tensor<?x?xf32>, %y: tensor<?x6xf32>) -> (index, index, index) {
  %z = df.concat %x, %x {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = df.reshape %y : (tensor<?x6xf32>) -> tensor<?x2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %z, %c0 : tensor<?x?xf32>
  %n = tensor.dim %z, %c1 : tensor<?x?xf32>
  %k = tensor.dim %r, %c0 : tensor<?x2xf32>
  return %m, %n, %k : index, index, index
}

// An op that makes a size that depends on values is asked when it has run.
// CHECK-LABEL: @counted
// CHECK: %[[Z:.*]] = df.boolean_mask
// CHECK: %[[N:.*]] = tensor.dim %[[Z]], %c0
// CHECK: return %[[N]]
func.func @counted(%x: tensor<?xf32>, %m: tensor<?xi1>) -> index {
  %z = df.boolean_mask %x, %m : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %z, %c0 : tensor<?xf32>
  return %n : index
}
