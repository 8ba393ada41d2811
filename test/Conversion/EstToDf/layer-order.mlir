// A hidden layer with everything: product and bias, activation, dropout, then batch norm (momentum 0.999, epsilon 0.001). In evaluation and
// prediction nothing is dropped, and the averages are taken.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --check-prefix=PREDICT --input-file=%t

est.estimator @layer compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %d = est.dnn (%n) hidden_units [4] activation(tanh) dropout(<"model.dnn.dropout" = 2.5e-1 : f64>) batch_norm kernel_initializer(#est.constant<value = 0.5>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: df.function @train
// CHECK: %[[PRODUCT:.*]] = df.matmul
// CHECK: %[[SUM:.*]] = df.add %[[PRODUCT]]
// CHECK: %[[ACTIVE:.*]] = df.tanh %[[SUM]]
// CHECK: %[[RATE:.*]] = df.setting "model.dnn.dropout" = 2.500000e-01 : f64 -> tensor<f64>
// CHECK: %[[KEPT:.*]] = df.compare  ge
// CHECK: %[[SCALED:.*]] = df.mul %[[ACTIVE]]
// CHECK: %[[DROPPED:.*]] = df.select %[[KEPT]], %[[SCALED]]
// CHECK: %[[NORMED:.*]], %[[MEAN:.*]], %{{.*}} = df.batch_norm_training %[[DROPPED]] scale %{{.*}} offset %{{.*}} {axes = array<i64: 0>} :
// 1 - 0.999 of what is new.
// CHECK: df.mul %[[MEAN]]
// CHECK: %[[MILLI:.*]] = df.constant dense<1.000000e-03>
// CHECK: %[[MILLIS:.*]] = df.broadcast %[[MILLI]]
// CHECK: df.mul %[[MILLIS]]
// CHECK: df.assign @"dnn/hiddenlayer_0/batchnorm_0/moving_mean"
// CHECK: df.assign @"dnn/hiddenlayer_0/batchnorm_0/moving_variance"
// CHECK: df.matmul %[[NORMED]]

// PREDICT-LABEL: df.function @eval_update
// PREDICT-NOT: df.random
// PREDICT-LABEL: df.function @predict
// PREDICT-NOT: df.random
// PREDICT: %[[ACTIVE:.*]] = df.tanh
// PREDICT: %[[MEAN:.*]] = df.read @"dnn/hiddenlayer_0/batchnorm_0/moving_mean"
// PREDICT: %[[VARIANCE:.*]] = df.read @"dnn/hiddenlayer_0/batchnorm_0/moving_variance"
// PREDICT: df.batch_norm_inference %[[ACTIVE]], %[[MEAN]], %[[VARIANCE]] scale %{{.*}} offset %{{.*}} {axes = array<i64: 0>} :
