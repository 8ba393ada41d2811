// A loop that carries what a cumulative sum or a sort made was said to change its shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x1: tensor<?x6xf32> {df.name = "x1"}, %x7: tensor<?x2x3xf32> {df.name = "x7"}) -> (tensor<?x6xf32> {df.name = "y1"}) {
%v39 = df.cumsum %x1 {axis = 1 : i64, reverse} : (tensor<?x6xf32>) -> tensor<?x6xf32>
%v42, %v43 = df.while (%v39, %x1) {max_iterations = 0 : i64} : (tensor<?x6xf32>, tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
^bb0(%v44: tensor<?x6xf32>, %v45: tensor<?x6xf32>):
%v46 = df.constant dense<true> : tensor<i1>
df.condition %v46 : tensor<i1>
} do {
^bb0(%v47: tensor<?x6xf32>, %v48: tensor<?x6xf32>):
%v52 = df.reshape %x7 : (tensor<?x2x3xf32>) -> (tensor<?x6xf32>)
df.yield %v52, %v47 : tensor<?x6xf32>, tensor<?x6xf32>
}
df.return %v43 : tensor<?x6xf32>
}

