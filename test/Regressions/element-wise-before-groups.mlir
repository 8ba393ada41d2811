// What was computed of each row element by element before rows were summed by id was computed of the sums: wrong
// gradients of rows that several ids read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<4xf64> {df.name = "x0"}, %x1: tensor<?xi64> {df.name = "x1"}) -> (tensor<4xf64> {df.name = "y0"}) {
  %four = df.constant dense<4> : tensor<i64>
  %fours = df.broadcast %four like %x1 dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %i = df.floor_mod %x1, %fours : tensor<?xi64>
  %e = df.gather %x0, %i {axes = array<i64: 0>, skip_negative} : (tensor<4xf64>, tensor<?xi64>) -> tensor<?xf64>
  %t = df.tanh %e : tensor<?xf64>
  %l = df.reduce_sum %t {axes = array<i64: 0>} : (tensor<?xf64>) -> tensor<f64>
  %g = df.gradients %l wrt [] %x0 : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  df.return %g : tensor<4xf64>
}
