// The constraints of products, convolutions, pooling and cells, by the numbers of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

//===-- dot_general -------------------------------------------------------------===//

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) batch and contracting dimensions must be different dimensions of each operand, as many of both; found lhs [0] and [], rhs [] and []}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) batch and contracting dimensions must be different dimensions of each operand, as many of both; found lhs [] and [3], rhs [] and [1]}}
  %r = df.dot_general %a, %b {lhs_contracting = array<i64: 3>, rhs_contracting = array<i64: 1>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) batch and contracting dimensions must be different dimensions of each operand, as many of both; found lhs [0] and [2], rhs [0] and [0]}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<7x4x5xf32>) {
  // expected-error @+1 {{(C2) batch dimensions must agree: found 'tensor<2x3x4xf32>' and 'tensor<7x4x5xf32>'}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x3x4xf32>, tensor<7x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C2) contracting dimensions must agree: found 'tensor<2x3x4xf32>' and 'tensor<2x4x5xf32>'}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 2>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C3) the result must be [batch, free of lhs, free of rhs]; expected 'tensor<2x3x5xf32>', found 'tensor<2x5x3xf32>'}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf64>) {
  // expected-error @+1 {{(C4) the result's element type must hold all values of the operands': found 'tensor<2x3x5xf32>' and 'tensor<2x4x5xf64>'}}
  %r = df.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>} : (tensor<2x3x4xf32>, tensor<2x4x5xf64>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<3x4xui8>, %b: tensor<4x5xi8>) {
  // expected-error @+1 {{(C4) the result's element type must hold all values of the operands': found 'tensor<3x5xi8>' and 'tensor<3x4xui8>'}}
  %r = df.dot_general %a, %b {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<3x4xui8>, tensor<4x5xi8>) -> tensor<3x5xi8>
  df.return
}

// -----

df.function @f(%a: tensor<3x4xi8>, %b: tensor<4x5xi8>) {
  // expected-error @+1 {{(C4) the result's element type must hold all values of the operands': found 'tensor<3x5xf32>' and 'tensor<3x4xi8>'}}
  %r = df.dot_general %a, %b {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<3x4xi8>, tensor<4x5xi8>) -> tensor<3x5xf32>
  df.return
}

// -----

//===-- batch_matmul, einsum ----------------------------------------------------===//

df.function @f(%a: tensor<4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{(C1) ranks must be at least 2, and equal or one of them 2}}
  %r = df.batch_matmul %a, %b : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error @+1 {{(C2) leading dimensions must agree}}
  %r = df.batch_matmul %a, %b : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C3) inner dimensions must agree}}
  %r = df.batch_matmul %a, %b {transpose_b} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C4) the result must have leading, row and column dimensions and one element type; expected 'tensor<2x3x5xf32>', found 'tensor<2x3x4xf32>'}}
  %r = df.batch_matmul %a, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) the equation must be 'terms -> result' of letters and '...', with 2 terms; found 'bij,bjk'}}
  %r = df.einsum %a, %b {equation = "bij,bjk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) the equation must be 'terms -> result' of letters and '...', with 2 terms; found 'bij->bij'}}
  %r = df.einsum %a, %b {equation = "bij->bij"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) the equation must be 'terms -> result' of letters and '...', with 2 terms; found 'b1j,bjk->bk'}}
  %r = df.einsum %a, %b {equation = "b1j,bjk->bk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C1) the equation must be 'terms -> result' of letters and '...', with 2 terms; found 'b..j,bjk->bk'}}
  %r = df.einsum %a, %b {equation = "b..j,bjk->bk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C2) term 'bi' must have a different letter for each dimension of 'tensor<2x3x4xf32>'}}
  %r = df.einsum %a, %b {equation = "bi,bjk->bk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C2) term 'bii' must have a different letter for each dimension of 'tensor<2x3x4xf32>'}}
  %r = df.einsum %a, %b {equation = "bii,bjk->bk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C3) dimensions of one letter must agree; found 'tensor<3xf32>' and 'tensor<4xf32>' in 'bij,bik->bjk'}}
  %r = df.einsum %a, %b {equation = "bij,bik->bjk"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C4) the result must name letters of the operands, each once; found 'bij,bjk->bin'}}
  %r = df.einsum %a, %b {equation = "bij,bjk->bin"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C4) the result must name letters of the operands, each once; found 'bij,bjk->bii'}}
  %r = df.einsum %a, %b {equation = "bij,bjk->bii"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C4) the result must have the '...' of the operands; found '...ij,...jk->ik'}}
  %r = df.einsum %a, %b {equation = "...ij,...jk->ik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
  df.return
}

