// Columns with any number of values per row: what stands for the ids of a row is summed, or averaged over those that are ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse | FileCheck %s
//
// Rows (3, 1), (), (9: no id, 1). Each row has the gradient 1, the rate is 1: weights become minus the counts, 1 / ids per row.
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -e 's/df.name = "c"/&, df.value = dense<[3, 1, 9, 1]> : tensor<4xi64>/' \
// RUN:         -e 's/df.name = "c.ends"/&, df.value = dense<[2, 2, 4]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<3xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s --check-prefix=VALUES

est.estimator @columns compat(tf2) {
  %c = est.feature "c" categorical : !est.feature<?xint64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "c" of %c terms([0, 1, 2, 3]) : !est.feature<?xint64> -> !est.categorical<4>
  %i = est.indicator "c_indicator" of %v : !est.categorical<4> -> !est.dense<4>
  %l = est.linear (%i, %v) sparse_combiner(mean) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<4>, !est.categorical<4>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: df.function @predict(
// CHECK-SAME: %[[C:[^:]*]]: tensor<?xi64> {df.name = "c", df.symbol = 1 : i64}, %[[ENDS:[^:]*]]: tensor<?xi64> {df.name = "c.ends"})
// CHECK: %[[IDS:.*]] = df.lookup @"vocabulary/c", %[[C]]
// CHECK: %[[HOT:.*]] = df.one_hot %[[IDS]]
// CHECK: df.ragged_reduce sum %[[HOT]], %[[ENDS]] : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
// CHECK: %[[ROWS:.*]] = df.read_rows @"linear/linear_model/c/weights"[%[[IDS]]]
// CHECK: df.ragged_reduce sum %[[ROWS]], %[[ENDS]] : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<?x1xf32>
// CHECK: df.maximum

// VALUES-LABEL: @train
// VALUES: c/weights = tensor<4x1xf32> {{\[\[0\], \[-1.5\], \[0\], \[-0.5\]\]}}
// VALUES: c_indicator/weights = tensor<4x1xf32> {{\[\[0\], \[-2\], \[0\], \[-1\]\]}}
