// Rows of f16 and bf16 that are summed by id, or merged, had no code where the machine has no sums of halves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<4x3xbf16> {df.name = "x0"}, %x1: tensor<?xi64> {df.name = "x1"}, %x2: tensor<4x3xf16> {df.name = "x2"}) -> (tensor<4x3xbf16> {df.name = "y0"}, tensor<4x3xf16> {df.name = "y1"}) {
  %four = df.constant dense<4> : tensor<i64>
  %fours = df.broadcast %four like %x1 dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %i = df.floor_mod %x1, %fours : tensor<?xi64>
  %b = df.gather %x0, %i {axes = array<i64: 0>, skip_negative} : (tensor<4x3xbf16>, tensor<?xi64>) -> tensor<?x3xbf16>
  %c = df.square %b : tensor<?x3xbf16>
  %l = df.reduce_sum %c {axes = array<i64: 0, 1>} : (tensor<?x3xbf16>) -> tensor<bf16>
  %g = df.gradients %l wrt [] %x0 : (tensor<bf16>, tensor<4x3xbf16>) -> tensor<4x3xbf16>
  %h = df.gather %x2, %i {axes = array<i64: 0>, skip_negative} : (tensor<4x3xf16>, tensor<?xi64>) -> tensor<?x3xf16>
  %k = df.square %h : tensor<?x3xf16>
  %m = df.reduce_sum %k {axes = array<i64: 0, 1>} : (tensor<?x3xf16>) -> tensor<f16>
  %d = df.gradients %m wrt [] %x2 : (tensor<f16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  df.return %g, %d : tensor<4x3xbf16>, tensor<4x3xf16>
}
