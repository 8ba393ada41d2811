// The logistic regression head: sigmoid cross entropy of labels in [0, 1]; predictions are sigmoid(z).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0, 0.0]> : tensor<3xf32>/' \
// RUN:     -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0, 2.0]> : tensor<3xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' %t > %t.values
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[0.25, 1.0, 0.0]> : tensor<3xf32>/' %t.values \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result,predict,train -o /dev/null | FileCheck %s
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[0.25, 1.5, 0.0]> : tensor<3xf32>/' %t.values \
// RUN:   | not mlc-opt --df-interpret=functions=eval_update -o /dev/null 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[0.25, 0x7FC00000, 0.0]> : tensor<3xf32>/' %t.values \
// RUN:   | not mlc-opt --df-interpret=functions=train -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAN

est.estimator @shares compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.logistic_regression_head "y" (%l) label %y weight %w reduction(sum)
    : (!est.logits<1>), !est.feature<float32>, !est.feature<float32>
}

// IR: \22kind\22:\22logistic_regression\22
// IR-LABEL: df.function @eval_result() -> (tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "label/mean"},
// IR-SAME: tensor<f64> {df.name = "loss"}, tensor<f64> {df.name = "mae"}, tensor<f64> {df.name = "prediction/mean"}, tensor<f64> {df.name = "rmse"}, tensor<f64> {df.name = "baseline/rmse"})
// IR-LABEL: df.function @predict
// IR-SAME: -> (tensor<?x1xf32> {df.name = "predictions"}, tensor<?x1xf32> {df.name = "logits"})

// Losses ln 2, ln(1 + 1/e) and ln 2 with the weights 3, 1 and 2.
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 0.62983
// CHECK-NEXT: 1: tensor<f64> 0.29166
// CHECK-NEXT: 2: tensor<f64> 3.7789
// CHECK-NEXT: 3: tensor<f64> 0.33649
// CHECK-NEXT: 4: tensor<f64> 0.53850
// CHECK-NEXT: 5: tensor<f64> 0.35586
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<3x1xf32> {{\[\[0\.5\], \[0\.73105[0-9]*\], \[0\.5\]\]}}
// CHECK-NEXT: 1: tensor<3x1xf32> {{\[\[0\], \[1\], \[0\]\]}}
// The gradients are weight * (sigmoid(z) - y) * x: -1 / (1 + e), and of the bias 0.75 - 1 / (1 + e) + 1.
// CHECK-LABEL: @train
// CHECK: bias_weights = tensor<1xf32> [-1.4810
// CHECK: x/weights = tensor<1x1xf32> {{\[\[1\.2689}}

// ABOVE: row 1: label 'y', a number from 0 to 1: 1.5 is out of range{{$}}
// NAN: row 1: label 'y', a number from 0 to 1: {{.*}} is out of range{{$}}
