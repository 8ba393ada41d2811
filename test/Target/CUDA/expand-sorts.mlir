// RUN: mlc-opt %s --cuda-expand-sorts --canonicalize | FileCheck %s
// Sorts of a step become merges on the device, two in an iteration of a loop that the size of a line bounds; elements are
// taken by a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @sort
// CHECK-SAME:    (%[[X:.*]]: tensor<?x7xf32>
// CHECK-NOT:     kern.sort_positions
// CHECK:         %[[KEYS:.*]] = tensor.collapse_shape %[[X]]
// CHECK:         %[[START:.*]] = linalg.generic
// CHECK:         scf.for %[[MERGE:.*]] = %c0 to %c3 step %c2 iter_args(%[[FROM:.*]] = %[[START]]) -> (tensor<?xi64>)
// CHECK:           %[[LENGTH:.*]] = arith.shli %c1, %[[MERGE]] : index
// CHECK:           linalg.generic
// CHECK:             scf.while
// CHECK:               tensor.extract %[[FROM]]
// CHECK:               tensor.extract %[[KEYS]]
// CHECK:               arith.cmpf olt
// CHECK:               arith.cmpf uno
// CHECK:           arith.muli %[[LENGTH]], %c2
// CHECK:           %[[NEXT:.*]] = linalg.generic
// CHECK:           %[[OWN:.*]] = linalg.copy ins(%[[NEXT]] : tensor<?xi64>) outs(%[[FROM]] : tensor<?xi64>)
// CHECK:           scf.yield %[[OWN]]
// CHECK-NOT:     kern.take_along
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         return
func.func @sort(%x: tensor<?x7xf32>, %n: index) -> tensor<?x7xf32> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %seven = arith.constant 7 : i64
  %one = arith.constant 1 : i64
  %rows = arith.index_cast %n : index to i64
  %outer = tensor.from_elements %rows : tensor<i64>
  %size = tensor.from_elements %seven : tensor<i64>
  %inner = tensor.from_elements %one : tensor<i64>
  %e0 = tensor.empty(%n) : tensor<?x7xi64>
  %p = kern.sort_positions keys(%x : tensor<?x7xf32>) dtype = 1 outer(%outer : tensor<i64>) n(%size : tensor<i64>) inner(%inner : tensor<i64>) descending = 0 m(%size : tensor<i64>) outs(%e0 : tensor<?x7xi64>) -> tensor<?x7xi64>
  %e1 = tensor.empty(%n) : tensor<?x7xf32>
  %y = kern.take_along values(%x : tensor<?x7xf32>) cell_bytes = 4 outer(%outer : tensor<i64>) n(%size : tensor<i64>) inner(%inner : tensor<i64>) positions(%p : tensor<?x7xi64>) m(%size : tensor<i64>) outs(%e1 : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %y : tensor<?x7xf32>
}

// Texts stay with the host, and so does all of a segment of features.
// CHECK-LABEL: func.func @texts
// CHECK:         kern.take_along
func.func @texts(%x: tensor<3x2xi64>, %p: tensor<3xi64>, %one: tensor<i64>, %three: tensor<i64>) -> tensor<3x2xi64> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %e = tensor.empty() : tensor<3x2xi64>
  %y = kern.take_along values(%x : tensor<3x2xi64>) cell_bytes = 16 outer(%one : tensor<i64>) n(%three : tensor<i64>) inner(%one : tensor<i64>) positions(%p : tensor<3xi64>) m(%three : tensor<i64>) outs(%e : tensor<3x2xi64>) -> tensor<3x2xi64>
  return %y : tensor<3x2xi64>
}

// CHECK-LABEL: func.func @features
// CHECK:         kern.take_along
func.func @features(%x: tensor<3xi64>, %p: tensor<3xi64>, %one: tensor<i64>, %three: tensor<i64>) -> tensor<3xi64> attributes {df.role = #df.role<train>, df.segment = #df.segment<features>} {
  %e = tensor.empty() : tensor<3xi64>
  %y = kern.take_along values(%x : tensor<3xi64>) cell_bytes = 8 outer(%one : tensor<i64>) n(%three : tensor<i64>) inner(%one : tensor<i64>) positions(%p : tensor<3xi64>) m(%three : tensor<i64>) outs(%e : tensor<3xi64>) -> tensor<3xi64>
  return %y : tensor<3xi64>
}
