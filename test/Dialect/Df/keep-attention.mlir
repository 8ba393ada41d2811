// Attention stays one op, and its gradients are one, where a target has kernels of it; without them both are products and a softmax.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-decompose='keep-differentiable keep-attention' --df-expand-gradients --df-decompose=keep-attention | FileCheck %s
// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-decompose | FileCheck %s --check-prefix=PARTS
// RUN: mlc-opt %s --df-decompose='keep-differentiable keep-attention' --df-expand-gradients --df-decompose | FileCheck %s --check-prefix=PARTS

// PARTS-NOT: df.attention
// CHECK-LABEL: df.function @masked
// CHECK: df.attention %{{.*}} {causal}
// CHECK-NOT: df.softmax
// CHECK: df.attention_grad %{{.*}} {causal}
// CHECK-NOT: df.softmax
df.function @masked(%q: tensor<2x5x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %m: tensor<5x5xi1>) -> (tensor<f32>, tensor<2x5x4xf32>) {
  %y = df.attention %q, %k, %v, %m {causal} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<5x5xi1>) -> tensor<2x5x3xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0, 1, 2>} : (tensor<2x5x3xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [] %q : (tensor<f32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  df.return %loss, %g : tensor<f32>, tensor<2x5x4xf32>
}

// The gradient of a mask is as large as the scores: it is made of what attention stands for.
// CHECK-LABEL: df.function @bias
// CHECK: df.softmax
df.function @bias(%q: tensor<2x5x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>, %m: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %y = df.attention %q, %k, %v, %m : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<5x5xf32>) -> tensor<2x5x3xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0, 1, 2>} : (tensor<2x5x3xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [] %m : (tensor<f32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  df.return %g : tensor<5x5xf32>
}

// Other types, and sizes that kernels do not have, are decomposed everywhere.
// CHECK-LABEL: df.function @others
// CHECK-NOT: df.attention
df.function @others(%q: tensor<2x5x4xf64>, %k: tensor<2x5x129xf32>, %z: tensor<2x0x4xf32>) -> (tensor<2x5x4xf64>, tensor<2x5x129xf32>, tensor<2x0x4xf32>) {
  %a = df.attention %q, %q, %q : (tensor<2x5x4xf64>, tensor<2x5x4xf64>, tensor<2x5x4xf64>) -> tensor<2x5x4xf64>
  %b = df.attention %k, %k, %k : (tensor<2x5x129xf32>, tensor<2x5x129xf32>, tensor<2x5x129xf32>) -> tensor<2x5x129xf32>
  %c = df.attention %z, %z, %z : (tensor<2x0x4xf32>, tensor<2x0x4xf32>, tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  df.return %a, %b, %c : tensor<2x5x4xf64>, tensor<2x5x129xf32>, tensor<2x0x4xf32>
}
