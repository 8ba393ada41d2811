// Results that no cache holds are stored past the caches, narrow ones as words, and a fence ends the task; bf16 moves as integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg --mlc-codegen | FileCheck %s

// CHECK-LABEL: llvm.func {{.*}}@kernel
// CHECK:         llvm.store %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK:         llvm.fence seq_cst
// CHECK:         llvm.return
df.function @large(%x: tensor<8388608xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<8388608xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.exp %x : tensor<8388608xf32>
  df.return %y : tensor<8388608xf32>
}

// CHECK-NOT:     bf16, !llvm.ptr
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<4xi32>
// CHECK:         llvm.fence seq_cst
df.function @narrow(%x: tensor<16777216xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<16777216xbf16> {df.binding = #df.binding<output, "y">}) {
  %y = df.cast %x : (tensor<16777216xf32>) -> tensor<16777216xbf16>
  df.return %y : tensor<16777216xbf16>
}

// CHECK-NOT:     nontemporal
df.function @small(%x: tensor<8388607xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<8388607xf32> {df.binding = #df.binding<output, "y">}) {
  %y = df.log %x : tensor<8388607xf32>
  df.return %y : tensor<8388607xf32>
}
