// Verifier errors of steps of several values, and of logits of steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// -----

// Case: steps of another number of ids.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  // expected-error@+1 {{'t' must have the ids of the column, '!est.categorical<9>'; found a result of '!est.categorical<8>'}}
  %t = est.steps "t" of %c lengths %n : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<8>
}

// -----

// Case: steps of crosses.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %x = est.crossed "s_X_s" of (%s, %s) hash_key 0 : (!est.feature<?xstring>, !est.feature<?xstring>) -> !est.categorical<9>
  // expected-error@+1 {{'t' takes the ids of a multi-valued feature, without weights or steps}}
  %t = est.steps "t" of %x lengths %n : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
}

// -----

// Case: steps of steps.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  // expected-error@+1 {{'t' is for embeddings and indicators that are sequences}}
  %t = est.steps "t" of %c lengths %n : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
  // expected-note@+1 {{used here}}
  %u = est.steps "u" of %t lengths %n : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
}

// -----

// Case: lengths that are no integers.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  // expected-error@+1 {{operand #1 must be feature of any number of int32 or int64 per row, but got '!est.feature<?xfloat32>'}}
  %t = est.steps "t" of %c lengths %p : !est.categorical<9>, !est.feature<?xfloat32> -> !est.categorical<9>
}

// -----

// Case: steps in a column of rows.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  // expected-error@+1 {{'t' is for embeddings and indicators that are sequences}}
  %t = est.steps "t" of %c lengths %n : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
  // expected-note@+1 {{used here}}
  %i = est.indicator "s_indicator" of %t : !est.categorical<9> -> !est.dense<9>
}

// -----

// Case: a label of rows beside logits of steps.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<1>
  // expected-error@+1 {{takes logits of steps, and a label of a value for each of them; found '!est.feature<int64>'}}
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.step_logits<1>), !est.feature<int64>
}

// -----

// Case: a weight of rows beside logits of steps.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %y = est.feature "y" role(label) : !est.feature<?xint64>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<1>
  // expected-error@+1 {{takes a weight for each step; found '!est.feature<float32>'}}
  est.binary_class_head "y" (%l) label %y weight %w reduction(sum) : (!est.step_logits<1>), !est.feature<?xint64>, !est.feature<float32>
}

// -----

// Case: a vector of numbers for each step.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %y = est.feature "y" role(label) : !est.feature<2xfloat32>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<2>
  // expected-error@+1 {{takes a label of a number for each step; found '!est.feature<2xfloat32>'}}
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.step_logits<2>), !est.feature<2xfloat32>
}

// -----

// Case: sets of classes of each step.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %y = est.feature "y" role(label) : !est.feature<?xint64>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<3>
  // expected-error@+1 {{takes logits of rows; a step has one class}}
  est.multi_label_head "y" (%l) label %y reduction(sum) : (!est.step_logits<3>), !est.feature<?xint64>
}

// -----

// Case: groups of steps.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %y = est.feature "y" role(label) : !est.feature<?xint64>
  %g = est.feature "g" categorical : !est.feature<string>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<1>
  // expected-error@+1 {{takes logits of steps, which have no groups}}
  est.binary_class_head "y" (%l) label %y group %g reduction(sum) : (!est.step_logits<1>), !est.feature<?xint64> group !est.feature<string>
}

// -----

// Case: a part of the logits of steps.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<3>
  // expected-error@+1 {{operand #0 must be What a body hands to a head}}
  %t = est.part_of_logits %l from 0 : !est.step_logits<3> -> !est.logits<1>
}

// -----

// Case: a type of no logits.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %p = est.feature "p" : !est.feature<?xfloat32>
  %q = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.hash_bucket "s" of %s : !est.feature<?xstring> -> !est.categorical<9>
  // expected-error@+1 {{the dimension must be above 0; found 0}}
  %l = est.rnn (%q) units [3] cell(lstm) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.sequence<1>) -> !est.step_logits<0>
}

// -----

// Case: names of heads in metrics that are told by a number.
// expected-error@+1 {{est.names_in_metrics must be a unit attribute}}
est.estimator @m compat(tf2) attributes {est.names_in_metrics = 1} {
  %s = est.feature "s" : !est.feature<float32>
}
