// Metrics of the binary head over two batches of four rows, with weights, under both profiles. The numbers were computed
// apart in double precision: auc and auc_precision_recall by the formulas of tf.keras.metrics.AUC (tf2) and
// tf.metrics.auc (tf1).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[-2.0, 0.0, 1.0, 3.0]> : tensor<4xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<["no", "yes", "no", "yes"]> : tensor<4x!df.string>/' \
// RUN:     -e 's/df.name = "w"/&, df.value = dense<[1.0, 2.0, 1.0, 0.5]> : tensor<4xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' %t > %t.tf2
// RUN: mlc-opt %t.tf2 --df-interpret=functions=eval_update,eval_update,eval_result -o /dev/null | FileCheck %s
// RUN: sed -e 's/compat(tf2)/compat(tf1)/' %s | mlc-opt --convert-est-to-df \
// RUN:   | sed -e 's/df.name = "x"/&, df.value = dense<[-2.0, 0.0, 1.0, 3.0]> : tensor<4xf32>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<["no", "yes", "no", "yes"]> : tensor<4x!df.string>/' \
// RUN:         -e 's/df.name = "w"/&, df.value = dense<[1.0, 2.0, 1.0, 0.5]> : tensor<4xf32>/' \
// RUN:         -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result -o /dev/null | FileCheck %s --check-prefix=TF1
// RUN: FileCheck %s --check-prefix=IR --input-file=%t

est.estimator @binary compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<string>
  %w = est.feature "w" role(weight) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y weight %w vocabulary(["no", "yes"]) thresholds [5.0e-1, 9.0e-1]
    reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<string>, !est.feature<float32>
}

// IR: df.vocabulary @label_vocabulary ["no", "yes"]
// IR-LABEL: df.function @train
// IR: %[[ID:.*]] = df.lookup @label_vocabulary, %[[Y:.*]] :
// IR: %[[LABEL:.*]] = df.check_ids %[[ID]], %[[Y]] in @label_vocabulary {feature = "y", high = 2 : i64, low = 0 : i64, what = "label 'y'"}
// IR: %[[EACH:.*]] = df.sigmoid_cross_entropy
// IR: df.batch_mean %[[EACH]], %{{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
// IR-LABEL: df.function @eval_result
// IR-SAME: () -> (tensor<f64> {df.name = "accuracy"}, tensor<f64> {df.name = "accuracy/positive_threshold_0.5"},
// IR-SAME: tensor<f64> {df.name = "accuracy/positive_threshold_0.9"}, tensor<f64> {df.name = "accuracy_baseline"},
// IR-SAME: tensor<f64> {df.name = "auc"}, tensor<f64> {df.name = "auc_exact"}, tensor<f64> {df.name = "auc_precision_recall"},
// IR-SAME: tensor<f64> {df.name = "average_loss"}, tensor<f64> {df.name = "label/mean"}, tensor<f64> {df.name = "logloss"}, tensor<f64> {df.name = "loss"}, tensor<f64> {df.name = "precision"},
// IR-SAME: tensor<f64> {df.name = "precision/positive_threshold_0.5"}, tensor<f64> {df.name = "precision/positive_threshold_0.9"},
// IR-SAME: tensor<f64> {df.name = "prediction/mean"}, tensor<f64> {df.name = "recall"},
// IR-SAME: tensor<f64> {df.name = "recall/positive_threshold_0.5"}, tensor<f64> {df.name = "recall/positive_threshold_0.9"},
// IR-SAME: tensor<f64> {df.name = "baseline/accuracy"}, tensor<f64> {df.name = "baseline/average_loss"}, tensor<f64> {df.name = "rate/confident_errors"}, tensor<2x2xf64> {df.name = "report/confusion"},
// IR-SAME: tensor<4x200xf64> {df.name = "report/precision_recall"})
// IR-LABEL: df.function @predict
// IR-SAME: tensor<?x1xf32> {df.name = "logits"}, tensor<?x1xf32> {df.name = "logistic"}, tensor<?x2xf32> {df.name = "probabilities"},
// IR-SAME: tensor<?x1xi64> {df.name = "class_ids"}, tensor<?x1x!df.string> {df.name = "classes"})
// IR: df.term @label_vocabulary

// accuracy (a logit of 0 is class 0); at 0.5; at 0.9; accuracy_baseline
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 0.333333333333333
// CHECK-NEXT: 1: tensor<f64> 0.333333333333333
// CHECK-NEXT: 2: tensor<f64> 0.555555555555555
// CHECK-NEXT: 3: tensor<f64> 0.555555555555555
// auc; auc_exact; auc_precision_recall; average_loss; label/mean; logloss; loss
// CHECK-NEXT: 4: tensor<f64> 0.{{6|59999999999999}}
// CHECK-NEXT: 5: tensor<f64> 0.6{{$}}
// CHECK-NEXT: 6: tensor<f64> 0.661080855845
// CHECK-NEXT: 7: tensor<f64> 0.633506
// CHECK-NEXT: 8: tensor<f64> 0.555555555555555
// CHECK-NEXT: 9: tensor<f64> 0.633506
// CHECK-NEXT: 10: tensor<f64> 0.712694
// precision, at 0.5, at 0.9; prediction/mean; recall, at 0.5, at 0.9
// CHECK-NEXT: 11: tensor<f64> 0.333333333333333
// CHECK-NEXT: 12: tensor<f64> 0.333333333333333
// CHECK-NEXT: 13: tensor<f64> 1{{$}}
// CHECK-NEXT: 14: tensor<f64> 0.51701
// CHECK-NEXT: 15: tensor<f64> 0.2{{$}}
// CHECK-NEXT: 16: tensor<f64> 0.2{{$}}
// CHECK-NEXT: 17: tensor<f64> 0.2{{$}}

// The tf1 profile: accuracy at 0.5 counts p >= 0.5; the areas are trapezoids.
// TF1-LABEL: @eval_result
// TF1-NEXT: 0: tensor<f64> 0.333333333333333
// TF1-NEXT: 1: tensor<f64> 0.777777777777777
// TF1-NEXT: 2: tensor<f64> 0.555555555555555
// TF1-NEXT: 3: tensor<f64> 0.555555555555555
// TF1-NEXT: 4: tensor<f64> 0.599999860000
// TF1-NEXT: 5: tensor<f64> 0.6{{$}}
// TF1-NEXT: 6: tensor<f64> 0.619047581859
// TF1-NEXT: 7: tensor<f64> 0.633506
// TF1: 12: tensor<f64> 0.333333333333333
