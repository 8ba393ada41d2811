// Two steps of the update rules that came after those of update-rules.mlir, on the same model; the numbers were computed
// apart in double precision from the formulas of the est attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed -e 's/RULE/#est.adadelta<learning_rate = <"lr" = 0.25 : f64>, rho = <"rho" = 0.9 : f64>, epsilon = <"eps" = 1.0e-2 : f64>>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.adadelta
// RUN: FileCheck %s --check-prefix=ADADELTA-IR --input-file=%t.adadelta
// RUN: mlc-opt %t.adadelta --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=ADADELTA
// RUN: sed -e 's/RULE/#est.adamax<learning_rate = <"lr" = 0.25 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"eps" = 1.0e-2 : f64>>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.adamax
// RUN: FileCheck %s --check-prefix=ADAMAX-IR --input-file=%t.adamax
// RUN: mlc-opt %t.adamax --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=ADAMAX
// RUN: sed -e 's/RULE/#est.nadam<learning_rate = <"lr" = 0.25 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.99 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, schedule_decay = <"d" = 0.25 : f64>>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.nadam
// RUN: FileCheck %s --check-prefix=NADAM-IR --input-file=%t.nadam
// RUN: mlc-opt %t.nadam --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=NADAM
// RUN: sed -e 's/RULE/#est.adam<learning_rate = <"lr" = 0.25 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.5 : f64>, epsilon = <"eps" = 1.0e-2 : f64>, amsgrad = true>/' %s \
// RUN:   | mlc-opt --convert-est-to-df -o %t.amsgrad
// RUN: FileCheck %s --check-prefix=AMSGRAD-IR --input-file=%t.amsgrad
// RUN: mlc-opt %t.amsgrad --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=AMSGRAD
// RUN: sed -e 's/RULE/#est.ftrl<learning_rate = <"lr" = 0.25 : f64>, l1 = <"l1" = 0.2 : f64>, l2 = <"l2" = 0.1 : f64>, l2_shrinkage = <"l2s" = 0.05 : f64>, learning_rate_power = -0.5, initial_accumulator_value = 0.1, beta = <"beta" = 0.5 : f64>>/' %s \
// RUN:   | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=BETA

est.estimator @rules compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %i = est.identity "s" of %s : !est.feature<int64> -> !est.categorical<4>
  %l = est.linear (%n, %i) sparse_combiner(sum) optimizer(<rule = RULE>) : (!est.dense<1>, !est.categorical<4>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<float32>
}

// Rows without a gradient keep their slots, with sparse_update exact, too: so do tf's kernels.
// ADADELTA-IR: df.variable @"linear/linear_model/s/weights/Adadelta" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "accum_grad", slot_of = @"linear/linear_model/s/weights"}
// ADADELTA-IR: df.variable @"linear/linear_model/s/weights/Adadelta_1" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "accum_var", slot_of = @"linear/linear_model/s/weights"}
// ADADELTA-IR: df.apply_rows [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Adadelta", @"linear/linear_model/s/weights/Adadelta_1"]
// ADADELTA: @global_step = tensor<i64> 2
// ADADELTA-NEXT: bias_weights = tensor<1xf32> [0.15531
// ADADELTA-NEXT: bias_weights/Adadelta = tensor<1xf32> [2.7244
// ADADELTA-NEXT: bias_weights/Adadelta_1 = tensor<1xf32> [0.018309
// ADADELTA-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.15581[0-9]*\], \[0\], \[0.14905}}
// ADADELTA-NEXT: s/weights/Adadelta = tensor<4x1xf32> {{\[\[0\], \[1.2436[0-9]*\], \[0\], \[0.28700}}
// ADADELTA-NEXT: s/weights/Adadelta_1 = tensor<4x1xf32> {{\[\[0\], \[0.018438[0-9]*\], \[0\], \[0.016845}}
// ADADELTA-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.13554
// ADADELTA-NEXT: x/weights/Adadelta = tensor<1x1xf32> {{\[\[}}0.22691
// ADADELTA-NEXT: x/weights/Adadelta_1 = tensor<1x1xf32> {{\[\[}}0.014018

// ADAMAX-IR: df.variable @"linear/linear_model/s/weights/Adamax" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "m", slot_of = @"linear/linear_model/s/weights"}
// ADAMAX-IR: df.variable @"linear/linear_model/s/weights/Adamax_1" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "v", slot_of = @"linear/linear_model/s/weights"}
// ADAMAX-IR: df.apply_rows [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Adamax", @"linear/linear_model/s/weights/Adamax_1"]
// ADAMAX: @global_step = tensor<i64> 2
// ADAMAX-NEXT: bias_weights = tensor<1xf32> [0.55702
// ADAMAX-NEXT: bias_weights/Adamax = tensor<1xf32> [-0.62728
// ADAMAX-NEXT: bias_weights/Adamax_1 = tensor<1xf32> [2.6728
// ADAMAX-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.53693[0-9]*\], \[0\], \[0.60970}}
// ADAMAX-NEXT: s/weights/Adamax = tensor<4x1xf32> {{\[\[0\], \[-0.44020[0-9]*\], \[0\], \[-0.18708}}
// ADAMAX-NEXT: s/weights/Adamax_1 = tensor<4x1xf32> {{\[\[0\], \[2.0020[0-9]*\], \[0\], \[0.67080}}
// ADAMAX-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.41875
// ADAMAX-NEXT: x/weights/Adamax = tensor<1x1xf32> {{\[\[}}-0.087742
// ADAMAX-NEXT: x/weights/Adamax_1 = tensor<1x1xf32> {{\[\[}}0.66666

