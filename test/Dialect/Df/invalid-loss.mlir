// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of losses refuse.
df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.huber_loss' op (C1) 'delta' must be positive; found}}
  %r = df.huber_loss %x, %y {delta = 0.0 : f64} : tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.poisson_loss' op (C1) 'epsilon' must not be negative, and 0 with 'log_input'; found}}
  %r = df.poisson_loss %x, %y {epsilon = -1.0 : f64} : tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.poisson_loss' op (C1) 'epsilon' must not be negative, and 0 with 'log_input'; found}}
  %r = df.poisson_loss %x, %y {epsilon = 1.0 : f64, log_input} : tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.kl_divergence' op (C1) axis 2 is no dimension}}
  %r = df.kl_divergence %x, %y {axis = 2 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %w: tensor<7xf32>) {
  // expected-error @+1 {{'df.kl_divergence' op (C2) the result must drop the axis; expected 'tensor<7xf32>', found 'tensor<4xf32>'}}
  %r = df.kl_divergence %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.cosine_distance' op (C1) axis 2 is no dimension}}
  %r = df.cosine_distance %x, %y {axis = 2 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %w: tensor<7xf32>) {
  // expected-error @+1 {{'df.cosine_distance' op (C2) the result must drop the axis}}
  %r = df.cosine_distance %x, %y {axis = 0 : i64} : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.soft_label_cross_entropy' op (C1) axis 2 is no dimension}}
  %r = df.soft_label_cross_entropy %x, %y {axis = 2 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.soft_label_cross_entropy' op (C2) the result must drop the axis}}
  %r = df.soft_label_cross_entropy %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.soft_label_cross_entropy' op (C3) 'label_smoothing' must be in [0, 1]; found}}
  %r = df.soft_label_cross_entropy %x, %y {label_smoothing = 1.5 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.reduce_loss' op (C1) weights must have the losses' type: found 'tensor<?xf32>' and 'tensor<?x4xf32>'}}
  %r = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum>} : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<?xf32>) {
  // expected-error @+1 {{'df.reduce_loss' op (C2) the result must be a scalar, or for 'none' of the losses' type; expected 'tensor<?x4xf32>', found 'tensor<f32>'}}
  %r = df.reduce_loss %x, %y {reduction = #df.loss_reduction<none>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
  df.return
}

// -----

df.function @f(%x: tensor<6x9x5xf32>, %y: tensor<7x4xi64>, %m: tensor<6xi64>) {
  // expected-error @+1 {{'df.ctc_loss' op (C1) logits must be [n, t, c] and labels [n, u]: found 'tensor<6x9x5xf32>' and 'tensor<7x4xi64>'}}
  %l = df.ctc_loss %x, %y, %m, %m : (tensor<6x9x5xf32>, tensor<7x4xi64>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xf32>
  df.return
}

// -----

df.function @f(%x: tensor<6x9x5xf32>, %y: tensor<6x4xi64>, %m: tensor<6xi64>, %n: tensor<6x1xi64>) {
  // expected-error @+1 {{(C2) lengths must be [n]: found 'tensor<6x1xi64>' and 'tensor<6x9x5xf32>'}}
  %l = df.ctc_loss %x, %y, %m, %n : (tensor<6x9x5xf32>, tensor<6x4xi64>, tensor<6xi64>, tensor<6x1xi64>) -> tensor<6xf32>
  df.return
}

// -----

df.function @f(%x: tensor<6x9x5xf32>, %y: tensor<6x4xi64>, %m: tensor<6xi64>) {
  // expected-error @+1 {{(C3) the result must be [n] of the logits' element type; expected 'tensor<6xf32>', found 'tensor<6xf64>'}}
  %l = df.ctc_loss %x, %y, %m, %m : (tensor<6x9x5xf32>, tensor<6x4xi64>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xf64>
  df.return
}

// -----

df.function @f(%x: tensor<6x9x5xf32>, %y: tensor<6x4xi64>, %m: tensor<6xi64>) {
  // expected-error @+1 {{(C4) 'blank' must be a class of 'tensor<6x9x5xf32>'; found 5}}
  %l = df.ctc_loss %x, %y, %m, %m {blank = 5 : i64} : (tensor<6x9x5xf32>, tensor<6x4xi64>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xf32>
  df.return
}
