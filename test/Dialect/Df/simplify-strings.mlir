// Constants of strings through what moves elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -df-simplify | FileCheck %s

// CHECK-LABEL: df.function @splat
// CHECK: %[[C:.*]] = df.constant dense<"one"> : tensor<2x3x!df.string>
// CHECK-NEXT: df.return %[[C]]
df.function @splat() -> (tensor<2x3x!df.string> {df.name = "y"}) {
  %c = df.constant dense<"one"> : tensor<!df.string>
  %b = df.broadcast %c dimensions = [] : (tensor<!df.string>) -> tensor<6x!df.string>
  %r = df.reshape %b : (tensor<6x!df.string>) -> tensor<2x3x!df.string>
  df.return %r : tensor<2x3x!df.string>
}
