// The gradient of a product in a loop over matrices of no elements: their rows cannot be laid after each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<?x0x6xf64> {df.name = "x0"}, %x1: tensor<6x2xf64> {df.name = "x1"}, %x2: tensor<?x3x0xf64> {df.name = "x2"}, %x3: tensor<0x2xf64> {df.name = "x3"}) -> (tensor<6x2xf64> {df.name = "y0"}, tensor<0x2xf64> {df.name = "y1"}) {
  %o = df.scan () over (%x0) : (tensor<?x0x6xf64>) -> tensor<?x0x2xf64> {
  ^bb0(%r: tensor<0x6xf64>):
    %p = df.matmul %r, %x1 : (tensor<0x6xf64>, tensor<6x2xf64>) -> tensor<0x2xf64>
    df.yield %p : tensor<0x2xf64>
  }
  %l = df.reduce_sum %o {axes = array<i64: 0, 1, 2>} : (tensor<?x0x2xf64>) -> tensor<f64>
  %g = df.gradients %l wrt [] %x1 : (tensor<f64>, tensor<6x2xf64>) -> tensor<6x2xf64>
  %q = df.scan () over (%x2) : (tensor<?x3x0xf64>) -> tensor<?x3x2xf64> {
  ^bb0(%r: tensor<3x0xf64>):
    %p = df.matmul %r, %x3 : (tensor<3x0xf64>, tensor<0x2xf64>) -> tensor<3x2xf64>
    df.yield %p : tensor<3x2xf64>
  }
  %m = df.reduce_sum %q {axes = array<i64: 0, 1, 2>} : (tensor<?x3x2xf64>) -> tensor<f64>
  %h = df.gradients %m wrt [] %x3 : (tensor<f64>, tensor<0x2xf64>) -> tensor<0x2xf64>
  df.return %g, %h : tensor<6x2xf64>, tensor<0x2xf64>
}
