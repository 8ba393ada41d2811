// Every op and attribute of the est dialect parses, prints and parses again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --mlir-print-op-generic | mlc-opt | FileCheck %s

// CHECK-LABEL: est.estimator @wide_deep compat(tf1) input "{}" settings "[]" {
est.estimator @wide_deep compat(tf1) input "{}" settings "[]" {
  // CHECK: %[[AGE:.*]] = est.feature "age" : !est.feature<float32>
  %age = est.feature "age" : !est.feature<float32>
  // CHECK: %[[ROOMS:.*]] = est.feature "rooms" default_value "5" : !est.feature<int32>
  %rooms = est.feature "rooms" default_value "5" : !est.feature<int32>
  // CHECK: %[[JOB:.*]] = est.feature "job" categorical : !est.feature<string>
  %job = est.feature "job" categorical : !est.feature<string>
  // CHECK: est.feature "zip" categorical : !est.feature<int64>
  %zip = est.feature "zip" categorical : !est.feature<int64>
  // CHECK: est.feature "member" : !est.feature<bool>
  %member = est.feature "member" : !est.feature<bool>
  // CHECK: %[[IMAGE:.*]] = est.feature "image" : !est.feature<28x28xfloat32>
  %image = est.feature "image" : !est.feature<28x28xfloat32>
  // CHECK: est.feature "income" role(label) : !est.feature<string>
  %label = est.feature "income" role(label) : !est.feature<string>
  // CHECK: est.feature "w" role(weight) : !est.feature<float64>
  %w = est.feature "w" role(weight) : !est.feature<float64>

  // CHECK: est.numeric "age" of %[[AGE]] normalizer(#est.z_score<mean = 3.858000e+01 : f64, stddev = 1.364000e+01 : f64>) : !est.feature<float32> -> !est.dense<1>
  %0 = est.numeric "age" of %age normalizer(#est.z_score<mean = 38.58, stddev = 13.64>) : !est.feature<float32> -> !est.dense<1>
  // CHECK: est.numeric "rooms" of %[[ROOMS]] normalizer(#est.min_max<min = 0.000000e+00 : f64, max = 1.000000e+01 : f64>)
  %1 = est.numeric "rooms" of %rooms normalizer(#est.min_max<min = 0.0, max = 10.0>) : !est.feature<int32> -> !est.dense<1>
  // CHECK: est.numeric "log_age" of %[[AGE]] normalizer(#est.log1p)
  %2 = est.numeric "log_age" of %age normalizer(#est.log1p) : !est.feature<float32> -> !est.dense<1>
  // CHECK: est.numeric "member" of %{{.*}} : !est.feature<bool> -> !est.dense<1>
  %3 = est.numeric "member" of %member : !est.feature<bool> -> !est.dense<1>
  // CHECK: est.numeric "image" of %[[IMAGE]] normalizer(#est.log1p) : !est.feature<28x28xfloat32> -> !est.dense<784>
  %image_numbers = est.numeric "image" of %image normalizer(#est.log1p) : !est.feature<28x28xfloat32> -> !est.dense<784>
  // CHECK: %[[BUCKETS:.*]] = est.bucketized "age_bucketized" of %[[AGE]] boundaries [1.800000e+01, 2.500000e+01] : !est.feature<float32> -> !est.categorical<3>
  %4 = est.bucketized "age_bucketized" of %age boundaries [18.0, 25.0] : !est.feature<float32> -> !est.categorical<3>
  // CHECK: est.bucketized "log_age_bucketized" of %[[AGE]] normalizer(#est.log1p) boundaries [3.000000e+00] : !est.feature<float32> -> !est.categorical<2>
  %log_buckets = est.bucketized "log_age_bucketized" of %age normalizer(#est.log1p) boundaries [3.0] : !est.feature<float32> -> !est.categorical<2>
  // CHECK: est.vocabulary "job" of %[[JOB]] terms(["a", "b"]) num_oov_buckets 2 file "jobs.txt" : !est.feature<string> -> !est.categorical<4>
  %5 = est.vocabulary "job" of %job terms(["a", "b"]) num_oov_buckets 2 file "jobs.txt" : !est.feature<string> -> !est.categorical<4>
  // CHECK: est.vocabulary "zip" of %{{.*}} terms([10, 20]) default_value 1 : !est.feature<int64> -> !est.categorical<2>
  %6 = est.vocabulary "zip" of %zip terms([10, 20]) default_value 1 : !est.feature<int64> -> !est.categorical<2>
  // CHECK: est.hash_bucket "job_hashed" of %[[JOB]] : !est.feature<string> -> !est.categorical<1000>
  %7 = est.hash_bucket "job_hashed" of %job : !est.feature<string> -> !est.categorical<1000>
  // CHECK: est.identity "zip_id" of %{{.*}} default_value 0 : !est.feature<int64> -> !est.categorical<99>
  %8 = est.identity "zip_id" of %zip default_value 0 : !est.feature<int64> -> !est.categorical<99>
  // CHECK: est.crossed "age_bucketized_X_job" of(%[[BUCKETS]], %[[JOB]]) hash_key 956888297470 : (!est.categorical<3>, !est.feature<string>) -> !est.categorical<100>
  %9 = est.crossed "age_bucketized_X_job" of (%4, %job) hash_key 956888297470 : (!est.categorical<3>, !est.feature<string>) -> !est.categorical<100>
  // CHECK: est.indicator "job_indicator" of %{{.*}} : !est.categorical<4> -> !est.dense<4>
  %10 = est.indicator "job_indicator" of %5 : !est.categorical<4> -> !est.dense<4>
  // CHECK: est.embedding "job_embedding" of %{{.*}} combiner(mean) initializer(#est.truncated_normal<mean = 0.000000e+00 : f64, stddev = 2.500000e-01 : f64>) sparse_update(exact) : !est.categorical<1000> -> !est.dense<16>
  %11 = est.embedding "job_embedding" of %7 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.25>) sparse_update(exact) : !est.categorical<1000> -> !est.dense<16>
  // CHECK: combiner(sqrtn) initializer(#est.uniform<min = -1.000000e+00 : f64, max = 1.000000e+00 : f64>) sparse_update(lazy) frozen
  %12 = est.embedding "zip_embedding" of %8 combiner(sqrtn) initializer(#est.uniform<min = -1.0, max = 1.0>) sparse_update(lazy) frozen : !est.categorical<99> -> !est.dense<2>
  // CHECK: %[[TAGS:.*]] = est.feature "tags" categorical : !est.feature<?xstring>
  %tags = est.feature "tags" categorical : !est.feature<?xstring>
  // CHECK: %[[WEIGHTS:.*]] = est.feature "tags.weight" of %[[TAGS]] : !est.feature<?xstring> : !est.feature<?xfloat32>
  %weights = est.feature "tags.weight" of %tags : !est.feature<?xstring> : !est.feature<?xfloat32>
  %13 = est.hash_bucket "tags" of %tags : !est.feature<?xstring> -> !est.categorical<99>
  // CHECK: %[[WEIGHTED:.*]] = est.weighted "tags_w" of %{{.*}} weight %[[WEIGHTS]] : !est.categorical<99>, !est.feature<?xfloat32> -> !est.categorical<99>
  %14 = est.weighted "tags_w" of %13 weight %weights : !est.categorical<99>, !est.feature<?xfloat32> -> !est.categorical<99>
  // CHECK: est.embedding "tags_w_shared_embedding" of %[[WEIGHTED]] combiner(mean) initializer(#est.constant<value = 0.000000e+00 : f64>) sparse_update(exact) max_norm(1.500000e+00) shared("both") : !est.categorical<99> -> !est.dense<2>
  %15 = est.embedding "tags_w_shared_embedding" of %14 combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(exact) max_norm(1.5) shared("both") : !est.categorical<99> -> !est.dense<2>
  // CHECK: est.crossed "job_X_tags" of(%[[TAGS]], %[[JOB]]) hash_key 1 : (!est.feature<?xstring>, !est.feature<string>) -> !est.categorical<100>
  %16 = est.crossed "job_X_tags" of (%tags, %job) hash_key 1 : (!est.feature<?xstring>, !est.feature<string>) -> !est.categorical<100>

  // CHECK: %[[LINEAR:.*]] = est.linear(%{{.*}}, %[[BUCKETS]]) sparse_combiner(sum)
  // CHECK-SAME: rule = #est.ftrl<learning_rate = <"l.lr" = 2.000000e-01 : f64>
  // CHECK-SAME: decay = #est.exponential_decay<decay_steps = <"l.n" = 10 : i64>, decay_rate = <"l.r" = 7.500000e-01 : f64>, staircase = true>
  %linear = est.linear (%0, %4) sparse_combiner(sum)
    optimizer(<rule = #est.ftrl<learning_rate = <"l.lr" = 0.2 : f64>, l1 = <"l.l1" = 0.0 : f64>, l2 = <"l.l2" = 0.0 : f64>,
                                l2_shrinkage = <"l.s" = 0.0 : f64>, learning_rate_power = -0.5, initial_accumulator_value = 0.1>,
               decay = #est.exponential_decay<decay_steps = <"l.n" = 10 : i64>, decay_rate = <"l.r" = 0.75 : f64>, staircase = true>>)
    : (!est.dense<1>, !est.categorical<3>) -> !est.logits<1>
  // CHECK: %[[DNN:.*]] = est.dnn
  // CHECK-SAME: hidden_units [100, 50] activation(tanh) dropout(<"model.dnn.dropout" = 1.000000e-01 : f64>) kernel_initializer(#est.glorot_uniform)
  // CHECK-SAME: rule = #est.adagrad<
  // CHECK-SAME: warmup_steps = <"d.w" = 100 : i64>
  %dnn = est.dnn (%0, %1, %10, %11) hidden_units [100, 50] activation(tanh) dropout(<"model.dnn.dropout" = 1.0e-1 : f64>)
    kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adagrad<learning_rate = <"d.lr" = 0.05 : f64>, epsilon = <"d.e" = 1.0e-7 : f64>, initial_accumulator_value = 0.1>,
               decay = #est.cosine_decay<decay_steps = <"d.n" = 4000 : i64>, alpha = <"d.a" = 0.0 : f64>>,
               warmup_steps = <"d.w" = 100 : i64>>)
    : (!est.dense<1>, !est.dense<1>, !est.dense<4>, !est.dense<16>) -> !est.logits<1>
  // CHECK: est.binary_class_head "income"(%[[LINEAR]], %[[DNN]]) label %{{.*}} weight %{{.*}} vocabulary(["lo", "hi"]) thresholds [3.000000e-01, 7.000000e-01] reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<string>, !est.feature<float64>
  est.binary_class_head "income" (%linear, %dnn) label %label weight %w vocabulary(["lo", "hi"]) thresholds [0.3, 0.7]
    reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<string>, !est.feature<float64>
}

// CHECK-LABEL: est.estimator @moving compat(tf2)
est.estimator @moving compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<float32>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // CHECK: rule = #est.momentum<learning_rate = <"lr" = 1.000000e-01 : f64>, momentum = <"m" = 9.000000e-01 : f64>, nesterov = true, rate_in_slot = false>, clip_by_global_norm = <"c" = 5.000000e+00 : f64>
  %1 = est.linear (%0) sparse_combiner(sum)
    optimizer(<rule = #est.momentum<learning_rate = <"lr" = 0.1 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = true, rate_in_slot = false>,
               clip_by_global_norm = <"c" = 5.0 : f64>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: rule = #est.rms_prop<learning_rate = <"d.lr" = 1.000000e-01 : f64>, decay = <"d.d" = 9.000000e-01 : f64>, epsilon = <"d.e" = 5.000000e-01 : f64>, momentum = 5.000000e-01 : f64, centered = true, initial_mean_square = 1.000000e+00 : f64>
  %2 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.rms_prop<learning_rate = <"d.lr" = 0.1 : f64>, decay = <"d.d" = 0.9 : f64>, epsilon = <"d.e" = 0.5 : f64>,
                                    momentum = 0.5 : f64, centered = true, initial_mean_square = 1.0>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%1, %2) label %label reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: est.estimator @adaptive compat(tf2)
est.estimator @adaptive compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<float32>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // CHECK: rule = #est.adadelta<learning_rate = <"lr" = 1.000000e+00 : f64>, rho = <"rho" = 7.500000e-01 : f64>, epsilon = <"e" = 5.000000e-01 : f64>>, decay = #est.natural_exp_decay<decay_steps = <"n" = 10 : i64>, decay_rate = <"r" = 5.000000e-01 : f64>, staircase = true>
  %1 = est.linear (%0) sparse_combiner(sum)
    optimizer(<rule = #est.adadelta<learning_rate = <"lr" = 1.0 : f64>, rho = <"rho" = 0.75 : f64>, epsilon = <"e" = 0.5 : f64>>,
               decay = #est.natural_exp_decay<decay_steps = <"n" = 10 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = true>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: rule = #est.adamax<learning_rate = <"d.lr" = 1.000000e-01 : f64>, beta1 = <"b1" = 9.000000e-01 : f64>, beta2 = <"b2" = 5.000000e-01 : f64>, epsilon = <"d.e" = 5.000000e-01 : f64>>, decay = #est.cosine_decay_restarts<first_decay_steps = <"s" = 10 : i64>, t_mul = 1.500000e+00 : f64, m_mul = <"m" = 5.000000e-01 : f64>, alpha = <"a" = 0.000000e+00 : f64>>
  %2 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adamax<learning_rate = <"d.lr" = 0.1 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"d.e" = 0.5 : f64>>,
               decay = #est.cosine_decay_restarts<first_decay_steps = <"s" = 10 : i64>, t_mul = 1.5, m_mul = <"m" = 0.5 : f64>, alpha = <"a" = 0.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: rule = #est.nadam<learning_rate = <"n.lr" = 1.000000e-01 : f64>, beta1 = <"b1" = 9.000000e-01 : f64>, beta2 = <"b2" = 5.000000e-01 : f64>, epsilon = <"e" = 5.000000e-01 : f64>, schedule_decay = <"d" = 4.000000e-03 : f64>>, decay = #est.linear_cosine_decay<decay_steps = <"s" = 10 : i64>, num_periods = 5.000000e-01 : f64, alpha = <"a" = 0.000000e+00 : f64>, beta = <"b" = 1.000000e-03 : f64>>
  %3 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.nadam<learning_rate = <"n.lr" = 0.1 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"e" = 0.5 : f64>, schedule_decay = <"d" = 0.004 : f64>>,
               decay = #est.linear_cosine_decay<decay_steps = <"s" = 10 : i64>, num_periods = 0.5, alpha = <"a" = 0.0 : f64>, beta = <"b" = 0.001 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  // What is as if it were not there is not printed.
  // CHECK: rule = #est.adam<learning_rate = <"lr" = 1.000000e-01 : f64>, beta1 = <"b1" = 9.000000e-01 : f64>, beta2 = <"b2" = 5.000000e-01 : f64>, epsilon = <"e" = 5.000000e-01 : f64>>
  %4 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adam<learning_rate = <"lr" = 0.1 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"e" = 0.5 : f64>, amsgrad = false>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: rule = #est.adam<{{.*}}, amsgrad = true>
  %5 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adam<learning_rate = <"lr" = 0.1 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"e" = 0.5 : f64>, amsgrad = true>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: rule = #est.ftrl<{{.*}}, initial_accumulator_value = 1.000000e-01 : f64, beta = <"b" = 1.000000e+00 : f64>>
  %6 = est.linear (%0) sparse_combiner(sum)
    optimizer(<rule = #est.ftrl<learning_rate = <"lr" = 0.2 : f64>, l1 = <"l1" = 0.0 : f64>, l2 = <"l2" = 0.0 : f64>, l2_shrinkage = <"ls" = 0.0 : f64>,
                                learning_rate_power = -0.5, initial_accumulator_value = 0.1, beta = <"b" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%1, %2, %3, %4, %5, %6) label %label reduction(sum)
    : (!est.logits<1>, !est.logits<1>, !est.logits<1>, !est.logits<1>, !est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: est.estimator @regularized compat(tf2)
est.estimator @regularized compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<int64>
  %label = est.feature "y" role(label) : !est.feature<float32>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %1 = est.identity "s" of %s : !est.feature<int64> -> !est.categorical<4>
  // CHECK: est.embedding "e" {{.*}} sparse_update(lazy) regularizer(<l1 = <"e.l1" = 1.000000e-01 : f64>, l2 = <"e.l2" = 2.000000e-01 : f64>>) : !est.categorical<4>
  %2 = est.embedding "e" of %1 combiner(sum) initializer(#est.constant<value = 0.0>) sparse_update(lazy)
    regularizer(<l1 = <"e.l1" = 0.1 : f64>, l2 = <"e.l2" = 0.2 : f64>>) : !est.categorical<4> -> !est.dense<2>
  // CHECK: est.linear(%{{.*}}) sparse_combiner(sum) regularizer(<l1 = <"l.l1" = 1.000000e-01 : f64>, l2 = <"l.l2" = 2.000000e-01 : f64>>) optimizer(
  // CHECK-SAME: clip_by_value = <"c" = 5.000000e+00 : f64>
  %3 = est.linear (%0) sparse_combiner(sum) regularizer(<l1 = <"l.l1" = 0.1 : f64>, l2 = <"l.l2" = 0.2 : f64>>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>, clip_by_value = <"c" = 5.0 : f64>>) : (!est.dense<1>) -> !est.logits<1>
  // CHECK: est.dnn(%{{.*}}, %{{.*}}) hidden_units [3] activation(relu) batch_norm kernel_initializer(#est.glorot_uniform) regularizer(<l1 = <"d.l1"
  // CHECK-SAME: clip_by_norm = <"d.c" = 5.000000e+00 : f64>
  %4 = est.dnn (%0, %2) hidden_units [3] activation(relu) batch_norm kernel_initializer(#est.glorot_uniform)
    regularizer(<l1 = <"d.l1" = 0.1 : f64>, l2 = <"d.l2" = 0.2 : f64>>)
    optimizer(<rule = #est.sgd<learning_rate = <"d.lr" = 0.1 : f64>>, clip_by_norm = <"d.c" = 5.0 : f64>>) : (!est.dense<1>, !est.dense<2>) -> !est.logits<1>
  est.regression_head "y" (%3, %4) label %label reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: est.estimator @classes compat(tf2)
est.estimator @classes compat(tf2) {
  %x = est.feature "x" : !est.feature<float64>
  %label = est.feature "y" role(label) : !est.feature<int64>
  %0 = est.numeric "x" of %x : !est.feature<float64> -> !est.dense<1>
  // CHECK: rule = #est.adam<
  // CHECK-SAME: decay = #est.piecewise_constant<boundaries = [1000, 2000], values = [1.000000e-01, 5.000000e-02, 1.000000e-02]>
  %1 = est.dnn (%0) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_normal)
    optimizer(<rule = #est.adam<learning_rate = <"lr" = 0.001 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>, epsilon = <"e" = 1.0e-7 : f64>>,
               decay = #est.piecewise_constant<boundaries = [1000, 2000], values = [0.1, 0.05, 0.01]>>)
    : (!est.dense<1>) -> !est.logits<3>
  // CHECK: est.multi_class_head "y"(%{{.*}}) label %{{.*}} reduction(sum_over_batch_size) : (!est.logits<3>), !est.feature<int64>
  est.multi_class_head "y" (%1) label %label reduction(sum_over_batch_size) : (!est.logits<3>), !est.feature<int64>
}

// CHECK-LABEL: est.estimator @value compat(tf2)
est.estimator @value compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<float32>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  // CHECK: kernel_initializer(#est.normal<mean = 0.000000e+00 : f64, stddev = 5.000000e-01 : f64>) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>, decay = #est.polynomial_decay<
  %1 = est.dnn (%0) hidden_units [3] activation(sigmoid) kernel_initializer(#est.normal<mean = 0.0, stddev = 0.5>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>,
               decay = #est.polynomial_decay<decay_steps = <"n" = 1000 : i64>, end_learning_rate = <"end" = 1.0e-4 : f64>, power = 1.0, cycle = false>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: kernel_initializer(#est.constant<value = 5.000000e-01 : f64>) optimizer(<rule = #est.sgd<{{.*}}>, decay = #est.inverse_time_decay<
  %2 = est.dnn (%0) hidden_units [3] activation(linear) kernel_initializer(#est.constant<value = 0.5>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>,
               decay = #est.inverse_time_decay<decay_steps = <"n" = 1000 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>>)
    : (!est.dense<1>) -> !est.logits<1>
  // CHECK: est.regression_head "y"(%{{.*}}, %{{.*}}) label %{{.*}} label_transform(#est.log1p) reduction(mean) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
  est.regression_head "y" (%1, %2) label %label label_transform(#est.log1p) reduction(mean) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: est.estimator @shares
est.estimator @shares compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<float32>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %1 = est.linear (%0) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // CHECK: est.logistic_regression_head "y"(%{{.*}}) label %{{.*}} reduction(sum) : (!est.logits<1>), !est.feature<float32>
  est.logistic_regression_head "y" (%1) label %label reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: est.estimator @counts
est.estimator @counts compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<int64>
  %0 = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %1 = est.linear (%0) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  // CHECK: est.poisson_regression_head "y"(%{{.*}}) label %{{.*}} weight %{{.*}} compute_full_loss reduction(mean) : (!est.logits<1>), !est.feature<int64>, !est.feature<float32>
  est.poisson_regression_head "y" (%1) label %label weight %w compute_full_loss reduction(mean)
    : (!est.logits<1>), !est.feature<int64>, !est.feature<float32>
}

// CHECK-LABEL: est.estimator @groups
est.estimator @groups compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %user = est.feature "user" categorical : !est.feature<string>
  %label = est.feature "y" role(label) : !est.feature<int64>
  // CHECK: est.baseline rows %{{.*}} optimizer(<rule = #est.sgd<{{.*}}>) : !est.feature<float32> -> !est.logits<1>
  %0 = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<1>
  // CHECK: est.binary_class_head "y"(%{{.*}}) label %{{.*}} group %{{.*}} thresholds [5.000000e-01] reduction(sum) : (!est.logits<1>), !est.feature<int64> group !est.feature<string>
  est.binary_class_head "y" (%0) label %label group %user thresholds [0.5] reduction(sum)
    : (!est.logits<1>), !est.feature<int64> group !est.feature<string>
}

// CHECK-LABEL: est.estimator @sets
est.estimator @sets compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %label = est.feature "y" role(label) : !est.feature<?xstring>
  %0 = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<2>
  // CHECK: est.multi_label_head "y"(%{{.*}}) label %{{.*}} vocabulary(["a", "b"]) thresholds [5.000000e-01] class_metrics [1] reduction(sum) : (!est.logits<2>), !est.feature<?xstring>
  est.multi_label_head "y" (%0) label %label vocabulary(["a", "b"]) thresholds [0.5] class_metrics [1] reduction(sum)
    : (!est.logits<2>), !est.feature<?xstring>
}

// CHECK-LABEL: est.estimator @heads
est.estimator @heads compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %k = est.feature "k" role(label) : !est.feature<int64>
  // CHECK: %[[L:.*]] = est.baseline
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : !est.feature<float32> -> !est.logits<4>
  // CHECK: %[[A:.*]] = est.part_of_logits %[[L]] from 0 : !est.logits<4> -> !est.logits<1>
  %0 = est.part_of_logits %l from 0 : !est.logits<4> -> !est.logits<1>
  // CHECK: %[[B:.*]] = est.part_of_logits %[[L]] from 1 : !est.logits<4> -> !est.logits<3>
  %1 = est.part_of_logits %l from 1 : !est.logits<4> -> !est.logits<3>
  // CHECK: est.regression_head "a"(%[[A]])
  est.regression_head "a" (%0) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
  // CHECK: est.multi_class_head "b"(%[[B]])
  est.multi_class_head "b" (%1) label %k reduction(sum) : (!est.logits<3>), !est.feature<int64>
}

// CHECK-LABEL: est.estimator @mixed compat(tf2) precision(bf16_mixed) {
est.estimator @mixed compat(tf2) precision(bf16_mixed) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.5 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: df.function @apply
df.function @apply(%g: tensor<4xf32> {df.name = "g"}, %step: tensor<i64> {df.name = "step"}, %rate: tensor<f32> {df.name = "rate"}) {
  // CHECK: est.apply_gradients [@w](%{{.*}}) step %{{.*}} learning_rate %{{.*}} optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>>) lazy : (tensor<4xf32>), tensor<i64>, tensor<f32>
  est.apply_gradients [@w] (%g) step %step learning_rate %rate optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) lazy
    : (tensor<4xf32>), tensor<i64>, tensor<f32>
  df.return
}

// CHECK-LABEL: est.estimator @sequences
est.estimator @sequences compat(tf2) {
  // CHECK: est.feature "price" : !est.feature<?xfloat32>
  %price = est.feature "price" : !est.feature<?xfloat32>
  %word = est.feature "word" categorical : !est.feature<?xstring>
  %age = est.feature "age" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  // CHECK: est.sequence_numeric "price" of %{{.*}} normalizer(#est.log1p) : !est.feature<?xfloat32> -> !est.sequence<1>
  %0 = est.sequence_numeric "price" of %price normalizer(#est.log1p) : !est.feature<?xfloat32> -> !est.sequence<1>
  %1 = est.hash_bucket "word" of %word : !est.feature<?xstring> -> !est.categorical<9>
  // CHECK: est.embedding "word_embedding" {{.*}} : !est.categorical<9> -> !est.sequence<4>
  %2 = est.embedding "word_embedding" of %1 combiner(mean) initializer(#est.constant<value = 0.0>) sparse_update(exact)
    : !est.categorical<9> -> !est.sequence<4>
  // CHECK: est.indicator "word_indicator" of %{{.*}} : !est.categorical<9> -> !est.sequence<9>
  %3 = est.indicator "word_indicator" of %1 : !est.categorical<9> -> !est.sequence<9>
  %4 = est.numeric "age" of %age : !est.feature<float32> -> !est.dense<1>
  // CHECK: est.rnn(%{{.*}}, %{{.*}}, %{{.*}}) context(%{{.*}}) units [8, 4] cell(gru) optimizer(<rule = {{.*}}>) : (!est.sequence<1>, !est.sequence<4>, !est.sequence<9>) context(!est.dense<1>) -> !est.logits<1>
  %5 = est.rnn (%0, %2, %3) context (%4) units [8, 4] cell(gru) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
    : (!est.sequence<1>, !est.sequence<4>, !est.sequence<9>) context (!est.dense<1>) -> !est.logits<1>
  // CHECK: est.rnn(%{{.*}}) units [2] cell(simple_rnn) optimizer(<rule = {{.*}}>) : (!est.sequence<1>) -> !est.logits<1>
  %6 = est.rnn (%0) units [2] cell(simple_rnn) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
    : (!est.sequence<1>) -> !est.logits<1>
  est.binary_class_head "y" (%5) label %y reduction(sum) : (!est.logits<1>), !est.feature<int64>
}

// CHECK-LABEL: est.estimator @steps
est.estimator @steps compat(tf2) {
  %topics = est.feature "topics" categorical : !est.feature<?xstring>
  %lengths = est.feature "topics.lengths" categorical : !est.feature<?xint64>
  %w = est.feature "w" role(weight) : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<?xint64>
  %0 = est.hash_bucket "topics" of %topics : !est.feature<?xstring> -> !est.categorical<9>
  // CHECK: est.steps "topics_in_steps" of %{{.*}} lengths %{{.*}} : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
  %1 = est.steps "topics_in_steps" of %0 lengths %lengths : !est.categorical<9>, !est.feature<?xint64> -> !est.categorical<9>
  %2 = est.indicator "topics_indicator" of %1 : !est.categorical<9> -> !est.sequence<9>
  // CHECK: est.rnn(%{{.*}}) units [2] cell(gru) optimizer(<rule = {{.*}}>) : (!est.sequence<9>) -> !est.step_logits<3>
  %3 = est.rnn (%2) units [2] cell(gru) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
    : (!est.sequence<9>) -> !est.step_logits<3>
  // CHECK: est.multi_class_head "y"(%{{.*}}) label %{{.*}} weight %{{.*}} reduction(sum) : (!est.step_logits<3>), !est.feature<?xint64>, !est.feature<?xfloat32>
  est.multi_class_head "y" (%3) label %y weight %w reduction(sum)
    : (!est.step_logits<3>), !est.feature<?xint64>, !est.feature<?xfloat32>
}
