// What the verifiers of features and columns of the est dialect refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// Case: feature twice.
est.estimator @m compat(tf2) {
  // expected-note@+1 {{first declared here}}
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{'x' is declared twice}}
  %d = est.feature "x" : !est.feature<float32>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: float categorical.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{'f' is float32; only strings and integers can be categorical}}
  %f = est.feature "f" categorical : !est.feature<float32>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: categorical label.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{'l' is a label and cannot be categorical}}
  %f = est.feature "l" role(label) categorical : !est.feature<int64>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: numeric string.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{operand #0 must be feature of numbers or truth values}}
  %0 = est.numeric "s" of %s : !est.feature<string> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: numeric width.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{'a' has 1 number per row; found a result of 2}}
  %0 = est.numeric "a" of %x : !est.feature<float32> -> !est.dense<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: stddev.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{stddev must be above 0; found}}
  %0 = est.numeric "a" of %x normalizer(#est.z_score<mean = 0.0, stddev = 0.0>) : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: boundaries.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{boundaries must grow; 2.000000e+00 is followed by 1.000000e+00}}
  %0 = est.bucketized "b" of %x boundaries [2.0, 1.0] : !est.feature<float32> -> !est.categorical<3>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: bucket count.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{2 boundaries make 3 buckets; found a result of 2}}
  %0 = est.bucketized "b" of %x boundaries [1.0, 2.0] : !est.feature<float32> -> !est.categorical<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: vocabulary of floats.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{operand #0 must be feature of one string or integer per row}}
  %0 = est.vocabulary "v" of %x terms(["a"]) : !est.feature<float32> -> !est.categorical<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: term twice.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{term "a" stands twice in the vocabulary of 'v'}}
  %0 = est.vocabulary "v" of %s terms(["a", "a"]) : !est.feature<string> -> !est.categorical<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: term type.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{terms of a int64 feature must be integers; found strings}}
  %0 = est.vocabulary "v" of %i terms(["a"]) : !est.feature<int64> -> !est.categorical<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: oov and default.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{has both num_oov_buckets and a default_value; expected one of them}}
  %0 = est.vocabulary "v" of %s terms(["a"]) num_oov_buckets 1 default_value 0 : !est.feature<string> -> !est.categorical<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: vocabulary size.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{1 terms and 2 oov buckets make 3 ids; found a result of 2}}
  %0 = est.vocabulary "v" of %s terms(["a"]) num_oov_buckets 2 : !est.feature<string> -> !est.categorical<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: identity default.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{default_value must be in [0, 4); found 4}}
  %0 = est.identity "d" of %i default_value 4 : !est.feature<int64> -> !est.categorical<4>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: no buckets.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{the number of buckets must be above 0; found 0}}
  %0 = est.identity "d" of %i : !est.feature<int64> -> !est.categorical<0>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: cross of hashed.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-note@+1 {{'h' is defined here}}
  %h = est.hash_bucket "h" of %s : !est.feature<string> -> !est.categorical<9>
  // expected-error@+1 {{term 0 is hashed; cross the feature itself}}
  %0 = est.crossed "c" of (%h, %s) hash_key 1 : (!est.categorical<9>, !est.feature<string>) -> !est.categorical<9>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: cross of numbers.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{term 1 must be a feature of strings or a categorical column}}
  %0 = est.crossed "c" of (%s, %x) hash_key 1 : (!est.feature<string>, !est.feature<float32>) -> !est.categorical<9>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: cross of one.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // expected-error@+1 {{'c' needs at least 2 terms; found 1}}
  %0 = est.crossed "c" of (%s) hash_key 1 : (!est.feature<string>) -> !est.categorical<9>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: indicator width.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %h = est.hash_bucket "h" of %s : !est.feature<string> -> !est.categorical<9>
  // expected-error@+1 {{'h_indicator' has 9 ids; found a result of 8}}
  %0 = est.indicator "h_indicator" of %h : !est.categorical<9> -> !est.dense<8>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: bucketized vector.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<2x3xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<2x3xfloat32> -> !est.dense<6>
  // expected-error@+1 {{1 boundaries for each of 6 numbers make 12 buckets; found a result of 2}}
  %0 = est.bucketized "b" of %x boundaries [1.0] : !est.feature<2x3xfloat32> -> !est.categorical<2>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<6>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: numeric vector of another width.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<2x3xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{'x' has 6 numbers per row; found a result of 5}}
  %m = est.numeric "x" of %x : !est.feature<2x3xfloat32> -> !est.dense<5>
  %n = est.numeric "x" of %x : !est.feature<2x3xfloat32> -> !est.dense<6>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<6>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: cross of vectors.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<2x3xfloat32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %s = est.feature "s" categorical : !est.feature<2xstring>
  %n = est.numeric "x" of %x : !est.feature<2x3xfloat32> -> !est.dense<6>
  // expected-error@+1 {{term 0 must be a feature of strings or a categorical column; found '!est.feature<2xstring>'}}
  %0 = est.crossed "c" of (%s, %s) hash_key 1 : (!est.feature<2xstring>, !est.feature<2xstring>) -> !est.categorical<9>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<6>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// expected-error@+1 {{a dimension must be above 0; found 0}}
func.func private @feature() -> !est.feature<3x0xfloat32>

// -----

// expected-error@+1 {{a multi-valued feature has the shape '?' and no other dimension}}
func.func private @feature() -> !est.feature<?x2xstring>

// -----

