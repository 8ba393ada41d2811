// A sum of tensors of different sizes was taken out of a loop that does not run, where it fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<?xf32> {df.name = "x0"}, %x1: tensor<i64> {df.name = "x1"}) -> (tensor<f32> {df.name = "s"}) {
  %z = df.constant dense<0.0> : tensor<f32>
  %one = df.constant dense<1> : tensor<i64>
  %n = df.floor_mod %x1, %one : tensor<i64>
  %big = df.constant dense<100.0> : tensor<f32>
  %bound = df.broadcast %big like %x0 dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %mask = df.compare gt, %x0, %bound : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  %none = df.boolean_mask %x0, %mask : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
  %s = df.scan (%z) count %n : (tensor<f32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%h: tensor<f32>):
    %c = df.mul %x0, %none : tensor<?xf32>
    %r = df.reduce_max %c {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %q = df.add %h, %r : tensor<f32>
    df.yield %q : tensor<f32>
  }
  df.return %s : tensor<f32>
}