// -----

df.function @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{(C5) the result must have the dimensions of its letters and the operands' element type; expected 'tensor<2x5x3xf32>', found 'tensor<2x3x5xf32>'}}
  %r = df.einsum %a, %b {equation = "bij,bjk->bki"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  df.return
}

// -----

//===-- attention ---------------------------------------------------------------===//

df.function @f(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>) {
  // expected-error @+1 {{(C1) needs query [b.., t, d], key [b.., s, d] and value [b.., s, e] of one element type; found 'tensor<?x5x4xf32>', 'tensor<?x7x4xf32>' and 'tensor<?x5x4xf32>'}}
  %r = df.attention %q, %k, %q : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
  df.return
}

// -----

df.function @f(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>, %m: tensor<7x5xi1>) {
  // expected-error @+1 {{(C2) the mask must be 'tensor<?x5x7xf32>', its last two dimensions, or those of i1; found 'tensor<7x5xi1>'}}
  %r = df.attention %q, %k, %v, %m : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<7x5xi1>) -> tensor<?x5x2xf32>
  df.return
}

// -----

df.function @f(%q: tensor<2x?x4xf32>) {
  // expected-error @+1 {{(C3) 'causal' needs a static number of queries and keys; found 'tensor<2x?x4xf32>' and 'tensor<2x?x4xf32>'}}
  %r = df.attention %q, %q, %q {causal} : (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  df.return
}

// -----

df.function @f(%q: tensor<2x3x?xf32>) -> tensor<2x3x?xf32> {
  // expected-error @+1 {{'df.attention' op (C4) needs 'scale' where the last dimension is dynamic; found 'tensor<2x3x?xf32>' and 'tensor<2x3x?xf32>'}}
  %r = df.attention %q, %q, %q : (tensor<2x3x?xf32>, tensor<2x3x?xf32>, tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  df.return %r : tensor<2x3x?xf32>
}

// -----

df.function @f(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>, %g: tensor<?x5x2xf32>) {
  // expected-error @+1 {{(C1) the results must have the types of query, key and value}}
  %a, %b, %c = df.attention_grad %q, %k, %v, %g : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<?x5x2xf32>) -> (tensor<?x5x4xf32>, tensor<?x5x4xf32>, tensor<?x7x2xf32>)
  df.return
}

// -----

df.function @f(%q: tensor<?x5x4xf32>, %k: tensor<?x7x4xf32>, %v: tensor<?x7x2xf32>) {
  // expected-error @+1 {{(C2) the cotangent must be [b.., t, e]: found 'tensor<?x7x2xf32>' and 'tensor<?x5x2xf32>'}}
  %a, %b, %c = df.attention_grad %q, %k, %v, %v : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<?x7x2xf32>) -> (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>)
  df.return
}

// -----

//===-- convolutions ------------------------------------------------------------===//

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @+1 {{(C1) needs an image [n, s.., c] and a static filter [k.., c / groups, o] with windows, of 1 to 3 spatial dimensions, static channels and one element type; found 'tensor<?x8x3xf32>' and 'tensor<3x3x3x4xf32>'}}
  %r = df.conv %x, %w {} : (tensor<?x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C2) strides must be 1 numbers >= 1; found [0]}}
  %r = df.conv %x, %w {strides = array<i64: 0>} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C2) dilations must be 1 numbers >= 1; found [1, 1]}}
  %r = df.conv %x, %w {dilations = array<i64: 1, 1>} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C2) padding must be 2 numbers >= 0; found [-1, 0]}}
  %r = df.conv %x, %w {padding = array<i64: -1, 0>} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C3) 3 groups do not cut the channels of 'tensor<?x8x3xf32>' and 'tensor<3x3x4xf32>'}}
  %r = df.conv %x, %w {groups = 3 : i64} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<7x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C4) the result must have a position for each place of the window; expected 'tensor<7x6x4xf32>', found 'tensor<2x6x4xf32>'}}
  %r = df.conv %x, %w {} : (tensor<7x8x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C4) the result must have a position for each place of the window; expected 'tensor<?x6x4xf32>', found 'tensor<?x8x4xf32>'}}
  %r = df.conv %x, %w {} : (tensor<?x8x3xf32>, tensor<3x3x4xf32>) -> tensor<?x8x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x?x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C4) the result must have a position for each place of the window; expected 'tensor<2x?x4xf32>', found 'tensor<2x6x4xf32>'}}
  %r = df.conv %x, %w {} : (tensor<2x?x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
  df.return
}

