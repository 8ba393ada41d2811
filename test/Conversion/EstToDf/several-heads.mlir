// Several heads: each takes its part of the bodies' logits; the loss is the sum of theirs, each times its weight; variables, tables, metrics
// and predictions of a head have its name. The classes of one of them are told of no variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 1.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[1.0, -1.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "k"/&, df.value = dense<[10, 12]> : tensor<2xi64>/' \
// RUN:     -e 's/df.name = "w"/&, df.value = dense<[3.0, 1.0]> : tensor<2xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' %t \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result,predict,train -o /dev/null | FileCheck %s

est.estimator @several compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %k = est.feature "k" role(label) : !est.feature<int64>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<4>
  %0 = est.part_of_logits %l from 0 : !est.logits<4> -> !est.logits<1>
  %1 = est.part_of_logits %l from 1 : !est.logits<4> -> !est.logits<3>
  est.regression_head "a" (%0) label %y weight %w reduction(sum) head_weight(<"head.a.head_weight" = 0.5 : f64>)
    : (!est.logits<1>), !est.feature<float32>, !est.feature<float32>
  est.multi_class_head "b" (%1) label %k vocabulary([10, 11, 12]) reduction(mean)
    : (!est.logits<3>), !est.feature<int64>
}

// IR: \22heads\22:[{\22kind\22:\22regression\22,\22label\22:\22y\22,\22name\22:\22a\22,\22weight\22:\22w\22},
// IR-SAME: {\22classes\22:[\2210\22,\2211\22,\2212\22],\22kind\22:\22multi_class\22,\22label\22:\22k\22,\22name\22:\22b\22}]
// IR-SAME: \22prediction_constants\22:{\22b/all_class_ids\22:[0,1,2],\22b/all_classes\22:[\2210\22,\2211\22,\2212\22]}
// IR-NOT: vocabularies
// IR-DAG: df.variable @"eval/a/batch_loss"
// IR-DAG: df.variable @"eval/b/confusion"
// IR-DAG: df.variable @"eval/batch_loss"
// IR-DAG: df.vocabulary @"label_vocabulary/b" [10, 11, 12]
// IR-LABEL: df.function @train
// IR-DAG: df.slice %{{.*}} {sizes = array<i64: -1, 1>, starts = array<i64: 0, 0>} : (tensor<?x4xf32>) -> tensor<?x1xf32>
// IR-DAG: df.slice %{{.*}} {sizes = array<i64: -1, 3>, starts = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<?x3xf32>
// IR-LABEL: df.function @eval_result() -> (tensor<f64> {df.name = "accuracy/b"}, tensor<f64> {df.name = "average_loss/a"},
// IR-SAME: tensor<f64> {df.name = "average_loss/b"}, tensor<f64> {df.name = "label/mean/a"}, tensor<f64> {df.name = "loss"},
// IR-SAME: tensor<f64> {df.name = "loss/a"}, tensor<f64> {df.name = "loss/b"}, tensor<f64> {df.name = "macro_f1/b"},
// IR-SAME: tensor<f64> {df.name = "mae/a"}, tensor<f64> {df.name = "prediction/mean/a"}, tensor<f64> {df.name = "rmse/a"},
// IR-SAME: tensor<f64> {df.name = "baseline/accuracy/b"}, tensor<f64> {df.name = "baseline/average_loss/b"},
// IR-SAME: tensor<f64> {df.name = "baseline/rmse/a"}, tensor<f64> {df.name = "rate/confident_errors/b"}, tensor<3x3xf64> {df.name = "report/confusion/b"})
// IR-LABEL: df.function @predict
// IR-SAME: -> (tensor<?x1xf32> {df.name = "a/predictions"}, tensor<?x3xf32> {df.name = "b/logits"}, tensor<?x3xf32> {df.name = "b/probabilities"},
// IR-SAME: tensor<?x1xi64> {df.name = "b/class_ids"}, tensor<?x1x!df.string> {df.name = "b/classes"})

// All logits of a row are x. The squared errors 1 and 4 weigh 3 and 1; ln 3 for both rows.
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 1: tensor<f64> 1.75{{$}}
// CHECK-NEXT: 2: tensor<f64> 1.09861
// CHECK-NEXT: 3: tensor<f64> 0.5{{$}}
// 0.5 * 7 + ln 3; the losses of the heads go without their weights.
// CHECK-NEXT: 4: tensor<f64> 4.59861
// CHECK-NEXT: 5: tensor<f64> 7{{$}}
// CHECK-NEXT: 6: tensor<f64> 1.09861
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<2x1xf32> {{\[\[0\], \[1\]\]}}
// CHECK-NEXT: 1: tensor<2x3xf32> {{\[\[0, 0, 0\], \[1, 1, 1\]\]}}
// Gradients of the biases: 0.5 * 2 * (3 * -1 + 2), and (probabilities - labels) / 2 over the rows; of the weights those of the second row.
// CHECK-LABEL: @train
// CHECK-NEXT: 0: tensor<f32> 4.59861
// CHECK: bias_weights = tensor<4xf32> [1, 0.16666{{[0-9]*}}, -0.33333{{[0-9]*}}, 0.16666
// CHECK: x/weights = tensor<1x4xf32> {{\[\[-1, 0.83333[0-9]*, 0.83333[0-9]*, 1.33333}}
