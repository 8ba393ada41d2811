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
// RUN: sed -e 's/RULE/#est.momentum<learning_rate = <"lr" = 0.25 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = false, rate_in_slot = true>, decay = #est.exponential_decay<decay_steps = <"n" = 1 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=MOMENTUM
// RUN: sed -e 's/RULE/#est.momentum<learning_rate = <"lr" = 0.25 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = false, rate_in_slot = false>, decay = #est.exponential_decay<decay_steps = <"n" = 1 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=MOMENTUM1
// RUN: sed -e 's/RULE/#est.momentum<learning_rate = <"lr" = 0.25 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = true, rate_in_slot = true>, decay = #est.exponential_decay<decay_steps = <"n" = 1 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=NESTEROV
// RUN: sed -e 's/RULE/#est.momentum<learning_rate = <"lr" = 0.25 : f64>, momentum = <"m" = 0.9 : f64>, nesterov = true, rate_in_slot = false>, decay = #est.exponential_decay<decay_steps = <"n" = 1 : i64>, decay_rate = <"r" = 0.5 : f64>, staircase = false>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=NESTEROV1
// RUN: sed -e 's/RULE/#est.rms_prop<learning_rate = <"lr" = 0.25 : f64>, decay = <"d" = 0.9 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, centered = false, initial_mean_square = 0.0>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.rms
// RUN: FileCheck %s --check-prefix=RMS-IR --input-file=%t.rms
// RUN: mlc-opt %t.rms --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=RMS
// RUN: sed -e 's/RULE/#est.rms_prop<learning_rate = <"lr" = 0.25 : f64>, decay = <"d" = 0.9 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, centered = true, initial_mean_square = 0.0>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=CENTERED
// RUN: sed -e 's/RULE/#est.rms_prop<learning_rate = <"lr" = 0.25 : f64>, decay = <"d" = 0.9 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, momentum = 0.5 : f64, centered = false, initial_mean_square = 1.0>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.rmsm
// RUN: FileCheck %s --check-prefix=RMSM-IR --input-file=%t.rmsm
// RUN: mlc-opt %t.rmsm --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=RMSM
// RUN: sed -e 's/RULE/#est.rms_prop<learning_rate = <"lr" = 0.25 : f64>, decay = <"d" = 0.9 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, momentum = 0.5 : f64, centered = true, initial_mean_square = 0.0>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=RMSMC
// RUN: sed -e 's/RULE/#est.sgd<learning_rate = <"lr" = 0.25 : f64>>, clip_by_global_norm = <"c" = 4.0 : f64>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.clip
// RUN: FileCheck %s --check-prefix=CLIP-IR --input-file=%t.clip
// RUN: mlc-opt %t.clip --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=CLIP
// RUN: sed -e 's/RULE/#est.sgd<learning_rate = <"lr" = 0.25 : f64>>, clip_by_norm = <"c" = 1.0 : f64>/' %s \
// RUN:   | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=NORM
// RUN: sed -e 's/RULE/#est.sgd<learning_rate = <"lr" = 0.25 : f64>>, clip_by_value = <"c" = 0.5 : f64>/' %s \
// RUN:   | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=VALUE

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
// ADAM-IR: df.apply_rows every_row [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Adam", @"linear/linear_model/s/weights/Adam_1"]
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

// The rate halves from step to step, which is where the two profiles differ.
// MOMENTUM: @global_step = tensor<i64> 2
// MOMENTUM-NEXT: bias_weights = tensor<1xf32> [1.9555
// MOMENTUM-NEXT: bias_weights/Momentum = tensor<1xf32> [0.95555
// MOMENTUM-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.3222[0-9]*\], \[0\], \[0.63333}}
// MOMENTUM-NEXT: s/weights/Momentum = tensor<4x1xf32> {{\[\[0\], \[0.65555[0-9]*\], \[0\], \[0.(3|29999)}}
// MOMENTUM-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.41111
// MOMENTUM-NEXT: x/weights/Momentum = tensor<1x1xf32> {{\[\[}}0.077777

