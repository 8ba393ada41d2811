// Indices go through a check whose result is what is read by: nothing sees an index before it is known to be right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[X:.*]]: tensor<7x?xf32>{{.*}}, %[[I:.*]]: tensor<?xi64>
// CHECK:         %[[CHECKED:.*]] = kern.check_indices bounds(%{{.*}} : tensor<1xi64>) skip_negative = 0
// CHECK-SAME:      what = "'df.gather' at {{.*}}indexing.mlir:[[#@LINE+7]]:8" outs(%[[I]] : tensor<?xi64>)
// CHECK:         linalg.generic
// CHECK:           %[[ID:.*]] = tensor.extract %[[CHECKED]]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[ID]]
// CHECK:           tensor.extract %[[X]][%[[ROW]], %{{.*}}]
df.function @gather(%x: tensor<7x?xf32> {df.binding = #df.binding<feature, "x">}, %i: tensor<?xi64> {df.binding = #df.binding<feature, "i">})
    -> (tensor<?x?xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<7x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// -----

// In order, by loops that carry the result.
// CHECK-LABEL: func.func @scatter
// CHECK:         %[[CHECKED:.*]] = kern.check_indices
// CHECK:         scf.for
// CHECK:           tensor.extract %[[CHECKED]]
// CHECK:           arith.addf
// CHECK:           tensor.insert
df.function @scatter(%x: tensor<7xf32> {df.binding = #df.binding<feature, "x">}, %i: tensor<?xi64> {df.binding = #df.binding<feature, "i">},
    %u: tensor<?xf32> {df.binding = #df.binding<feature, "u">}) -> (tensor<7xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<7xf32>, tensor<?xi64>, tensor<?xf32>) -> tensor<7xf32>
  df.return %y : tensor<7xf32>
}

// -----

// A range that types say is within needs no check; one that only run time knows does.
// CHECK-LABEL: func.func @slices
// CHECK-NOT:     check_indices
// CHECK:         tensor.extract_slice %{{.*}}[0, 1] [%{{.*}}, 2] [1, 3]
// CHECK:         kern.check_indices
// CHECK:         tensor.extract_slice %{{.*}}[%{{.*}}, 0] [2, 5] [1, 1]
df.function @slices(%x: tensor<?x5xf32> {df.binding = #df.binding<feature, "x">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "y">}, tensor<2x5xf32> {df.binding = #df.binding<output, "z">}) {
  %y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 3>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  %z = df.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 2, 5>} : (tensor<?x5xf32>) -> tensor<2x5xf32>
  df.return %y, %z : tensor<?x2xf32>, tensor<2x5xf32>
}

// -----

// Indices that are right whatever the data are taken as they are.
// CHECK-LABEL: func.func @in_bounds
// CHECK-NOT:     check_indices
// CHECK:         return
df.function @in_bounds(%x: tensor<7xf32> {df.binding = #df.binding<variable, "x">}, %i: tensor<?x2xi64> {df.binding = #df.binding<intermediate, "i">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "y">}, tensor<7xf32> {df.binding = #df.binding<variable, "x">}) {
  %y = df.gather %x, %i {axes = array<i64: 0>, df.in_bounds} : (tensor<7xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
  %z = df.scatter add %x, %i, %y {axes = array<i64: 0>, df.in_bounds} : (tensor<7xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<7xf32>
  df.return %y, %z : tensor<?x2xf32>, tensor<7xf32>
}

// -----

// Several ids in each row are checked as those of rows that end at multiples of their number.
// CHECK-LABEL: func.func @check_rows
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : i64
// CHECK:         %[[ENDS:.*]] = linalg.generic
// CHECK:           %[[BEFORE:.*]] = arith.muli %{{.*}}, %[[SIX]] : i64
// CHECK:           arith.addi %[[BEFORE]], %[[SIX]] : i64
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : tensor<?x3x2xi64> into tensor<?xi64>
// CHECK:         kern.check_segment_ids ids(%[[FLAT]] : tensor<?xi64>) low = 0 high = 9 {{.*}} ends(%[[ENDS]] : tensor<?xi64>)
df.function @check_rows(%i: tensor<?x3x2xi64> {df.binding = #df.binding<feature, "i">}) -> (tensor<?x3x2xi64> {df.binding = #df.binding<intermediate, "i">}) {
  %ok = df.check_ids %i {low = 0 : i64, high = 9 : i64, what = "id"} : (tensor<?x3x2xi64>) -> tensor<?x3x2xi64>
  df.return %ok : tensor<?x3x2xi64>
}
