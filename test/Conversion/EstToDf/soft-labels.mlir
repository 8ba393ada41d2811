// Labels of a binary head between 0 and 1: the loss takes them as they are; a label above 0 is of class 1 in rates and areas, and accuracies
// count a row whose label is its class only. Numbers are those of BinaryClassHead of TensorFlow 2.15 for the same labels and logits.
// RUN: mlc-opt %s --convert-est-to-df -o %t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[-1.0, 2.0, 0.5, -0.25, -0.75, 1.5]> : tensor<6xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[0.0, 1.0, 0.3, 0.7, 1.0, 0.0]> : tensor<6xf32>/' %t \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result -o /dev/null | FileCheck %s

est.estimator @labels compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y thresholds [0.3, 0.6] reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: @eval_result
// accuracy, at 0.3, at 0.6, its baseline
// CHECK-NEXT: 0: tensor<f64> 0.33333
// CHECK-NEXT: 1: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 2: tensor<f64> 0.33333
// CHECK-NEXT: 3: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 4: tensor<f64> 0.625{{$}}
// auc and auc_exact, area under precision and recall, average_loss
// CHECK-NEXT: 5: tensor<f64> 0.625{{$}}
// CHECK-NEXT: 6: tensor<f64> 0.770927
// CHECK-NEXT: 7: tensor<f64> 0.808915
// label/mean, logloss, loss
// CHECK-NEXT: 8: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 9: tensor<f64> 0.808915
// CHECK-NEXT: 10: tensor<f64> 0.808915
// precision, at 0.3, at 0.6, prediction/mean, recall, at 0.3, at 0.6
// CHECK-NEXT: 11: tensor<f64> 0.66666
// CHECK-NEXT: 12: tensor<f64> 0.8{{$}}
// CHECK-NEXT: 13: tensor<f64> 0.66666
// CHECK-NEXT: 14: tensor<f64> 0.558069
// CHECK-NEXT: 15: tensor<f64> 0.5{{$}}
// CHECK-NEXT: 16: tensor<f64> 1{{$}}
// CHECK-NEXT: 17: tensor<f64> 0.5{{$}}
