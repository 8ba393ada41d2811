// What the verifiers of gathers, scatters and what is made of them refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

df.function @gather(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  // expected-error @+1 {{(C1) axes and batch must be strictly ascending dimensions of the operand, none in both; found axes [2] and batch [] for 'tensor<5x4xf32>'}}
  %y = df.gather %x, %i {axes = array<i64: 2>} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// -----

df.function @gather(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  // expected-error @+1 {{none in both; found axes [0] and batch [0]}}
  %y = df.gather %x, %i {axes = array<i64: 0>, batch = array<i64: 0>} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// -----

df.function @gather(%x: tensor<5x4xf32>, %i: tensor<3x1xi64>) -> tensor<3xf32> {
  // expected-error @+1 {{(C2) indices must be [batch.., s.., number of axes], of one axis [batch.., s..]: found 'tensor<5x4xf32>' and 'tensor<3x1xi64>'}}
  %y = df.gather %x, %i {axes = array<i64: 0, 1>} : (tensor<5x4xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  df.return %y : tensor<3xf32>
}

// -----

df.function @gather(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<4x3xf32> {
  // expected-error @+1 {{(C3) the result must have the operand's dimensions with those of the indices in the place of the axes; expected 'tensor<3x4xf32>', found 'tensor<4x3xf32>'}}
  %y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  df.return %y : tensor<4x3xf32>
}

// -----

df.function @scatter(%x: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<2xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{(C3) updates must have the shape of what is gathered: found 'tensor<3xf32>' and 'tensor<2xf32>'}}
  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<5xf32>, tensor<3xi64>, tensor<2xf32>) -> tensor<5xf32>
  df.return %y : tensor<5xf32>
}

// -----

df.function @scatter(%x: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<7xf32> {
  // expected-error @+1 {{(C4) the result must have the operand's type}}
  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<7xf32>
  df.return %y : tensor<7xf32>
}

// -----

df.function @scatter(%x: tensor<5xi1>, %i: tensor<3xi64>, %u: tensor<3xi1>) -> tensor<5xi1> {
  // expected-error @+1 {{(C5) only set takes booleans and strings}}
  %y = df.scatter max %x, %i, %u {axes = array<i64: 0>} : (tensor<5xi1>, tensor<3xi64>, tensor<3xi1>) -> tensor<5xi1>
  df.return %y : tensor<5xi1>
}

// -----

df.function @nonzero(%m: tensor<?x4xi1>) -> tensor<?x3xi64> {
  // expected-error @+1 {{(C1) the operand must have rank >= 1 and the result be [?, rank]}}
  %y = df.nonzero %m : (tensor<?x4xi1>) -> tensor<?x3xi64>
  df.return %y : tensor<?x3xi64>
}

// -----

df.function @unique(%x: tensor<5xi64>) -> tensor<5xi64> {
  // expected-error @+1 {{(C1) operand and inverse must be [n], values and counts [?]}}
  %v, %i, %n = df.unique %x : (tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>, tensor<?xi64>)
  df.return %v : tensor<5xi64>
}

// -----

df.function @take(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{(C1) axes and batch must be strictly ascending dimensions of the operand, none in both; found axes [0] and batch [0]}}
  %y = df.gather %x, %i {axes = array<i64: 0>, batch = array<i64: 0>} : (tensor<2x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  df.return %y : tensor<2x3xf32>
}

// -----

df.function @take(%x: tensor<2x5xf32>, %i: tensor<3xi64>) -> tensor<3x5xf32> {
  // expected-error @+1 {{(C3) the result must have the operand's dimensions with those of the indices in the place of the axes; expected 'tensor<2x3xf32>', found 'tensor<3x5xf32>'}}
  %y = df.gather %x, %i {axes = array<i64: 1>} : (tensor<2x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  df.return %y : tensor<3x5xf32>
}

// -----

df.function @along(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{(C1) axis 2 must be a dimension of 'tensor<2x5xf32>'}}
  %y = df.take_along_axis %x, %i {axis = 2 : i64} : (tensor<2x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  df.return %y : tensor<2x3xf32>
}

// -----

df.function @along(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{(C2) operand and indices must agree in all dimensions but 'axis'}}
  %y = df.take_along_axis %x, %i {axis = 0 : i64} : (tensor<2x5xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  df.return %y : tensor<2x3xf32>
}

// -----

df.function @along(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x5xf32> {
  // expected-error @+1 {{(C3) the result must have the indices' shape and the operand's element type}}
  %y = df.take_along_axis %x, %i {axis = 1 : i64} : (tensor<2x5xf32>, tensor<2x3xi64>) -> tensor<2x5xf32>
  df.return %y : tensor<2x5xf32>
}

// -----

df.function @along(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+1 {{(C3) updates must have the indices' shape and the operand's element type}}
  %y = df.scatter_along_axis set %x, %i, %u {axis = 1 : i64} : (tensor<2x5xf32>, tensor<2x3xi64>, tensor<2x5xf32>) -> tensor<2x5xf32>
  df.return %y : tensor<2x5xf32>
}

// -----

df.function @along(%x: tensor<2x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{(C4) the result must have the operand's type}}
  %y = df.scatter_along_axis set %x, %i, %u {axis = 1 : i64} : (tensor<2x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  df.return %y : tensor<2x3xf32>
}

// -----

df.function @segments(%v: tensor<?x2xf32>, %i: tensor<?xi64>) -> tensor<4x3xf32> {
  // expected-error @+1 {{(C1) values must be [n, ..], ids [n] and the result [segments, ..]}}
  %y = df.segment_reduce sum %v, %i : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<4x3xf32>
  df.return %y : tensor<4x3xf32>
}

// -----

df.function @segments(%v: tensor<?x2xf32>, %i: tensor<?xi64>) -> tensor<?x2xf32> {
  // expected-error @+1 {{(C2) the number of segments must be static; found 'tensor<?x2xf32>'}}
  %y = df.segment_reduce sum %v, %i : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// -----

df.function @segments(%v: tensor<?xi64>, %i: tensor<?xi64>) -> tensor<4xi64> {
  // expected-error @+1 {{(C3) mean must be of floats}}
  %y = df.segment_reduce mean %v, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<4xi64>
  df.return %y : tensor<4xi64>
}

// -----

df.function @mask(%x: tensor<7x4xf32>, %m: tensor<4xi1>) -> tensor<7x4xf32> {
  // expected-error @+1 {{(C1) the mask must have rank >= 1 and the operand's leading dimensions}}
  %y = df.boolean_mask %x, %m : (tensor<7x4xf32>, tensor<4xi1>) -> tensor<7x4xf32>
  df.return %y : tensor<7x4xf32>
}

// -----

df.function @mask(%x: tensor<?x4xf32>, %m: tensor<?xi1>) -> tensor<?xf32> {
  // expected-error @+1 {{(C2) the result must be [?, the operand's other dimensions]; expected 'tensor<?x4xf32>', found 'tensor<?xf32>'}}
  %y = df.boolean_mask %x, %m : (tensor<?x4xf32>, tensor<?xi1>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @partition(%x: tensor<7x4xf32>, %p: tensor<4xi64>) -> tensor<7x4xf32> {
  // expected-error @+1 {{(C1) parts must be [n] for an operand [n, ..]}}
  %y = df.dynamic_partition %x, %p : (tensor<7x4xf32>, tensor<4xi64>) -> tensor<7x4xf32>
  df.return %y : tensor<7x4xf32>
}

// -----

df.function @partition(%x: tensor<3x4xf32>, %p: tensor<3xi64>) -> tensor<3x4xf32> {
  // expected-error @+1 {{(C2) each result must be [?, the rest of the operand's shape]}}
  %y = df.dynamic_partition %x, %p : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// -----

df.function @sequence(%x: tensor<3x4xf32>, %n: tensor<3xi64>) -> tensor<3x4xf32> {
  // expected-error @+1 {{(C1) seq_axis and batch_axis must be two dimensions of the operand; found 0 and 0}}
  %y = df.reverse_sequence %x, %n {seq_axis = 0 : i64, batch_axis = 0 : i64} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// -----

df.function @sequence(%x: tensor<3x4xf32>, %n: tensor<4xi64>) -> tensor<3x4xf32> {
  // expected-error @+1 {{(C2) lengths must be [size of batch_axis]}}
  %y = df.reverse_sequence %x, %n {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  df.return %y : tensor<3x4xf32>
}

// -----

df.function @sequence(%x: tensor<3x4xf32>, %n: tensor<3xi64>) -> tensor<3x5xf32> {
  // expected-error @+1 {{(C3) the result must have the operand's type}}
  %y = df.reverse_sequence %x, %n {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  df.return %y : tensor<3x5xf32>
}

// -----

df.function @one_hot(%i: tensor<?xi64>) -> tensor<?x4xi8> {
  // expected-error @+1 {{(C1) the result must have the ids' shape and a static depth}}
  %y = df.one_hot %i {axis = 0 : i64} : (tensor<?xi64>) -> tensor<?x4xi8>
  df.return %y : tensor<?x4xi8>
}

// -----

df.function @one_hot(%i: tensor<?xi64>) -> tensor<?x4xi8> {
  // expected-error @+1 {{(C2) on and off must be numbers of the result's element type; found 2.000000e+02 for 'tensor<?x4xi8>'}}
  %y = df.one_hot %i {on = 200.0 : f64} : (tensor<?xi64>) -> tensor<?x4xi8>
  df.return %y : tensor<?x4xi8>
}

// -----

df.function @stitch(%i: tensor<7xi64>, %x: tensor<3x4xf32>) -> tensor<7x4xf32> {
  // expected-error @+1 {{(C1) indices must be [n] for data [n, ..]: found 'tensor<7xi64>' and 'tensor<3x4xf32>'}}
  %y = df.dynamic_stitch %i data %x : (tensor<7xi64>, tensor<3x4xf32>) -> tensor<7x4xf32>
  df.return %y : tensor<7x4xf32>
}

// -----

df.function @stitch(%i: tensor<3xi64>, %x: tensor<3x4xf32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C2) the result must be [?, ..] with the rest of the shape of all data}}
  %y = df.dynamic_stitch %i data %x : (tensor<3xi64>, tensor<3x4xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @require_same_size(%x: tensor<?xf32>, %y: tensor<2x?xf32>) {
  // expected-error @+1 {{(C1) dimensions 1 and 1 must be some of 'tensor<?xf32>' and 'tensor<2x?xf32>'}}
  df.require_same_size %x[1], %y[1] for "df.add", "operands must have one shape" : tensor<?xf32>, tensor<2x?xf32>
  df.return
}

// -----

df.function @require_same_size(%x: tensor<4xf32>, %y: tensor<2x?xf32>) {
  // expected-error @+1 {{(C2) static sizes must be equal: found 'tensor<4xf32>' and 'tensor<2x?xf32>'}}
  df.require_same_size %x[0], %y[0] for "df.add", "operands must have one shape" : tensor<4xf32>, tensor<2x?xf32>
  df.return
}
