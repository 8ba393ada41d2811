// Segments are of tensors before they are bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --codegen-bind-segments --verify-diagnostics

// expected-error @below {{a segment of tensors has an argument or result of type 'memref<4xf32>'; expected a ranked tensor}}
func.func @f(%a: memref<4xf32> {df.binding = #df.binding<feature, "a">}) attributes {df.role = #df.role<predict>} {
  return
}
