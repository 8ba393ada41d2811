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
