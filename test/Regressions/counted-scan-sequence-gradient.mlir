// A sequence's gradient had as many rows as the loop runs, where the backward loop needs no row of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<?x2xf64> {df.name = "x0"}, %x1: tensor<i64> {df.name = "x1"}) -> (tensor<?x2xf64> {df.name = "y"}) {
  %zero = df.constant dense<0.0> : tensor<2xf64>
  %none = df.constant dense<0> : tensor<i64>
  %rows = df.size %x0 {dimensions = array<i64: 0>} : (tensor<?x2xf64>) -> tensor<i64>
  %most = df.maximum %x1, %none : tensor<i64>
  %n = df.minimum %most, %rows : tensor<i64>
  %o = df.scan (%zero) over (%x0) count %n : (tensor<2xf64>, tensor<?x2xf64>, tensor<i64>) -> tensor<2xf64> {
  ^bb0(%h: tensor<2xf64>, %r: tensor<2xf64>):
    %q = df.add %h, %r : tensor<2xf64>
    df.yield %q : tensor<2xf64>
  }
  %l = df.reduce_sum %o {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  %dx = df.gradients %l wrt [] %x0 : (tensor<f64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %s = df.sub %x0, %dx : tensor<?x2xf64>
  df.return %s : tensor<?x2xf64>
}
