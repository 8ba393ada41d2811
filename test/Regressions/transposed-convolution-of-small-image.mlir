// Transposed convolutions of images smaller than their stride put a part of nothing beyond the image.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<3x2x3xf32> {df.name = "x0"}, %x1: tensor<1x1x3xf32> {df.name = "x1"}) -> (tensor<1x2x2xf32> {df.name = "d"}) {
  %w = df.round %x0 : tensor<3x2x3xf32>
  %y = df.round %x1 : tensor<1x1x3xf32>
  %d = df.conv_transpose %y, %w {strides = array<i64: 3>, padding = array<i64: 1, 2>, dilations = array<i64: 2>} : (tensor<1x1x3xf32>, tensor<3x2x3xf32>) -> tensor<1x2x2xf32>
  df.return %d : tensor<1x2x2xf32>
}
