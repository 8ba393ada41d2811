// What df.save writes df.restore takes back, in the order of the program and from one function to another, before and after state is values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-state-to-values --df-interpret -o /dev/null | FileCheck %s

df.variable @w : tensor<2xf32> = #df.constant<1.0>
df.variable @n : tensor<i64> = #df.constant<5.0>

// CHECK-LABEL: @keep
// CHECK-NEXT: @w = tensor<2xf32> [4, 4]
df.function @keep() {
  %p = df.constant dense<"file"> : tensor<!df.string>
  %two = df.constant dense<2.0> : tensor<2xf32>
  df.assign @w, %two : tensor<2xf32>
  df.save "?" to %p : tensor<!df.string>
  df.assign_add @w, %two : tensor<2xf32>
  df.return
}

// CHECK-LABEL: @change
// CHECK-NEXT: @n = tensor<i64> 0
df.function @change() {
  %zero = df.constant dense<0> : tensor<i64>
  df.assign @n, %zero : tensor<i64>
  df.return
}

// CHECK-LABEL: @take
// CHECK-NEXT: 0: tensor<2xf32> [4, 4]
// CHECK-NEXT: 1: tensor<2xf32> [2, 2]
// CHECK-NEXT: @n = tensor<i64> 5
// CHECK-NEXT: @w = tensor<2xf32> [2, 2]
df.function @take() -> (tensor<2xf32> {df.name = "before"}, tensor<2xf32> {df.name = "behind"}) {
  %p = df.constant dense<"file"> : tensor<!df.string>
  %w = df.read @w : tensor<2xf32>
  df.restore "*" from %p : (tensor<!df.string>) -> ()
  %v = df.read @w : tensor<2xf32>
  df.return %w, %v : tensor<2xf32>, tensor<2xf32>
}
