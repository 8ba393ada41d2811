// A normalizer that is a function: its ops stand in each entry that reads the column, and the function is gone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -convert-est-to-df | FileCheck %s

// CHECK: feature_column.x.normalizer = "{{.*}}df.square{{.*}}df.return
// CHECK-NOT: normalizer/
// CHECK-LABEL: df.function @train
// CHECK: df.tanh %{{.*}} : tensor<?x2x3xf32>
// CHECK: %[[X:.*]] = df.reshape %{{.*}} : (tensor<?xf32>) -> tensor<?x1xf32>
// CHECK: df.square %[[X]]
// CHECK: df.bucketize
// CHECK-LABEL: df.function @predict
// CHECK: df.square
// CHECK-NOT: normalizer/
df.function @"normalizer/x"(%x: tensor<?x1xf32> {df.name = "x"}) -> (tensor<?x1xf32> {df.name = "y"}) attributes {role = #df.role<other>} {
  %0 = df.square %x : tensor<?x1xf32>
  df.return %0 : tensor<?x1xf32>
}
df.function @"normalizer/v"(%x: tensor<?x2x3xf32> {df.name = "x"}) -> (tensor<?x2x3xf32> {df.name = "y"}) attributes {role = #df.role<other>} {
  %0 = df.tanh %x : tensor<?x2x3xf32>
  df.return %0 : tensor<?x2x3xf32>
}
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %v = est.feature "v" : !est.feature<2x3xfloat64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x normalizer(@"normalizer/x") : !est.feature<float32> -> !est.dense<1>
  %m = est.numeric "v" of %v normalizer(@"normalizer/v") : !est.feature<2x3xfloat64> -> !est.dense<6>
  %b = est.bucketized "x_bucketized" of %x normalizer(@"normalizer/x") boundaries [1.0] : !est.feature<float32> -> !est.categorical<2>
  %l = est.linear (%m, %n, %b) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<6>, !est.dense<1>, !est.categorical<2>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}
