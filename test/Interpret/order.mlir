// Values of cumulative ops and order statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @cumulative
df.function @cumulative() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xi8>, tensor<2x2xi64>, tensor<4xf32>, tensor<3xi8>) {
  %x = df.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK-NEXT: 0: tensor<4xf32> [1, 3, 6, 10]
  %s = df.cumsum %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: 1: tensor<4xf32> [0, 1, 3, 6]
  %e = df.cumsum %x {exclusive} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: 2: tensor<4xf32> [24, 24, 12, 4]
  %p = df.cumprod %x {reverse} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: 3: tensor<4xf32> [24, 12, 4, 1]
  %q = df.cumprod %x {reverse, exclusive} : (tensor<4xf32>) -> tensor<4xf32>
  // Integers wrap.
  %i = df.constant dense<[[100, -100], [100, -100]]> : tensor<2x2xi8>
  // CHECK-NEXT: 4: tensor<2x2xi8> {{\[}}[100, -100], [-56, 56]]
  %w = df.cumsum %i {axis = 0 : i64} : (tensor<2x2xi8>) -> tensor<2x2xi8>
  %l = df.constant dense<[[3, -1], [2, 5]]> : tensor<2x2xi64>
  // CHECK-NEXT: 5: tensor<2x2xi64> {{\[}}[3, -1], [2, -1]]
  %m = df.cummin %l {axis = 0 : i64} : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %n = df.constant dense<[1.0, 0xFFC00000, 3.0, -0.0]> : tensor<4xf32>
  // CHECK-NEXT: 6: tensor<4xf32> [-inf, 1, nan, nan]
  %c = df.cummax %n {exclusive} : (tensor<4xf32>) -> tensor<4xf32>
  %j = df.constant dense<[1, 7, 2]> : tensor<3xi8>
  // CHECK-NEXT: 7: tensor<3xi8> [-128, 1, 7]
  %k = df.cummax %j {exclusive} : (tensor<3xi8>) -> tensor<3xi8>
  df.return %s, %e, %p, %q, %w, %m, %c, %k : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xi8>, tensor<2x2xi64>, tensor<4xf32>, tensor<3xi8>
}

// 257 ones of bf16 add up to 257, which rounds to 256; carried in bf16 they would stop there, too, but 258 would not be seen.
// CHECK-LABEL: @carried_in_f32
df.function @carried_in_f32() -> tensor<bf16> {
  %one = df.constant dense<1.0> : tensor<259xbf16>
  %s = df.cumsum %one : (tensor<259xbf16>) -> tensor<259xbf16>
  %l = df.slice %s {starts = array<i64: 257>, sizes = array<i64: 1>} : (tensor<259xbf16>) -> tensor<1xbf16>
  %r = df.reshape %l : (tensor<1xbf16>) -> tensor<bf16>
  // CHECK-NEXT: 0: tensor<bf16> 258
  df.return %r : tensor<bf16>
}

// y = a y' + x.
// CHECK-LABEL: @linear_scan
df.function @linear_scan() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %a = df.constant dense<[9.0, 0.5, 2.0]> : tensor<3xf64>
  %x = df.constant dense<[4.0, 1.0, -1.0]> : tensor<3xf64>
  // CHECK-NEXT: 0: tensor<3xf64> [4, 3, 5]
  %y = df.linear_scan %a, %x : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  // CHECK-NEXT: 1: tensor<3xf64> [0, 4, 3]
  %e = df.linear_scan %a, %x {exclusive} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  // CHECK-NEXT: 2: tensor<3xf64> [8.5, 0.5, -1]
  %r = df.linear_scan %a, %x {reverse} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  df.return %y, %e, %r : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// NaNs come last in either order, zeros are equal, equal keys keep their order.
// CHECK-LABEL: @sort
df.function @sort(%w: tensor<2x2x!df.string> {df.value = dense<[["a", "b"], ["c", "d"]]> : tensor<2x2x!df.string>}) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<2x2x!df.string>) {
  %x = df.constant dense<[0.0, 0x7FC00000, 3.0, -0.0, -1.0]> : tensor<5xf32>
  // CHECK-NEXT: 0: tensor<5xf32> [-1, 0, -0, 3, nan]
  %a = df.sort %x : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK-NEXT: 1: tensor<5xf32> [3, 0, -0, -1, nan]
  %d = df.sort %x {descending} : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK-NEXT: 2: tensor<5xi64> [4, 0, 3, 2, 1]
  %p = df.argsort %x : (tensor<5xf32>) -> tensor<5xi64>
  // CHECK-NEXT: 3: tensor<5xi64> [2, 0, 3, 4, 1]
  %q = df.argsort %x {descending} : (tensor<5xf32>) -> tensor<5xi64>
  %k = df.constant dense<[[2, 5], [1, 7]]> : tensor<2x2xi64>
  // CHECK-NEXT: 4: tensor<2x2xi64> {{\[}}[1, 5], [2, 7]]
  // CHECK-NEXT: 5: tensor<2x2x!df.string> {{\[}}["c", "b"], ["a", "d"]]
  %s:2 = df.sort %k, %w {axis = 0 : i64} : (tensor<2x2xi64>, tensor<2x2x!df.string>) -> (tensor<2x2xi64>, tensor<2x2x!df.string>)
  df.return %a, %d, %p, %q, %s#0, %s#1 : tensor<5xf32>, tensor<5xf32>, tensor<5xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<2x2x!df.string>
}

