// Where factors of products are rounded, attention and its gradients stay one op each for targets that have kernels of it. Of one query, or one key, some factors are rounded and others are not: that is decomposed, as gradients of tf32 are of more than 128 numbers that are not read four at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-decompose='keep-differentiable keep-attention' --df-expand-gradients --df-decompose=keep-attention --df-round-products | FileCheck %s
module attributes {df.precision = #df.precision<tf32>} {
// CHECK-LABEL: df.function @masked
// CHECK: df.attention %{{.*}} {causal, df.factors = #df.precision<tf32>}
// CHECK-NOT: df.softmax
// CHECK: df.attention_grad %{{.*}} {causal, df.factors = #df.precision<tf32>}
// CHECK-NOT: df.softmax
df.function @masked(%q: tensor<2x5x4xf32>, %v: tensor<2x5x3xf32>) -> (tensor<f32>, tensor<2x5x4xf32>) {
  %y = df.attention %q, %q, %v {causal} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0, 1, 2>} : (tensor<2x5x3xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [] %q : (tensor<f32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  df.return %loss, %g : tensor<f32>, tensor<2x5x4xf32>
}

// CHECK-LABEL: df.function @one
// CHECK-NOT: df.attention
df.function @one(%q: tensor<2x1x4xf32>, %k: tensor<2x5x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x5x4xf32>) {
  %a = df.attention %q, %k, %k : (tensor<2x1x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x1x4xf32>
  %b = df.attention %k, %q, %q : (tensor<2x5x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x5x4xf32>
  df.return %a, %b : tensor<2x1x4xf32>, tensor<2x5x4xf32>
}

// CHECK-LABEL: df.function @wide
// CHECK: df.attention %{{.*}} {df.factors
// CHECK: df.attention_grad %{{.*}} {df.factors
df.function @wide(%q: tensor<2x5x80xf32>) -> (tensor<f32>, tensor<2x5x80xf32>) {
  %y = df.attention %q, %q, %q : (tensor<2x5x80xf32>, tensor<2x5x80xf32>, tensor<2x5x80xf32>) -> tensor<2x5x80xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0, 1, 2>} : (tensor<2x5x80xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [] %q : (tensor<f32>, tensor<2x5x80xf32>) -> tensor<2x5x80xf32>
  df.return %loss, %g : tensor<f32>, tensor<2x5x80xf32>
}

// CHECK-LABEL: df.function @odd
// CHECK: df.attention %{{.*}} {df.factors
// CHECK-NOT: df.attention
// CHECK: df.softmax
df.function @odd(%q: tensor<2x5x78xf32>) -> (tensor<f32>, tensor<2x5x78xf32>) {
  %y = df.attention %q, %q, %q : (tensor<2x5x78xf32>, tensor<2x5x78xf32>, tensor<2x5x78xf32>) -> tensor<2x5x78xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0, 1, 2>} : (tensor<2x5x78xf32>) -> tensor<f32>
  %g = df.gradients %loss wrt [] %q : (tensor<f32>, tensor<2x5x78xf32>) -> tensor<2x5x78xf32>
  df.return %loss, %g : tensor<f32>, tensor<2x5x78xf32>
}
}
