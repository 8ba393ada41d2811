// A loop carries what is the old value of another place once it is folded: a selection that never takes the other operand,
// sums with zero, products with one. And either the old value or one from outside of the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @selected(%a: tensor<4xi64> {df.name = "selected/a"}, %b: tensor<4xi64> {df.name = "selected/b"}, %n: tensor<?xf32> {df.name = "selected/n"}) -> (tensor<4xi64> {df.name = "y0"}, tensor<4xi64> {df.name = "y1"}) {
  %r:2 = df.while (%a, %b) {max_iterations = 3 : i64} : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>):
    %t = df.constant dense<true> : tensor<i1>
    df.condition %t : tensor<i1>
  } do {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>):
    %s = "df.add"(%x, %y) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %g = df.compare gt, %s, %s : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %w = df.select %g, %y, %x : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %v = df.select %g, %x, %y : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    df.yield %v, %w : tensor<4xi64>, tensor<4xi64>
  }
  df.return %r#0, %r#1 : tensor<4xi64>, tensor<4xi64>
}
df.function @neutral(%a: tensor<4xi64> {df.name = "neutral/a"}, %b: tensor<4xi64> {df.name = "neutral/b"}, %c: tensor<4xi64> {df.name = "neutral/c"}, %n: tensor<?xf32> {df.name = "neutral/n"}) -> (tensor<4xi64> {df.name = "y0"}, tensor<4xi64> {df.name = "y1"}, tensor<4xi64> {df.name = "y2"}) {
  %zero = df.constant dense<0> : tensor<4xi64>
  %one = df.constant dense<1> : tensor<4xi64>
  %r:3 = df.while (%a, %b, %c) {max_iterations = 4 : i64} : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>, %z: tensor<4xi64>):
    %t = df.constant dense<true> : tensor<i1>
    df.condition %t : tensor<i1>
  } do {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>, %z: tensor<4xi64>):
    %g = df.compare gt, %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %h = df.select %g, %zero, %one : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %u = "df.mul"(%z, %h) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %v = "df.add"(%x, %zero) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = "df.mul"(%y, %one) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    df.yield %u, %v, %w : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
  }
  df.return %r#0, %r#1, %r#2 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}
df.function @scanned(%a: tensor<4xi64> {df.name = "scanned/a"}, %b: tensor<4xi64> {df.name = "scanned/b"}, %rows: tensor<?x4xi64> {df.name = "scanned/rows"}) -> (tensor<4xi64> {df.name = "y0"}, tensor<4xi64> {df.name = "y1"}, tensor<?x4xi64> {df.name = "y2"}) {
  %r:3 = df.scan (%a, %b) over (%rows) : (tensor<4xi64>, tensor<4xi64>, tensor<?x4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<?x4xi64>) {
  ^bb0(%x: tensor<4xi64>, %y: tensor<4xi64>, %row: tensor<4xi64>):
    %g = df.compare gt, %row, %row : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %s = "df.add"(%y, %row) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %w = df.select %g, %row, %x : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    df.yield %s, %w, %x : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
  }
  df.return %r#0, %r#1, %r#2 : tensor<4xi64>, tensor<4xi64>, tensor<?x4xi64>
}
df.variable @w : tensor<4xf32> = #df.normal<0.0, 1.0>
df.function @assigned(%a: tensor<4xf32> {df.name = "assigned/a"}, %c: tensor<i1> {df.name = "assigned/c"}, %d: tensor<i1> {df.name = "assigned/d"}, %rows: tensor<?xi32> {df.name = "assigned/rows"}) -> (tensor<4xf32> {df.name = "y0"}, tensor<i32> {df.name = "y1"}) {
  %zero = df.constant dense<0> : tensor<i32>
  %r:2 = df.scan (%a, %zero) over (%rows) : (tensor<4xf32>, tensor<i32>, tensor<?xi32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%x: tensor<4xf32>, %y: tensor<i32>, %row: tensor<i32>):
    %v = df.if %c : (tensor<i1>) -> tensor<4xf32> {
      %w = df.if %d : (tensor<i1>) -> tensor<4xf32> {
        df.yield %x : tensor<4xf32>
      } else {
        df.assign @w, %a : tensor<4xf32>
        df.yield %a : tensor<4xf32>
      }
      df.yield %w : tensor<4xf32>
    } else {
      df.yield %x : tensor<4xf32>
    }
    df.yield %v, %row : tensor<4xf32>, tensor<i32>
  }
  df.return %r#0, %r#1 : tensor<4xf32>, tensor<i32>
}
