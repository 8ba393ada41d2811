// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of losses.

// CHECK-LABEL: df.function @loss
df.function @loss(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) {
  // CHECK: df.absolute_difference %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %r0 = df.absolute_difference %x, %y : tensor<?x4xf32>
  // CHECK: df.log_cosh_error %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %r1 = df.log_cosh_error %x, %y : tensor<?x4xf32>
  // CHECK: df.hinge_loss %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %r2 = df.hinge_loss %x, %y : tensor<?x4xf32>
  // CHECK: df.huber_loss %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %r3 = df.huber_loss %x, %y : tensor<?x4xf32>
  // CHECK: df.huber_loss %{{.*}}, %{{.*}} {delta = 2.500000e-01 : f64} : tensor<?x4xf32>
  %r4 = df.huber_loss %x, %y {delta = 2.500000e-01 : f64} : tensor<?x4xf32>
  // CHECK: df.poisson_loss %{{.*}}, %{{.*}} {log_input} : tensor<?x4xf32>
  %r5 = df.poisson_loss %x, %y {log_input} : tensor<?x4xf32>
  // CHECK: df.kl_divergence %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  %r6 = df.kl_divergence %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  // CHECK: df.cosine_distance %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
  %r7 = df.cosine_distance %x, %y {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
  // CHECK: df.soft_label_cross_entropy %{{.*}}, %{{.*}} {label_smoothing = 1.000000e-01 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  %r8 = df.soft_label_cross_entropy %x, %y {label_smoothing = 1.000000e-01 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  // CHECK: df.reduce_loss %{{.*}} {reduction = #df.loss_reduction<none>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r9 = df.reduce_loss %x {reduction = #df.loss_reduction<none>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.reduce_loss %{{.*}}, %{{.*}} {reduction = #df.loss_reduction<sum_over_nonzero_weights>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
  %r10 = df.reduce_loss %x, %y {reduction = #df.loss_reduction<sum_over_nonzero_weights>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
  df.return
}

// CHECK-LABEL: @ctc_loss
df.function @ctc_loss(%x: tensor<?x9x5xf32>, %y: tensor<?x4xi64>, %m: tensor<?xi64>, %n: tensor<?xi64>) {
  // CHECK: df.ctc_loss %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {blank = 4 : i64} : (tensor<?x9x5xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
  %l = df.ctc_loss %x, %y, %m, %n {blank = 4 : i64} : (tensor<?x9x5xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
  df.return
}
