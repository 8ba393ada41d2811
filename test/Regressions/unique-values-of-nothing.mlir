// The unique values of a tensor that is known to have no elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x: tensor<0xi64> {df.name = "f/x"}, %rows: tensor<?xf32> {df.name = "f/rows"}) -> (tensor<?xi64> {df.name = "y0"}, tensor<0xi64> {df.name = "y1"}, tensor<?xi64> {df.name = "y2"}) {
  %v, %i, %c = df.unique %x : (tensor<0xi64>) -> (tensor<?xi64>, tensor<0xi64>, tensor<?xi64>)
  df.return %v, %i, %c : tensor<?xi64>, tensor<0xi64>, tensor<?xi64>
}
