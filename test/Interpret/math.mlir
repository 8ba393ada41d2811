// Values of functions of floats, at the ends of their ranges and of exact results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @rounding
df.function @rounding() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = df.constant dense<[2.5, 3.5, -2.5, -0.3, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  // CHECK-NEXT: 0: tensor<6xf32> [3, 4, -2, -0, inf, nan]
  %ceil = df.ceil %x : tensor<6xf32>
  // CHECK-NEXT: 1: tensor<6xf32> [2, 4, -2, -0, inf, nan]
  %round = df.round %x : tensor<6xf32>
  // CHECK-NEXT: 2: tensor<6xf32> [2, 3, -2, -0, inf, nan]
  %trunc = df.trunc %x : tensor<6xf32>
  %y = df.constant dense<[4.0, -0.0, -1.0]> : tensor<3xf32>
  // CHECK-NEXT: 3: tensor<3xf32> [0.25, -inf, -1]
  %reciprocal = df.reciprocal %y : tensor<3xf32>
  // CHECK-NEXT: 4: tensor<3xf32> [0.5, -inf, nan]
  %rsqrt = df.rsqrt %y : tensor<3xf32>
  df.return %ceil, %round, %trunc, %reciprocal, %rsqrt : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @large_angles
df.function @large_angles() -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<3xbf16>) {
  // 2^40 + 1, 1e22, the largest number, infinity, -0
  %x = df.constant dense<[1099511627777.0, 1.0e22, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, -0.0]> : tensor<5xf64>
  // CHECK-NEXT: 0: tensor<5xf64> [-0.988311259{{[0-9]+}}, -0.852200849{{[0-9]+}}, 0.004961954{{[0-9]+}}, nan, -0]
  %sin = df.sin %x : tensor<5xf64>
  // CHECK-NEXT: 1: tensor<5xf64> [-0.152449512{{[0-9]+}}, 0.523214785{{[0-9]+}}, -0.99998{{[0-9]+}}, nan, 1]
  %cos = df.cos %x : tensor<5xf64>
  // CHECK-NEXT: 2: tensor<5xf64> [6.482875847{{[0-9]+}}, -1.628778225{{[0-9]+}}, -0.004962015{{[0-9]+}}, nan, -0]
  %tan = df.tan %x : tensor<5xf64>
  // 2^20, 2^100, -2^100
  %half = df.constant dense<[1048576.0, 1.2676506e30, -1.2676506e30]> : tensor<3xbf16>
  // CHECK-NEXT: 3: tensor<3xbf16> [0.330078{{[0-9]*}}, -0.87109375, 0.87109375]
  %sinOfHalf = df.sin %half : tensor<3xbf16>
  df.return %sin, %cos, %tan, %sinOfHalf : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<3xbf16>
}

