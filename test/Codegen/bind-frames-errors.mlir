// Frames hold buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --codegen-bind-frames --verify-diagnostics

// expected-error @below {{a segment of buffers has an argument of type 'tensor<?xf32>'; expected a memref}}
func.func @f(%a: tensor<?xf32> {df.binding = #df.binding<feature, "a">}) attributes {df.role = #df.role<predict>} {
  return
}
