// Sizes that types know must agree; what nothing could check is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

df.function @cast(%x: tensor<3x?xf32>) {
  // expected-error@+1 {{'df.cast_shape' op (C1) types must agree: found 'tensor<3x?xf32>' and 'tensor<4x2xf32>'}}
  %y = df.cast_shape %x : tensor<3x?xf32> to tensor<4x2xf32>
  df.return
}

// -----

df.function @third(%x: tensor<3xf32>, %y: tensor<?xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{'df.clamp' op requires the same type for all operands and results}}
  %c = df.clamp %x, %y, %z : (tensor<3xf32>, tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @forms(%x: tensor<3xf32>) {
  // expected-error@+1 {{expected one type, or 2 of operands and one of a result}}
  %c = df.add %x, %x : (tensor<3xf32>) -> tensor<3xf32>
  df.return
}

// -----

// How many rows there will be is made by the op.
df.function @made(%x: tensor<?xf32>) {
  // expected-error@+1 {{'df.slice' op (C3) the result must have the sizes; expected 'tensor<?xf32>', found 'tensor<3xf32>'}}
  %s = df.slice %x {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<3xf32>
  df.return
}

// -----

// A size that the op computes of another one is told by no operand.
df.function @computed(%x: tensor<?x4xf32>, %h: tensor<?x3xf32>, %k: tensor<4x?xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(C1) needs x [n, i]}}
  %y = df.rnn_cell %x, %h, %k, %r, %b : (tensor<?x4xf32>, tensor<?x3xf32>, tensor<4x?xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  df.return
}

// -----

// What the op makes is declared.
df.function @hidden(%x: tensor<5xf32>) {
  // expected-error@+1 {{'df.slice' op (C3) the result must have the sizes; expected 'tensor<3xf32>', found 'tensor<?xf32>'}}
  %s = df.slice %x {starts = array<i64: 1>, sizes = array<i64: 3>} : (tensor<5xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @joined(%x: tensor<5xf32>) {
  // expected-error@+1 {{(C3) the result must have the operands' dimensions, which add up along 'axis'; expected 'tensor<10xf32>', found 'tensor<?xf32>'}}
  %s = df.concat %x, %x {axis = 0 : i64} : (tensor<5xf32>, tensor<5xf32>) -> tensor<?xf32>
  df.return
}