// In a table with sparse_update exact all rows of the slots decay, and the rows of the batch move. The product of the
// momenta is one for all variables: a slot of the step.
// NADAM-IR: df.variable @"linear/Nadam/momentum_cache" : tensor<f32> = #df.constant<1.000000e+00> {slot = "momentum_cache", slot_of = @global_step}
// NADAM-IR: df.variable @"linear/linear_model/s/weights/Nadam" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "m", slot_of = @"linear/linear_model/s/weights"}
// NADAM-IR: df.variable @"linear/linear_model/s/weights/Nadam_1" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "v", slot_of = @"linear/linear_model/s/weights"}
// NADAM-IR: df.read @"linear/Nadam/momentum_cache"
// NADAM-IR-NOT: df.read @"linear/Nadam/momentum_cache"
// NADAM-IR: df.assign @"linear/Nadam/momentum_cache"
// NADAM-IR: df.apply_rows every_row [@"linear/linear_model/s/weights/Nadam", @"linear/linear_model/s/weights/Nadam_1"]
// NADAM-IR: df.apply_rows [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Nadam", @"linear/linear_model/s/weights/Nadam_1"]
// NADAM: @global_step = tensor<i64> 2
// NADAM-NEXT: @linear/Nadam/momentum_cache = tensor<f32> 0.20868
// NADAM-NEXT: bias_weights = tensor<1xf32> [0.41868
// NADAM-NEXT: bias_weights/Nadam = tensor<1xf32> [-0.61958
// NADAM-NEXT: bias_weights/Nadam_1 = tensor<1xf32> [0.22578
// NADAM-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.43013[0-9]*\], \[0\], \[0.38762}}
// NADAM-NEXT: s/weights/Nadam = tensor<4x1xf32> {{\[\[0\], \[-0.43635[0-9]*\], \[0\], \[-0.18323}}
// NADAM-NEXT: s/weights/Nadam_1 = tensor<4x1xf32> {{\[\[0\], \[0.10895[0-9]*\], \[0\], \[0.021598}}
// NADAM-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.20078
// NADAM-NEXT: x/weights/Nadam = tensor<1x1xf32> {{\[\[}}-0.078135
// NADAM-NEXT: x/weights/Nadam_1 = tensor<1x1xf32> {{\[\[}}0.019352

// AMSGRAD-IR: df.variable @"linear/linear_model/s/weights/Adam_2" : tensor<4x1xf32> = #df.constant<0.000000e+00> {slot = "vhat", slot_of = @"linear/linear_model/s/weights"}
// AMSGRAD-IR: df.apply_rows every_row [@"linear/linear_model/s/weights", @"linear/linear_model/s/weights/Adam", @"linear/linear_model/s/weights/Adam_1", @"linear/linear_model/s/weights/Adam_2"]
// What does not change in the second step is not printed: averages that fall leave the largest ones.
// AMSGRAD: @global_step = tensor<i64> 2
// AMSGRAD-NEXT: bias_weights = tensor<1xf32> [0.50105
// AMSGRAD-NEXT: bias_weights/Adam = tensor<1xf32> [-0.62754
// AMSGRAD-NEXT: bias_weights/Adam_1 = tensor<1xf32> [7.5789
// AMSGRAD-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.50529[0-9]*\], \[0\], \[0.47131}}
// AMSGRAD-NEXT: s/weights/Adam = tensor<4x1xf32> {{\[\[0\], \[-0.44029[0-9]*\], \[0\], \[-0.18725}}
// AMSGRAD-NEXT: s/weights/Adam_1 = tensor<4x1xf32> {{\[\[0\], \[3.7836[0-9]*\], \[0\], \[0.67057}}
// AMSGRAD-NEXT: s/weights/Adam_2 = tensor<4x1xf32> {{\[\[0\], \[3.7836[0-9]*\], \[0\], \[0.88888}}
// AMSGRAD-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.35283
// AMSGRAD-NEXT: x/weights/Adam = tensor<1x1xf32> {{\[\[}}-0.088183
// AMSGRAD-NEXT: x/weights/Adam_1 = tensor<1x1xf32> {{\[\[}}0.49505

// BETA: @global_step = tensor<i64> 2
// BETA-NEXT: bias_weights = tensor<1xf32> [0.34321
// BETA-NEXT: bias_weights/Ftrl = tensor<1xf32> [25.307
// BETA-NEXT: bias_weights/Ftrl_1 = tensor<1xf32> [-7.8615
// BETA-NEXT: s/weights = tensor<4x1xf32> {{\[\[0\], \[0.32348[0-9]*\], \[0\], \[0.24857}}
// BETA-NEXT: s/weights/Ftrl = tensor<4x1xf32> {{\[\[0.1\], \[11.768[0-9]*\], \[0.1\], \[2.6867}}
// BETA-NEXT: s/weights/Ftrl_1 = tensor<4x1xf32> {{\[\[0\], \[-5.3506[0-9]*\], \[0\], \[-2.3766}}
// BETA-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}0.18017
// BETA-NEXT: x/weights/Ftrl = tensor<1x1xf32> {{\[\[}}1.95
// BETA-NEXT: x/weights/Ftrl_1 = tensor<1x1xf32> {{\[\[}}-1.6027