// CHECK-LABEL: @top_k
df.function @top_k() -> (tensor<2x2xi32>, tensor<2x2xi64>, tensor<?x2xi32>, tensor<?x2xi64>) {
  %x = df.constant dense<[[2, 7, 7], [1, -3, -2]]> : tensor<2x3xi32>
  // CHECK-NEXT: 0: tensor<2x2xi32> {{\[}}[7, 7], [1, -2]]
  // CHECK-NEXT: 1: tensor<2x2xi64> {{\[}}[1, 2], [0, 2]]
  %v:2 = df.top_k %x {k = 2 : i64} : (tensor<2x3xi32>) -> (tensor<2x2xi32>, tensor<2x2xi64>)
  %t = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %one = df.constant dense<1> : tensor<i64>
  // CHECK-NEXT: 2: tensor<1x2xi32> {{\[}}[2, -3]]
  // CHECK-NEXT: 3: tensor<1x2xi64> {{\[}}[0, 1]]
  %w:2 = df.top_k %t, %one {axis = 0 : i64, smallest} : (tensor<3x2xi32>, tensor<i64>) -> (tensor<?x2xi32>, tensor<?x2xi64>)
  df.return %v#0, %v#1, %w#0, %w#1 : tensor<2x2xi32>, tensor<2x2xi64>, tensor<?x2xi32>, tensor<?x2xi64>
}

// As NumPy's logaddexp.accumulate; leading infinities, an overflow of e^x.
// CHECK-LABEL: @cumlogsumexp
df.function @cumlogsumexp() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<3xf64>) {
  %x = df.constant dense<[1.0, -1.0, 3.0, 0.5]> : tensor<4xf64>
  // CHECK-NEXT: 0: tensor<4xf64> [1, 1.12692801104297{{[0-9]+}}, 3.14293162849989{{[0-9]+}}, 3.21166667985598{{[0-9]+}}]
  %a = df.cumlogsumexp %x : (tensor<4xf64>) -> tensor<4xf64>
  // CHECK-NEXT: 1: tensor<4xf64> [-inf, 1, 1.12692801104297{{[0-9]+}}, 3.14293162849989{{[0-9]+}}]
  %b = df.cumlogsumexp %x {exclusive} : (tensor<4xf64>) -> tensor<4xf64>
  %i = df.constant dense<[0xFFF0000000000000, 0xFFF0000000000000, 3.0, 0.5]> : tensor<4xf64>
  // CHECK-NEXT: 2: tensor<4xf64> [-inf, -inf, 3, 3.0788897342925{{[0-9]+}}]
  %c = df.cumlogsumexp %i : (tensor<4xf64>) -> tensor<4xf64>
  %l = df.constant dense<[1000.0, 0x7FF0000000000000, 1000.0]> : tensor<3xf64>
  // CHECK-NEXT: 3: tensor<3xf64> [inf, inf, 1000]
  %d = df.cumlogsumexp %l {reverse} : (tensor<3xf64>) -> tensor<3xf64>
  df.return %a, %b, %c, %d : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<3xf64>
}

// As NumPy's searchsorted, NaNs at the end of both; each row with a sequence of its own.
// CHECK-LABEL: @searchsorted
df.function @searchsorted() -> (tensor<5xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<3xi64>, tensor<i64>) {
  %s = df.constant dense<[1.0, 2.0, 2.0, 5.0, 0x7FC00000]> : tensor<5xf32>
  %x = df.constant dense<[2.0, 0.0, 7.0, 0x7FC00000, 5.0]> : tensor<5xf32>
  // CHECK-NEXT: 0: tensor<5xi64> [1, 0, 4, 4, 3]
  %a = df.searchsorted %s, %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi64>
  // CHECK-NEXT: 1: tensor<5xi64> [3, 0, 4, 5, 4]
  %b = df.searchsorted %s, %x {right} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi64>
  %rows = df.constant dense<[[1, 3, 5], [2, 2, 2]]> : tensor<2x3xi32>
  %values = df.constant dense<[[4, 0], [2, 3]]> : tensor<2x2xi32>
  // CHECK-NEXT: 2: tensor<2x2xi64> {{\[}}[2, 0], [0, 3]]
  %c = df.searchsorted %rows, %values : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi64>
  %none = df.constant dense<> : tensor<0xui8>
  %u = df.constant dense<[0, 255, 7]> : tensor<3xui8>
  // CHECK-NEXT: 3: tensor<3xi64> [0, 0, 0]
  %d = df.searchsorted %none, %u : (tensor<0xui8>, tensor<3xui8>) -> tensor<3xi64>
  %one = df.constant dense<200> : tensor<ui8>
  %ordered = df.constant dense<[7, 100, 255]> : tensor<3xui8>
  // CHECK-NEXT: 4: tensor<i64> 2
  %e = df.searchsorted %ordered, %one : (tensor<3xui8>, tensor<ui8>) -> tensor<i64>
  df.return %a, %b, %c, %d, %e : tensor<5xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<3xi64>, tensor<i64>
}

