// Convolutions and pools of images without channels, without filters, and of no images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @no_filters(%y: tensor<?x4x0xf32> {df.name = "no_filters/x0"}, %w: tensor<2x3x0xf32> {df.name = "no_filters/x1"}) -> (tensor<?x8x3xf32> {df.name = "y0"}) {
  %x = df.conv_transpose %y, %w {strides = array<i64: 2>} : (tensor<?x4x0xf32>, tensor<2x3x0xf32>) -> tensor<?x8x3xf32>
  df.return %x : tensor<?x8x3xf32>
}
df.function @no_channels(%y: tensor<?x4x5xf32> {df.name = "no_channels/x0"}, %w: tensor<2x0x5xf32> {df.name = "no_channels/x1"}) -> (tensor<?x8x0xf32> {df.name = "y0"}) {
  %x = df.conv_transpose %y, %w {strides = array<i64: 2>} : (tensor<?x4x5xf32>, tensor<2x0x5xf32>) -> tensor<?x8x0xf32>
  df.return %x : tensor<?x8x0xf32>
}
df.function @conv(%x: tensor<?x8x0xf32> {df.name = "conv/x0"}, %w: tensor<2x0x5xf32> {df.name = "conv/x1"}) -> (tensor<?x4x5xf32> {df.name = "y0"}) {
  %y = df.conv %x, %w {strides = array<i64: 2>, padding = array<i64: 0, 0>} : (tensor<?x8x0xf32>, tensor<2x0x5xf32>) -> tensor<?x4x5xf32>
  df.return %y : tensor<?x4x5xf32>
}
df.function @filter_gradient(%x: tensor<?x8x0xf32> {df.name = "filter_gradient/x0"}, %y: tensor<?x4x5xf32> {df.name = "filter_gradient/x1"}) -> (tensor<2x0x5xf32> {df.name = "y0"}) {
  %r = df.conv_filter_gradient %x, %y {strides = array<i64: 2>} : (tensor<?x8x0xf32>, tensor<?x4x5xf32>) -> tensor<2x0x5xf32>
  df.return %r : tensor<2x0x5xf32>
}
df.function @filter_gradient_of_no_filters(%x: tensor<?x8x3xf32> {df.name = "filter_gradient_of_no_filters/x0"}, %y: tensor<?x4x0xf32> {df.name = "filter_gradient_of_no_filters/x1"}) -> (tensor<2x3x0xf32> {df.name = "y0"}) {
  %r = df.conv_filter_gradient %x, %y {strides = array<i64: 2>} : (tensor<?x8x3xf32>, tensor<?x4x0xf32>) -> tensor<2x3x0xf32>
  df.return %r : tensor<2x3x0xf32>
}
df.function @no_images(%x: tensor<0x8x3xf32> {df.name = "no_images/x0"}, %w: tensor<2x3x5xf32> {df.name = "no_images/x1"}, %rows: tensor<?xf32> {df.name = "no_images/rows"}) -> (tensor<0x4x5xf32> {df.name = "y0"}, tensor<2x3x5xf32> {df.name = "y1"}, tensor<0x8x3xf32> {df.name = "y2"}) {
  %y = df.conv %x, %w {strides = array<i64: 2>} : (tensor<0x8x3xf32>, tensor<2x3x5xf32>) -> tensor<0x4x5xf32>
  %r = df.conv_filter_gradient %x, %y {strides = array<i64: 2>} : (tensor<0x8x3xf32>, tensor<0x4x5xf32>) -> tensor<2x3x5xf32>
  %t = df.conv_transpose %y, %w {strides = array<i64: 2>} : (tensor<0x4x5xf32>, tensor<2x3x5xf32>) -> tensor<0x8x3xf32>
  df.return %y, %r, %t : tensor<0x4x5xf32>, tensor<2x3x5xf32>, tensor<0x8x3xf32>
}
df.function @pools(%x: tensor<?x8x0xf32> {df.name = "pools/x0"}) -> (tensor<?x4x0xf32> {df.name = "y0"}, tensor<?x4x0xf32> {df.name = "y1"}, tensor<?x4x0xf32> {df.name = "y2"}, tensor<?x4x0xi32> {df.name = "y3"}, tensor<?x4x0xf32> {df.name = "y4"}, tensor<?x8x0xf32> {df.name = "y5"}) {
  %a = df.max_pool %x {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x0xf32>) -> tensor<?x4x0xf32>
  %b = df.avg_pool %x {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x0xf32>) -> tensor<?x4x0xf32>
  %c = df.lp_pool %x {window = array<i64: 2>, strides = array<i64: 2>, p = 2.0 : f64} : (tensor<?x8x0xf32>) -> tensor<?x4x0xf32>
  %i = df.max_pool_positions %x {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x0xf32>) -> tensor<?x4x0xi32>
  %s = df.pool_select %x, %i {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x0xf32>, tensor<?x4x0xi32>) -> tensor<?x4x0xf32>
  %t = df.pool_scatter %s, %i {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x4x0xf32>, tensor<?x4x0xi32>) -> tensor<?x8x0xf32>
  df.return %a, %b, %c, %i, %s, %t : tensor<?x4x0xf32>, tensor<?x4x0xf32>, tensor<?x4x0xf32>, tensor<?x4x0xi32>, tensor<?x4x0xf32>, tensor<?x8x0xf32>
}
