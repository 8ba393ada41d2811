// A product over many terms whose result is narrower than its sums kept the sums of the terms so far in the result: it did not compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @rows(%x: tensor<?x6xbf16> {df.name = "x"}) -> (tensor<6x6xbf16> {df.name = "y"}) {
%y = df.matmul %x, %x {transpose_a} : (tensor<?x6xbf16>, tensor<?x6xbf16>) -> (tensor<6x6xbf16>)
df.return %y : tensor<6x6xbf16>
}
df.function @compared(%x: tensor<?x6xf32> {df.name = "v"}, %w: tensor<6x6xf32> {df.name = "w"}) -> (tensor<6x6xi1> {df.name = "z"}) {
%y = df.matmul %x, %x {transpose_a} : (tensor<?x6xf32>, tensor<?x6xf32>) -> (tensor<6x6xf32>)
%z = df.compare lt, %y, %w : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xi1>
df.return %z : tensor<6x6xi1>
}