// Values of numpy.quantile (2.4.6) with these methods. A NaN makes all quantiles of its column NaN.
// CHECK-LABEL: @quantile
df.function @quantile() -> (tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>) {
  %x = df.constant dense<[[3.0, 1.0, 2.0], [5.0, 0x7FF8000000000000, -1.0], [4.0, 2.0, 7.0], [-2.0, 9.0, 0.5]]> : tensor<4x3xf64>
  %q = df.constant dense<[0.0, 0.1, 0.25, 0.5, 0.77, 1.0]> : tensor<6xf64>
  // CHECK-NEXT: 0: tensor<6x3xf64> {{\[\[}}-2, nan, -1], [-0.4999999999999998, nan, -0.5499999999999999], [1.75, nan, 0.125], [3.5, nan, 1.25], [4.3100000000000005, nan, 3.5500000000000003], [5, nan, 7]]
  %linear = df.quantile linear %x, %q {axis = 0 : i64} : (tensor<4x3xf64>, tensor<6xf64>) -> tensor<6x3xf64>
  // CHECK-NEXT: 1: tensor<6x3xf64> {{\[\[}}-2, nan, -1], [-2, nan, -1], [-2, nan, -1], [3, nan, 0.5], [4, nan, 2], [5, nan, 7]]
  %lower = df.quantile lower %x, %q {axis = 0 : i64} : (tensor<4x3xf64>, tensor<6xf64>) -> tensor<6x3xf64>
  // CHECK-NEXT: 2: tensor<6x3xf64> {{\[\[}}-2, nan, -1], [3, nan, 0.5], [3, nan, 0.5], [4, nan, 2], [5, nan, 7], [5, nan, 7]]
  %higher = df.quantile higher %x, %q {axis = 0 : i64} : (tensor<4x3xf64>, tensor<6xf64>) -> tensor<6x3xf64>
  // CHECK-NEXT: 3: tensor<6x3xf64> {{\[\[}}-2, nan, -1], [0.5, nan, -0.25], [0.5, nan, -0.25], [3.5, nan, 1.25], [4.5, nan, 4.5], [5, nan, 7]]
  %midpoint = df.quantile midpoint %x, %q {axis = 0 : i64} : (tensor<4x3xf64>, tensor<6xf64>) -> tensor<6x3xf64>
  // CHECK-NEXT: 4: tensor<6x3xf64> {{\[\[}}-2, nan, -1], [-2, nan, -1], [3, nan, 0.5], [4, nan, 2], [4, nan, 2], [5, nan, 7]]
  %nearest = df.quantile nearest %x, %q {axis = 0 : i64} : (tensor<4x3xf64>, tensor<6xf64>) -> tensor<6x3xf64>
  df.return %linear, %lower, %higher, %midpoint, %nearest : tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>
}

// Along the last axis; a scalar gives no dimension. Equal infinite ends are the result.
// CHECK-LABEL: @quantile_last_axis
df.function @quantile_last_axis() -> (tensor<2xf64>, tensor<2x2xf64>, tensor<4xf32>, tensor<f16>) {
  %x = df.constant dense<[[4.0, 1.0, 3.0], [2.0, 8.0, 8.0]]> : tensor<2x3xf64>
  %one = df.constant dense<0.3> : tensor<f64>
  // CHECK-NEXT: 0: tensor<2xf64> [2.2{{[0-9]*}}, 5.6{{[0-9]*}}]
  %a = df.quantile linear %x, %one : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
  %two = df.constant dense<[0.5, 0.9]> : tensor<2xf64>
  // CHECK-NEXT: 1: tensor<2x2xf64> {{\[\[}}3, 8], [3.8{{[0-9]*}}, 8]]
  %b = df.quantile linear %x, %two : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %ends = df.constant dense<[1.0, 0x7F800000, 0xFF800000, 4.0]> : tensor<4xf32>
  %q = df.constant dense<[0.0, 0.25, 0.5, 1.0]> : tensor<4xf32>
  // CHECK-NEXT: 2: tensor<4xf32> [-inf, -inf, 2.5, inf]
  %c = df.quantile linear %ends, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = df.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %hq = df.constant dense<0.25> : tensor<f16>
  // CHECK-NEXT: 3: tensor<f16> 1.25
  %d = df.quantile linear %h, %hq : (tensor<2xf16>, tensor<f16>) -> tensor<f16>
  df.return %a, %b, %c, %d : tensor<2xf64>, tensor<2x2xf64>, tensor<4xf32>, tensor<f16>
}
