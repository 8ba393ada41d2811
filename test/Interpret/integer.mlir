// Values of ops on integers, signed and unsigned: quotients, bits, shifts, comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// Towards zero, and the least integer by -1 wraps.
// CHECK-LABEL: @signed
df.function @signed() -> (tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>) {
  %x = df.constant dense<[7, -7, 7, -7, -128]> : tensor<5xi8>
  %y = df.constant dense<[2, 2, -2, -2, -1]> : tensor<5xi8>
  // CHECK-NEXT: 0: tensor<5xi8> [3, -3, -3, 3, -128]
  %div = df.div %x, %y : tensor<5xi8>
  // CHECK-NEXT: 1: tensor<5xi8> [1, -1, 1, -1, 0]
  %rem = df.rem %x, %y : tensor<5xi8>
  // CHECK-NEXT: 2: tensor<5xi8> [3, -4, -4, 3, -128]
  %floor_div = df.floor_div %x, %y : tensor<5xi8>
  // CHECK-NEXT: 3: tensor<5xi8> [1, 1, -1, -1, 0]
  %floor_mod = df.floor_mod %x, %y : tensor<5xi8>
  // CHECK-NEXT: 4: tensor<5xi8> [1, -1, 1, -1, -1]
  %sign = df.sign %x : tensor<5xi8>
  df.return %div, %rem, %floor_div, %floor_mod, %sign : tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>, tensor<5xi8>
}

// CHECK-LABEL: @unsigned
df.function @unsigned() -> (tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xi1>, tensor<3xui64>, tensor<3xui64>) {
  %x = df.constant dense<[18446744073709551615, 7, 0]> : tensor<3xui64>
  %y = df.constant dense<[2, 18446744073709551615, 3]> : tensor<3xui64>
  // CHECK-NEXT: 0: tensor<3xui64> [9223372036854775807, 0, 0]
  %div = df.div %x, %y : tensor<3xui64>
  // CHECK-NEXT: 1: tensor<3xui64> [1, 7, 0]
  %mod = df.floor_mod %x, %y : tensor<3xui64>
  // CHECK-NEXT: 2: tensor<3xui64> [18446744073709551615, 18446744073709551615, 3]
  %max = df.maximum %x, %y : tensor<3xui64>
  // CHECK-NEXT: 3: tensor<3xui64> [2, 7, 0]
  %min = df.minimum %x, %y : tensor<3xui64>
  // CHECK-NEXT: 4: tensor<3xi1> [false, true, true]
  %lt = df.compare lt, %x, %y : (tensor<3xui64>, tensor<3xui64>) -> tensor<3xi1>
  // CHECK-NEXT: 5: tensor<3xui64> [18446744073709551615, 7, 0]
  %abs = df.abs %x : tensor<3xui64>
  // CHECK-NEXT: 6: tensor<3xui64> [1, 1, 0]
  %sign = df.sign %x : tensor<3xui64>
  df.return %div, %mod, %max, %min, %lt, %abs, %sign : tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xi1>, tensor<3xui64>, tensor<3xui64>
}

// CHECK-LABEL: @bits
df.function @bits() -> (tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>) {
  %x = df.constant dense<[12, 255, 0]> : tensor<3xui8>
  %y = df.constant dense<[10, 1, 128]> : tensor<3xui8>
  // CHECK-NEXT: 0: tensor<3xui8> [8, 1, 0]
  %and = df.bitwise_and %x, %y : tensor<3xui8>
  // CHECK-NEXT: 1: tensor<3xui8> [14, 255, 128]
  %or = df.bitwise_or %x, %y : tensor<3xui8>
  // CHECK-NEXT: 2: tensor<3xui8> [6, 254, 128]
  %xor = df.bitwise_xor %x, %y : tensor<3xui8>
  // CHECK-NEXT: 3: tensor<3xui8> [243, 0, 255]
  %not = df.bitwise_not %x : tensor<3xui8>
  // CHECK-NEXT: 4: tensor<3xui8> [2, 8, 0]
  %ones = df.population_count %x : tensor<3xui8>
  // CHECK-NEXT: 5: tensor<3xui8> [4, 0, 8]
  %zeros = df.count_leading_zeros %x : tensor<3xui8>
  df.return %and, %or, %xor, %not, %ones, %zeros : tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>
}

