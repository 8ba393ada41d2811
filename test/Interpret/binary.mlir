// Values of element-wise ops with two and three operands and of casts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @floats
df.function @floats() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = df.constant dense<[6.0, 0.0, -0.0, 0x7FC00000]> : tensor<4xf32>
  %y = df.constant dense<[4.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
  // CHECK-NEXT: 0: tensor<4xf32> [10, 0, 0, nan]
  %add = df.add %x, %y : tensor<4xf32>
  // CHECK-NEXT: 1: tensor<4xf32> [2, 0, -0, nan]
  %sub = df.sub %x, %y : tensor<4xf32>
  // CHECK-NEXT: 2: tensor<4xf32> [24, 0, -0, nan]
  %mul = df.mul %x, %y : tensor<4xf32>
  // CHECK-NEXT: 3: tensor<4xf32> [1.5, nan, nan, nan]
  %div = df.div %x, %y : tensor<4xf32>
  // CHECK-NEXT: 4: tensor<4xf32> [6, 0, 0, nan]
  %max = df.maximum %x, %y : tensor<4xf32>
  // CHECK-NEXT: 5: tensor<4xf32> [4, 0, -0, nan]
  %min = df.minimum %x, %y : tensor<4xf32>
  // CHECK-NEXT: 6: tensor<4xf32> [1296, 1, 1, nan]
  %pow = df.pow %x, %y : tensor<4xf32>
  df.return %add, %sub, %mul, %div, %max, %min, %pow : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @integers
df.function @integers() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %x = df.constant dense<[2147483647, -5]> : tensor<2xi32>
  %y = df.constant dense<[1, 3]> : tensor<2xi32>
  // CHECK-NEXT: 0: tensor<2xi32> [-2147483648, -2]
  %add = df.add %x, %y : tensor<2xi32>
  // CHECK-NEXT: 1: tensor<2xi32> [2147483646, -8]
  %sub = df.sub %x, %y : tensor<2xi32>
  // CHECK-NEXT: 2: tensor<2xi32> [2147483647, -15]
  %mul = df.mul %x, %y : tensor<2xi32>
  // CHECK-NEXT: 3: tensor<2xi32> [2147483647, 3]
  %max = df.maximum %x, %y : tensor<2xi32>
  // CHECK-NEXT: 4: tensor<2xi32> [1, -5]
  %min = df.minimum %x, %y : tensor<2xi32>
  df.return %add, %sub, %mul, %max, %min : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// A base below zero has powers for integral exponents alone.
// CHECK-LABEL: @pow
df.function @pow() -> tensor<7xf64> {
  %x = df.constant dense<[2.0, -2.0, 0.0, 4.0, -2.0, -2.0, -8.0]> : tensor<7xf64>
  %y = df.constant dense<[10.0, 2.0, -1.0, 0.5, 3.0, 0.5, -1.0]> : tensor<7xf64>
  // CHECK-NEXT: 0: tensor<7xf64> [1024, 4, inf, 2, -8, nan, -0.125]
  %z = df.pow %x, %y : tensor<7xf64>
  df.return %z : tensor<7xf64>
}

// CHECK-LABEL: @logic
df.function @logic() -> (tensor<4xi1>, tensor<4xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>) {
  %a = df.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = df.constant dense<[true, false, true, false]> : tensor<4xi1>
  // CHECK-NEXT: 0: tensor<4xi1> [true, false, false, false]
  %and = df.logical_and %a, %b : tensor<4xi1>
  // CHECK-NEXT: 1: tensor<4xi1> [true, true, true, false]
  %or = df.logical_or %a, %b : tensor<4xi1>
  %x = df.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %y = df.constant dense<[2.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  // CHECK-NEXT: 2: tensor<3xi1> [true, false, false]
  %lt = df.compare lt, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-NEXT: 3: tensor<3xi1> [false, true, false]
  %ge = df.compare ge, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-NEXT: 4: tensor<3xi1> [true, false, true]
  %ne = df.compare ne, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-NEXT: 5: tensor<3xf32> [1, 2, nan]
  %select = df.select %lt, %x, %y : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  df.return %and, %or, %lt, %ge, %ne, %select : tensor<4xi1>, tensor<4xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>
}

// CHECK-LABEL: @cast
df.function @cast() -> (tensor<5xi8>, tensor<5xi1>, tensor<2xf32>, tensor<2xf16>, tensor<2xi64>, tensor<2xf32>, tensor<1xbf16>) {
  %x = df.constant dense<[-1.9, 300.0, -300.0, 0x7FC00000, 0.0]> : tensor<5xf32>
  // Truncates, saturates, 0 of NaN.
  // CHECK-NEXT: 0: tensor<5xi8> [-1, 127, -128, 0, 0]
  %i = df.cast %x : (tensor<5xf32>) -> tensor<5xi8>
  // CHECK-NEXT: 1: tensor<5xi1> [true, true, true, true, false]
  %b = df.cast %x : (tensor<5xf32>) -> tensor<5xi1>
  // 2^24 + 1 is a tie, 2^24 + 3 too: to the even 2^24 and 2^24 + 4.
  %n = df.constant dense<[16777217, 16777219]> : tensor<2xi64>
  // CHECK-NEXT: 2: tensor<2xf32> [16777216, 16777220]
  %f = df.cast %n : (tensor<2xi64>) -> tensor<2xf32>
  // CHECK-NEXT: 3: tensor<2xf16> [inf, inf]
  %h = df.cast %n : (tensor<2xi64>) -> tensor<2xf16>
  %t = df.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: 4: tensor<2xi64> [1, 0]
  %ti = df.cast %t : (tensor<2xi1>) -> tensor<2xi64>
  // CHECK-NEXT: 5: tensor<2xf32> [1, 0]
  %tf = df.cast %t : (tensor<2xi1>) -> tensor<2xf32>
  // One above 2^62 + 2^54, a tie of bf16: f64 would round to the tie itself, which then goes down to 2^62.
  %big = df.constant dense<[4629700416936869889]> : tensor<1xi64>
  // CHECK-NEXT: 6: tensor<1xbf16> [4.647715e+18]
  %tie = df.cast %big : (tensor<1xi64>) -> tensor<1xbf16>
  df.return %i, %b, %f, %h, %ti, %tf, %tie : tensor<5xi8>, tensor<5xi1>, tensor<2xf32>, tensor<2xf16>, tensor<2xi64>, tensor<2xf32>, tensor<1xbf16>
}
