// What the region of df.update_rows takes from outside is scalars, also where cse made one value of a scalar that is
// repeated in the region and for a variable of the rows' shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -cse -convert-df-to-linalg -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @train
// CHECK: kern.update_rows {{.*}}%arg0
df.function @train(%rate: tensor<f32> {df.binding = #df.binding<setting, "rate">}, %b: tensor<8xf32> {df.binding = #df.binding<variable, "b">},
    %t: tensor<50x8xf32> {df.binding = #df.binding<variable, "t">}, %ids: tensor<?xi64> {df.binding = #df.binding<feature, "ids">}, %rows: tensor<?x8xf32> {df.binding = #df.binding<feature, "rows">},
    %n: tensor<i64> {df.binding = #df.binding<feature, "n">})
    -> (tensor<8xf32> {df.binding = #df.binding<variable, "b">}, tensor<50x8xf32> {df.binding = #df.binding<variable, "t">}) {
  %0 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = df.mul %b, %0 : tensor<8xf32>
  %2 = df.update_rows tables(%t) ids(%ids) rows(%rows) count(%n) : (tensor<50x8xf32>, tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> tensor<50x8xf32> {
  ^bb0(%w: tensor<8xf32>, %g: tensor<8xf32>):
    %3 = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = df.mul %g, %3 : tensor<8xf32>
    %5 = df.sub %w, %4 : tensor<8xf32>
    df.yield %5 : tensor<8xf32>
  }
  df.return %1, %2 : tensor<8xf32>, tensor<50x8xf32>
}

// -----

// To one element a scalar is reshaped.
// CHECK-LABEL: func.func @train
// CHECK: kern.update_rows {{.*}}%arg0
df.function @train(%rate: tensor<f32> {df.binding = #df.binding<setting, "rate">}, %b: tensor<1xf32> {df.binding = #df.binding<variable, "b">},
    %t: tensor<50x1xf32> {df.binding = #df.binding<variable, "t">}, %ids: tensor<?xi64> {df.binding = #df.binding<feature, "ids">}, %rows: tensor<?x1xf32> {df.binding = #df.binding<feature, "rows">},
    %n: tensor<i64> {df.binding = #df.binding<feature, "n">})
    -> (tensor<1xf32> {df.binding = #df.binding<variable, "b">}, tensor<50x1xf32> {df.binding = #df.binding<variable, "t">}) {
  %0 = df.reshape %rate : (tensor<f32>) -> tensor<1xf32>
  %1 = df.mul %b, %0 : tensor<1xf32>
  %2 = df.update_rows tables(%t) ids(%ids) rows(%rows) count(%n) : (tensor<50x1xf32>, tensor<?xi64>, tensor<?x1xf32>, tensor<i64>) -> tensor<50x1xf32> {
  ^bb0(%w: tensor<1xf32>, %g: tensor<1xf32>):
    %3 = df.mul %g, %0 : tensor<1xf32>
    %4 = df.sub %w, %3 : tensor<1xf32>
    df.yield %4 : tensor<1xf32>
  }
  df.return %1, %2 : tensor<1xf32>, tensor<50x1xf32>
}
