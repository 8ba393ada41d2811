// Regularizers of kernels, a whole table and the step's rows of another, batch norm, and gradients that are clipped variable by
// variable, with and without a momentum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
est.estimator @regularized compat(tf2) {
  %x = est.feature "x" : !est.feature<4xfloat32>
  %word = est.feature "word" categorical : !est.feature<string>
  %number = est.feature "number" categorical : !est.feature<int64>
  %label = est.feature "label" role(label) : !est.feature<string>
  %weight = est.feature "weight" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<4xfloat32> -> !est.dense<4>
  %w = est.hash_bucket "word" of %word : !est.feature<string> -> !est.categorical<13>
  %m = est.hash_bucket "number" of %number : !est.feature<int64> -> !est.categorical<17>
  %e = est.embedding "e" of %w combiner(mean) initializer(#est.uniform<min = -0.5, max = 0.5>) sparse_update(lazy)
    regularizer(<l1 = <"e.l1" = 0.01 : f64>, l2 = <"e.l2" = 0.1 : f64>>) : !est.categorical<13> -> !est.dense<5>
  %f = est.embedding "f" of %m combiner(mean) initializer(#est.uniform<min = -0.5, max = 0.5>) sparse_update(exact)
    regularizer(<l1 = <"f.l1" = 0.01 : f64>, l2 = <"f.l2" = 0.1 : f64>>) : !est.categorical<17> -> !est.dense<3>
  %l = est.linear (%n, %w) sparse_combiner(sum) regularizer(<l1 = <"l.l1" = 0.0 : f64>, l2 = <"l.l2" = 0.1 : f64>>)
    optimizer(<rule = #est.sgd<learning_rate = <"l.lr" = 0.125 : f64>>, clip_by_value = <"l.c" = 0.0625 : f64>>)
    : (!est.dense<4>, !est.categorical<13>) -> !est.logits<3>
  %d = est.dnn (%n, %e, %f) hidden_units [11, 6] activation(tanh) dropout(<"d.dropout" = 0.25 : f64>) batch_norm
    kernel_initializer(#est.glorot_uniform) regularizer(<l1 = <"d.l1" = 0.001 : f64>, l2 = <"d.l2" = 0.01 : f64>>)
    optimizer(<rule = #est.momentum<learning_rate = <"d.lr" = 0.0625 : f64>, momentum = <"d.m" = 0.5 : f64>, nesterov = false,
                                    rate_in_slot = true>, clip_by_norm = <"d.c" = 0.5 : f64>>)
    : (!est.dense<4>, !est.dense<5>, !est.dense<3>) -> !est.logits<3>
  est.multi_class_head "label" (%l, %d) label %label weight %weight vocabulary(["no", "perhaps", "yes"])
    reduction(sum_over_batch_size) : (!est.logits<3>, !est.logits<3>), !est.feature<string>, !est.feature<float32>
}
