// A rule that decays its slots in all rows does so in tables of sparse_update exact; those of sparse_update lazy change in
// the rows of the batch alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --verify-diagnostics -o %t
// RUN: FileCheck %s --input-file=%t

est.estimator @rules compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %h = est.hash_bucket "s" of %s : !est.feature<string> -> !est.categorical<1000000>
  // expected-warning@below {{because RMSProp decays its slots in rows without a gradient, too; sparse_update LAZY of an embedding touches only the rows of the batch}}
  %e = est.embedding "exact" of %h combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(exact)
    : !est.categorical<1000000> -> !est.dense<4>
  %f = est.embedding "lazy" of %h combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(lazy)
    : !est.categorical<1000000> -> !est.dense<4>
  %d = est.dnn (%e, %f) hidden_units [2] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.rms_prop<learning_rate = <"lr" = 0.001 : f64>, decay = <"d" = 0.9 : f64>,
      epsilon = <"eps" = 1.0e-7 : f64>, centered = true, initial_mean_square = 0.0>>)
    : (!est.dense<4>, !est.dense<4>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-NOT: df.densify_rows
// CHECK: df.apply_rows every_row [@"dnn/input_from_feature_columns/input_layer/exact/embedding_weights", @"dnn/input_from_feature_columns/input_layer/exact/embedding_weights/RMSProp", @"dnn/input_from_feature_columns/input_layer/exact/embedding_weights/RMSProp_1"]
// CHECK: df.apply_rows [@"dnn/input_from_feature_columns/input_layer/lazy/embedding_weights", @"dnn/input_from_feature_columns/input_layer/lazy/embedding_weights/RMSProp", @"dnn/input_from_feature_columns/input_layer/lazy/embedding_weights/RMSProp_1"]
