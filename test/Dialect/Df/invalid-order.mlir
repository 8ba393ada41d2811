// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of cumulative ops and order statistics refuse.
df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.cumsum' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.cumsum %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.cumprod' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.cumprod %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.cummax' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.cummax %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.cummin' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.cummin %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.linear_scan' op (C1) needs an axis}}
  %r = df.linear_scan %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C1) needs at least one operand}}
  "df.sort"() : () -> ()
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C1) the keys must be numbers; found 'tensor<?x4xi1>'}}
  %r = df.sort %b : (tensor<?x4xi1>) -> tensor<?x4xi1>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C2) results must have their operands' types; needs 2 results, found 1}}
  %r = df.sort %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C2) operands must have the keys' shape: found 'tensor<4xf32>' and 'tensor<?x4xf32>'}}
  %r:2 = df.sort %x, %v : (tensor<?x4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C2) results must have their operands' types}}
  %r = df.sort %x : (tensor<?x4xf32>) -> tensor<?x4xf64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.sort' op (C3) axis 3 is no dimension}}
  %r = df.sort %x {axis = 3 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.argsort' op (C1) axis 2 is no dimension}}
  %r = df.argsort %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xi64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.argsort' op (C2) the result must have the operand's shape}}
  %r = df.argsort %x : (tensor<?x4xf32>) -> tensor<?xi64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C1) axis 2 is no dimension}}
  %r:2 = df.top_k %x {axis = 2 : i64, k = 2 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C2) needs either 'k' or a count}}
  %r:2 = df.top_k %x : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C2) needs either 'k' or a count}}
  %r:2 = df.top_k %x, %n {k = 2 : i64} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C2) 'k' must be at least 0 and at most the size of axis 1 of 'tensor<?x4xf32>'; found 5}}
  %r:2 = df.top_k %x {k = 5 : i64} : (tensor<?x4xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C3) results must have k at the axis and the operand's other dimensions}}
  %r:2 = df.top_k %x, %n : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>, %n: tensor<i64>) {
  // expected-error @+1 {{'df.top_k' op (C3) results must have k at the axis and the operand's other dimensions, values its element type; expected 'tensor<?x2xf32>', found 'tensor<?x2xf64>'}}
  %r:2 = df.top_k %x {k = 2 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf64>, tensor<?x2xi64>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'df.cumlogsumexp' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.cumlogsumexp %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}

// -----

df.function @f(%s: tensor<3x4xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+1 {{'df.searchsorted' op (C1) the sequence must be [batch.., n] and values [batch.., s..]}}
  %r = df.searchsorted %s, %x : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi64>
  df.return
}

// -----

df.function @f(%s: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{(C1) the sequence must be [batch.., n] and values [batch.., s..]}}
  %r = df.searchsorted %s, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xi64>
  df.return
}

// -----

df.function @f(%s: tensor<3xf32>, %x: tensor<4xf64>) {
  // expected-error @+1 {{(C2) values must have the sequence's element type}}
  %r = df.searchsorted %s, %x : (tensor<3xf32>, tensor<4xf64>) -> tensor<4xi64>
  df.return
}

// -----

df.function @f(%s: tensor<3xf32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{(C3) the result must have the values' shape}}
  %r = df.searchsorted %s, %x : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xi64>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %q: tensor<3xf32>) {
  // expected-error @+1 {{'df.quantile' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.quantile linear %x, %q {axis = 2 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<3x?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %q: tensor<3xf64>) {
  // expected-error @+1 {{(C2) quantiles must be a scalar or [k] of the operand's element type: found 'tensor<3xf64>' and 'tensor<?x4xf32>'}}
  %r = df.quantile linear %x, %q : (tensor<?x4xf32>, tensor<3xf64>) -> tensor<3x?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<5x4xf32>, %q: tensor<3xf32>) {
  // expected-error @+1 {{(C3) the result must be the quantiles' dimension, then those of the operand but the axis; expected 'tensor<3x5xf32>', found 'tensor<5x3xf32>'}}
  %r = df.quantile linear %x, %q : (tensor<5x4xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  df.return
}
