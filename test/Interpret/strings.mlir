// Values of ops on strings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @bytes
df.function @bytes() -> (tensor<4x!df.string>, tensor<4x!df.string>, tensor<4x!df.string>, tensor<4xi64>) {
  %s = df.constant dense<["aBz\C3\84", " x y\09 ", "", "@[`{"]> : tensor<4x!df.string>
  // CHECK-NEXT: 0: tensor<4x!df.string> ["abz\C3\84", " x y\09 ", "", "@[`{"]
  %lower = df.string_lower %s : tensor<4x!df.string>
  // CHECK-NEXT: 1: tensor<4x!df.string> ["ABZ\C3\84", " X Y\09 ", "", "@[`{"]
  %upper = df.string_upper %s : tensor<4x!df.string>
  // CHECK-NEXT: 2: tensor<4x!df.string> ["aBz\C3\84", "x y", "", "@[`{"]
  %strip = df.string_strip %s : tensor<4x!df.string>
  // CHECK-NEXT: 3: tensor<4xi64> [5, 6, 0, 4]
  %n = df.string_length %s : (tensor<4x!df.string>) -> tensor<4xi64>
  df.return %lower, %upper, %strip, %n : tensor<4x!df.string>, tensor<4x!df.string>, tensor<4x!df.string>, tensor<4xi64>
}

// CHECK-LABEL: @substr
df.function @substr() -> tensor<7x!df.string> {
  %s = df.constant dense<"abcdef"> : tensor<7x!df.string>
  %start = df.constant dense<[0, 2, -2, -9, 6, 9, 1]> : tensor<7xi64>
  %length = df.constant dense<[2, 99, 1, 3, 1, 1, -1]> : tensor<7xi64>
  // CHECK-NEXT: 0: tensor<7x!df.string> ["ab", "cdef", "e", "abc", "", "", ""]
  %t = df.substr %s, %start, %length : (tensor<7x!df.string>, tensor<7xi64>, tensor<7xi64>) -> tensor<7x!df.string>
  df.return %t : tensor<7x!df.string>
}

// CHECK-LABEL: @text
df.function @text() -> (tensor<6x!df.string>, tensor<3x!df.string>, tensor<3x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>) {
  %x = df.constant dense<[0.1, -0.0, 1.0e+20, 16777216.0, 0x7FC00000, 0xFF800000]> : tensor<6xf32>
  // CHECK-NEXT: 0: tensor<6x!df.string> ["0.1", "-0", "1e+20", "16777216", "nan", "-inf"]
  %a = df.as_string %x : (tensor<6xf32>) -> tensor<6x!df.string>
  %d = df.constant dense<[0.1, 2.5, -1.0e+3]> : tensor<3xf64>
  // CHECK-NEXT: 1: tensor<3x!df.string> ["0.1", "2.5", "-1000"]
  %b = df.as_string %d : (tensor<3xf64>) -> tensor<3x!df.string>
  // CHECK-NEXT: 2: tensor<3x!df.string> ["0", "2", "-1000"]
  %c = df.as_string %d {precision = 0 : i64} : (tensor<3xf64>) -> tensor<3x!df.string>
  %i = df.constant dense<[-128, 127]> : tensor<2xi8>
  // CHECK-NEXT: 3: tensor<2x!df.string> ["-128", "127"]
  %e = df.as_string %i : (tensor<2xi8>) -> tensor<2x!df.string>
  %u = df.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  // CHECK-NEXT: 4: tensor<2x!df.string> ["0", "18446744073709551615"]
  %f = df.as_string %u : (tensor<2xui64>) -> tensor<2x!df.string>
  %m = df.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: 5: tensor<2x!df.string> ["true", "false"]
  %g = df.as_string %m : (tensor<2xi1>) -> tensor<2x!df.string>
  df.return %a, %b, %c, %e, %f, %g : tensor<6x!df.string>, tensor<3x!df.string>, tensor<3x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>
}

// CHECK-LABEL: @number
df.function @number() -> (tensor<4xf32>, tensor<3xi8>, tensor<2xui64>) {
  %s = df.constant dense<["1.5", " +2e3", "-inf ", "16777217"]> : tensor<4x!df.string>
  // CHECK-NEXT: 0: tensor<4xf32> [1.5, 2000, -inf, 16777216]
  %x = df.string_to_number %s : (tensor<4x!df.string>) -> tensor<4xf32>
  %t = df.constant dense<["-128", "127", "\09 007\0A"]> : tensor<3x!df.string>
  // CHECK-NEXT: 1: tensor<3xi8> [-128, 127, 7]
  %i = df.string_to_number %t : (tensor<3x!df.string>) -> tensor<3xi8>
  %w = df.constant dense<["0", "18446744073709551615"]> : tensor<2x!df.string>
  // CHECK-NEXT: 2: tensor<2xui64> [0, 18446744073709551615]
  %u = df.string_to_number %w : (tensor<2x!df.string>) -> tensor<2xui64>
  df.return %x, %i, %u : tensor<4xf32>, tensor<3xi8>, tensor<2xui64>
}

