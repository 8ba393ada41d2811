// What convert-est-to-df refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --split-input-file --verify-diagnostics

// expected-error@below {{holds no est.estimator; expected one}}
module {
}

// -----

est.estimator @one compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}
// expected-error@below {{stands beside the estimator; expected a module with one est.estimator and its normalizers alone}}
df.variable @w : tensor<f32> = #df.constant<0.0>

// -----

est.estimator @columns compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %t = est.feature "t" categorical : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<float32>
  // expected-note@below {{the first is here}}
  %a = est.vocabulary "a" of %s terms(["x"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@below {{is another column 'a'; columns need distinct names}}
  %b = est.vocabulary "a" of %t terms(["y"]) : !est.feature<string> -> !est.categorical<1>
  %e = est.indicator "e" of %b : !est.categorical<1> -> !est.dense<1>
  %l = est.linear (%a, %e) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.categorical<1>, !est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

est.estimator @bodies compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-note@below {{the first is here}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  // expected-error@below {{is a second body of its kind; a model has at most one of each}}
  %m = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l, %m) label %y reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// -----

// expected-error@below {{'manifest': input is not JSON}}
est.estimator @manifest compat(tf2) input "{" {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Adam moves rows without a gradient, too: a dense pass over the table at every step.
est.estimator @adam compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %h = est.hash_bucket "s" of %s : !est.feature<string> -> !est.categorical<1000000>
  // expected-warning@below {{every step updates all 1000000 rows of 'dnn/input_from_feature_columns/input_layer/exact/embedding_weights'}}
  %e = est.embedding "exact" of %h combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(exact)
    : !est.categorical<1000000> -> !est.dense<4>
  %f = est.embedding "lazy" of %h combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(lazy)
    : !est.categorical<1000000> -> !est.dense<4>
  %d = est.dnn (%e, %f) hidden_units [2] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adam<learning_rate = <"lr" = 0.001 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>,
      epsilon = <"eps" = 1.0e-7 : f64>>>) : (!est.dense<4>, !est.dense<4>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}
