// RUN: mlc-opt %s --convert-df-to-linalg --mlc-fuse --mlc-bufferize --cpu-attach-target --cpu-plan-contracts --cpu-pack-contracts --cpu-lower-kernels --codegen-group-launches --codegen-plan-workspace --codegen-signal-operands | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of code generation together: which operands of a df.function are signalled, and where the order of launches puts that.

// Gradients of two layers: each variable is awaited right before the first launch that reads it, each sum is done after
// the last launch that writes it, while others are still to run. Operands: x, w0, w1, g1, g0. The first product runs
// before the second layer's weights, which are large, are packed.
// CHECK-LABEL: func.func @grad(
// CHECK: kern.await_operand operand = 1
// CHECK: kern.launch
// CHECK: kern.launch
// CHECK: kern.await_operand operand = 2
// CHECK: kern.launch
// CHECK: kern.operand_done operand = 3
// CHECK: kern.launch
// CHECK: kern.operand_done operand = 4
// CHECK: return
df.function @grad(%x: tensor<?x256xf32> {df.binding = #df.binding<feature, "x">}, %w0: tensor<256x256xf32> {df.binding = #df.binding<variable, "w0">},
                  %w1: tensor<256x256xf32> {df.binding = #df.binding<variable, "w1">})
    -> (tensor<256x256xf32> {df.binding = #df.binding<sum_out, "w1">}, tensor<256x256xf32> {df.binding = #df.binding<sum_out, "w0">})
    attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "grad"} {
  %h = df.matmul %x, %w0 : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %y = df.matmul %h, %w1 : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %g1 = df.matmul %h, %y {transpose_a} : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<256x256xf32>
  %dh = df.matmul %y, %w1 {transpose_b} : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %g0 = df.matmul %x, %dh {transpose_a} : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<256x256xf32>
  df.return %g1, %g0 : tensor<256x256xf32>, tensor<256x256xf32>
}

// Other functions, and what runs ahead of the step, say nothing.
// CHECK-LABEL: func.func @combine(
// CHECK-NOT: kern.{{await_operand|operand_done}}
// CHECK: return
df.function @combine(%a: tensor<64xf32> {df.binding = #df.binding<sum_a, "w">}, %b: tensor<64xf32> {df.binding = #df.binding<sum_b, "w">})
    -> (tensor<64xf32> {df.binding = #df.binding<sum_out, "w">}) attributes {role = #df.role<train_combine>, segment = #df.segment<step>, entry = "combine"} {
  %s = df.add %a, %b : tensor<64xf32>
  df.return %s : tensor<64xf32>
}

// A sum that nothing computes is done at the end.
// CHECK-LABEL: func.func @copied(
// CHECK: kern.await_operand operand = 0
// CHECK: kern.operand_done operand = 1
// CHECK-NEXT: return
df.function @copied(%w: tensor<64xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<64xf32> {df.binding = #df.binding<sum_out, "v">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "copied"} {
  df.return %w : tensor<64xf32>
}
