// Batch norm after a hidden layer: two steps with gradients through the batch's statistics, moving averages, and
// predictions by them; then a batch of one row, whose variance is 0. The numbers were computed apart in double precision,
// gradients by central differences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t.df
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.df
// RUN: mlc-opt %t.df --df-decompose --df-expand-gradients | sed -f %S/Inputs/batch.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,predict -o /dev/null | FileCheck %s
// RUN: mlc-opt %t.df --df-decompose --df-expand-gradients | sed -f %S/Inputs/one-row.sed \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s --check-prefix=ONE
// RUN: mlc-opt %t.df --df-decompose --df-expand-gradients --df-split-step | FileCheck %s --check-prefix=SPLIT

est.estimator @normed compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %d = est.dnn (%n) hidden_units [1, 2] activation(tanh) batch_norm kernel_initializer(#est.constant<value = 0.5>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum_over_batch_size) : (!est.logits<1>), !est.feature<float32>
}

// IR: df.variable @"dnn/hiddenlayer_0/batchnorm_0/gamma" : tensor<1xf32> = #df.constant<1.000000e+00> {{.*}}trainable
// IR: df.variable @"dnn/hiddenlayer_0/batchnorm_0/beta" : tensor<1xf32> = #df.constant<0.000000e+00> {{.*}}trainable
// IR: df.variable @"dnn/hiddenlayer_0/batchnorm_0/moving_mean" : tensor<1xf32> = #df.constant<0.000000e+00>
// IR-NOT: trainable
// IR: df.variable @"dnn/hiddenlayer_0/batchnorm_0/moving_variance" : tensor<1xf32> = #df.constant<1.000000e+00>
// IR-NOT: trainable
// IR: df.variable @"dnn/hiddenlayer_1/kernel"
// IR: df.assign @"dnn/hiddenlayer_0/batchnorm_0/moving_mean"
// IR: df.function @eval_update
// IR-NOT: df.assign @"dnn

// CHECK: @train
// CHECK-NEXT: 0: tensor<f32> 6.8436
// CHECK: @train
// CHECK-NEXT: 0: tensor<f32> 2.06551
// CHECK-NEXT: hiddenlayer_0/batchnorm_0/beta = tensor<1xf32> [-0.016992
// CHECK-NEXT: hiddenlayer_0/batchnorm_0/gamma = tensor<1xf32> [0.995022
// CHECK-NEXT: hiddenlayer_0/batchnorm_0/moving_mean = tensor<1xf32> [0.00043050
// CHECK-NEXT: hiddenlayer_0/batchnorm_0/moving_variance = tensor<1xf32> [0.998483
// CHECK-NEXT: hiddenlayer_0/bias = tensor<1xf32> [-0.041445
// CHECK-NEXT: hiddenlayer_0/kernel = tensor<1x1xf32> {{\[\[}}0.445369
// CHECK-NEXT: hiddenlayer_1/batchnorm_1/beta = tensor<2xf32> [0.310577{{[0-9]*}}, 0.310577
// CHECK-NEXT: hiddenlayer_1/batchnorm_1/gamma = tensor<2xf32> [0.634276{{[0-9]*}}, 0.634276
// CHECK-NEXT: hiddenlayer_1/batchnorm_1/moving_mean = tensor<2xf32> [-2.3807{{[0-9]*}}e-06, -2.3807
// CHECK-NEXT: hiddenlayer_1/batchnorm_1/moving_variance = tensor<2xf32> [0.998389{{[0-9]*}}, 0.998389
// CHECK-NEXT: hiddenlayer_1/bias = tensor<2xf32> [-0.01687
// CHECK-NEXT: hiddenlayer_1/kernel = tensor<1x2xf32> {{\[\[}}0.494668
// CHECK-NEXT: logits/bias = tensor<1xf32> [1.64649
// CHECK-NEXT: logits/kernel = tensor<2x1xf32> {{\[\[}}-0.03313{{[78][0-9]*}}], [-0.03313{{[78]}}
// CHECK: @predict
// CHECK-NEXT: 0: tensor<3x1xf32> {{\[\[}}1.61911{{[0-9]*}}], [1.61310{{[0-9]*}}], [1.63612

// Of one row only the offsets are left.
// ONE: @train
// ONE-NEXT: 0: tensor<f32> 9
// ONE-NEXT: batchnorm_0/moving_mean = tensor<1xf32> [0.00076159
// ONE-NEXT: batchnorm_0/moving_variance = tensor<1xf32> [0.999]
// ONE-NEXT: batchnorm_1/beta = tensor<2xf32> [0.75, 0.75]
// ONE-NEXT: batchnorm_1/moving_variance = tensor<2xf32> [0.999, 0.999]
// ONE-NEXT: logits/bias = tensor<1xf32> [1.5]
// ONE-NEXT: @global_step

// Each shard has statistics of its own; what moves the averages is summed over the shards.
// SPLIT: df.function @train_grad({{.*}}sum_out, "dnn/hiddenlayer_0/batchnorm_0/sum_of_squares">
// SPLIT-NOT: df.assign
// SPLIT: df.function @train_combine
// SPLIT-NOT: df.assign
// SPLIT: df.function @train_apply
// SPLIT: df.assign @"dnn/hiddenlayer_0/batchnorm_0/moving_mean"
// SPLIT: df.assign @"dnn/hiddenlayer_0/batchnorm_0/moving_variance"
