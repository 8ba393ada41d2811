// The regression head: the loss is on the scale of the label transform; predictions, rmse, mae and means are in the
// label's units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[13.0, 8.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0]> : tensor<2xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' %t \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_update,eval_result,predict -o /dev/null | FileCheck %s
// RUN: sed -e 's/#est.z_score<.*>)/#est.log1p)/' %s | mlc-opt --convert-est-to-df \
// RUN:   | sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0]> : tensor<2xf32>/' \
// RUN:         -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' \
// RUN:   | mlc-opt --df-interpret=functions=predict -o /dev/null | FileCheck %s --check-prefix=LOG
// Logarithms have a baseline on the scale of the loss: ln 2 and ln 4 with weights 3 and 1.
// RUN: sed -e 's/#est.z_score<.*>)/#est.log1p)/' %s | mlc-opt --convert-est-to-df \
// RUN:   | sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0]> : tensor<2xf32>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<[1.0, 3.0]> : tensor<2xf32>/' \
// RUN:         -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0]> : tensor<2xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result -o /dev/null | FileCheck %s --check-prefix=LOSS

est.estimator @regression compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y weight %w label_transform(#est.z_score<mean = 10.0, stddev = 2.0>)
    reduction(sum) : (!est.logits<1>), !est.feature<float32>, !est.feature<float32>
}

// IR-LABEL: df.function @eval_result() -> (tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "label/mean"},
// IR-SAME: tensor<f64> {df.name = "loss"}, tensor<f64> {df.name = "mae"}, tensor<f64> {df.name = "prediction/mean"}, tensor<f64> {df.name = "rmse"}, tensor<f64> {df.name = "baseline/rmse"})

// Logits 0 and 1 against 1.5 and -1: squared errors 2.25 and 4 with weights 3 and 1. Predictions 10 and 12.
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 2.6875{{$}}
// CHECK-NEXT: 1: tensor<f64> 11.75{{$}}
// CHECK-NEXT: 2: tensor<f64> 10.75{{$}}
// CHECK-NEXT: 3: tensor<f64> 3.25{{$}}
// CHECK-NEXT: 4: tensor<f64> 10.5{{$}}
// sqrt((3 * 9 + 16) / 4)
// CHECK-NEXT: 5: tensor<f64> 3.27871926215
// Labels 13 and 8: sqrt((3 * 1.25^2 + 3.75^2) / 4)
// CHECK-NEXT: 6: tensor<f64> 2.1650635094610
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<2x1xf32> {{\[\[10\], \[12\]\]}}

// LOG-LABEL: @predict
// LOG-NEXT: 0: tensor<2x1xf32> {{\[\[0\], \[1.71828}}

// LOSS-LABEL: @eval_result
// LOSS: 6: tensor<f64> 0.0900849
