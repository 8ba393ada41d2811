// The multi-class head: loss, metrics of two batches, predictions; labels that are classes, and labels with a vocabulary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[1.0, -1.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[12, 10]> : tensor<2xi64>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' \
// RUN:     -e 's,= df.read @"linear/linear_model/bias_weights".*,= df.constant dense<[0.0\, 1.0\, 2.0]> : tensor<3xf32>,' %t \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_update,eval_result,predict -o /dev/null | FileCheck %s
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[1.0, -1.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[12, 13]> : tensor<2xi64>/' %t \
// RUN:   | not mlc-opt --df-interpret=functions=eval_update -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD

est.estimator @classes compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<3>
  est.multi_class_head "y" (%l) label %y vocabulary([10, 11, 12]) reduction(mean) : (!est.logits<3>), !est.feature<int64>
}

// IR: df.vocabulary @label_vocabulary [10, 11, 12]
// IR-LABEL: df.function @train
// IR: %[[ID:.*]] = df.lookup @label_vocabulary, %{{.*}} : (tensor<?xi64>) -> tensor<?xi64>
// IR: %[[LABEL:.*]] = df.check_ids %[[ID]], %{{.*}} in @label_vocabulary {feature = "y", high = 3 : i64, low = 0 : i64, what = "label 'y'"}
// IR: %[[EACH:.*]] = df.softmax_cross_entropy %{{.*}}, %[[LABEL]]
// IR: df.batch_mean %[[EACH]] {reduction = #df.batch_reduction<mean>}
// IR-LABEL: df.function @eval_result() -> (tensor<f64> {df.name = "accuracy"}, tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "loss"},
// IR-SAME: tensor<f64> {df.name = "macro_f1"}, tensor<f64> {df.name = "baseline/accuracy"}, tensor<f64> {df.name = "baseline/average_loss"},
// IR-SAME: tensor<f64> {df.name = "rate/confident_errors"}, tensor<3x3xf64> {df.name = "report/confusion"})
// IR-LABEL: df.function @predict
// IR-SAME: -> (tensor<?x3xf32> {df.name = "logits"}, tensor<?x3xf32> {df.name = "probabilities"}, tensor<?x1xi64> {df.name = "class_ids"}, tensor<?x1x!df.string> {df.name = "classes"})

// The logits are (0, 1, 2) + x: class 2 for both rows. ln(1 + e + e^2) = 2.4076059644443806
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 1: tensor<f64> 1.40760
// CHECK-NEXT: 2: tensor<f64> 1.40760
// Class 2 twice, label 2 and label 0, in each of two batches: F1 2/3 and 0; the shares are halves: ln 2.
// CHECK-NEXT: 3: tensor<f64> 0.33333333333333
// CHECK-NEXT: 4: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 5: tensor<f64> 0.693147180559
// CHECK-NEXT: 6: tensor<f64> 0{{$}}
// CHECK-NEXT: 7: tensor<3x3xf64> {{\[\[0, 0, 2\], \[0, 0, 0\], \[0, 0, 2\]\]}}
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<2x3xf32> {{\[\[1, 2, 3\], \[-1, 0, 1\]\]}}
// CHECK-NEXT: 1: tensor<2x3xf32> {{\[\[}}0.0900{{[0-9]*}}, 0.2447{{[0-9]*}}, 0.6652{{[0-9]*}}
// CHECK-NEXT: 2: tensor<2x1xi64> {{\[\[2\], \[2\]\]}}
// CHECK-NEXT: 3: tensor<2x1x!df.string> {{\[\["12"\], \["12"\]\]}}

// BAD: label 'y'
