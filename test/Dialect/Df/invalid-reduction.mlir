// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of reductions and softmax refuse.
df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.size' op (C1) axes must be strictly ascending dimensions of 'tensor<?x4xf32>'; found 2}}
  %r = df.size %x {dimensions = array<i64: 0, 2>} : (tensor<?x4xf32>) -> tensor<i64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_prod' op (C1) axes must be strictly ascending dimensions of 'tensor<?x4xf32>'; found 0}}
  %r = df.reduce_prod %x {axes = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.reduce_prod' op (C2) the result must have the remaining dimensions; expected 'tensor<7xf32>', found 'tensor<4xf32>'}}
  %r = df.reduce_prod %x {axes = array<i64: 1>} : (tensor<7x4xf32>) -> tensor<4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.reduce_all' op (C2) the result must have the remaining dimensions}}
  %r = df.reduce_all %b {axes = array<i64: 1>} : (tensor<7x4xi1>) -> tensor<4xi1>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_any' op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %r = df.reduce_any %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xi1>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_logsumexp' op (C1) axes must be strictly ascending}}
  %r = df.reduce_logsumexp %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.reduce_mean' op (C2) the result must have the remaining dimensions}}
  %r = df.reduce_mean %x {axes = array<i64: 0>} : (tensor<7x4xf32>) -> tensor<7xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_l1' op (C1) axes must be strictly ascending}}
  %r = df.reduce_l1 %x {axes = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_l2' op (C2) the result must have the remaining dimensions}}
  %r = df.reduce_l2 %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_variance' op (C1) axes must be strictly ascending}}
  %r = df.reduce_variance %x {axes = array<i64: 1, 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.reduce_variance' op (C2) the result must have the remaining dimensions}}
  %r = df.reduce_variance %x {axes = array<i64: 1>} : (tensor<7x4xf32>) -> tensor<4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.reduce_variance' op (C3) 'correction' must not be negative; found -1}}
  %r = df.reduce_variance %x {axes = array<i64: 1>, correction = -1 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.argmax' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.argmax %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xi64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.argmax' op (C1) needs an axis; found 'tensor<f32>'}}
  %r = df.argmax %s : (tensor<f32>) -> tensor<i64>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.argmax' op (C2) the result must drop the axis; expected 'tensor<7xi64>', found 'tensor<4xi64>'}}
  %r = df.argmax %x : (tensor<7x4xf32>) -> tensor<4xi64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.argmin' op (C1) axis -1 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.argmin %x {axis = -1 : i64} : (tensor<?x4xf32>) -> tensor<?xi64>
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<7xi64>, %b: tensor<7x4xi1>) {
  // expected-error @+1 {{'df.argmin' op (C2) the result must drop the axis}}
  %r = df.argmin %x {axis = 0 : i64} : (tensor<7x4xf32>) -> tensor<7xi64>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.softmax' op (C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %r = df.softmax %x {axis = 2 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.log_softmax' op (C1) needs an axis; found 'tensor<f32>'}}
  %r = df.log_softmax %s : (tensor<f32>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.softmax_cross_entropy' op (C1) logits must have a last dimension, which is not 0; found 'tensor<f32>'}}
  %r = df.softmax_cross_entropy %s, %i : (tensor<f32>, tensor<?xi64>) -> tensor<?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.softmax_cross_entropy' op (C2) labels must have the logits' dimensions but the last one: found 'tensor<?xi64>' and 'tensor<4xf32>'}}
  %r = df.softmax_cross_entropy %v, %i : (tensor<4xf32>, tensor<?xi64>) -> tensor<f32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<4xf32>, %s: tensor<f32>, %i: tensor<?xi64>, %b: tensor<?x4xi1>) {
  // expected-error @+1 {{'df.softmax_cross_entropy' op (C3) the result must have the labels' shape and the logits' element type}}
  %r = df.softmax_cross_entropy %x, %i : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?xf64>
  df.return
}
