// Five steps under each schedule of the learning rate: with one row, the loss (b - 1)^2 and a rate of 0.1 before decay, the
// bias b becomes 1 - product(1 - 2 rate). The numbers were computed apart from the formulas of the est attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed -e 's/DECAY//' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: sed -e 's/DECAY/, decay = #est.exponential_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=EXPONENTIAL
// RUN: sed -e 's/DECAY/, decay = #est.exponential_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = true>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=STAIRCASE
// RUN: sed -e 's/DECAY/, decay = #est.piecewise_constant<boundaries = [1, 3], values = [0.1, 0.2, 0.3]>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=PIECEWISE
// RUN: sed -e 's/DECAY/, decay = #est.polynomial_decay<decay_steps = <"s" = 3 : i64>, end_learning_rate = <"e" = 0.01 : f64>, power = 2.0, cycle = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=POLYNOMIAL
// RUN: sed -e 's/DECAY/, decay = #est.polynomial_decay<decay_steps = <"s" = 3 : i64>, end_learning_rate = <"e" = 0.01 : f64>, power = 1.0, cycle = true>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=CYCLE
// RUN: sed -e 's/DECAY/, decay = #est.cosine_decay<decay_steps = <"s" = 4 : i64>, alpha = <"a" = 0.1 : f64>>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=COSINE
// RUN: sed -e 's/DECAY/, decay = #est.inverse_time_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=INVERSE
// RUN: sed -e 's/DECAY/, decay = #est.inverse_time_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = true>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=INVERSE-STAIRCASE
// RUN: sed -e 's/DECAY/, decay = #est.natural_exp_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=NATURAL
// RUN: sed -e 's/DECAY/, decay = #est.natural_exp_decay<decay_steps = <"s" = 2 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = true>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=NATURAL-STAIRCASE
// RUN: sed -e 's/DECAY/, decay = #est.cosine_decay_restarts<first_decay_steps = <"s" = 2 : i64>, t_mul = 2.0, m_mul = <"m" = 0.5 : f64>, alpha = <"a" = 0.1 : f64>>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=RESTARTS
// RUN: sed -e 's/DECAY/, decay = #est.cosine_decay_restarts<first_decay_steps = <"s" = 2 : i64>, t_mul = 1.0, m_mul = <"m" = 0.5 : f64>, alpha = <"a" = 0.1 : f64>>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=RESTARTS-EVEN
// RUN: sed -e 's/DECAY/, decay = #est.linear_cosine_decay<decay_steps = <"s" = 3 : i64>, num_periods = 1.5, alpha = <"a" = 0.2 : f64>, beta = <"b" = 0.05 : f64>>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=LINEAR-COSINE
// RUN: sed -e 's/DECAY/, warmup_steps = <"w" = 3 : i64>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=WARMUP
// RUN: sed -e 's/DECAY/, warmup_steps = <"w" = 0 : i64>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=NO-WARMUP
// RUN: sed -e 's/DECAY/, decay = #est.polynomial_decay<decay_steps = <"s" = 3 : i64>, end_learning_rate = <"e" = 0.01 : f64>, power = 2.0, cycle = false>, warmup_steps = <"w" = 3 : i64>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients | sed -f %S/Inputs/row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,train,train,train -o /dev/null | FileCheck %s --check-prefix=BOTH

est.estimator @schedule compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>DECAY>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// NONE: @global_step = tensor<i64> 4
// NONE: @global_step = tensor<i64> 5
// NONE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.67232
// EXPONENTIAL: @global_step = tensor<i64> 4
// EXPONENTIAL: @global_step = tensor<i64> 5
// EXPONENTIAL-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.454258
// STAIRCASE: @global_step = tensor<i64> 4
// STAIRCASE: @global_step = tensor<i64> 5
// STAIRCASE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.50752
// PIECEWISE: @global_step = tensor<i64> 4
// PIECEWISE: @global_step = tensor<i64> 5
// PIECEWISE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.90784
// POLYNOMIAL: @global_step = tensor<i64> 4
// POLYNOMIAL: @global_step = tensor<i64> 5
// POLYNOMIAL-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.336171
// CYCLE: @global_step = tensor<i64> 4
// CYCLE: @global_step = tensor<i64> 5
// CYCLE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.429323
// COSINE: @global_step = tensor<i64> 4
// COSINE: @global_step = tensor<i64> 5
// COSINE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.450130
// INVERSE: @global_step = tensor<i64> 4
// INVERSE: @global_step = tensor<i64> 5
// INVERSE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.535744
// INVERSE-STAIRCASE: @global_step = tensor<i64> 4
// INVERSE-STAIRCASE: @global_step = tensor<i64> 5
// INVERSE-STAIRCASE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.56736
// NATURAL: @global_step = tensor<i64> 4
// NATURAL: @global_step = tensor<i64> 5
// NATURAL-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.50214
// NATURAL-STAIRCASE: @global_step = tensor<i64> 4
// NATURAL-STAIRCASE: @global_step = tensor<i64> 5
// NATURAL-STAIRCASE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.54221
// RESTARTS: @global_step = tensor<i64> 4
// RESTARTS: @global_step = tensor<i64> 5
// RESTARTS-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.46487
// RESTARTS-EVEN: @global_step = tensor<i64> 4
// RESTARTS-EVEN: @global_step = tensor<i64> 5
// RESTARTS-EVEN-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.44602
// LINEAR-COSINE: @global_step = tensor<i64> 4
// LINEAR-COSINE: @global_step = tensor<i64> 5
// LINEAR-COSINE-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.35717
// WARMUP: @global_step = tensor<i64> 4
// WARMUP: @global_step = tensor<i64> 5
// WARMUP-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.585848
// NO-WARMUP: @global_step = tensor<i64> 4
// NO-WARMUP: @global_step = tensor<i64> 5
// NO-WARMUP-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.67232
// BOTH: @global_step = tensor<i64> 4
// BOTH: @global_step = tensor<i64> 5
// BOTH-NEXT: @linear/linear_model/bias_weights = tensor<1xf32> [0.196849
