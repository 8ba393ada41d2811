// What the verifiers of estimators, bodies and heads of the est dialect refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// Case: no head.
// expected-error@+1 {{'m' has no head; an estimator has at least one}}
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
}

// -----

// Case: two heads of one name.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  %0 = est.part_of_logits %l from 0 : !est.logits<2> -> !est.logits<1>
  %1 = est.part_of_logits %l from 1 : !est.logits<2> -> !est.logits<1>
  // expected-note@+1 {{the other head is here}}
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
  // expected-error@+1 {{'a' is the name of another head}}
  est.regression_head "a" (%1) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: heads of other bodies.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %other = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  %0 = est.part_of_logits %l from 0 : !est.logits<2> -> !est.logits<1>
  // expected-note@+1 {{the first head is here}}
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
  // expected-error@+1 {{has other bodies than the first head}}
  est.regression_head "b" (%other) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: other logits of one body than of another.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %other = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<2>
  %0 = est.part_of_logits %l from 0 : !est.logits<2> -> !est.logits<1>
  // expected-note@+1 {{of this body}}
  %1 = est.part_of_logits %other from 1 : !est.logits<2> -> !est.logits<1>
  // expected-error@+1 {{takes logits from 1 of one body and from 0 of another; expected the same of all}}
  est.regression_head "a" (%0, %1) label %y reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
  est.regression_head "b" (%0, %1) label %y reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// -----

// Case: one head of a part.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  %0 = est.part_of_logits %l from 0 : !est.logits<2> -> !est.logits<1>
  // expected-error@+1 {{takes a part of the logits; the only head takes all of them}}
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: more logits than there are.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{takes 1 logits from 2 on, of 2}}
  %0 = est.part_of_logits %l from 2 : !est.logits<2> -> !est.logits<1>
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: from a number that wraps around.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{takes 1 logits from 9223372036854775807 on, of 2}}
  %0 = est.part_of_logits %l from 9223372036854775807 : !est.logits<2> -> !est.logits<1>
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: from a negative number.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{attribute 'from' failed to satisfy constraint}}
  %0 = est.part_of_logits %l from -1 : !est.logits<2> -> !est.logits<1>
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: a part of a part.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  %0 = est.part_of_logits %l from 1 : !est.logits<2> -> !est.logits<1>
  // expected-error@+1 {{takes the logits of a body, all of them}}
  %1 = est.part_of_logits %0 from 0 : !est.logits<1> -> !est.logits<1>
  est.regression_head "a" (%1) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// -----

// Case: dnn of categorical.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %h = est.hash_bucket "h" of %s : !est.feature<string> -> !est.categorical<9>
  // expected-error@+1 {{operand #0 must be variadic of A fixed number of float32 values per row}}
  %l = est.dnn (%h) hidden_units [2] activation(relu) kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.categorical<9>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: column twice.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-note@+1 {{the column is defined here}}
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{takes column 'x' twice}}
  %l = est.linear (%n, %n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>, !est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: dropout.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{dropout must be in [0, 1); found 1.000000e+00 : f64}}
  %l = est.dnn (%n) hidden_units [2] activation(relu) dropout(<"model.dnn.dropout" = 1.0 : f64>) kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: initializer.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{attribute 'kernel_initializer' failed to satisfy constraint: initializer}}
  %l = est.dnn (%n) hidden_units [2] activation(relu) kernel_initializer(#est.log1p) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: rule.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{rule must be an update rule}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.log1p>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: piecewise.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+2 {{1 boundaries need 2 values; found 1}}
  // expected-error@+1 {{failed to parse Est_OptimizerAttr parameter 'decay'}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>, decay = #est.piecewise_constant<boundaries = [1], values = [0.1]>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: setting type.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+3 {{setting 'lr' must be f64 or i64; found 'f32'}}
  // expected-error@+2 {{failed to parse Est_SgdAttr parameter 'learning_rate'}}
  // expected-error@+1 {{failed to parse Est_OptimizerAttr parameter 'rule'}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f32>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: logits width.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-note@+1 {{from this body}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<2>
  // expected-error@+1 {{takes 1 logits; found 2}}
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<int64>
}

// -----

