// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of normalizations refuse.
df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.moments' op (C1) axes must be strictly ascending}}
  %r:2 = df.moments %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  df.return
}


// -----

df.function @f(%x: tensor<7x4xf32>, %d: tensor<7x7xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.moments' op (C2) the result must have the remaining dimensions; expected 'tensor<4xf32>', found 'tensor<7xf32>'}}
  %r:2 = df.moments %x {axes = array<i64: 0>} : (tensor<7x4xf32>) -> (tensor<4xf32>, tensor<7xf32>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.batch_norm_inference' op (C1) axes must be strictly ascending}}
  %r = df.batch_norm_inference %x, %v, %v {axes = array<i64: 2>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.batch_norm_inference' op (C2) statistics, scale and offset must have the remaining dimensions: found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = df.batch_norm_inference %x, %v, %v scale %w {axes = array<i64: 0>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.batch_norm_training' op (C1) axes must be strictly ascending}}
  %r:3 = df.batch_norm_training %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.batch_norm_training' op (C2) statistics, scale and offset must have the remaining dimensions}}
  %r:3 = df.batch_norm_training %x offset %w {axes = array<i64: 0>} : (tensor<?x4xf32>, tensor<3xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.layer_norm' op (C1) axes must be strictly ascending}}
  %r = df.layer_norm %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.layer_norm' op (C2) scale and offset must have the dimensions of the axes: found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = df.layer_norm %x scale %v offset %w {axes = array<i64: 1>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.rms_norm' op (C1) axes must be strictly ascending}}
  %r = df.rms_norm %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.rms_norm' op (C2) the scale must have the dimensions of the axes}}
  %r = df.rms_norm %x scale %w {axes = array<i64: 1>} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.group_norm' op (C1) the axis of channels must lie after that of examples; found 0}}
  %r = df.group_norm %x {groups = 2 : i64, axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.group_norm' op (C1) the axis of channels must be static; found 1 of 'tensor<?x?xf32>'}}
  %r = df.group_norm %d {groups = 2 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.group_norm' op (C2) 'groups' must divide the 4 channels; found 3}}
  %r = df.group_norm %x {groups = 3 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.group_norm' op (C3) scale and offset must be [channels]: found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = df.group_norm %x scale %w {groups = 2 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.instance_norm' op (C1) the axis of channels must lie after that of examples}}
  %r = df.instance_norm %x {axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.instance_norm' op (C2) scale and offset must be [channels]}}
  %r = df.instance_norm %x offset %w : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.l2_normalize' op (C1) axes must be strictly ascending}}
  %r = df.l2_normalize %x {axes = array<i64: 2>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.local_response_norm' op (C1) the axis must be static; found 1 of 'tensor<?x?xf32>'}}
  %r = df.local_response_norm %d {low = 1 : i64, high = 1 : i64, alpha = 1.0 : f64, beta = 0.5 : f64, bias = 1.0 : f64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  df.return
}


// -----

df.function @f(%x: tensor<?x4xf32>, %d: tensor<?x?xf32>, %v: tensor<4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'df.local_response_norm' op (C2) 'low' and 'high' must not be negative; found 1 and -1}}
  %r = df.local_response_norm %x {low = 1 : i64, high = -1 : i64, alpha = 1.0 : f64, beta = 0.5 : f64, bias = 1.0 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return
}
