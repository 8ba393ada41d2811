// A reduction over rows asks for the lines of the block after the next while it reads one, where the data is large.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg --mlc-codegen | FileCheck %s

// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         llvm.intr.maximum
df.function @large(%x: tensor<1024x1024xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<1024xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.reduce_max %x {axes = array<i64: 0>} : (tensor<1024x1024xf32>) -> tensor<1024xf32>
  df.return %y : tensor<1024xf32>
}

// CHECK-NOT:     llvm.intr.prefetch
df.function @small(%x: tensor<256x512xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<512xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.reduce_min %x {axes = array<i64: 0>} : (tensor<256x512xf32>) -> tensor<512xf32>
  df.return %y : tensor<512xf32>
}
