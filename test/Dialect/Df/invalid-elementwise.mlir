// The constraints of functions, tests and bits, by the numbers of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.function @f(%x: tensor<7xf32>) {
  // expected-error @+1 {{'df.is_nan' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.is_nan %x : (tensor<7xf32>) -> tensor<2xi1>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'df.is_inf' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.is_inf %x : (tensor<3xf32>) -> tensor<7xi1>
  df.return
}

// -----

df.function @f(%x: tensor<7x3xf32>) {
  // expected-error @+1 {{'df.is_finite' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.is_finite %x : (tensor<7x3xf32>) -> tensor<7x7xi1>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'df.bitcast' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.bitcast %x : (tensor<3xf32>) -> tensor<7xi32>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{(C2) the element types must have one width: found 'tensor<3xf32>' and 'tensor<3xui16>'}}
  %r = df.bitcast %x : (tensor<3xf32>) -> tensor<3xui16>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %r = df.bitwise_not %x : tensor<3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<3xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %r = df.erf %x : tensor<3xi32>
  df.return
}

// -----

df.function @f(%x: tensor<3xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %r = df.rem %x, %x : tensor<3xi1>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{requires attribute 'alpha'}}
  %r = df.leaky_relu %x : tensor<3xf32>
  df.return
}
