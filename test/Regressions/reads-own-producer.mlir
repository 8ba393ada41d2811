// An element-wise op that also picks elements of what it reads took its producer into its body, where those elements were not computed yet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x5: tensor<6x6xf32> {df.name = "x5"}, %x1: tensor<?x6xf32> {df.name = "x1"}) -> (tensor<6x6xf32> {df.name = "y"}) {
%i = df.iota {axis = 0 : i64} : () -> (tensor<6xi64>)
%r = df.reverse %x5 {axes = array<i64: 0>} : tensor<6x6xf32>
%a = df.gather %r, %i {axes = array<i64: 0>} : (tensor<6x6xf32>, tensor<6xi64>) -> tensor<6x6xf32>
%b = df.gather %a, %i {axes = array<i64: 0>} : (tensor<6x6xf32>, tensor<6xi64>) -> tensor<6x6xf32>
%c = df.gather %b, %i {axes = array<i64: 0>} : (tensor<6x6xf32>, tensor<6xi64>) -> tensor<6x6xf32>
%d = "df.minimum"(%b, %c) : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
df.return %d : tensor<6x6xf32>
}
