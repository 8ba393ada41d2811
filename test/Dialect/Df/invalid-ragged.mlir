// Ops of multi-valued features that break their constraints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

df.function @static_size(%v: tensor<?x8xf32>, %e: tensor<?xi64>, %f: tensor<f32>) {
  // expected-error @+1 {{'df.ragged_to_dense' op (C1) of values [n, ...] and ends [m], padded must be [m, ?, ...]}}
  %x, %n = df.ragged_to_dense %v, %e, %f : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x5x8xf32>, tensor<?xi64>)
  df.return
}

// -----

df.function @row_shape(%v: tensor<?x8xf32>, %e: tensor<?xi64>, %f: tensor<f32>) {
  // expected-error @+1 {{'df.ragged_to_dense' op (C1)}}
  %x, %n = df.ragged_to_dense %v, %e, %f : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x7xf32>, tensor<?xi64>)
  df.return
}

// -----

df.function @filler(%v: tensor<?x8xf32>, %e: tensor<?xi64>, %f: tensor<f64>) {
  // expected-error @+1 {{'df.ragged_to_dense' op (C2) the filler must be a scalar of the values' element type}}
  %x, %n = df.ragged_to_dense %v, %e, %f : (tensor<?x8xf32>, tensor<?xi64>, tensor<f64>) -> (tensor<?x?x8xf32>, tensor<?xi64>)
  df.return
}

// -----

df.function @lengths(%v: tensor<?x8xf32>, %e: tensor<4xi64>, %f: tensor<f32>) {
  // expected-error @+1 {{'df.ragged_to_dense' op (C3) lengths must have the type of the ends}}
  %x, %n = df.ragged_to_dense %v, %e, %f : (tensor<?x8xf32>, tensor<4xi64>, tensor<f32>) -> (tensor<4x?x8xf32>, tensor<7xi64>)
  df.return
}
