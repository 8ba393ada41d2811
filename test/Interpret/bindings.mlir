// Functions after df-state-to-values: arguments come from state, settings and context, results go back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret='seed=5 step=3 first-row=2' -o /dev/null | FileCheck %s

module attributes {df.settings = {rate = 2.5e-01 : f64}} {
  df.variable @w : tensor<2xf32> = #df.constant<1.0>

  // CHECK-LABEL: @step
  // CHECK-NEXT: 0: tensor<i64> 10
  // CHECK-NEXT: 1: tensor<2xf32> [4, 8]
  // CHECK-NEXT: @w = tensor<2xf32> [0, -1]
  df.function @step(%x: tensor<2xf32> {df.value = dense<[4.0, 8.0]> : tensor<2xf32>, df.binding = #df.binding<feature, "x">},
                    %w: tensor<2xf32> {df.binding = #df.binding<variable, "w">}, %rate: tensor<f32> {df.binding = #df.binding<setting, "rate">},
                    %seed: tensor<i64> {df.binding = #df.binding<context, "seed">}, %n: tensor<i64> {df.binding = #df.binding<context, "step">},
                    %row: tensor<i64> {df.binding = #df.binding<context, "first_row">})
      -> (tensor<i64> {df.binding = #df.binding<output, "all">}, tensor<2xf32> {df.binding = #df.binding<variable, "w">},
          tensor<2xf32> {df.binding = #df.binding<output, "x">}) {
    %a = df.add %seed, %n : tensor<i64>
    %all = df.add %a, %row : tensor<i64>
    %r = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<2xf32>
    %d = df.mul %r, %x : tensor<2xf32>
    %new = df.sub %w, %d : tensor<2xf32>
    df.return %all, %new, %x : tensor<i64>, tensor<2xf32>, tensor<2xf32>
  }
}