// Amounts are unsigned: the last is beyond the width.
// CHECK-LABEL: @shifts
df.function @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<2xui8>) {
  %x = df.constant dense<[-127, 3, -127, -127]> : tensor<4xi8>
  %y = df.constant dense<[1, 7, 8, -1]> : tensor<4xi8>
  // CHECK-NEXT: 0: tensor<4xi8> [2, -128, 0, 0]
  %left = df.shift_left %x, %y : tensor<4xi8>
  // CHECK-NEXT: 1: tensor<4xi8> [64, 0, 0, 0]
  %logical = df.shift_right_logical %x, %y : tensor<4xi8>
  // CHECK-NEXT: 2: tensor<4xi8> [-64, 0, -1, -1]
  %arithmetic = df.shift_right_arithmetic %x, %y : tensor<4xi8>
  %u = df.constant dense<[128, 64]> : tensor<2xui8>
  %one = df.constant dense<[1, 1]> : tensor<2xui8>
  // CHECK-NEXT: 3: tensor<2xui8> [192, 32]
  %filled = df.shift_right_arithmetic %u, %one : tensor<2xui8>
  df.return %left, %logical, %arithmetic, %filled : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<2xui8>
}

// CHECK-LABEL: @bitcast
df.function @bitcast() -> (tensor<2xui32>, tensor<2xbf16>, tensor<3xi1>) {
  %x = df.constant dense<[1.0, -0.0]> : tensor<2xf32>
  // CHECK-NEXT: 0: tensor<2xui32> [1065353216, 2147483648]
  %u = df.bitcast %x : (tensor<2xf32>) -> tensor<2xui32>
  %i = df.constant dense<[16256, -16384]> : tensor<2xi16>
  // CHECK-NEXT: 1: tensor<2xbf16> [1, -2]
  %h = df.bitcast %i : (tensor<2xi16>) -> tensor<2xbf16>
  %a = df.constant dense<[true, true, false]> : tensor<3xi1>
  %b = df.constant dense<[true, false, false]> : tensor<3xi1>
  // CHECK-NEXT: 2: tensor<3xi1> [false, true, false]
  %xor = df.logical_xor %a, %b : tensor<3xi1>
  df.return %u, %h, %xor : tensor<2xui32>, tensor<2xbf16>, tensor<3xi1>
}

// CHECK-LABEL: @cast
df.function @cast() -> (tensor<5xui8>, tensor<2xi16>, tensor<2xui8>, tensor<2xf32>, tensor<2xf64>, tensor<1xbf16>, tensor<2xui64>) {
  %x = df.constant dense<[-1.9, 300.0, 255.9, 0x7FC00000, 7.5]> : tensor<5xf32>
  // Truncates, saturates, 0 of NaN.
  // CHECK-NEXT: 0: tensor<5xui8> [0, 255, 255, 0, 7]
  %u = df.cast %x : (tensor<5xf32>) -> tensor<5xui8>
  %b = df.constant dense<[200, 3]> : tensor<2xui8>
  // A wider integer is extended by zeros, a narrower one takes the low bits.
  // CHECK-NEXT: 1: tensor<2xi16> [200, 3]
  %wide = df.cast %b : (tensor<2xui8>) -> tensor<2xi16>
  %i = df.constant dense<[-1, 257]> : tensor<2xi32>
  // CHECK-NEXT: 2: tensor<2xui8> [255, 1]
  %narrow = df.cast %i : (tensor<2xi32>) -> tensor<2xui8>
  %big = df.constant dense<[18446744073709551615, 9223372036854775809]> : tensor<2xui64>
  // CHECK-NEXT: 3: tensor<2xf32> [1.8446744e+19, 9.223372e+18]
  %f = df.cast %big : (tensor<2xui64>) -> tensor<2xf32>
  // CHECK-NEXT: 4: tensor<2xf64> [18446744073709551616, 9223372036854775808]
  %d = df.cast %big : (tensor<2xui64>) -> tensor<2xf64>
  // One above 2^62 + 2^54, a tie of bf16.
  %tie = df.constant dense<[4629700416936869889]> : tensor<1xui64>
  // CHECK-NEXT: 5: tensor<1xbf16> [4.647715e+18]
  %h = df.cast %tie : (tensor<1xui64>) -> tensor<1xbf16>
  %huge = df.constant dense<[1.0e30, 1.0e19]> : tensor<2xf64>
  // CHECK-NEXT: 6: tensor<2xui64> [18446744073709551615, 10000000000000000000]
  %s = df.cast %huge : (tensor<2xf64>) -> tensor<2xui64>
  df.return %u, %wide, %narrow, %f, %d, %h, %s : tensor<5xui8>, tensor<2xi16>, tensor<2xui8>, tensor<2xf32>, tensor<2xf64>, tensor<1xbf16>, tensor<2xui64>
}