// -----

df.function @f(%y: tensor<?x6x4xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C4) the output must have a position for each place of the window; expected 'tensor<?x7x4xf32>', found 'tensor<?x6x4xf32>'}}
  %r = df.conv_transpose %y, %w : (tensor<?x6x4xf32>, tensor<3x3x4xf32>) -> tensor<?x9x3xf32>
  df.return
}

// -----

df.function @f(%y: tensor<2x?x4xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C5) a dynamic spatial dimension needs 'like'; found 'tensor<2x?x3xf32>'}}
  %r = df.conv_transpose %y, %w : (tensor<2x?x4xf32>, tensor<3x3x4xf32>) -> tensor<2x?x3xf32>
  df.return
}

// -----

df.function @f(%y: tensor<2x?x4xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C5) 'like' must have the result's type: found 'tensor<2x?x4xf32>' and 'tensor<2x?x3xf32>'}}
  %r = df.conv_transpose %y, %w, %y : (tensor<2x?x4xf32>, tensor<3x3x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %y: tensor<?x5x4xf32>) {
  // expected-error @+1 {{(C4) the output must have a position for each place of the window; expected 'tensor<?x6x4xf32>', found 'tensor<?x5x4xf32>'}}
  %r = df.conv_filter_gradient %x, %y : (tensor<?x8x3xf32>, tensor<?x5x4xf32>) -> tensor<3x3x4xf32>
  df.return
}

// -----

//===-- pooling -----------------------------------------------------------------===//

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C3) the result must have a position for each place of the window; expected 'tensor<?x7x3xf32>', found 'tensor<?x7x4xf32>'}}
  %r = df.max_pool %x {window = array<i64: 2>} : (tensor<?x8x3xf32>) -> tensor<?x7x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C2) window must be 1 numbers >= 1; found [2, 2]}}
  %r = df.max_pool %x {window = array<i64: 2, 2>} : (tensor<?x8x3xf32>) -> tensor<?x7x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C2) strides must be 1 numbers >= 1; found [0]}}
  %r = df.max_pool %x {window = array<i64: 2>, strides = array<i64: 0>} : (tensor<?x8x3xf32>) -> tensor<?x7x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C3) the result must have a position for each place of the window; expected 'tensor<?x7x3xf32>', found 'tensor<?x8x3xf32>'}}
  %r = df.max_pool %x {window = array<i64: 2>} : (tensor<?x8x3xf32>) -> tensor<?x8x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C3) the result must have a position for each place of the window; expected 'tensor<?x7x3xi32>', found 'tensor<?x8x3xi32>'}}
  %r = df.max_pool_positions %x {window = array<i64: 2>} : (tensor<?x8x3xf32>) -> tensor<?x8x3xi32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>, %i: tensor<?x6x3xi32>) {
  // expected-error @+1 {{(C4) positions must have one number for each window: found 'tensor<?x6x3xi32>' and 'tensor<?x7x3xf32>'}}
  %r = df.pool_select %x, %i {window = array<i64: 2>} : (tensor<?x8x3xf32>, tensor<?x6x3xi32>) -> tensor<?x7x3xf32>
  df.return
}

// -----

df.function @f(%y: tensor<?x7x3xf32>, %i: tensor<?x6x3xi32>) {
  // expected-error @+1 {{(C4) positions must have one number for each window: found 'tensor<?x6x3xi32>' and 'tensor<?x7x3xf32>'}}
  %r = df.pool_scatter %y, %i {window = array<i64: 2>} : (tensor<?x7x3xf32>, tensor<?x6x3xi32>) -> tensor<?x8x3xf32>
  df.return
}

// -----

df.function @f(%y: tensor<2x?x3xf32>, %i: tensor<2x?x3xi32>) {
  // expected-error @+1 {{(C5) a dynamic spatial dimension needs 'like'; found 'tensor<2x?x3xf32>'}}
  %r = df.pool_scatter %y, %i {window = array<i64: 2>} : (tensor<2x?x3xf32>, tensor<2x?x3xi32>) -> tensor<2x?x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x8x?xf32>) {
  // expected-error @+1 {{(C4) channels must be static; found 'tensor<2x8x?xf32>'}}
  %r = df.avg_pool %x {window = array<i64: 2>} : (tensor<2x8x?xf32>) -> tensor<2x7x?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x8x3xf32>) {
  // expected-error @+1 {{(C5) p must be at least 1; found}}
  %r = df.lp_pool %x {window = array<i64: 2>, p = 0.5 : f64} : (tensor<?x8x3xf32>) -> tensor<?x7x3xf32>
  df.return
}