// CHECK-LABEL: @split
df.function @split() -> (tensor<?x!df.string>, tensor<3xi64>, tensor<?x!df.string>, tensor<3xi64>, tensor<?x!df.string>, tensor<3x!df.string>) {
  %s = df.constant dense<["a, b", "", ",c,, "]> : tensor<3x!df.string>
  // CHECK-NEXT: 0: tensor<7x!df.string> ["a", " b", "", "", "c", "", " "]
  // CHECK-NEXT: 1: tensor<3xi64> [2, 3, 7]
  %v, %e = df.string_split %s {delimiter = ","} : (tensor<3x!df.string>) -> (tensor<?x!df.string>, tensor<3xi64>)
  // CHECK-NEXT: 2: tensor<3x!df.string> ["a", "b", "c"]
  // CHECK-NEXT: 3: tensor<3xi64> [2, 2, 3]
  %w, %f = df.string_split %s {delimiter = ", ", any_byte, skip_empty} : (tensor<3x!df.string>) -> (tensor<?x!df.string>, tensor<3xi64>)
  // CHECK-NEXT: 4: tensor<5x!df.string> ["a", "b", "", ",c,", ""]
  %x, %g = df.string_split %s {delimiter = ", "} : (tensor<3x!df.string>) -> (tensor<?x!df.string>, tensor<3xi64>)
  // CHECK-NEXT: 5: tensor<3x!df.string> ["a+b", "", "c"]
  %j = df.segment_join %w, %f {separator = "+"} : (tensor<?x!df.string>, tensor<3xi64>) -> tensor<3x!df.string>
  df.return %v, %e, %w, %f, %x, %j : tensor<?x!df.string>, tensor<3xi64>, tensor<?x!df.string>, tensor<3xi64>, tensor<?x!df.string>, tensor<3x!df.string>
}

// CHECK-LABEL: @join
df.function @join() -> (tensor<2x!df.string>, tensor<3x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>) {
  %s = df.constant dense<[["a", "b", "c"], ["", "d", ""]]> : tensor<2x3x!df.string>
  // CHECK-NEXT: 0: tensor<2x!df.string> ["a b c", " d "]
  %rows = df.reduce_join %s {axis = 1 : i64, separator = " "} : (tensor<2x3x!df.string>) -> tensor<2x!df.string>
  // CHECK-NEXT: 1: tensor<3x!df.string> ["a", "bd", "c"]
  %columns = df.reduce_join %s {axis = 0 : i64} : (tensor<2x3x!df.string>) -> tensor<3x!df.string>
  // CHECK-NEXT: 2: tensor<2x!df.string> ["a b c/a b c", " d / d "]
  %twice = df.string_join %rows, %rows {separator = "/"} : (tensor<2x!df.string>, tensor<2x!df.string>) -> tensor<2x!df.string>
  %i = df.constant dense<[1, -2]> : tensor<2xi32>
  %x = df.constant dense<[0.5, 1.0e+30]> : tensor<2xf32>
  // CHECK-NEXT: 3: tensor<2x!df.string> ["{1} = 0.5%", "{-2} = 1e+30%"]
  %f = df.string_format %i, %x {pattern = "{{{}}} = {}%"} : (tensor<2xi32>, tensor<2xf32>) -> tensor<2x!df.string>
  df.return %rows, %columns, %twice, %f : tensor<2x!df.string>, tensor<3x!df.string>, tensor<2x!df.string>, tensor<2x!df.string>
}

// CHECK-LABEL: @order
df.function @order() -> (tensor<4xi1>, tensor<4xi1>) {
  %s = df.constant dense<["a", "a", "\C3", "b"]> : tensor<4x!df.string>
  %t = df.constant dense<["a", "ab", "z", ""]> : tensor<4x!df.string>
  // CHECK-NEXT: 0: tensor<4xi1> [false, true, false, false]
  %lt = df.compare lt, %s, %t : (tensor<4x!df.string>, tensor<4x!df.string>) -> tensor<4xi1>
  // CHECK-NEXT: 1: tensor<4xi1> [true, false, false, false]
  %eq = df.compare eq, %s, %t : (tensor<4x!df.string>, tensor<4x!df.string>) -> tensor<4xi1>
  df.return %lt, %eq : tensor<4xi1>, tensor<4xi1>
}
