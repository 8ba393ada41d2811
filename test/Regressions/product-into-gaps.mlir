// A product inserted with gaps (the diagonal of a matrix) was computed in place, without the gaps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x1: tensor<?x6xf32> {df.name = "x1"}, %x5: tensor<6x6xf32> {df.name = "x5"}) -> (tensor<?x6x6xf32> {df.name = "y3"}) {
%v15 = df.sort %x1 {axis = 0 : i64, descending} : (tensor<?x6xf32>) -> (tensor<?x6xf32>)
%v31 = df.matmul %v15, %x5 : (tensor<?x6xf32>, tensor<6x6xf32>) -> (tensor<?x6xf32>)
%v91 = df.diag %v31 : (tensor<?x6xf32>) -> (tensor<?x6x6xf32>)
df.return %v91 : tensor<?x6x6xf32>
}

