// The precision of an estimator is that of the module that it becomes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --convert-est-to-df | FileCheck %s

// CHECK: module attributes {df.precision = #df.precision<bf16_mixed>
est.estimator @mixed compat(tf2) precision(bf16_mixed) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.5 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// CHECK: module attributes {df.precision = #df.precision<tf32>
est.estimator @tf32 compat(tf2) precision(tf32) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.5 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// CHECK: module attributes {df.precision = #df.precision<f16_mixed>
est.estimator @half compat(tf2) precision(f16_mixed) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.5 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}
