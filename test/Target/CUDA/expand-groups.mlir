// RUN: mlc-opt %s --cuda-expand-groups --canonicalize | FileCheck %s
// Groups of equal ids, distinct values and merges of rows of a step become a sort or a merge, sums of marks, and kernels
// whose points search: nothing is scattered, and no host asks how many there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Negative ids come last, as the largest of unsigned numbers do, and are in no group.
// CHECK-LABEL: func.func @group
// CHECK-SAME:    (%[[IDS:.*]]: tensor<?xi64>
// CHECK-NOT:     kern.unique_ids
// CHECK:         %[[UNSIGNED:.*]] = linalg.generic
// CHECK:           arith.xori %{{.*}}, %c-9223372036854775808_i64
// CHECK:         %[[ORDER:.*]] = kern.sort_positions keys(%[[UNSIGNED]] : tensor<?xi64>) dtype = 8
// CHECK-SAME:      descending = 0
// CHECK:         %[[KEYS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[ORDER]]
// CHECK:           tensor.extract %[[IDS]]
// CHECK:         %[[MARKS:.*]] = linalg.generic
// CHECK:           arith.cmpi ne
// CHECK:         %[[SUMS:.*]] = scf.for {{.*}} step %c2 iter_args(%[[FROM:.*]] = %[[MARKS]]) -> (tensor<?xi64>)
// CHECK-COUNT-2:   arith.addi %{{.*}}, %{{.*}} : i64
// CHECK:           linalg.copy ins(%{{.*}}) outs(%[[FROM]]
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK:             tensor.extract %[[KEYS]]
// CHECK:             arith.cmpi sge
// CHECK:             tensor.extract %[[SUMS]]
// CHECK:         %[[UNIQUE:.*]] = linalg.generic
// CHECK:           tensor.extract %[[COUNT]][]
// CHECK:             scf.while
// CHECK:             tensor.extract %[[KEYS]]
// CHECK:         %[[ENDS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[COUNT]][]
// CHECK:             scf.while
// CHECK:         return %[[UNIQUE]], %[[ENDS]], %[[ORDER]], %[[COUNT]]
func.func @group(%ids: tensor<?xi64>, %n: index) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %e0 = tensor.empty(%n) : tensor<?xi64>
  %e1 = tensor.empty(%n) : tensor<?xi64>
  %e2 = tensor.empty(%n) : tensor<?xi64>
  %e3 = tensor.empty() : tensor<i64>
  %u:4 = kern.unique_ids ids(%ids : tensor<?xi64>) outs(%e0, %e1, %e2, %e3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %u#0, %u#1, %u#2, %u#3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// In the order of first occurrence it is elements of the vector itself that are marked: the first of their kind.
// CHECK-LABEL: func.func @values
// CHECK-SAME:    (%[[X:.*]]: tensor<?xi64>
// CHECK-NOT:     kern.unique_values
// CHECK:         %[[ORDER:.*]] = kern.sort_positions keys(%[[X]] : tensor<?xi64>) dtype = 8
// CHECK:         %[[KEYS:.*]] = linalg.generic
// CHECK:         %[[FIRSTS:.*]] = linalg.generic
// CHECK:             arith.cmpi slt
// CHECK:           tensor.extract %[[ORDER]]
// CHECK:         %[[MARKS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[FIRSTS]]
// CHECK:           arith.cmpi eq
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[MARKS]])
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]]
func.func @values(%x: tensor<?xi64>, %n: index) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {df.role = #df.role<eval_update>, df.segment = #df.segment<step>} {
  %e0 = tensor.empty(%n) : tensor<?xi64>
  %e1 = tensor.empty(%n) : tensor<?xi64>
  %e2 = tensor.empty(%n) : tensor<?xi64>
  %e3 = tensor.empty() : tensor<i64>
  %u:4 = kern.unique_values in(%x : tensor<?xi64>) sorted = 0 outs(%e0, %e1, %e2, %e3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %u#0, %u#1, %u#2, %u#3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// Ascending ones are marked where they are sorted.
// CHECK-LABEL: func.func @sorted_values
// CHECK:         %[[KEYS:.*]] = linalg.generic
// CHECK:         %[[FIRSTS:.*]] = linalg.generic
// CHECK:         %[[MARKS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[KEYS]]
// CHECK:           tensor.extract %[[KEYS]]
// CHECK:           arith.cmpi ne
// CHECK:         %[[START:.*]] = tensor.cast %[[MARKS]]
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
func.func @sorted_values(%x: tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>) attributes {df.role = #df.role<eval_update>, df.segment = #df.segment<step>} {
  %e = tensor.empty() : tensor<5xi64>
  %n = tensor.empty() : tensor<i64>
  %u:4 = kern.unique_values in(%x : tensor<5xi64>) sorted = 1 outs(%e, %e, %e, %n : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>) -> tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>
  return %u#0, %u#1, %u#2, %u#3 : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>
}

// A row of the union is that of one side, or the left one plus the right one.
// CHECK-LABEL: func.func @merge
// CHECK-SAME:    (%[[A:.*]]: tensor<?xi64>, %[[AR:.*]]: tensor<?x4xf32>, %[[AN:.*]]: tensor<i64>, %[[B:.*]]: tensor<?xi64>, %[[BR:.*]]: tensor<?x4xf32>, %[[BN:.*]]: tensor<i64>
// CHECK-NOT:     kern.merge_rows_f32
// CHECK:         %[[SOURCES:.*]] = linalg.generic
// CHECK-DAG:       tensor.extract %[[AN]][]
// CHECK-DAG:       tensor.extract %[[BN]][]
// CHECK:             scf.while
// CHECK:         %[[KEYS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[SOURCES]]
// CHECK:         %[[MARKS:.*]] = linalg.generic
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[MARKS]])
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK:         %[[PLACES:.*]] = linalg.generic
// CHECK:         %[[IDS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[PLACES]]
// CHECK:         %[[ROWS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[PLACES]]
// CHECK:           arith.addf
// CHECK:         return %[[IDS]], %[[ROWS]], %[[COUNT]]
func.func @merge(%a: tensor<?xi64>, %ar: tensor<?x4xf32>, %an: tensor<i64>, %b: tensor<?xi64>, %br: tensor<?x4xf32>, %bn: tensor<i64>, %n: index) -> (tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) attributes {df.role = #df.role<train_combine>, df.segment = #df.segment<step>} {
  %e0 = tensor.empty(%n) : tensor<?xi64>
  %e1 = tensor.empty(%n) : tensor<?x4xf32>
  %e2 = tensor.empty() : tensor<i64>
  %m:3 = kern.merge_rows_f32 a_ids(%a : tensor<?xi64>) a_rows(%ar : tensor<?x4xf32>) a_count(%an : tensor<i64>) b_ids(%b : tensor<?xi64>) b_rows(%br : tensor<?x4xf32>) b_count(%bn : tensor<i64>) row_elems = 4 outs(%e0, %e1, %e2 : tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?xi64>, tensor<?x4xf32>, tensor<i64>
  return %m#0, %m#1, %m#2 : tensor<?xi64>, tensor<?x4xf32>, tensor<i64>
}

// What prepares features is the host's.
// CHECK-LABEL: func.func @features
// CHECK:         kern.unique_ids
func.func @features(%ids: tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) attributes {df.role = #df.role<train>, df.segment = #df.segment<features>} {
  %e = tensor.empty() : tensor<3xi64>
  %n = tensor.empty() : tensor<i64>
  %u:4 = kern.unique_ids ids(%ids : tensor<3xi64>) outs(%e, %e, %e, %n : tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) -> tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>
  return %u#0, %u#1, %u#2, %u#3 : tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>
}
