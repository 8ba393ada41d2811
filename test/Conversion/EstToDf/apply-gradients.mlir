// est.apply_gradients becomes the ops of its optimizer: slots beside the variables, settings, updates of whole variables
// and of rows; those of a second optimizer of one variable have names of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -convert-est-updates-to-df | FileCheck %s

// CHECK: df.variable @w : tensor<4xf32>
// CHECK-NEXT: df.variable @"w/Adam" : tensor<4xf32> = #df.constant<0.000000e+00> {slot = "m", slot_of = @w}
// CHECK-NEXT: df.variable @"w/Adam_1" : tensor<4xf32> = #df.constant<0.000000e+00> {slot = "v", slot_of = @w}
// CHECK-NEXT: df.variable @"w/Adam_2" : tensor<4xf32>
// CHECK-NEXT: df.variable @"w/Adam_3" : tensor<4xf32>
// CHECK-NEXT: df.variable @table : tensor<9x2xf32>
// CHECK-NEXT: df.variable @"table/Adam" : tensor<9x2xf32>
// CHECK-NEXT: df.variable @"table/Adam_1" : tensor<9x2xf32>
df.variable @global_step : tensor<i64> = #df.constant<0.0>
df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
df.variable @table : tensor<9x2xf32> = #df.constant<0.0> {trainable}
// CHECK-LABEL: df.function @train
df.function @train(%dw: tensor<4xf32> {df.name = "dw"}, %ids: tensor<?xi64> {df.name = "ids"}, %rows: tensor<?x2xf32> {df.name = "rows"}, %n: tensor<i64> {df.name = "n"}) {
  // CHECK: %[[STEP:.*]] = df.read @global_step
  %step = df.read @global_step : tensor<i64>
  %dt = df.pack_rows %ids, %rows, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  // CHECK: df.setting "Adam.learning_rate" = 1.000000e-01 : f64
  // CHECK: df.assign @w,
  // CHECK: df.assign @"w/Adam",
  // CHECK: df.assign @"w/Adam_1",
  // CHECK: df.apply_rows every_row [@table, @"table/Adam", @"table/Adam_1"]
  est.apply_gradients [@w, @table] (%dw, %dt) step %step optimizer(<rule = #est.adam<learning_rate = <"Adam.learning_rate" = 0.1 : f64>,
    beta1 = <"Adam.beta1" = 0.9 : f64>, beta2 = <"Adam.beta2" = 0.999 : f64>, epsilon = <"Adam.epsilon" = 1.0e-8 : f64>>>)
    : (tensor<4xf32>, !df.rows<tensor<9x2xf32>>), tensor<i64>
  // A learning rate that is computed is no setting.
  // CHECK-NOT: df.setting "Adam_1.learning_rate"
  // CHECK: df.assign @"w/Adam_2",
  %rate = df.constant dense<0.5> : tensor<f32>
  est.apply_gradients [@w] (%dw) step %step learning_rate %rate optimizer(<rule = #est.adam<learning_rate = <"Adam_1.learning_rate" = 1.0 : f64>,
    beta1 = <"Adam_1.beta1" = 0.9 : f64>, beta2 = <"Adam_1.beta2" = 0.999 : f64>, epsilon = <"Adam_1.epsilon" = 1.0e-8 : f64>>>)
    : (tensor<4xf32>), tensor<i64>, tensor<f32>
  // CHECK-NOT: est.apply_gradients
  df.return
}

// -----

df.variable @global_step : tensor<i64> = #df.constant<0.0>
df.variable @table : tensor<9x2xf32> = #df.constant<0.0> {trainable}
// CHECK-LABEL: df.function @lazy
df.function @lazy(%ids: tensor<?xi64> {df.name = "ids"}, %rows: tensor<?x2xf32> {df.name = "rows"}, %n: tensor<i64> {df.name = "n"}) {
  %step = df.read @global_step : tensor<i64>
  %dt = df.pack_rows %ids, %rows, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  // CHECK: df.apply_rows [@table, @"table/Adam", @"table/Adam_1"]
  est.apply_gradients [@table] (%dt) step %step optimizer(<rule = #est.adam<learning_rate = <"lr" = 0.1 : f64>,
    beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.999 : f64>, epsilon = <"e" = 1.0e-8 : f64>>, clip_by_value = <"clip" = 1.0 : f64>>) lazy
    : (!df.rows<tensor<9x2xf32>>), tensor<i64>
  df.return
}

// -----

// In a branch the update stands there, with all that it reads.
df.variable @global_step : tensor<i64> = #df.constant<0.0>
df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
// CHECK-LABEL: df.function @branch
df.function @branch(%c: tensor<i1> {df.name = "c"}, %dw: tensor<4xf32> {df.name = "dw"}) {
  // CHECK: df.if
  // CHECK-NEXT: df.read @global_step
  // CHECK: df.assign @w,
  // CHECK: } else {
  df.if %c : (tensor<i1>) -> () {
    %step = df.read @global_step : tensor<i64>
    est.apply_gradients [@w] (%dw) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf32>), tensor<i64>
    df.yield
  } else {
    df.yield
  }
  df.return
}
