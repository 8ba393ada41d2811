// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-interpret | FileCheck %s

// The gradient of a product whose sums are wider than its operands: in the type of the sums, rounded once. 257 is no bf16, nor are 128.5, 514 and 771;
// of a cotangent that was rounded before, the last one would be 768.

// CHECK-LABEL: @product
// CHECK-NEXT: 0: tensor<1x2xbf16> {{\[}}[256, 128]]
// CHECK-NEXT: 1: tensor<2x1xbf16> {{\[}}[512], [772]]
df.function @product(%x: tensor<1x2xbf16> {df.name = "x", df.value = dense<[[2.0, 3.0]]> : tensor<1x2xbf16>},
                     %w: tensor<2x1xbf16> {df.name = "w", df.value = dense<[[1.0], [0.5]]> : tensor<2x1xbf16>})
    -> (tensor<1x2xbf16> {df.name = "dx"}, tensor<2x1xbf16> {df.name = "dw"}) {
  %y = df.dot_general %x, %w {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf32>
  %c = df.constant dense<257.0> : tensor<1x1xf32>
  %z = df.mul %y, %c : tensor<1x1xf32>
  %loss = df.reduce_sum %z {axes = array<i64: 0, 1>} : (tensor<1x1xf32>) -> tensor<f32>
  %dx, %dw = df.gradients %loss wrt [] %x, %w : (tensor<f32>, tensor<1x2xbf16>, tensor<2x1xbf16>) -> (tensor<1x2xbf16>, tensor<2x1xbf16>)
  df.return %dx, %dw : tensor<1x2xbf16>, tensor<2x1xbf16>
}
