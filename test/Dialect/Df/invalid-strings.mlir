// The constraints of ops on strings, by the numbers of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.function @f(%s: tensor<7x!df.string>) {
  // expected-error @+1 {{'df.string_length' op all non-scalar operands/results must have the same shape and base type}}
  %n = df.string_length %s : (tensor<7x!df.string>) -> tensor<3xi64>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'df.substr' op all non-scalar operands/results must have the same shape and base type}}
  %t = df.substr %s, %i, %i : (tensor<7x!df.string>, tensor<2xi64>, tensor<2xi64>) -> tensor<7x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<7xf32>) {
  // expected-error @+1 {{'df.as_string' op all non-scalar operands/results must have the same shape and base type}}
  %t = df.as_string %x : (tensor<7xf32>) -> tensor<3x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{'df.as_string' op (C2) precision must be in [0, 60] and of floats; found 2 of 'tensor<2xi32>'}}
  %t = df.as_string %x {precision = 2 : i64} : (tensor<2xi32>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'df.as_string' op (C2) precision must be in [0, 60] and of floats; found 61 of 'tensor<2xf32>'}}
  %t = df.as_string %x {precision = 61 : i64} : (tensor<2xf32>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>) {
  // expected-error @+1 {{'df.string_to_number' op all non-scalar operands/results must have the same shape and base type}}
  %x = df.string_to_number %s : (tensor<7x!df.string>) -> tensor<3xf32>
  df.return
}

// -----

df.function @f(%s: tensor<2x!df.string>) {
  // expected-error @+1 {{'df.string_to_number' op (C2) the result must be of f32, f64 or integers; found 'tensor<2xf16>'}}
  %x = df.string_to_number %s : (tensor<2x!df.string>) -> tensor<2xf16>
  df.return
}

// -----

df.function @f(%s: tensor<2x!df.string>) {
  // expected-error @+1 {{'df.string_split' op (C1) the operand must be [n], values [?] and ends [n]; expected 'tensor<?x!df.string>', found 'tensor<4x!df.string>'}}
  %v, %e = df.string_split %s {delimiter = ","} : (tensor<2x!df.string>) -> (tensor<4x!df.string>, tensor<2xi64>)
  df.return
}

// -----

df.function @f(%s: tensor<2x!df.string>) {
  // expected-error @+1 {{'df.string_split' op (C2) delimiter must not be empty}}
  %v, %e = df.string_split %s {delimiter = ""} : (tensor<2x!df.string>) -> (tensor<?x!df.string>, tensor<2xi64>)
  df.return
}

// -----

df.function @f() {
  // expected-error @+1 {{'df.string_join' op if a result is non-scalar, then at least one operand must be non-scalar}}
  %t = df.string_join : () -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %t: tensor<2x!df.string>) {
  // expected-error @+1 {{'df.string_join' op all non-scalar operands/results must have the same shape and base type}}
  %j = df.string_join %s, %t : (tensor<7x!df.string>, tensor<2x!df.string>) -> tensor<7x!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<2x!df.string>) {
  // expected-error @+1 {{'df.reduce_join' op (C1) axis 1 is no dimension of 'tensor<2x!df.string>'}}
  %t = df.reduce_join %s {axis = 1 : i64} : (tensor<2x!df.string>) -> tensor<!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<2x3x!df.string>) {
  // expected-error @+1 {{'df.reduce_join' op (C2) the result must have the other dimensions; expected 'tensor<3x!df.string>', found 'tensor<2x!df.string>'}}
  %t = df.reduce_join %s {axis = 0 : i64} : (tensor<2x3x!df.string>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %e: tensor<7xi64>) {
  // expected-error @+1 {{'df.segment_join' op (C1) values must be [n], ends [m] and the result [m]; expected 'tensor<7x!df.string>', found 'tensor<2x!df.string>'}}
  %t = df.segment_join %s, %e : (tensor<7x!df.string>, tensor<7xi64>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<7xf32>) {
  // expected-error @+1 {{'df.string_format' op all non-scalar operands/results must have the same shape and base type}}
  %t = df.string_format %x {pattern = "{}"} : (tensor<7xf32>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'df.string_format' op (C2) the pattern must have a '{}' for each of 1 operands and no brace else}}
  %t = df.string_format %x {pattern = "{} and {}"} : (tensor<2xf32>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'df.string_lower' op operand #0 must be ranked tensor of df string values, but got 'tensor<2xf32>'}}
  %t = df.string_lower %x : tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'df.string_upper' op operand #0 must be ranked tensor of df string values, but got 'tensor<2xf32>'}}
  %t = df.string_upper %x : tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'df.string_strip' op operand #0 must be ranked tensor of df string values, but got 'tensor<2xf32>'}}
  %t = df.string_strip %x : tensor<2xf32>
  df.return
}
