// Numeric columns of several numbers per row: flattened in row-major order, the normalizer applied to each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse | FileCheck %s
//
// Each row of the batch has the gradient 1, the rate is 1: the weights become minus the sums of the column.
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -e 's/df.name = "p"/&, df.value = dense<[[[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0], [30.0, 40.0]]]> : tensor<2x2x2xf32>/' \
// RUN:         -e 's/df.name = "q"/&, df.value = dense<[[2, 6, 10], [10, 2, 2]]> : tensor<2x3xi32>/' \
// RUN:         -e 's/df.name = "b"/&, df.value = dense<[[true, false], [true, true]]> : tensor<2x2xi1>/' \
// RUN:         -e 's/df.name = "z"/&, df.value = dense<[[3.0, 5.0], [1.0, 5.0]]> : tensor<2x2xf64>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<2xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s --check-prefix=VALUES

est.estimator @columns compat(tf2) {
  %p = est.feature "p" : !est.feature<2x2xfloat32>
  %q = est.feature "q" : !est.feature<3xint32>
  %b = est.feature "b" : !est.feature<2xbool>
  %z = est.feature "z" : !est.feature<2xfloat64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n0 = est.numeric "b" of %b : !est.feature<2xbool> -> !est.dense<2>
  %n1 = est.numeric "p" of %p : !est.feature<2x2xfloat32> -> !est.dense<4>
  %n2 = est.numeric "q" of %q normalizer(#est.min_max<min = 2.0, max = 10.0>) : !est.feature<3xint32> -> !est.dense<3>
  %n3 = est.numeric "z" of %z normalizer(#est.z_score<mean = 1.0, stddev = 2.0>) : !est.feature<2xfloat64> -> !est.dense<2>
  %l = est.linear (%n0, %n1, %n2, %n3) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<2>, !est.dense<4>, !est.dense<3>, !est.dense<2>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK: df.variable @"linear/linear_model/b/weights+3" : tensor<11x1xf32>
// CHECK-SAME: {named_rows = [#df.named_rows<"linear/linear_model/b/weights", 2>, #df.named_rows<"linear/linear_model/p/weights", 4>, #df.named_rows<"linear/linear_model/q/weights", 3>, #df.named_rows<"linear/linear_model/z/weights", 2>], trainable}
// CHECK-LABEL: df.function @predict(
// CHECK-SAME: %[[P:[^:]*]]: tensor<?x2x2xf32> {df.name = "p"}, %[[Q:[^:]*]]: tensor<?x3xi32> {df.name = "q"}, %[[B:[^:]*]]: tensor<?x2xi1> {df.name = "b"},
// CHECK-SAME: %{{[^:]*}}: tensor<?x2xf64> {df.name = "z"})
// Columns of numbers are one matrix, normalized by vectors; 0 and 1 leave those without a normalizer as they are.
// CHECK: %[[B32:.*]] = df.cast %[[B]] : (tensor<?x2xi1>) -> tensor<?x2xf32>
// CHECK: %[[P4:.*]] = df.reshape %[[P]] : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
// CHECK: %[[Q32:.*]] = df.cast %[[Q]] : (tensor<?x3xi32>) -> tensor<?x3xf32>
// CHECK: %[[X:.*]] = df.concat %[[B32]], %[[P4]], %[[Q32]], %{{.*}} {axis = 1 : i64} : (tensor<?x2xf32>, tensor<?x4xf32>, tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x11xf32>
// CHECK-DAG: %[[OFFSETS:.*]] = df.constant dense<[0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00, 1.000000e+00]>
// CHECK-DAG: %[[SCALES:.*]] = df.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 8.000000e+00, 8.000000e+00, 8.000000e+00, 2.000000e+00, 2.000000e+00]>
// CHECK-DAG: df.broadcast %[[OFFSETS]] like %[[X]] dimensions = [1]
// CHECK-DAG: df.broadcast %[[SCALES]] like %[[X]] dimensions = [1]
// VALUES-LABEL: @train
// VALUES: b/weights = tensor<2x1xf32> {{\[\[-2\], \[-1\]\]}}
// VALUES: p/weights = tensor<4x1xf32> {{\[\[-11\], \[-22\], \[-33\], \[-44\]\]}}
// VALUES: q/weights = tensor<3x1xf32> {{\[\[-1\], \[-0.5\], \[-1\]\]}}
// VALUES: z/weights = tensor<2x1xf32> {{\[\[-1\], \[-4\]\]}}
