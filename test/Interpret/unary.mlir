// Values of element-wise ops with one operand, with NaN, infinities, signed zeros and wrapping integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @arithmetic
df.function @arithmetic() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = df.constant dense<[-2.25, -0.0, 9.0, 0x7FC00000]> : tensor<4xf32>
  // CHECK-NEXT: 0: tensor<4xf32> [2.25, 0, -9, nan]
  %neg = df.neg %x : tensor<4xf32>
  // CHECK-NEXT: 1: tensor<4xf32> [2.25, 0, 9, nan]
  %abs = df.abs %x : tensor<4xf32>
  // CHECK-NEXT: 2: tensor<4xf32> [-1, -0, 1, nan]
  %sign = df.sign %x : tensor<4xf32>
  // CHECK-NEXT: 3: tensor<4xf32> [nan, -0, 3, nan]
  %sqrt = df.sqrt %x : tensor<4xf32>
  // CHECK-NEXT: 4: tensor<4xf32> [5.0625, 0, 81, nan]
  %square = df.square %x : tensor<4xf32>
  // CHECK-NEXT: 5: tensor<4xf32> [-3, -0, 9, nan]
  %floor = df.floor %x : tensor<4xf32>
  df.return %neg, %abs, %sign, %sqrt, %square, %floor : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @transcendental
df.function @transcendental() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  // 0, 1, -infinity, NaN
  %x = df.constant dense<[0.0, 1.0, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [1, 2.71828182845904{{[0-9]+}}, 0, nan]
  %exp = df.exp %x : tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [-inf, 0, nan, nan]
  %log = df.log %x : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [0, 0.69314718055994{{[0-9]+}}, nan, nan]
  %log1p = df.log1p %x : tensor<4xf64>
  // CHECK-NEXT: 3: tensor<4xf64> [0, 0.76159415595576{{[0-9]+}}, -1, nan]
  %tanh = df.tanh %x : tensor<4xf64>
  // CHECK-NEXT: 4: tensor<4xf64> [0.5, 0.731058578630004{{[0-9]+}}, 0, nan]
  %sigmoid = df.sigmoid %x : tensor<4xf64>
  // CHECK-NEXT: 5: tensor<4xf64> [0.69314718055994{{[0-9]+}}, 1.31326168751822{{[0-9]+}}, 0, nan]
  %softplus = df.softplus %x : tensor<4xf64>
  // CHECK-NEXT: 6: tensor<4xf64> [0, 1, 0, nan]
  %relu = df.relu %x : tensor<4xf64>
  // CHECK-NEXT: 7: tensor<4xf64> [1, 0.5403023058681{{[0-9]+}}, nan, nan]
  %cos = df.cos %x : tensor<4xf64>
  // CHECK-NEXT: 8: tensor<4xf64> [0, 0.8414709848078{{[0-9]+}}, nan, nan]
  %sin = df.sin %x : tensor<4xf64>
  df.return %exp, %log, %log1p, %tanh, %sigmoid, %softplus, %relu, %cos, %sin : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: @wrap
df.function @wrap() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xi1>) {
  %x = df.constant dense<[-128, -3, 100]> : tensor<3xi8>
  // CHECK-NEXT: 0: tensor<3xi8> [-128, 3, -100]
  %neg = df.neg %x : tensor<3xi8>
  // CHECK-NEXT: 1: tensor<3xi8> [-128, 3, 100]
  %abs = df.abs %x : tensor<3xi8>
  // CHECK-NEXT: 2: tensor<3xi8> [0, 9, 16]
  %square = df.square %x : tensor<3xi8>
  %b = df.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: 3: tensor<2xi1> [false, true]
  %not = df.logical_not %b : tensor<2xi1>
  df.return %neg, %abs, %square, %not : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xi1>
}

// f16 and bf16 are computed in f32 and rounded once: 1/3 in f16 is 0.33325195, 257 in bf16 is a tie that goes to 256.
// CHECK-LABEL: @narrow
df.function @narrow() -> (tensor<f16>, tensor<bf16>, tensor<0x3xf32>) {
  %one = df.constant dense<1.0> : tensor<f16>
  %three = df.constant dense<3.0> : tensor<f16>
  // CHECK-NEXT: 0: tensor<f16> 0.33325195
  %third = df.div %one, %three : tensor<f16>
  %a = df.constant dense<256.0> : tensor<bf16>
  %b = df.constant dense<1.0> : tensor<bf16>
  // CHECK-NEXT: 1: tensor<bf16> 256
  %sum = df.add %a, %b : tensor<bf16>
  %none = df.constant dense<> : tensor<0x3xf32>
  // CHECK-NEXT: 2: tensor<0x3xf32> []
  %empty = df.exp %none : tensor<0x3xf32>
  df.return %third, %sum, %empty : tensor<f16>, tensor<bf16>, tensor<0x3xf32>
}
