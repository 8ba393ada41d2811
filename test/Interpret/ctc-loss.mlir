// Values of df.ctc_loss and its gradient, as those of tf.nn.ctc_loss (TensorFlow 2.21, in f32) for dense labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-decompose --df-interpret -o /dev/null | FileCheck %s

// Three labels of which two are equal; one, and fewer rows than there are; thrice the same in five rows; none.
// CHECK-LABEL: @ctc_loss
df.function @ctc_loss() -> (tensor<4xf64>, tensor<4xf64>, tensor<6x4xf64>, tensor<2x6x4xf64>) {
  %x = df.constant dense<[[[1.79, 0.44, 0.1, -1.86], [-0.28, -0.35, -0.08, -0.63], [-0.04, -0.48, -1.31, 0.88], [0.88, 1.71, 0.05, -0.4], [-0.55, -1.55, 0.98, -1.1], [-1.19, -0.21, 1.49, 0.24]], [[-1.02, -0.71, 0.63, -0.16], [-0.77, -0.23, 0.75, 1.98], [-1.24, -0.63, -0.8, -2.42], [-0.92, -1.02, 1.12, -0.13], [-1.62, 0.65, -0.36, -1.74], [-0.6, -0.59, -0.87, 0.03]], [[-2.25, -0.27, 1.01, 0.85], [1.11, 1.12, 1.49, -1.12], [0.85, -1.86, -0.6, -1.91], [1.05, 1.33, -0.2, 1.77], [-0.67, 0.15, 0.15, -1.06], [0.44, 1.94, -1.02, 0.9]], [[-0.15, 1.77, 0.48, 0.68], [0.64, 0.25, -1.4, 1.39], [-1.37, 0.24, 0.61, -0.84], [0.15, 1.17, -0.02, -0.89], [-2.92, -0.97, -0.59, -0.52], [-0.96, 0.38, -0.57, -0.11]]]> : tensor<4x6x4xf64>
  %y = df.constant dense<[[1, 2, 2], [3, -1, -1], [1, 1, 1], [2, 1, 3]]> : tensor<4x3xi64>
  %m = df.constant dense<[6, 4, 5, 3]> : tensor<4xi64>
  %n = df.constant dense<[3, 1, 3, 0]> : tensor<4xi64>
  // CHECK-NEXT: 0: tensor<4xf64> [4.98781{{[0-9]+}}, 4.74408{{[0-9]+}}, 8.89745{{[0-9]+}}, 6.55570{{[0-9]+}}]
  %l = df.ctc_loss %x, %y, %m, %n : (tensor<4x6x4xf64>, tensor<4x3xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xf64>
  %y3 = df.constant dense<[[1, 2, 2], [0, 0, 0], [1, 1, 1], [2, 1, 0]]> : tensor<4x3xi64>
  // CHECK-NEXT: 1: tensor<4xf64> [5.45941{{[0-9]+}}, 4.41089{{[0-9]+}}, 10.40745{{[0-9]+}}, 4.44570{{[0-9]+}}]
  %l3 = df.ctc_loss %x, %y3, %m, %n {blank = 3 : i64} : (tensor<4x6x4xf64>, tensor<4x3xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xf64>
  %sum = df.reduce_sum %l {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %g = df.gradients %sum wrt [] %x : (tensor<f64>, tensor<4x6x4xf64>) -> tensor<4x6x4xf64>
  %g0 = df.slice %g {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 6, 4>} : (tensor<4x6x4xf64>) -> tensor<1x6x4xf64>
  // CHECK-NEXT: 2: tensor<6x4xf64> {{\[\[}}0.303047{{[0-9]+}}, -0.446276{{[0-9]+}}, 0.125544{{[0-9]+}}, 0.017684{{[0-9]+}}], [0.135520{{[0-9]+}}, -0.182532{{[0-9]+}}, -0.135621{{[0-9]+}}, 0.182633{{[0-9]+}}], [-0.235083
  %first = df.reshape %g0 : (tensor<1x6x4xf64>) -> tensor<6x4xf64>
  %rest = df.slice %g {starts = array<i64: 1, 0, 0>, sizes = array<i64: 2, 6, 4>} : (tensor<4x6x4xf64>) -> tensor<2x6x4xf64>
  // CHECK-NEXT: 3: tensor<2x6x4xf64> {{\[\[\[}}-0.210652{{[0-9]+}}, 0.137254{{[0-9]+}}, 0.524180{{[0-9]+}}, -0.450782{{.*}}, [0, 0, 0, 0], [0, 0, 0, 0]], {{\[\[}}
  df.return %l, %l3, %first, %rest : tensor<4xf64>, tensor<4xf64>, tensor<6x4xf64>, tensor<2x6x4xf64>
}

// Labels that have no place, by one row: infinity, and no gradient. A class of probability 0 is no NaN.
// CHECK-LABEL: @impossible
df.function @impossible() -> (tensor<2xf32>, tensor<2x4x3xf32>, tensor<1xf16>) {
  %x = df.constant dense<[[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0xFF800000]]]> : tensor<2x4x3xf32>
  %y = df.constant dense<[[1, 1, 1], [1, 0, 0]]> : tensor<2x3xi64>
  %m = df.constant dense<[4, 9]> : tensor<2xi64>
  %n = df.constant dense<[3, 1]> : tensor<2xi64>
  // Of 16 sequences of two classes that are as likely, 10 are this label.
  // CHECK-NEXT: 0: tensor<2xf32> [inf, 0.4700036]
  %l = df.ctc_loss %x, %y, %m, %n : (tensor<2x4x3xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  %sum = df.reduce_sum %l {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  // CHECK-NEXT: 1: tensor<2x4x3xf32> {{\[\[\[}}0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], {{\[\[}}{{[-0-9.e]+}}, {{[-0-9.e]+}}, 0]
  %g = df.gradients %sum wrt [] %x : (tensor<f32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %h = df.constant dense<0.0> : tensor<1x2x2xf16>
  %hy = df.constant dense<1> : tensor<1x1xi64>
  %hm = df.constant dense<2> : tensor<1xi64>
  %hn = df.constant dense<1> : tensor<1xi64>
  // ln 4 - ln 3.
  // CHECK-NEXT: 2: tensor<1xf16> [0.28759766]
  %hl = df.ctc_loss %h, %hy, %hm, %hn : (tensor<1x2x2xf16>, tensor<1x1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf16>
  df.return %l, %g, %hl : tensor<2xf32>, tensor<2x4x3xf32>, tensor<1xf16>
}
