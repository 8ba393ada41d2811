// What est.apply_gradients names and is given must fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -convert-est-updates-to-df -verify-diagnostics

df.variable @s : tensor<i64> = #df.constant<0.0>
df.function @f(%g: tensor<4xf32> {df.name = "g"}) {
  %step = df.read @s : tensor<i64>
  // expected-error @below {{names @w, which is no variable of the module}}
  est.apply_gradients [@w] (%g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf32>), tensor<i64>
  df.return
}

// -----

df.variable @s : tensor<i64> = #df.constant<0.0>
df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
df.function @f(%g: tensor<4xf32> {df.name = "g"}) {
  %step = df.read @s : tensor<i64>
  // expected-error @below {{names @w twice}}
  est.apply_gradients [@w, @w] (%g, %g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf32>, tensor<4xf32>), tensor<i64>
  df.return
}

// -----

df.variable @s : tensor<i64> = #df.constant<0.0>
// expected-note @below {{the variable is here}}
df.variable @w : tensor<4xf64> = #df.constant<0.0> {trainable}
df.function @f(%g: tensor<4xf64> {df.name = "g"}) {
  %step = df.read @s : tensor<i64>
  // expected-error @below {{moves @w of 'f64'; expected f32}}
  est.apply_gradients [@w] (%g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<4xf64>), tensor<i64>
  df.return
}

// -----

df.variable @s : tensor<i64> = #df.constant<0.0>
df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
df.function @f(%g: tensor<5xf32> {df.name = "g"}) {
  %step = df.read @s : tensor<i64>
  // expected-error @below {{has the gradient 'tensor<5xf32>' of @w; expected 'tensor<4xf32>', or rows of it}}
  est.apply_gradients [@w] (%g) step %step optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (tensor<5xf32>), tensor<i64>
  df.return
}
