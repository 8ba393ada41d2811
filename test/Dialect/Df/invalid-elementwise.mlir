// The constraints of functions, tests and bits, by the numbers of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.function @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) the result must have the operand's shape: found 'tensor<?xf32>' and 'tensor<2xi1>'}}
  %r = df.is_nan %x : (tensor<?xf32>) -> tensor<2xi1>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{(C1) the result must have the operand's shape: found 'tensor<3xf32>' and 'tensor<?xi1>'}}
  %r = df.is_inf %x : (tensor<3xf32>) -> tensor<?xi1>
  df.return
}

// -----

df.function @f(%x: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) the result must have the operand's shape: found 'tensor<?x3xf32>' and 'tensor<?x?xi1>'}}
  %r = df.is_finite %x : (tensor<?x3xf32>) -> tensor<?x?xi1>
  df.return
}

// -----

df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{(C1) shapes must be equal: found 'tensor<3xf32>' and 'tensor<?xi32>'}}
  %r = df.bitcast %x : (tensor<3xf32>) -> tensor<?xi32>
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
