// What a product's epilogue reads along the columns, every so many elements of memory, it took as neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<4x6xf64> {df.name = "x0"}, %x1: tensor<6x6xf64> {df.name = "x1"}, %x2: tensor<4x36xf64> {df.name = "x2"}, %x3: tensor<?x6xf32> {df.name = "x3"}, %x4: tensor<6x6xf32> {df.name = "x4"}, %x5: tensor<?x12xf32> {df.name = "x5"}) -> (tensor<4x6xf64> {df.name = "y0"}, tensor<?x6xf32> {df.name = "y1"}, tensor<6x6xf64> {df.name = "y2"}, tensor<4x1xf64> {df.name = "y3"}) {
  %a = df.round %x0 : tensor<4x6xf64>
  %b = df.round %x1 : tensor<6x6xf64>
  %p = df.matmul %a, %b : (tensor<4x6xf64>, tensor<6x6xf64>) -> tensor<4x6xf64>
  %c = df.cos %x2 : tensor<4x36xf64>
  %q = df.slice %c {starts = array<i64: 0, 0>, sizes = array<i64: 4, 6>, strides = array<i64: 1, 7>} : (tensor<4x36xf64>) -> tensor<4x6xf64>
  %d = df.add %p, %q : tensor<4x6xf64>
  %e = df.round %x3 : tensor<?x6xf32>
  %f = df.round %x4 : tensor<6x6xf32>
  %g = df.matmul %e, %f : (tensor<?x6xf32>, tensor<6x6xf32>) -> tensor<?x6xf32>
  %h = df.slice %x5 {starts = array<i64: 0, 1>, sizes = array<i64: -1, 6>, strides = array<i64: 1, 2>} : (tensor<?x12xf32>) -> tensor<?x6xf32>
  %i = df.add %g, %h : tensor<?x6xf32>
  // One row of the epilogue for all: the diagonal of a matrix.
  %j = df.diag_part %b : (tensor<6x6xf64>) -> tensor<6xf64>
  %k = df.matmul %b, %b : (tensor<6x6xf64>, tensor<6x6xf64>) -> tensor<6x6xf64>
  %l = df.broadcast %j dimensions = [1] : (tensor<6xf64>) -> tensor<6x6xf64>
  %m = df.add %k, %l : tensor<6x6xf64>
  // One column.
  %n = df.slice %b {starts = array<i64: 0, 2>, sizes = array<i64: 6, 1>} : (tensor<6x6xf64>) -> tensor<6x1xf64>
  %o = df.matmul %a, %n : (tensor<4x6xf64>, tensor<6x1xf64>) -> tensor<4x1xf64>
  %r = df.slice %c {starts = array<i64: 0, 3>, sizes = array<i64: 4, 1>} : (tensor<4x36xf64>) -> tensor<4x1xf64>
  %s = df.add %o, %r : tensor<4x1xf64>
  df.return %d, %i, %m, %s : tensor<4x6xf64>, tensor<?x6xf32>, tensor<6x6xf64>, tensor<4x1xf64>
}
