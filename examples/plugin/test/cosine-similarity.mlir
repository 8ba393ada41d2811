// What the op computes and how it is written. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt --load-dialect-plugin=%{demo} %s --df-interpret | FileCheck %s
// RUN: mlc-opt --load-dialect-plugin=%{demo} %s --df-decompose | FileCheck %s --check-prefix=PARTS --implicit-check-not=demo.

// CHECK: @f
// CHECK-NEXT: 0: tensor<2xf32> [1, 0]
// PARTS: df.reduce_sum
// PARTS: df.div
df.function @f() -> tensor<2xf32> {
  %x = df.constant dense<[[1.0e3, 0.0], [1.0e3, 0.0]]> : tensor<2x2xf32>
  %y = df.constant dense<[[2.0e3, 0.0], [0.0, 2.0e3]]> : tensor<2x2xf32>
  %cosine = demo.cosine_similarity %x, %y : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  df.return %cosine : tensor<2xf32>
}
