// The Poisson regression head: exp(z) - y z, with Stirling's approximation for labels above 1; predictions are exp(z).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0, 0.0]> : tensor<3xf32>/' \
// RUN:     -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0, 2.0]> : tensor<3xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' %t > %t.values
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[1, 3, 0]> : tensor<3xi64>/' %t.values \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result,predict,train -o /dev/null | FileCheck %s
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[1, -3, 0]> : tensor<3xi64>/' %t.values \
// RUN:   | not mlc-opt --df-interpret=functions=train -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
//
// Without the approximation.
// RUN: sed -e 's/compute_full_loss//' %s | mlc-opt --convert-est-to-df \
// RUN:   | sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0, 0.0]> : tensor<3xf32>/' \
// RUN:         -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0, 2.0]> : tensor<3xf32>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<[1, 3, 0]> : tensor<3xi64>/' \
// RUN:         -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result -o /dev/null | FileCheck %s --check-prefix=PART

est.estimator @counts compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.poisson_regression_head "y" (%l) label %y weight %w compute_full_loss reduction(sum)
    : (!est.logits<1>), !est.feature<int64>, !est.feature<float32>
}

// IR: \22kind\22:\22poisson_regression\22
// IR-LABEL: df.function @eval_result() -> (tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "label/mean"},
// IR-SAME: tensor<f64> {df.name = "loss"}, tensor<f64> {df.name = "mae"}, tensor<f64> {df.name = "prediction/mean"}, tensor<f64> {df.name = "rmse"}, tensor<f64> {df.name = "baseline/rmse"})
// IR-LABEL: df.function @predict
// IR-SAME: -> (tensor<?x1xf32> {df.name = "predictions"}, tensor<?x1xf32> {df.name = "logits"})

// Losses 1, e - 3 + 3 ln 3 - 3 + ln(6 pi) / 2 and 1 with the weights 3, 1 and 2.
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 1.08039
// CHECK-NEXT: 1: tensor<f64> 1{{$}}
// CHECK-NEXT: 2: tensor<f64> 6.4823
// CHECK-NEXT: 3: tensor<f64> 0.380286
// CHECK-NEXT: 4: tensor<f64> 1.28638
// CHECK-NEXT: 5: tensor<f64> 0.588694
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<3x1xf32> {{\[\[1\], \[2\.71828[0-9]*\], \[1\]\]}}
// CHECK-NEXT: 1: tensor<3x1xf32> {{\[\[0\], \[1\], \[0\]\]}}
// The gradients are weight * (exp(z) - y) * x: e - 3, and of the bias 2 + e - 3.
// CHECK-LABEL: @train
// CHECK: bias_weights = tensor<1xf32> [-1.7182
// CHECK: x/weights = tensor<1x1xf32> {{\[\[1\.2817}}

// NEGATIVE: row 1: label 'y', a number of at least 0: -3 is out of range{{$}}

// PART-LABEL: @eval_result
// PART-NEXT: 0: tensor<f64> 0.78638
// PART: 2: tensor<f64> 4.7182
