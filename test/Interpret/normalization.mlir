// Values of normalizations and losses, as their formulas give them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @batch_norm
df.function @batch_norm(%none: tensor<?x1xf64> {df.value = dense<> : tensor<0x1xf64>}) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>, tensor<1xf64>) {
  %x = df.constant dense<[[1.0], [5.0]]> : tensor<2x1xf64>
  %s = df.constant dense<3.0> : tensor<1xf64>
  %o = df.constant dense<10.0> : tensor<1xf64>
  // Mean 3, variance 4; with epsilon 5 the deviation is 3.
  // CHECK-NEXT: 0: tensor<2x1xf64> {{\[}}[8], [12]]
  // CHECK-NEXT: 1: tensor<1xf64> [3]
  // CHECK-NEXT: 2: tensor<1xf64> [4]
  %y:3 = df.batch_norm_training %x scale %s offset %o {axes = array<i64: 0>, epsilon = 5.0 : f64} : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
  // CHECK-NEXT: 3: tensor<2x1xf64> {{\[}}[-0.5], [-2.5]]
  %v = df.constant dense<4.0> : tensor<1xf64>
  %z = df.constant dense<0.0> : tensor<1xf64>
  %n = df.neg %x : tensor<2x1xf64>
  %i = df.batch_norm_inference %n, %z, %v {axes = array<i64: 0>, epsilon = 0.0 : f64} : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<2x1xf64>
  // Of nothing: 0.
  // CHECK-NEXT: 4: tensor<1xf64> [0]
  %m:2 = df.moments %none {axes = array<i64: 0>} : (tensor<?x1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  df.return %y#0, %y#1, %y#2, %i, %m#1 : tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>, tensor<1xf64>
}

// CHECK-LABEL: @by_example
df.function @by_example() -> (tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x2x2xf64>, tensor<1x4xf64>, tensor<1x2xf64>) {
  %x = df.constant dense<[[1.0, 5.0, -2.0, 0.0]]> : tensor<1x4xf64>
  // Mean 1, squares 0, 16, 9, 1: variance 6.5.
  // CHECK-NEXT: 0: tensor<1x4xf64> {{\[}}[0, 1.333{{.*}}, -1, -0.333{{.*}}]]
  %l = df.layer_norm %x {axes = array<i64: 1>, epsilon = 2.5 : f64} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  // Groups [1, 5] and [-2, 0].
  // CHECK-NEXT: 1: tensor<1x4xf64> {{\[}}[-1, 1, -1, 1]]
  %g = df.group_norm %x {groups = 2 : i64, epsilon = 0.0 : f64} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  // CHECK-NEXT: 2: tensor<1x4xf64> {{\[}}[0.5, 1.5, -1, 4.949747468305{{.*}}]]
  %s = df.constant dense<[1.0, 1.0, 1.0, 7.0]> : tensor<4xf64>
  %h = df.constant dense<[[1.0, 3.0, -2.0, 1.4142135623730951]]> : tensor<1x4xf64>
  %r = df.rms_norm %h scale %s {axes = array<i64: 1>, epsilon = 0.0 : f64} : (tensor<1x4xf64>, tensor<4xf64>) -> tensor<1x4xf64>
  // Channels [1, -2] and [5, 0].
  %c = df.reshape %x : (tensor<1x4xf64>) -> tensor<1x2x2xf64>
  // CHECK-NEXT: 3: tensor<1x2x2xf64> {{\[}}{{\[}}[1, 1], [-1, -1]]]
  %i = df.instance_norm %c {epsilon = 0.0 : f64} : (tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  // Energies of neighbours to the left: 1, 26, 29, 4.
  // CHECK-NEXT: 4: tensor<1x4xf64> {{\[}}[0.5, 0.185185{{.*}}, -0.0666{{.*}}, 0]]
  %n = df.local_response_norm %x {low = 1 : i64, high = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %t = df.constant dense<[[3.0, -4.0]]> : tensor<1x2xf64>
  // CHECK-NEXT: 5: tensor<1x2xf64> {{\[}}[0.6, -0.8]]
  %u = df.l2_normalize %t {axes = array<i64: 1>} : (tensor<1x2xf64>) -> tensor<1x2xf64>
  df.return %l, %g, %r, %i, %n, %u : tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x2x2xf64>, tensor<1x4xf64>, tensor<1x2xf64>
}

// CHECK-LABEL: @losses
df.function @losses() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = df.constant dense<[0.5, -2.0, 3.0]> : tensor<3xf64>
  %y = df.constant dense<[1.0, -1.0, -1.0]> : tensor<3xf64>
  // CHECK-NEXT: 0: tensor<3xf64> [0.5, 1, 4]
  %a = df.absolute_difference %x, %y : tensor<3xf64>
  // CHECK-NEXT: 1: tensor<3xf64> [0.5, 0, 4]
  %h = df.hinge_loss %x, %y : tensor<3xf64>
  // CHECK-NEXT: 2: tensor<3xf64> [0.125, 0.5, 6]
  %u = df.huber_loss %x, %y {delta = 2.0 : f64} : tensor<3xf64>
  // ln cosh 0.5, 1, 4.
  // CHECK-NEXT: 3: tensor<3xf64> [0.12011450695827{{.*}}, 0.43378083048302{{.*}}, 3.3071882258129{{.*}}]
  %c = df.log_cosh_error %x, %y : tensor<3xf64>
  %zero = df.constant dense<0.0> : tensor<3xf64>
  // CHECK-NEXT: 4: tensor<3xf64> [1, 1, 1]
  %p = df.poisson_loss %zero, %y {log_input} : tensor<3xf64>
  %q = df.constant dense<[0.0, 0.5, 0.5]> : tensor<3xf64>
  %r = df.constant dense<[0.0, 0.25, 0.75]> : tensor<3xf64>
  // 0.5 ln 2 + 0.5 ln (2/3); what is 0 in both counts nothing.
  // CHECK-NEXT: 5: tensor<f64> 0.1438410362258{{.*}}
  %k = df.kl_divergence %r, %q : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 6: tensor<f64> 1
  %e = df.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf64>
  %o = df.cosine_distance %e, %q : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // Equal logits: ln 3, whatever the labels.
  // CHECK-NEXT: 7: tensor<f64> 1.0986122886681{{.*}}
  %s = df.soft_label_cross_entropy %zero, %q {label_smoothing = 0.3 : f64} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // ln(1 + e^-2 + e^-4) + 0.25 * (0 + 2 + 4) / 3 for the smoothed label of class 0, logits 0, -2, -4.
  // CHECK-NEXT: 8: tensor<f64> 0.6429{{.*}}
  %l = df.constant dense<[0.0, -2.0, -4.0]> : tensor<3xf64>
  %first = df.constant dense<[1.0, 0.0, 0.0]> : tensor<3xf64>
  %d = df.soft_label_cross_entropy %l, %first {label_smoothing = 0.25 : f64} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  df.return %a, %h, %u, %c, %p, %k, %o, %s, %d : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK-LABEL: @reductions
df.function @reductions(%none: tensor<?xf64> {df.value = dense<> : tensor<0xf64>}) -> (tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = df.constant dense<[1.0, 2.0, 9.0]> : tensor<3xf64>
  %w = df.constant dense<[4.0, 1.0, 0.0]> : tensor<3xf64>
  // CHECK-NEXT: 0: tensor<3xf64> [4, 2, 0]
  %a = df.reduce_loss %x, %w {reduction = #df.loss_reduction<none>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  // CHECK-NEXT: 1: tensor<f64> 6
  %b = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 2: tensor<f64> 2
  %c = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum_over_size>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 3: tensor<f64> 1.2
  %d = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum_over_weights>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 4: tensor<f64> 3
  %e = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum_over_nonzero_weights>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 5: tensor<f64> 4
  %f = df.reduce_loss %x {reduction = #df.loss_reduction<sum_over_weights>} : (tensor<3xf64>) -> tensor<f64>
  %z = df.constant dense<0.0> : tensor<3xf64>
  // CHECK-NEXT: 6: tensor<f64> 0
  %g = df.reduce_loss %x, %z {reduction = #df.loss_reduction<sum_over_weights>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  // CHECK-NEXT: 7: tensor<f64> 0
  %h = df.reduce_loss %none {reduction = #df.loss_reduction<sum_over_size>} : (tensor<?xf64>) -> tensor<f64>
  df.return %a, %b, %c, %d, %e, %f, %g, %h : tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}