// -----

//===-- cells -------------------------------------------------------------------===//

df.function @f(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %w: tensor<3x2xf32>, %u: tensor<2x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{(C1) needs x [n, i], states [n, u], a kernel [i, 1u], a recurrent kernel [u, 1u] and biases [1u] with static i and u; found}}
  %r = df.rnn_cell %x, %h, %w, %u, %b : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<3xf32>) -> tensor<?x2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %w: tensor<3x2xf32>, %u: tensor<2x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{(C2) the results must have the type of h; expected 'tensor<?x2xf32>', found 'tensor<?x3xf32>'}}
  %r = df.rnn_cell %x, %h, %w, %u, %b : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %w: tensor<3x8xf32>, %u: tensor<2x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{(C1) needs x [n, i], states [n, u], a kernel [i, 4u], a recurrent kernel [u, 4u] and biases [4u] with static i and u; found}}
  %r, %s = df.lstm_cell %x, %h, %x, %w, %u, %b : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x8xf32>, tensor<2x8xf32>, tensor<8xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %w: tensor<3x6xf32>, %u: tensor<2x6xf32>, %b: tensor<6xf32>, %c: tensor<2xf32>) {
  // expected-error @+1 {{(C1) needs x [n, i], states [n, u], a kernel [i, 3u], a recurrent kernel [u, 3u] and biases [3u] with static i and u; found}}
  %r = df.gru_cell %x, %h, %w, %u, %b, %c : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<6xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x3x8xf32>, %w: tensor<3x2x4xf32>) {
  // expected-error @+1 {{'df.conv' op (C3) 1 groups do not cut the channels of 'tensor<?x3x8xf32>' and 'tensor<3x2x4xf32>'}}
  %y = df.conv %x, %w {channels_first} : (tensor<?x3x8xf32>, tensor<3x2x4xf32>) -> tensor<?x4x6xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{'df.max_pool' op (C1) needs [n, c, s..] of 1 to 3 spatial dimensions; found 'tensor<?xf32>'}}
  %y = df.max_pool %x {channels_first, window = array<i64: 2>} : (tensor<?xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x?x8xf32>) {
  // expected-error @+1 {{'df.avg_pool' op (C4) channels must be static; found 'tensor<2x?x8xf32>'}}
  %y = df.avg_pool %x {channels_first, window = array<i64: 2>} : (tensor<2x?x8xf32>) -> tensor<2x?x7xf32>
  df.return
}

// -----

// The formula is of the spatial dimensions, where these are.
df.function @f(%x: tensor<?x3x8xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{'df.conv' op (C4) the result must have a position for each place of the window; expected 'tensor<?x4x6xf32>', found 'tensor<?x4x8xf32>'}}
  %y = df.conv %x, %w {channels_first} : (tensor<?x3x8xf32>, tensor<3x3x4xf32>) -> tensor<?x4x8xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x3x8xf32>, %y: tensor<?x4x7xf32>) {
  // expected-error @+1 {{'df.conv_filter_gradient' op (C4) the output must have a position for each place of the window; expected 'tensor<?x4x6xf32>', found 'tensor<?x4x7xf32>'}}
  %dw = df.conv_filter_gradient %x, %y {channels_first} : (tensor<?x3x8xf32>, tensor<?x4x7xf32>) -> tensor<3x3x4xf32>
  df.return
}

// -----

df.function @f(%y: tensor<?x4x?xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{(C5) a dynamic spatial dimension needs 'like'; found 'tensor<?x3x?xf32>'}}
  %x = df.conv_transpose %y, %w {channels_first} : (tensor<?x4x?xf32>, tensor<3x3x4xf32>) -> tensor<?x3x?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x3x8xf32>, %i: tensor<?x3x8xi32>) {
  // expected-error @+1 {{(C4) positions must have one number for each window}}
  %y = df.pool_select %x, %i {channels_first, window = array<i64: 2>} : (tensor<?x3x8xf32>, tensor<?x3x8xi32>) -> tensor<?x3x7xf32>
  df.return
}