// Case: weights of no feature.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'w' must be the float32 weights '<name>.weight' of a multi-valued feature '<name>'}}
  %w = est.feature "w" of %s : !est.feature<?xstring> : !est.feature<?xfloat32>
}

// -----

// Case: weights of a feature of one value.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'t.weight' must be the float32 weights '<name>.weight' of a multi-valued feature '<name>'}}
  %w = est.feature "t.weight" of %t : !est.feature<string> : !est.feature<?xfloat32>
}

// -----

// Case: one weight per row of a multi-valued column.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'w' needs the weights of the values of 's'}}
  %w = est.weighted "w" of %v weight %f : !est.categorical<1>, !est.feature<float64> -> !est.categorical<1>
}

// -----

// Case: weights of values for a column of one.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  %sw = est.feature "s.weight" of %s : !est.feature<?xstring> : !est.feature<?xfloat32>
  // expected-error@+1 {{'w' has one id per row and needs a weight of one float per row; found '!est.feature<?xfloat32>'}}
  %w = est.weighted "w" of %u weight %sw : !est.categorical<1>, !est.feature<?xfloat32> -> !est.categorical<1>
}

// -----

// Case: strings as weights.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'w' has one id per row and needs a weight of one float per row; found '!est.feature<string>'}}
  %w = est.weighted "w" of %u weight %t : !est.categorical<1>, !est.feature<string> -> !est.categorical<1>
}

// -----

// Case: other ids.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'w' must have the ids of the column, '!est.categorical<1>'; found a result of '!est.categorical<2>'}}
  %w = est.weighted "w" of %u weight %f : !est.categorical<1>, !est.feature<float64> -> !est.categorical<2>
}

// -----

// Case: weights twice.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  %w = est.weighted "w" of %u weight %f : !est.categorical<1>, !est.feature<float64> -> !est.categorical<1>
  // expected-error@+1 {{'x' is of a column that has weights}}
  %x = est.weighted "x" of %w weight %f : !est.categorical<1>, !est.feature<float64> -> !est.categorical<1>
}

// -----

// Case: weights of a cross of many values.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  %c = est.crossed "c" of (%v, %t) hash_key 1 : (!est.categorical<1>, !est.feature<string>) -> !est.categorical<9>
  // expected-error@+1 {{'w' is of a column with any number of ids per row, whose values have no weights}}
  %w = est.weighted "w" of %c weight %f : !est.categorical<9>, !est.feature<float64> -> !est.categorical<9>
}

// -----

// Case: weighted in a cross.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-note@+1 {{'w' is defined here}}
  %w = est.weighted "w" of %u weight %f : !est.categorical<1>, !est.feature<float64> -> !est.categorical<1>
  // expected-error@+1 {{term 0 is weighted; cross the column without its weights}}
  %c = est.crossed "c" of (%w, %t) hash_key 1 : (!est.categorical<1>, !est.feature<string>) -> !est.categorical<9>
}

// -----

// Case: max_norm of 0.
est.estimator @m compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<?xstring>
  %t = est.feature "t" categorical : !est.feature<string>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %v = est.vocabulary "s" of %s terms(["a"]) : !est.feature<?xstring> -> !est.categorical<1>
  %u = est.vocabulary "t" of %t terms(["a"]) : !est.feature<string> -> !est.categorical<1>
  // expected-error@+1 {{'e' needs a max_norm above 0}}
  %e = est.embedding "e" of %u combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(exact) max_norm(0.0) : !est.categorical<1> -> !est.dense<2>
}

// -----

// expected-error@+1 {{gradients are clipped in two ways; at most one of clip_by_value, clip_by_norm and clip_by_global_norm may stand}}
#two_bounds = #est.optimizer<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>, clip_by_value = <"v" = 1.0 : f64>, clip_by_norm = <"n" = 1.0 : f64>>

// -----

// expected-error@+1 {{rule must be an update rule (#est.sgd, #est.momentum, #est.adagrad, #est.adadelta, #est.adam, #est.adamax, #est.nadam, #est.rms_prop or #est.ftrl); found #est.log1p}}
#no_rule = #est.optimizer<rule = #est.log1p>

// -----

// expected-error@+1 {{decay must be a decay of the learning rate; found #est.nadam<}}
#no_decay = #est.optimizer<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>, decay = #est.nadam<learning_rate = <"lr" = 0.1 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.9 : f64>, epsilon = <"e" = 0.1 : f64>, schedule_decay = <"d" = 0.1 : f64>>>

// -----

// expected-error@+1 {{t_mul must be at least 1 and finite; found 5.000000e-01}}
#shrinks = #est.cosine_decay_restarts<first_decay_steps = <"s" = 10 : i64>, t_mul = 0.5, m_mul = <"m" = 1.0 : f64>, alpha = <"a" = 0.0 : f64>>

// -----

est.estimator @f compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  // expected-error@+1 {{boundaries must be finite in float32; found}}
  %0 = est.bucketized "b" of %x boundaries [1.0, 1.0e+300] : !est.feature<float32> -> !est.categorical<3>
}

// -----

est.estimator @f compat(tf2) {
  %s = est.feature "s" : !est.feature<string>
  // expected-error@+1 {{1 terms and 9223372036854775807 oov buckets make more ids than 64 bits hold}}
  %0 = est.vocabulary "v" of %s terms(["a"]) num_oov_buckets 9223372036854775807 : !est.feature<string> -> !est.categorical<2>
}