// MOMENTUM1: @global_step = tensor<i64> 2
// MOMENTUM1-NEXT: bias_weights = tensor<1xf32> [1.5055
// MOMENTUM1-NEXT: bias_weights/Momentum = tensor<1xf32> [-4.0444
// MOMENTUM1-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.0222[0-9]*\], \[0\], \[0.48333}}
// MOMENTUM1-NEXT: s/weights/Momentum = tensor<4x1xf32> {{\[\[0\], \[-2.8444[0-9]*\], \[0\], \[-1.2}}
// MOMENTUM1-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.26111
// MOMENTUM1-NEXT: x/weights/Momentum = tensor<1x1xf32> {{\[\[}}0.57777

// NESTEROV: @global_step = tensor<i64> 2
// NESTEROV-NEXT: bias_weights = tensor<1xf32> [2.0555
// NESTEROV-NEXT: bias_weights/Momentum = tensor<1xf32> [0.55555
// NESTEROV-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.4372[0-9]*\], \[0\], \[0.61833}}
// NESTEROV-NEXT: s/weights/Momentum = tensor<4x1xf32> {{\[\[0\], \[0.40555[0-9]*\], \[0\], \[0.15}}
// NESTEROV-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}-0.18388
// NESTEROV-NEXT: x/weights/Momentum = tensor<1x1xf32> {{\[\[}}-0.27222

// NESTEROV1: @global_step = tensor<i64> 2
// NESTEROV1-NEXT: bias_weights = tensor<1xf32> [1.6505
// NESTEROV1-NEXT: bias_weights/Momentum = tensor<1xf32> [-0.84444
// NESTEROV1-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.1672[0-9]*\], \[0\], \[0.48333}}
// NESTEROV1-NEXT: s/weights/Momentum = tensor<4x1xf32> {{\[\[0\], \[-0.84444[0-9]*\], \[0\], \[0}}
// NESTEROV1-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}-0.31888
// NESTEROV1-NEXT: x/weights/Momentum = tensor<1x1xf32> {{\[\[}}3.3777

// RMSProp without a momentum decays its slots in all rows of a table with sparse_update exact.
// RMS-IR: df.variable @"linear/linear_model/s/weights/RMSProp" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "rms", slot_of = @"linear/linear_model/s/weights"}
// RMS-IR: df.apply_rows every_row [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/RMSProp"]
// RMS: @global_step = tensor<i64> 2
// RMS-NEXT: bias_weights = tensor<1xf32> [0.75237
// RMS-NEXT: bias_weights/RMSProp = tensor<1xf32> [1.4424
// RMS-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.95558[0-9]*\], \[0\], \[0.38383}}
// RMS-NEXT: s/weights/RMSProp = tensor<4x1xf32> {{\[\[0\], \[0.67353[0-9]*\], \[0\], \[0.21388}}
// RMS-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.02738
// RMS-NEXT: x/weights/RMSProp = tensor<1x1xf32> {{\[\[}}1.6277

// CENTERED: @global_step = tensor<i64> 2
// CENTERED-NEXT: bias_weights = tensor<1xf32> [0.74617
// CENTERED-NEXT: bias_weights/RMSProp = tensor<1xf32> [1.4541
// CENTERED-NEXT: bias_weights/RMSProp_1 = tensor<1xf32> [-0.32236
// CENTERED-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.97451[0-9]*\], \[0\], \[0.38212}}
// CENTERED-NEXT: s/weights/RMSProp = tensor<4x1xf32> {{\[\[0\], \[0.66184[0-9]*\], \[0\], \[0.23117}}
// CENTERED-NEXT: s/weights/RMSProp_1 = tensor<4x1xf32> {{\[\[0\], \[-0.28673[0-9]*\], \[0\], \[-0.035635}}
// CENTERED-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.045392
// CENTERED-NEXT: x/weights/RMSProp = tensor<1x1xf32> {{\[\[}}1.8448
// CENTERED-NEXT: x/weights/RMSProp_1 = tensor<1x1xf32> {{\[\[}}0.29046

