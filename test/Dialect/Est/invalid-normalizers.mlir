// What the verifiers of numeric and bucketized columns refuse of normalizers that are functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// Case: no such function.
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{normalizer @f is no function}}
  %n = est.numeric "x" of %x normalizer(@f) : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: of another shape.
// expected-note@+1 {{it is here}}
df.function @f(%x: tensor<?x2xf32> {df.name = "x"}) -> (tensor<?x2xf32> {df.name = "y"}) attributes {role = #df.role<other>} {
  df.return %x : tensor<?x2xf32>
}
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{normalizer @f has the type (tensor<?x2xf32>) -> tensor<?x2xf32>; expected (tensor<?x1xf32>) -> tensor<?x1xf32>}}
  %b = est.bucketized "x" of %x normalizer(@f) boundaries [1.0] : !est.feature<float32> -> !est.categorical<2>
  %l = est.linear (%b) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.categorical<2>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// -----

// Case: with effects.
df.variable @v : tensor<f32> = #df.constant<0.0>
// expected-note@+1 {{it is here}}
df.function @f(%x: tensor<?x1xf32> {df.name = "x"}) -> (tensor<?x1xf32> {df.name = "y"}) attributes {role = #df.role<other>} {
  %v = df.read @v : tensor<f32>
  df.return %x : tensor<?x1xf32>
}
est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // expected-error@+1 {{normalizer @f has df.read, which has effects; expected ops that compute values alone}}
  %n = est.numeric "x" of %x normalizer(@f) : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}
