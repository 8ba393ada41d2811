// Two steps of each update rule, on a dense weight, a table of which only rows are touched, and the bias. The numbers
// were computed apart in double precision from the formulas of the est attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed -e 's/RULE/#est.sgd<learning_rate = <"lr" = 0.25 : f64>>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=SGD
// RUN: sed -e 's/RULE/#est.adagrad<learning_rate = <"lr" = 0.25 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, initial_accumulator_value = 0.1>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.adagrad
// RUN: FileCheck %s --check-prefix=ADAGRAD-IR --input-file=%t.adagrad
// RUN: mlc-opt %t.adagrad --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=ADAGRAD
// RUN: sed -e 's/RULE/#est.adam<learning_rate = <"lr" = 0.25 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.99 : f64>, epsilon = <"eps" = 1.0e-2 : f64>>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.adam
// RUN: FileCheck %s --check-prefix=ADAM-IR --input-file=%t.adam
// RUN: mlc-opt %t.adam --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=ADAM
// RUN: sed -e 's/RULE/#est.ftrl<learning_rate = <"lr" = 0.25 : f64>, l1 = <"l1" = 0.2 : f64>, l2 = <"l2" = 0.1 : f64>, l2_shrinkage = <"l2s" = 0.05 : f64>, learning_rate_power = -0.5, initial_accumulator_value = 0.1>/' %s \
// RUN:   | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=FTRL
// RUN: sed -e 's/RULE/#est.ftrl<learning_rate = <"lr" = 0.25 : f64>, l1 = <"l1" = 0.2 : f64>, l2 = <"l2" = 0.1 : f64>, l2_shrinkage = <"l2s" = 0.05 : f64>, learning_rate_power = -0.75, initial_accumulator_value = 0.1>/' %s \
// RUN:   | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=POWER

est.estimator @rules compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %i = est.identity "s" of %s : !est.feature<int64> -> !est.categorical<4>
  %l = est.linear (%n, %i) sparse_combiner(sum) optimizer(<rule = RULE>) : (!est.dense<1>, !est.categorical<4>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<float32>
}

// SGD: @global_step = tensor<i64> 2
// SGD-NEXT: bias_weights = tensor<1xf32> [1.11111
// SGD-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.77777[0-9]*\], \[0\], \[0.33333}}
// SGD-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}-0.11111

// The slots, and an update of rows for what is only gathered.
// ADAGRAD-IR: df.variable @"linear/linear_model/x/weights/Adagrad" : tensor<1x1xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"linear/linear_model/x/weights"}
// ADAGRAD-IR: %[[G:[0-9]+]]:3 = df.gradients %{{.*}} wrt [@"linear/linear_model/x/weights", @"linear/linear_model/s/weights", @"linear/linear_model/bias_weights"] :
// ADAGRAD-IR-SAME: (tensor<f32>) -> (tensor<1x1xf32>, !df.rows<tensor<4x1xf32>>, tensor<1xf32>)
// ADAGRAD-IR: df.assign @"linear/linear_model/x/weights",
// ADAGRAD-IR: df.assign @"linear/linear_model/x/weights/Adagrad",
// ADAGRAD-IR: df.apply_rows [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Adagrad"], %[[G]]#1
// ADAGRAD: @global_step = tensor<i64> 2
// ADAGRAD-NEXT: bias_weights = tensor<1xf32> [0.387528
// ADAGRAD-NEXT: bias_weights/Adagrad = tensor<1xf32> [23.3362
// ADAGRAD-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.39648[0-9]*\], \[0\], \[0.35249}}
// ADAGRAD-NEXT: s/weights/Adagrad = tensor<4x1xf32> {{\[\[0.1\], \[11.2327[0-9]*\], \[0.1\], \[2.34648}}
// ADAGRAD-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.19076
// ADAGRAD-NEXT: x/weights/Adagrad = tensor<1x1xf32> {{\[\[}}1.95962

// Adam moves all rows of a table with sparse_update exact, as a linear model's are.
// ADAM-IR: df.variable @"linear/linear_model/s/weights/Adam" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "m", slot_of = @"linear/linear_model/s/weights"}
// ADAM-IR: df.variable @"linear/linear_model/s/weights/Adam_1" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "v", slot_of = @"linear/linear_model/s/weights"}
// ADAM-IR-NOT: df.apply_rows
// ADAM-IR: df.densify_rows
// ADAM-IR-NOT: df.apply_rows
// ADAM: @global_step = tensor<i64> 2
// ADAM-NEXT: bias_weights = tensor<1xf32> [0.48236
// ADAM-NEXT: bias_weights/Adam = tensor<1xf32> [-0.632579
// ADAM-NEXT: bias_weights/Adam_1 = tensor<1xf32> [0.232699
// ADAM-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.47982[0-9]*\], \[0\], \[0.45326}}
// ADAM-NEXT: s/weights/Adam = tensor<4x1xf32> {{\[\[0\], \[-0.44201[0-9]*\], \[0\], \[-0.19056}}
// ADAM-NEXT: s/weights/Adam_1 = tensor<4x1xf32> {{\[\[0\], \[0.11121[0-9]*\], \[0\], \[0.02257}}
// ADAM-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.35672
// ADAM-NEXT: x/weights/Adam = tensor<1x1xf32> {{\[\[}}-0.09678
// ADAM-NEXT: x/weights/Adam_1 = tensor<1x1xf32> {{\[\[}}0.01813

// FTRL: @global_step = tensor<i64> 2
// FTRL-NEXT: bias_weights = tensor<1xf32> [0.375400
// FTRL-NEXT: bias_weights/Ftrl = tensor<1xf32> [24.1244
// FTRL-NEXT: bias_weights/Ftrl_1 = tensor<1xf32> [-7.65044
// FTRL-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.37348[0-9]*\], \[0\], \[0.31610}}
// FTRL-NEXT: s/weights/Ftrl = tensor<4x1xf32> {{\[\[0.1\], \[11.43117[0-9]*\], \[0.1\], \[2.48378}}
// FTRL-NEXT: s/weights/Ftrl_1 = tensor<4x1xf32> {{\[\[0\], \[-5.32572[0-9]*\], \[0\], \[-2.25597}}
// FTRL-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.18851
// FTRL-NEXT: x/weights/Ftrl = tensor<1x1xf32> {{\[\[}}1.87957
// FTRL-NEXT: x/weights/Ftrl_1 = tensor<1x1xf32> {{\[\[}}-1.27152

// POWER: @global_step = tensor<i64> 2
// POWER-NEXT: bias_weights = tensor<1xf32> [0.186061
// POWER-NEXT: bias_weights/Ftrl = tensor<1xf32> [26.5829
// POWER-NEXT: bias_weights/Ftrl_1 = tensor<1xf32> [-8.95025
// POWER-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.22423[0-9]*\], \[0\], \[0.27480}}
