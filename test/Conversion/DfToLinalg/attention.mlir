// Kept attention is a kernel. What its gradients need of it, its result, maxima and sums, is kept by the forward pass, once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg --cse | FileCheck %s

// CHECK-LABEL: @step
// CHECK: %[[Y:.*]]:3 = kern.attention ins(%arg0, %arg1, %arg2 : {{.*}}) mask(%arg4 : tensor<5x7xi8>) outs({{.*}} : tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>) {causal, scale = 5.000000e-01 : f32}
// CHECK-NOT: kern.attention ins
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%arg3, %[[Y]]#0 :
// CHECK: arith.mulf
// CHECK: arith.addf {{.*}} {kern.interleaved}
// CHECK: kern.attention_grad ins(%arg0, %arg1, %arg2 : {{.*}}) of(%arg3, %[[Y]]#1, %[[Y]]#2, %[[D]] : {{.*}}) mask(%arg4 : tensor<5x7xi8>)
df.function @step(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x3xf32>, %g: tensor<?x5x3xf32>, %m: tensor<5x7xi1>)
    -> (tensor<?x5x3xf32>, tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>) {
  %y = df.attention %q, %k, %v, %m {causal} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>, tensor<5x7xi1>) -> tensor<?x5x3xf32>
  %a, %b, %c = df.attention_grad %q, %k, %v, %g, %m {causal} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>, tensor<?x5x3xf32>, tensor<5x7xi1>) -> (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>)
  df.return %y, %a, %b, %c : tensor<?x5x3xf32>, tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>
}

// Where factors are rounded, halves are what the kernel reads; a number of f32 that is one of these becomes it. Dots add products of halves and f32.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: %[[Q:arg[0-9]+]]: tensor<2x5x4xbf16>, %[[V:arg[0-9]+]]: tensor<2x5x4xf32>
// CHECK: %[[V16:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<2x5x4xf32>) outs({{.*}} : tensor<2x5x4xbf16>)
// CHECK: %[[Y:.*]]:3 = kern.attention ins(%[[Q]], %[[Q]], %[[V16]] : tensor<2x5x4xbf16>, tensor<2x5x4xbf16>, tensor<2x5x4xbf16>) outs({{.*}} : tensor<2x5x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
// CHECK: kern.attention_grad ins(%[[Q]], %[[Q]], %{{.*}} : tensor<2x5x4xbf16>, tensor<2x5x4xbf16>, tensor<2x5x4xbf16>) of(%[[Q]], {{.*}} : tensor<2x5x4xbf16>, {{.*}}) outs({{.*}} : tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>)
df.function @rounded(%q: tensor<2x5x4xbf16>, %v: tensor<2x5x4xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>) {
  %x = df.cast %q : (tensor<2x5x4xbf16>) -> tensor<2x5x4xf32>
  %y = df.attention %x, %x, %v {df.factors = #df.precision<bf16_mixed>} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %a, %b, %c = df.attention_grad %x, %x, %v, %x {df.factors = #df.precision<bf16_mixed>} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>)
  df.return %y, %a : tensor<2x5x4xf32>, tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @tf32
// CHECK: kern.attention ins({{.*}}) outs({{.*}}) {kern.tf32, scale = 5.000000e-01 : f32}
df.function @tf32(%q: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %y = df.attention %q, %q, %q {df.factors = #df.precision<tf32>} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  df.return %y : tensor<2x5x4xf32>
}
