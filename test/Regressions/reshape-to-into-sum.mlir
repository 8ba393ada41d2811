// Shapes of run time whose tensor nothing but a sum reads crashed the compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<?xf32> {df.name = "x0"}) -> (tensor<f32> {df.name = "y"}) {
  %one = df.constant dense<1> : tensor<1xi64>
  %rows = df.shape %x0 : (tensor<?xf32>) -> tensor<1xi64>
  %s = df.concat %one, %rows {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %z = df.round %x0 : tensor<?xf32>
  %r = df.dynamic_reshape %z, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %q = df.reduce_sum %r {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
  df.return %q : tensor<f32>
}
