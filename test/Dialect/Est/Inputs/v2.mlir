module {
  est.estimator @mixed compat(tf2) precision(bf16_mixed) {
    %0 = est.feature "x" : !est.feature<float32>
    %1 = est.feature "y" role(label) : !est.feature<float32>
    %2 = est.numeric "x" of %0 : !est.feature<float32> -> !est.dense<1>
    %3 = est.linear(%2) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 5.000000e-01 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
    est.regression_head "y"(%3) label %1 reduction(sum) : (!est.logits<1>), !est.feature<float32>
  }
}

