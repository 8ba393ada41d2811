// A head's weight is a factor of the loss and so of the gradients; average_loss goes without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients | sed -e 's/df.name = "x"/&, df.value = dense<[1.0]> : tensor<1xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[1.0]> : tensor<1xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train,eval_update,eval_result -o /dev/null | FileCheck %s

est.estimator @weighted compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.5 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) head_weight(<"head.y.head_weight" = 0.25 : f64>)
    : (!est.logits<1>), !est.feature<float32>
}

// The logit 0 against 1: the loss is 1, its gradient -2, and weight and bias move to 0.5 * 0.25 * 2.
// CHECK-LABEL: @train
// CHECK-NEXT: 0: tensor<f32> 0.25{{$}}
// The logit is 0.5: the average loss is 0.25, the loss 0.0625.
// CHECK-LABEL: @eval_result
// CHECK-NEXT: 0: tensor<f64> 0.25{{$}}
// CHECK-NEXT: 1: tensor<f64> 1{{$}}
// CHECK-NEXT: 2: tensor<f64> 0.0625{{$}}
