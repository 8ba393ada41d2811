// What a summary of training shows: activations and their zeros, weights, learning rates under their schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t.df
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.df
// RUN: mlc-opt %t.df --df-expand-gradients | sed -f %S/Inputs/batch.sed \
// RUN:   | mlc-opt --df-interpret=functions=summary,train,summary -o /dev/null | FileCheck %s

est.estimator @both compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  %d = est.dnn (%n) hidden_units [2] activation(relu) kernel_initializer(#est.constant<value = -0.5>)
    optimizer(<rule = #est.sgd<learning_rate = <"rate" = 0.5 : f64>>, warmup_steps = <"warm" = 4 : i64>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l, %d) label %y reduction(sum_over_batch_size)
    : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// IR: df.function @summary({{.*}}"x"})
// IR-SAME: "linear/bias"
// IR-SAME: "linear/fraction_of_zero_weights"
// IR-SAME: "dnn/hiddenlayer_0/fraction_of_zero_values"
// IR-SAME: "dnn/hiddenlayer_0/activation"
// IR-SAME: "dnn/logits/fraction_of_zero_values"
// IR-SAME: "dnn/logits/activation"
// IR-SAME: "linear/learning_rate"
// IR-SAME: "dnn/learning_rate"
// IR-SAME: #df.role<summary>

// Two thirds of x * -0.5 are cut off by the relu; dnn's rate warms up over four steps.
// CHECK: @summary
// CHECK-NEXT: 0: tensor<f32> 0
// CHECK-NEXT: 1: tensor<f32> 1
// CHECK-NEXT: 2: tensor<f32> 0.6666667
// CHECK-NEXT: 3: tensor<3x2xf32> {{\[\[}}0, 0], [0, 0], [0.5, 0.5]]
// CHECK-NEXT: 4: tensor<f32> 0.6666667
// CHECK-NEXT: 5: tensor<3x1xf32> {{\[\[}}0], [0], [-0.5]]
// CHECK-NEXT: 6: tensor<f32> 0.25
// CHECK-NEXT: 7: tensor<f32> 0.125
// CHECK: @train
// CHECK: @summary
// CHECK-NEXT: 0: tensor<f32> 1.0833334
// CHECK-NEXT: 1: tensor<f32> 0
// CHECK: 6: tensor<f32> 0.25
// CHECK-NEXT: 7: tensor<f32> 0.25