// Case: vocabulary of the head.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-error@+1 {{has 2 classes; found a vocabulary of 3}}
  est.binary_class_head "y" (%l) label %y vocabulary([0, 1, 2]) reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: string label.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  %t = est.feature "t" role(label) : !est.feature<string>
  // expected-error@+1 {{has a label of strings and needs a vocabulary}}
  est.binary_class_head "y" (%l) label %t reduction(sum) : (!est.logits<1>), !est.feature<string>
}

// -----

// Case: threshold.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-error@+1 {{thresholds must be in (0, 1); found 1.0}}
  est.binary_class_head "y" (%l) label %y thresholds [1.0] reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: role of the label.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-error@+1 {{label 'i' has role feature}}
  est.binary_class_head "y" (%l) label %i reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: label as feature.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-note@+1 {{used here}}
  %c = est.identity "y" of %y : !est.feature<int64> -> !est.categorical<2>
  // expected-error@+1 {{has a label that is also used as a feature}}
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: two classes.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<2>
  // expected-error@+1 {{needs more than 2 classes; found 2 (2 classes: est.binary_class_head)}}
  est.multi_class_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<int64>
}

// -----

// Case: regression of strings.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  %t = est.feature "t" role(label) : !est.feature<string>
  // expected-error@+1 {{has a label of strings; a regression takes numbers}}
  est.regression_head "y" (%l) label %t reduction(sum) : (!est.logits<1>), !est.feature<string>
}

// -----

// Case: link regression of strings.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  %t = est.feature "t" role(label) : !est.feature<string>
  // expected-error@+1 {{has a label of strings; a regression takes numbers}}
  est.poisson_regression_head "y" (%l) label %t reduction(sum) : (!est.logits<1>), !est.feature<string>
}

// -----

// Case: logits of a link regression.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-note@+1 {{from this body}}
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<2>
  %t = est.feature "t" role(label) : !est.feature<float32>
  // expected-error@+1 {{takes 1 logits; found 2}}
  est.logistic_regression_head "y" (%l) label %t reduction(sum) : (!est.logits<2>), !est.feature<float32>
}

// -----

// Case: vector label.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<2x3xfloat32>
  %y = est.feature "y" role(label) : !est.feature<4xint64>
  %n = est.numeric "x" of %x : !est.feature<2x3xfloat32> -> !est.dense<6>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<6>) -> !est.logits<1>
  // expected-error@+1 {{has a label of 4 values per row; expected one}}
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<4xint64>
}

// -----

// Case: logits of a vector of numbers.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<3xfloat32>
  // expected-note@+1 {{from this body}}
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{takes 3 logits; found 2}}
  est.poisson_regression_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<3xfloat32>
}

// -----

// Case: regression of a matrix.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<2x3xfloat32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<6>
  // expected-error@+1 {{takes a label of one number or a vector of them; found '!est.feature<2x3xfloat32>'}}
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<6>), !est.feature<2x3xfloat32>
}

// -----

// Case: groups of many.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %g = est.feature "g" categorical : !est.feature<?xstring>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<1>
  // expected-error@+1 {{has a group of any number of values per row; expected one}}
  est.binary_class_head "y" (%l) label %y group %g reduction(sum) : (!est.logits<1>), !est.feature<int64> group !est.feature<?xstring>
}

// -----

// Case: one class.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<?xint64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<1>
  // expected-error@+1 {{needs at least 2 classes; found 1}}
  est.multi_label_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<?xint64>
}

// -----

// Case: sets of floats.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<?xfloat32>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{has a label of sets of float32; classes are integers, or strings with a vocabulary}}
  est.multi_label_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<?xfloat32>
}

// -----

// Case: sets of strings.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<?xstring>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{has a label of strings and needs a vocabulary}}
  est.multi_label_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<?xstring>
}

// -----

// Case: one class of many.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{takes a label of any number of classes per row, or of 2 numbers or truth values; found '!est.feature<int64>'}}
  est.multi_label_head "y" (%l) label %y reduction(sum) : (!est.logits<2>), !est.feature<int64>
}

// -----

// Case: names of truth values.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<2xint64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{has 2 classes; found a vocabulary of 3}}
  est.multi_label_head "y" (%l) label %y vocabulary(["a", "b", "c"]) reduction(sum) : (!est.logits<2>), !est.feature<2xint64>
}

// -----

// Case: metrics of no class.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<2xint64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{has metrics of class 2; expected one of [0, 2)}}
  est.multi_label_head "y" (%l) label %y class_metrics [2] reduction(sum) : (!est.logits<2>), !est.feature<2xint64>
}

