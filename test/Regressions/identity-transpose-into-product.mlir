// A transpose that changes nothing turned the factor of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<6x6xf32> {df.name = "x0"}, %x1: tensor<6x6xf32> {df.name = "x1"}, %x2: tensor<4x6xf32> {df.name = "x2"}) -> (tensor<6x6xf32> {df.name = "y0"}, tensor<4x6xf32> {df.name = "y1"}) {
  %x = df.round %x0 : tensor<6x6xf32>
  %y = df.round %x1 : tensor<6x6xf32>
  %z = df.round %x2 : tensor<4x6xf32>
  %t = df.transpose %x {permutation = array<i64: 0, 1>} : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %p = df.matmul %t, %y : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %u = df.transpose %z {permutation = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %q = df.matmul %u, %t : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  df.return %p, %q : tensor<6x6xf32>, tensor<4x6xf32>
}
