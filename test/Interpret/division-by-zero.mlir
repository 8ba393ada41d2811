// An integer divisor of 0 is an error at the op; one of a float is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.function @div() -> tensor<2xi32> {
  %x = df.constant dense<[1, 2]> : tensor<2xi32>
  %y = df.constant dense<[1, 0]> : tensor<2xi32>
  // expected-error @+1 {{'df.div' op divides by zero}}
  %z = df.div %x, %y : tensor<2xi32>
  df.return %z : tensor<2xi32>
}

// -----

df.function @rem() -> tensor<2xui8> {
  %y = df.constant dense<[1, 0]> : tensor<2xui8>
  // expected-error @+1 {{'df.rem' op divides by zero}}
  %z = df.rem %y, %y : tensor<2xui8>
  df.return %z : tensor<2xui8>
}

// -----

// A composite fails where its part does.
df.function @floor_mod() -> tensor<2xi64> {
  %y = df.constant dense<[1, 0]> : tensor<2xi64>
  // expected-error @+1 {{'df.rem' op divides by zero}}
  %z = df.floor_mod %y, %y : tensor<2xi64>
  df.return %z : tensor<2xi64>
}

// -----

df.function @float() -> tensor<2xf32> {
  %y = df.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %z = df.div %y, %y : tensor<2xf32>
  df.return %z : tensor<2xf32>
}