// CHECK-LABEL: @functions
df.function @functions() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  // 0, 8, -infinity, NaN
  %x = df.constant dense<[0.0, 8.0, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [0, 2, -inf, nan]
  %cbrt = df.cbrt %x : tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [1, 256, 0, nan]
  %exp2 = df.exp2 %x : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [-inf, 3, nan, nan]
  %log2 = df.log2 %x : tensor<4xf64>
  // CHECK-NEXT: 3: tensor<4xf64> [0, 2979.95798704172{{[0-9]+}}, -1, nan]
  %expm1 = df.expm1 %x : tensor<4xf64>
  // CHECK-NEXT: 4: tensor<4xf64> [0, 1, -1, nan]
  %erf = df.erf %x : tensor<4xf64>
  // CHECK-NEXT: 5: tensor<4xf64> [1, 1.12242971729829{{[0-9]+}}e-29, 2, nan]
  %erfc = df.erfc %x : tensor<4xf64>
  df.return %cbrt, %exp2, %log2, %expm1, %erf, %erfc : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// ln 24 = 3.178.., ln(2 sqrt(pi)) = 1.265..; psi(5) = 25/12 - Euler's constant, psi(-1/2) = 0.0364899..
// CHECK-LABEL: @gamma
df.function @gamma() -> (tensor<6xf64>, tensor<6xf64>) {
  %x = df.constant dense<[5.0, -0.5, 0.0, -3.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>
  // CHECK-NEXT: 0: tensor<6xf64> [3.1780538303479{{[0-9]+}}, 1.2655121234846{{[0-9]+}}, inf, inf, inf, nan]
  %l = df.lgamma %x : tensor<6xf64>
  // CHECK-NEXT: 1: tensor<6xf64> [1.5061176684318{{[0-9]+}}, 0.0364899739785{{[0-9]+}}, -inf, nan, inf, nan]
  %d = df.digamma %x : tensor<6xf64>
  df.return %l, %d : tensor<6xf64>, tensor<6xf64>
}

// CHECK-LABEL: @angles
df.function @angles() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %x = df.constant dense<[0.0, 1.0, -1.0, 2.0]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [0, 1.55740772465490{{[0-9]+}}, -1.55740772465490{{[0-9]+}}, -2.185039863261{{[0-9]+}}]
  %tan = df.tan %x : tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [0, 1.5707963267948966, -1.5707963267948966, nan]
  %asin = df.asin %x : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [1.5707963267948966, 0, 3.141592653589793, nan]
  %acos = df.acos %x : tensor<4xf64>
  // CHECK-NEXT: 3: tensor<4xf64> [0, 0.7853981633974483, -0.7853981633974483, 1.107148717794090{{[0-9]+}}]
  %atan = df.atan %x : tensor<4xf64>
  // CHECK-NEXT: 4: tensor<4xf64> [0, 1.175201193643801{{[0-9]+}}, -1.175201193643801{{[0-9]+}}, 3.62686040784701{{[0-9]+}}]
  %sinh = df.sinh %x : tensor<4xf64>
  // CHECK-NEXT: 5: tensor<4xf64> [1, 1.543080634815244, 1.543080634815244, 3.7621956910836{{[0-9]+}}]
  %cosh = df.cosh %x : tensor<4xf64>
  // CHECK-NEXT: 6: tensor<4xf64> [0, 0.881373587019543, -0.881373587019543, 1.443635475178810{{[0-9]+}}]
  %asinh = df.asinh %x : tensor<4xf64>
  // CHECK-NEXT: 7: tensor<4xf64> [nan, 0, nan, 1.316957896924816{{[0-9]+}}]
  %acosh = df.acosh %x : tensor<4xf64>
  // CHECK-NEXT: 8: tensor<4xf64> [0, inf, -inf, nan]
  %atanh = df.atanh %x : tensor<4xf64>
  df.return %tan, %asin, %acos, %atan, %sinh, %cosh, %asinh, %acosh, %atanh : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: @pairs
df.function @pairs() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %x = df.constant dense<[7.5, -7.5, 7.5, -0.0, 1.0e30, 0x7F800000]> : tensor<6xf32>
  %y = df.constant dense<[2.0, 2.0, -2.0, 0.0, 3.0, 1.0]> : tensor<6xf32>
  // CHECK-NEXT: 0: tensor<6xf32> [1.5, -1.5, 1.5, nan, 0, nan]
  %rem = df.rem %x, %y : tensor<6xf32>
  // CHECK-NEXT: 1: tensor<6xf32> [1.5, 0.5, -0.5, nan, 0, nan]
  %floor_mod = df.floor_mod %x, %y : tensor<6xf32>
  // CHECK-NEXT: 2: tensor<6xf32> [3, -4, -4, nan, 3.3333334e+29, inf]
  %floor_div = df.floor_div %x, %y : tensor<6xf32>
  // CHECK-NEXT: 3: tensor<6xf32> [3.75, -3.75, -3.75, 0, 3.3333334e+29, inf]
  %no_nan = df.div_no_nan %x, %y : tensor<6xf32>
  // CHECK-NEXT: 4: tensor<6xf32> [1.3101939, -1.3101939, 1.831398{{[0-9]*}}, -0, 1.5707964, 1.5707964]
  %atan2 = df.atan2 %x, %y : tensor<6xf32>
  // CHECK-NEXT: 5: tensor<6xf32> [5.1986036, -5.1986036, nan, 0, 1.0986123e+30, nan]
  %xlogy = df.xlogy %x, %y : tensor<6xf32>
  df.return %rem, %floor_mod, %floor_div, %no_nan, %atan2, %xlogy : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: @tests
df.function @tests() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf16>) {
  %x = df.constant dense<[1.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<4xf16>
  // CHECK-NEXT: 0: tensor<4xi1> [false, false, false, true]
  %nan = df.is_nan %x : (tensor<4xf16>) -> tensor<4xi1>
  // CHECK-NEXT: 1: tensor<4xi1> [false, true, true, false]
  %inf = df.is_inf %x : (tensor<4xf16>) -> tensor<4xi1>
  // CHECK-NEXT: 2: tensor<4xi1> [true, false, false, false]
  %finite = df.is_finite %x : (tensor<4xf16>) -> tensor<4xi1>
  %low = df.constant dense<-2.0> : tensor<4xf16>
  %high = df.constant dense<0.5> : tensor<4xf16>
  // CHECK-NEXT: 3: tensor<4xf16> [0.5, 0.5, -2, nan]
  %clamp = df.clamp %low, %x, %high : tensor<4xf16>
  df.return %nan, %inf, %finite, %clamp : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf16>
}

// f16 is computed in f32 and rounded once: the sum of squares would overflow, its parts tie.
// CHECK-LABEL: @half
df.function @half() -> (tensor<3xf16>, tensor<3xf16>, tensor<3xbf16>) {
  %x = df.constant dense<[60000.0, 2048.0, 0.0001]> : tensor<3xf16>
  %y = df.constant dense<[60000.0, 1.0, 0.0001]> : tensor<3xf16>
  // CHECK-NEXT: 0: tensor<3xf16> [inf, 2048, 0.0002{{[0-9]*}}]
  %add = df.add %x, %y : tensor<3xf16>
  // CHECK-NEXT: 1: tensor<3xf16> [inf, 2048, 0]
  %mul = df.mul %x, %y : tensor<3xf16>
  %z = df.constant dense<[3.0, 256.0, 1.0e-40]> : tensor<3xbf16>
  // CHECK-NEXT: 2: tensor<3xbf16> [0.33398438, 0.00390625, inf]
  %reciprocal = df.reciprocal %z : tensor<3xbf16>
  df.return %add, %mul, %reciprocal : tensor<3xf16>, tensor<3xf16>, tensor<3xbf16>
}

// CHECK-LABEL: @activations
df.function @activations() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %x = df.constant dense<[-2.0, 0.0, 1.0, 8.0]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [-0.045500263896358{{[0-9]+}}, 0, 0.841344746068542{{[0-9]+}}, 7.99999999999999{{[0-9]+}}]
  %gelu = df.gelu %x : tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [-0.04540230591222{{[0-9]+}}, 0, 0.8411919906082{{[0-9]+}}, 8]
  %tanh = df.gelu %x {approximate} : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [-0.4323323583816{{[0-9]+}}, 0, 1, 8]
  %elu = df.elu %x {alpha = 5.0e-01 : f64} : tensor<4xf64>
  // CHECK-NEXT: 3: tensor<4xf64> [-1.520166468595694{{[0-9]+}}, 0, 1.050700987355480{{[0-9]+}}, 8.4056078988438{{[0-9]+}}]
  %selu = df.selu %x : tensor<4xf64>
  // CHECK-NEXT: 4: tensor<4xf64> [-1.26424111765711{{[0-9]+}}, 0, 1, 8]
  %celu = df.celu %x {alpha = 2.0 : f64} : tensor<4xf64>
  // CHECK-NEXT: 5: tensor<4xf64> [-0.02, 0, 1, 8]
  %leaky = df.leaky_relu %x {alpha = 0.01 : f64} : tensor<4xf64>
  // CHECK-NEXT: 6: tensor<4xf64> [0.0{{.*}}, 0.5, 0.7, 1]
  %hard_sigmoid = df.hard_sigmoid %x : tensor<4xf64>
  // CHECK-NEXT: 7: tensor<4xf64> [-0.2384058440442{{[0-9]+}}, 0, 0.731058578630004{{[0-9]+}}, 7.997317198956{{[0-9]+}}]
  %silu = df.silu %x : tensor<4xf64>
  // CHECK-NEXT: 8: tensor<4xf64> [-0.252501482695708{{[0-9]+}}, 0, 0.865098388267{{[0-9]+}}, 7.9999{{[0-9]+}}]
  %mish = df.mish %x : tensor<4xf64>
  // CHECK-NEXT: 9: tensor<4xf64> [0, 0, 1, 6]
  %relu6 = df.relu6 %x : tensor<4xf64>
  // CHECK-NEXT: 10: tensor<4xf64> [0, 0, 0, 8]
  %thresholded = df.thresholded_relu %x : tensor<4xf64>
  df.return %gelu, %tanh, %elu, %selu, %celu, %leaky, %hard_sigmoid, %silu, %mish, %relu6, %thresholded : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: @erf_inv
df.function @erf_inv() -> tensor<6xf64> {
  %x = df.constant dense<[0.5, -0.9, 1.0, -1.0, 1.5, -0.0]> : tensor<6xf64>
  // CHECK-NEXT: 0: tensor<6xf64> [0.47693627620446{{[0-9]+}}, -1.16308715367667{{[0-9]+}}, inf, -inf, nan, -0]
  %y = df.erf_inv %x : tensor<6xf64>
  df.return %y : tensor<6xf64>
}