// With one, only rows with a gradient change.
// RMSM-IR: df.variable @"linear/linear_model/s/weights/RMSProp" : tensor<4x1xf32> = #df.constant<1.000000e+00> {slot = "rms", slot_of = @"linear/linear_model/s/weights"}
// RMSM-IR: df.variable @"linear/linear_model/s/weights/RMSProp_1" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "momentum", slot_of = @"linear/linear_model/s/weights"}
// RMSM-IR: df.apply_rows [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/RMSProp", @"linear/linear_model/s/weights/RMSProp_1"]
// RMSM: @global_step = tensor<i64> 2
// RMSM-NEXT: bias_weights = tensor<1xf32> [1.1701
// RMSM-NEXT: bias_weights/RMSProp = tensor<1xf32> [2.4460
// RMSM-NEXT: bias_weights/RMSProp_1 = tensor<1xf32> [-0.53897
// RMSM-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.0090[0-9]*\], \[0\], \[0.54816}}
// RMSM-NEXT: s/weights/RMSProp = tensor<4x1xf32> {{\[\[1\], \[1.5769[0-9]*\], \[1\], \[0.97747}}
// RMSM-NEXT: s/weights/RMSProp_1 = tensor<4x1xf32> {{\[\[0\], \[-0.48544[0-9]*\], \[0\], \[-0.22856}}
// RMSM-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.19380
// RMSM-NEXT: x/weights/RMSProp = tensor<1x1xf32> {{\[\[}}1.1170
// RMSM-NEXT: x/weights/RMSProp_1 = tensor<1x1xf32> {{\[\[}}0.12579

// RMSMC: @global_step = tensor<i64> 2
// RMSMC-NEXT: bias_weights = tensor<1xf32> [1.1641
// RMSMC-NEXT: bias_weights/RMSProp = tensor<1xf32> [1.4544
// RMSMC-NEXT: bias_weights/RMSProp_1 = tensor<1xf32> [-0.32196
// RMSMC-NEXT: bias_weights/RMSProp_2 = tensor<1xf32> [-0.33371
// RMSMC-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[1.3891[0-9]*\], \[0\], \[0.78434}}
// RMSMC-NEXT: s/weights/RMSProp = tensor<4x1xf32> {{\[\[0\], \[0.66087[0-9]*\], \[0\], \[0.23009}}
// RMSMC-NEXT: s/weights/RMSProp_1 = tensor<4x1xf32> {{\[\[0\], \[-0.28568[0-9]*\], \[0\], \[-0.036279}}
// RMSMC-NEXT: s/weights/RMSProp_2 = tensor<4x1xf32> {{\[\[0\], \[-0.56223[0-9]*\], \[0\], \[0.024103}}
// RMSMC-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.44187
// RMSMC-NEXT: x/weights/RMSProp = tensor<1x1xf32> {{\[\[}}1.8292
// RMSMC-NEXT: x/weights/RMSProp_1 = tensor<1x1xf32> {{\[\[}}0.28856
// RMSMC-NEXT: x/weights/RMSProp_2 = tensor<1x1xf32> {{\[\[}}0.36657

// The first gradient's norm is 5.16, the second's 1.92. Row 1 counts as the sum of the gradients of two rows of the batch.
// CLIP-IR: %[[G:[0-9]+]]:3 = df.gradients
// CLIP-IR: df.unpack_rows %[[G]]#1
// CLIP-IR: df.ragged_reduce
// CLIP-IR: %[[ROWS:[0-9]+]] = df.scale_rows %[[G]]#1
// CLIP-IR: df.apply_rows [@"linear/linear_model/s/weights"], %[[ROWS]]
// CLIP: @global_step = tensor<i64> 2
// CLIP-NEXT: bias_weights = tensor<1xf32> [1.08606
// CLIP-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.75273[0-9]*\], \[0\], \[0.33333}}
// CLIP-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}-0.01093

// Each variable has a norm of its own; that of the table is over its rows.
// NORM: @global_step = tensor<i64> 2
// NORM-NEXT: bias_weights = tensor<1xf32> [0.5
// NORM-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.45785[0-9]*\], \[0\], \[0.19914}}
// NORM-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.21273

// VALUE: @global_step = tensor<i64> 2
// VALUE-NEXT: bias_weights = tensor<1xf32> [0.25]
// VALUE-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.25\], \[0\], \[0.25}}
// VALUE-NEXT: x/weights = tensor<1x1xf32> {{\[\[0.2(5|4999[0-9]*)}}
