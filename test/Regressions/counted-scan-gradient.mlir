// A product of the rows of a loop that a count ends summed over all rows, those that it does not reach among them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<4x2x3xf64> {df.name = "x0"}, %x1: tensor<4x2x2xf64> {df.name = "x1"}, %x2: tensor<3x2xf64> {df.name = "x2"}, %x3: tensor<i64> {df.name = "x3"}) -> (tensor<3x2xf64> {df.name = "dw"}, tensor<4x2x3xf64> {df.name = "dx"}) {
  %five = df.constant dense<5> : tensor<i64>
  %n = df.floor_mod %x3, %five : tensor<i64>
  // Small integers, whose sums are exact in every order.
  %x = df.round %x0 : tensor<4x2x3xf64>
  %y = df.round %x1 : tensor<4x2x2xf64>
  %w = df.round %x2 : tensor<3x2xf64>
  %o = df.scan () over (%x) count %n : (tensor<4x2x3xf64>, tensor<i64>) -> tensor<4x2x2xf64> {
  ^bb0(%r: tensor<2x3xf64>):
    %p = df.matmul %r, %w : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
    df.yield %p : tensor<2x2xf64>
  }
  %m = df.mul %o, %y : tensor<4x2x2xf64>
  %loss = df.reduce_sum %m {axes = array<i64: 0, 1, 2>} : (tensor<4x2x2xf64>) -> tensor<f64>
  %dw, %dx = df.gradients %loss wrt [] %w, %x : (tensor<f64>, tensor<3x2xf64>, tensor<4x2x3xf64>) -> (tensor<3x2xf64>, tensor<4x2x3xf64>)
  df.return %dw, %dx : tensor<3x2xf64>, tensor<4x2x3xf64>
}
