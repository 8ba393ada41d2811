module {
  est.estimator @wide_deep compat(tf1) input "{}" settings "[]" {
    %0 = est.feature "age" : !est.feature<float32>
    %1 = est.feature "rooms" default_value "5" : !est.feature<int32>
    %2 = est.feature "job" categorical : !est.feature<string>
    %3 = est.feature "zip" categorical : !est.feature<int64>
    %4 = est.feature "member" : !est.feature<bool>
    %5 = est.feature "image" : !est.feature<28x28xfloat32>
    %6 = est.feature "income" role(label) : !est.feature<string>
    %7 = est.feature "w" role(weight) : !est.feature<float64>
    %8 = est.numeric "age" of %0 normalizer(#est.z_score<mean = 3.858000e+01 : f64, stddev = 1.364000e+01 : f64>) : !est.feature<float32> -> !est.dense<1>
    %9 = est.numeric "rooms" of %1 normalizer(#est.min_max<min = 0.000000e+00 : f64, max = 1.000000e+01 : f64>) : !est.feature<int32> -> !est.dense<1>
    %10 = est.numeric "log_age" of %0 normalizer(#est.log1p) : !est.feature<float32> -> !est.dense<1>
    %11 = est.numeric "member" of %4 : !est.feature<bool> -> !est.dense<1>
    %12 = est.numeric "image" of %5 normalizer(#est.log1p) : !est.feature<28x28xfloat32> -> !est.dense<784>
    %13 = est.bucketized "age_bucketized" of %0 boundaries [1.800000e+01, 2.500000e+01] : !est.feature<float32> -> !est.categorical<3>
    %14 = est.bucketized "log_age_bucketized" of %0 normalizer(#est.log1p) boundaries [3.000000e+00] : !est.feature<float32> -> !est.categorical<2>
    %15 = est.vocabulary "job" of %2 terms(["a", "b"]) num_oov_buckets 2 file "jobs.txt" : !est.feature<string> -> !est.categorical<4>
    %16 = est.vocabulary "zip" of %3 terms([10, 20]) default_value 1 : !est.feature<int64> -> !est.categorical<2>
    %17 = est.hash_bucket "job_hashed" of %2 : !est.feature<string> -> !est.categorical<1000>
    %18 = est.identity "zip_id" of %3 default_value 0 : !est.feature<int64> -> !est.categorical<99>
    %19 = est.crossed "age_bucketized_X_job" of(%13, %2) hash_key 956888297470 : (!est.categorical<3>, !est.feature<string>) -> !est.categorical<100>
    %20 = est.indicator "job_indicator" of %15 : !est.categorical<4> -> !est.dense<4>
    %21 = est.embedding "job_embedding" of %17 combiner(mean) initializer(#est.truncated_normal<mean = 0.000000e+00 : f64, stddev = 2.500000e-01 : f64>) sparse_update(exact) : !est.categorical<1000> -> !est.dense<16>
    %22 = est.embedding "zip_embedding" of %18 combiner(sqrtn) initializer(#est.uniform<min = -1.000000e+00 : f64, max = 1.000000e+00 : f64>) sparse_update(lazy) frozen : !est.categorical<99> -> !est.dense<2>
    %23 = est.feature "tags" categorical : !est.feature<?xstring>
    %24 = est.feature "tags.weight" of %23 : !est.feature<?xstring> : !est.feature<?xfloat32>
    %25 = est.hash_bucket "tags" of %23 : !est.feature<?xstring> -> !est.categorical<99>
    %26 = est.weighted "tags_w" of %25 weight %24 : !est.categorical<99>, !est.feature<?xfloat32> -> !est.categorical<99>
    %27 = est.embedding "tags_w_shared_embedding" of %26 combiner(mean) initializer(#est.constant<value = 0.000000e+00 : f64>) sparse_update(exact) max_norm(1.500000e+00) shared("both") : !est.categorical<99> -> !est.dense<2>
    %28 = est.crossed "job_X_tags" of(%23, %2) hash_key 1 : (!est.feature<?xstring>, !est.feature<string>) -> !est.categorical<100>
    %29 = est.linear(%8, %13) sparse_combiner(sum) optimizer(<rule = #est.ftrl<learning_rate = <"l.lr" = 2.000000e-01 : f64>, l1 = <"l.l1" = 0.000000e+00 : f64>, l2 = <"l.l2" = 0.000000e+00 : f64>, l2_shrinkage = <"l.s" = 0.000000e+00 : f64>, learning_rate_power = -5.000000e-01 : f64, initial_accumulator_value = 1.000000e-01 : f64>, decay = #est.exponential_decay<decay_steps = <"l.n" = 10 : i64>, decay_rate = <"l.r" = 7.500000e-01 : f64>, staircase = true>>) : (!est.dense<1>, !est.categorical<3>) -> !est.logits<1>
    %30 = est.dnn(%8, %9, %20, %21) hidden_units [100, 50] activation(tanh) dropout(<"model.dnn.dropout" = 1.000000e-01 : f64>) kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.adagrad<learning_rate = <"d.lr" = 5.000000e-02 : f64>, epsilon = <"d.e" = 9.9999999999999995E-8 : f64>, initial_accumulator_value = 1.000000e-01 : f64>, decay = #est.cosine_decay<decay_steps = <"d.n" = 4000 : i64>, alpha = <"d.a" = 0.000000e+00 : f64>>, warmup_steps = <"d.w" = 100 : i64>>) : (!est.dense<1>, !est.dense<1>, !est.dense<4>, !est.dense<16>) -> !est.logits<1>
    est.binary_class_head "income"(%29, %30) label %6 weight %7 vocabulary(["lo", "hi"]) thresholds [3.000000e-01, 7.000000e-01] reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<string>, !est.feature<float64>
  }
  est.estimator @moving compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "y" role(label) : !est.feature<float32>
    %2 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %3 = est.linear(%2) sparse_combiner(sum) optimizer(<rule = #est.momentum<learning_rate = <"lr" = 1.000000e-01 : f64>, momentum = <"m" = 9.000000e-01 : f64>, nesterov = true, rate_in_slot = false>, clip_by_global_norm = <"c" = 5.000000e+00 : f64>>) : (!est.dense<1>) -> !est.logits<1>
    %4 = est.dnn(%2) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.rms_prop<learning_rate = <"d.lr" = 1.000000e-01 : f64>, decay = <"d.d" = 9.000000e-01 : f64>, epsilon = <"d.e" = 5.000000e-01 : f64>, momentum = 5.000000e-01 : f64, centered = true, initial_mean_square = 1.000000e+00 : f64>>) : (!est.dense<1>) -> !est.logits<1>
    est.regression_head "y"(%3, %4) label %1 reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
  }
  est.estimator @regularized compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "s" categorical : !est.feature<int64>
    %2 = est.feature "y" role(label) : !est.feature<float32>
    %3 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %4 = est.identity "s" of %1 : !est.feature<int64> -> !est.categorical<4>
    %5 = est.embedding "e" of %4 combiner(sum) initializer(#est.constant<value = 0.000000e+00 : f64>) sparse_update(lazy) regularizer(<l1 = <"e.l1" = 1.000000e-01 : f64>, l2 = <"e.l2" = 2.000000e-01 : f64>>) : !est.categorical<4> -> !est.dense<2>
    %6 = est.linear(%3) sparse_combiner(sum) regularizer(<l1 = <"l.l1" = 1.000000e-01 : f64>, l2 = <"l.l2" = 2.000000e-01 : f64>>) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>, clip_by_value = <"c" = 5.000000e+00 : f64>>) : (!est.dense<1>) -> !est.logits<1>
    %7 = est.dnn(%3, %5) hidden_units [3] activation(relu) batch_norm kernel_initializer(#est.glorot_uniform) regularizer(<l1 = <"d.l1" = 1.000000e-01 : f64>, l2 = <"d.l2" = 2.000000e-01 : f64>>) optimizer(<rule = #est.sgd<learning_rate = <"d.lr" = 1.000000e-01 : f64>>, clip_by_norm = <"d.c" = 5.000000e+00 : f64>>) : (!est.dense<1>, !est.dense<2>) -> !est.logits<1>
    est.regression_head "y"(%6, %7) label %2 reduction(sum) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
  }
  est.estimator @classes compat(tf2) {
    %0 = est.feature "x" : !est.feature<float64>
    %1 = est.feature "y" role(label) : !est.feature<int64>
    %2 = est.numeric "x" of %0 : !est.feature<float64> -> !est.dense<1>
    %3 = est.dnn(%2) hidden_units [3] activation(relu) kernel_initializer(#est.glorot_normal) optimizer(<rule = #est.adam<learning_rate = <"lr" = 1.000000e-03 : f64>, beta1 = <"b1" = 9.000000e-01 : f64>, beta2 = <"b2" = 0.99899999999999999 : f64>, epsilon = <"e" = 9.9999999999999995E-8 : f64>>, decay = #est.piecewise_constant<boundaries = [1000, 2000], values = [1.000000e-01, 5.000000e-02, 1.000000e-02]>>) : (!est.dense<1>) -> !est.logits<3>
    est.multi_class_head "y"(%3) label %1 reduction(sum_over_batch_size) : (!est.logits<3>), !est.feature<int64>
  }
  est.estimator @value compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "y" role(label) : !est.feature<float32>
    %2 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %3 = est.dnn(%2) hidden_units [3] activation(sigmoid) kernel_initializer(#est.normal<mean = 0.000000e+00 : f64, stddev = 5.000000e-01 : f64>) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>, decay = #est.polynomial_decay<decay_steps = <"n" = 1000 : i64>, end_learning_rate = <"end" = 1.000000e-04 : f64>, power = 1.000000e+00 : f64, cycle = false>>) : (!est.dense<1>) -> !est.logits<1>
    %4 = est.dnn(%2) hidden_units [3] activation(linear) kernel_initializer(#est.constant<value = 5.000000e-01 : f64>) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>, decay = #est.inverse_time_decay<decay_steps = <"n" = 1000 : i64>, decay_rate = <"r" = 5.000000e-01 : f64>, staircase = false>>) : (!est.dense<1>) -> !est.logits<1>
    est.regression_head "y"(%3, %4) label %1 label_transform(#est.log1p) reduction(mean) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
  }
  est.estimator @shares compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "y" role(label) : !est.feature<float32>
    %2 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %3 = est.linear(%2) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
    est.logistic_regression_head "y"(%3) label %1 reduction(sum) : (!est.logits<1>), !est.feature<float32>
  }
  est.estimator @counts compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "w" role(weight) : !est.feature<float32>
    %2 = est.feature "y" role(label) : !est.feature<int64>
    %3 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %4 = est.linear(%3) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
    est.poisson_regression_head "y"(%4) label %2 weight %1 compute_full_loss reduction(mean) : (!est.logits<1>), !est.feature<int64>, !est.feature<float32>
  }
  est.estimator @groups compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "user" categorical : !est.feature<string>
    %2 = est.feature "y" role(label) : !est.feature<int64>
    %3 = est.baseline rows %0 optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>>) : !est.feature<float32> -> !est.logits<1>
    est.binary_class_head "y"(%3) label %2 group %1 thresholds [5.000000e-01] reduction(sum) : (!est.logits<1>), !est.feature<int64> group !est.feature<string>
  }
  est.estimator @sets compat(tf2) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "y" role(label) : !est.feature<?xstring>
    %2 = est.baseline rows %0 optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.000000e-01 : f64>>>) : !est.feature<float32> -> !est.logits<2>
    est.multi_label_head "y"(%2) label %1 vocabulary(["a", "b"]) thresholds [5.000000e-01] class_metrics [1] reduction(sum) : (!est.logits<2>), !est.feature<?xstring>
  }
}

