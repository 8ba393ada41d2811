// Scatters of f16 and bf16, which gradients of gathers are, had no code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<5x4xbf16> {df.name = "x0"}, %x1: tensor<3xi64> {df.name = "x1"}, %x2: tensor<5x4xf16> {df.name = "x2"}, %x3: tensor<3x4xf16> {df.name = "x3"}) -> (tensor<5x4xbf16> {df.name = "y0"}, tensor<4x4xf16> {df.name = "y1"}, tensor<4x4xf16> {df.name = "y2"}, tensor<4x4xbf16> {df.name = "y3"}, tensor<3x5xf16> {df.name = "y4"}) {
  %four = df.constant dense<4> : tensor<3xi64>
  %j = df.floor_mod %x1, %four : tensor<3xi64>
  %y = df.gather %x0, %j {axes = array<i64: 0>} : (tensor<5x4xbf16>, tensor<3xi64>) -> tensor<3x4xbf16>
  %l = df.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<3x4xbf16>) -> tensor<bf16>
  %g = df.gradients %l wrt [] %x0 : (tensor<bf16>, tensor<5x4xbf16>) -> tensor<5x4xbf16>
  %sums = df.segment_reduce sum %x3, %j : (tensor<3x4xf16>, tensor<3xi64>) -> tensor<4x4xf16>
  %most = df.segment_reduce max %x3, %j : (tensor<3x4xf16>, tensor<3xi64>) -> tensor<4x4xf16>
  %means = df.segment_reduce mean %y, %j : (tensor<3x4xbf16>, tensor<3xi64>) -> tensor<4x4xbf16>
  %i = df.reshape %j : (tensor<3xi64>) -> tensor<3x1xi64>
  %t = df.transpose %x2 {permutation = array<i64: 1, 0>} : (tensor<5x4xf16>) -> tensor<4x5xf16>
  %to = df.slice %t {starts = array<i64: 0, 0>, sizes = array<i64: 3, 5>} : (tensor<4x5xf16>) -> tensor<3x5xf16>
  %u = df.slice %x3 {starts = array<i64: 0, 0>, sizes = array<i64: 3, 1>} : (tensor<3x4xf16>) -> tensor<3x1xf16>
  %along = df.scatter_along_axis mul %to, %i, %u {axis = 1 : i64} : (tensor<3x5xf16>, tensor<3x1xi64>, tensor<3x1xf16>) -> tensor<3x5xf16>
  df.return %g, %sums, %most, %means, %along : tensor<5x4xbf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xbf16>, tensor<3x5xf16>
}