// -----

// Case: thresholds of many classes.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<2xint64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // expected-error@+1 {{thresholds must be in (0, 1); found 0.000000e+00}}
  est.multi_label_head "y" (%l) label %y thresholds [0.0] reduction(sum) : (!est.logits<2>), !est.feature<2xint64>
}

// -----

// Case: a head with an attribute that nothing declares.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-error@+1 {{has the attribute 'est.head_weight', which the est dialect does not have}}
  est.binary_class_head "y" (%l) label %y reduction(sum) {est.head_weight = 0.5 : f64} : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: what is told or not, as a number.
// expected-error@+1 {{est.tells_loss must be a unit}}
est.estimator @m compat(tf2) attributes {est.tells_loss = 1 : i64} {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: a head's weight that is no setting.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // expected-error@+1 {{expected '<'}}
  est.binary_class_head "y" (%l) label %y reduction(sum) head_weight(0.5 : f64) : (!est.logits<1>), !est.feature<int64>
}

// -----

df.function @f(%g: tensor<4xf32> {df.name = "g"}, %step: tensor<i64> {df.name = "step"}) {
  // expected-error @below {{(C1) has 1 gradients for 2 variables; expected one for each, and a variable at least}}
  est.apply_gradients [@w, @v] (%g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf32>), tensor<i64>
  df.return
}

// -----

df.function @f(%g: tensor<4xf32> {df.name = "g"}, %step: tensor<i32> {df.name = "step"}) {
  // expected-error @below {{(C2) has a step of type 'tensor<i32>'; expected tensor<i64>}}
  est.apply_gradients [@w] (%g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf32>), tensor<i32>
  df.return
}

// -----

df.function @f(%g: tensor<4xf32> {df.name = "g"}, %step: tensor<i64> {df.name = "step"}, %rate: tensor<f64> {df.name = "rate"}) {
  // expected-error @below {{(C2) has a learning rate of type 'tensor<f64>'; expected tensor<f32>}}
  est.apply_gradients [@w] (%g) step %step learning_rate %rate optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
    : (tensor<4xf32>), tensor<i64>, tensor<f64>
  df.return
}

// -----

// Case: a sequence of one id per row.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %c = est.hash_bucket "s" of %s : !est.feature<string> -> !est.categorical<9>
  // expected-error@+1 {{'s_indicator' is a sequence; its ids must be of a multi-valued feature, and without weights}}
  %i = est.indicator "s_indicator" of %c : !est.categorical<9> -> !est.sequence<9>
}

// -----

// Case: a sequence of crosses.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %c = est.crossed "s_X_s" of (%s, %s) hash_key 0 : (!est.feature<?xstring>, !est.feature<?xstring>) -> !est.categorical<9>
  // expected-error@+1 {{'e' is a sequence; its ids must be of a multi-valued feature, and without weights}}
  %i = est.embedding "e" of %c combiner(sum) initializer(#est.constant<value = 0.0>) sparse_update(exact) : !est.categorical<9> -> !est.sequence<2>
}

// -----

// Case: numbers of a step.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{'p' has one number per step; found a result of 2}}
  %n = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<2>
}

// -----

// Case: integers as steps.
est.estimator @m compat(tf2) {
  // expected-error@+1 {{'p' has any number of values per row; only categorical columns, sequences of floats and labels take that}}
  %p = est.feature "p" : !est.feature<?xint64>
}

// -----

// Case: a recurrent body without layers.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  // expected-error@+1 {{needs the units of at least one layer}}
  %l = est.rnn (%n) units [] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.logits<1>
}

// -----

// Case: a recurrent layer of no width.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  // expected-error@+1 {{units must be above 0; found 0}}
  %l = est.rnn (%n) units [3, 0] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.logits<1>
}

// -----

// Case: a recurrent body of no sequence.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{needs at least one sequence}}
  %l = "est.rnn"() <{cell = 1 : i32, operandSegmentSizes = array<i32: 0, 0>, units = array<i64: 3>,
    optimizer = #est.optimizer<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>}> : () -> !est.logits<1>
}

// -----

// Case: a sequence twice.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-note@+1 {{the column is defined here}}
  %n = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  // expected-error@+1 {{takes column 'p' twice}}
  %l = est.rnn (%n, %n) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>, !est.sequence<1>) -> !est.logits<1>
}
