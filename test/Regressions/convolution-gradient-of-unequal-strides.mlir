// The gradient of a convolution with unequal strides and paddings did not compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<2x5x2x1xf64> {df.name = "x0"}, %x1: tensor<3x2x1x2xf64> {df.name = "x1"}) -> (tensor<2x5x2x1xf64> {df.name = "dx"}, tensor<3x2x1x2xf64> {df.name = "dw"}) {
  %x = df.round %x0 : tensor<2x5x2x1xf64>
  %w = df.round %x1 : tensor<3x2x1x2xf64>
  %y = df.conv %x, %w {strides = array<i64: 2, 3>, padding = array<i64: 0, 2, 1, 0>} : (tensor<2x5x2x1xf64>, tensor<3x2x1x2xf64>) -> tensor<2x3x1x2xf64>
  %q = df.square %y : tensor<2x3x1x2xf64>
  %l = df.reduce_sum %q {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x3x1x2xf64>) -> tensor<f64>
  %dx, %dw = df.gradients %l wrt [] %x, %w : (tensor<f64>, tensor<2x5x2x1xf64>, tensor<3x2x1x2xf64>) -> (tensor<2x5x2x1xf64>, tensor<3x2x1x2xf64>)
  df.return %dx, %dw : tensor<2x5x2x1xf64>, tensor<3x2x1x2xf64>
}
