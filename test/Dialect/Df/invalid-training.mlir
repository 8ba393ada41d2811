// What the verifiers of losses, gradients and rows refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C1) ids must be [n]}}
  %r = df.read_rows @w[%j] : (tensor<2x2xi64>) -> tensor<2x2xf32>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C2) the result must be [n, the rest of the variable's shape]}}
  %r = df.read_rows @w[%i] : (tensor<?xi64>) -> tensor<?x3xf32>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C1) needs at least one variable}}
  df.apply_rows [], %p : !df.rows<tensor<4x2xf32>> {
  ^bb0(%d: tensor<2xf32>):
    df.yield
  }
  df.return
}

// -----

df.variable @v : tensor<4x3xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C1) @v has type 'tensor<4x3xf32>'; the rows are of 'tensor<4x2xf32>'}}
  df.apply_rows [@v], %p : !df.rows<tensor<4x2xf32>> {
  ^bb0(%a: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C2) the region must take 2 rows of type 'tensor<2xf32>'}}
  df.apply_rows [@w], %p : !df.rows<tensor<4x2xf32>> {
  ^bb0(%d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C3) the region must yield 1 rows of type 'tensor<2xf32>'}}
  df.apply_rows [@w], %p : !df.rows<tensor<4x2xf32>> {
  ^bb0(%a: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %a, %d : tensor<2xf32>, tensor<2xf32>
  }
  df.return
}

// -----

df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>, %h: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) tables must have one type and rows be [n, its row shape]}}
  %r = df.update_rows tables(%t) ids(%i) rows(%h) count(%n) : (tensor<4x2xf32>, tensor<?xi64>, tensor<?x3xf32>, tensor<i64>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %a : tensor<2xf32>
  }
  df.return
}

// -----

df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C2) there must be one result for each table, of its type; expected 'tensor<4x2xf32>', found 'tensor<4x3xf32>'}}
  %r = df.update_rows tables(%t) ids(%i) rows(%g) count(%n) : (tensor<4x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<4x3xf32> {
  ^bb0(%a: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %a : tensor<2xf32>
  }
  df.return
}

// -----

//===-- losses over the batch, gradients and sparse rows ----------------------------===//

df.function @f(%x: tensor<7xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<7xi64>, %j: tensor<2x2xi64>, %g: tensor<7x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) weights must have the losses' type}}
  %r = df.batch_mean %x, %s : (tensor<7xf32>, tensor<2xf32>) -> tensor<f32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C2) the result must have the losses' element type}}
  %r = df.batch_mean %x : (tensor<?xf32>) -> tensor<f64>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) the gradient of @w must be 'tensor<4x2xf32>' or rows of it}}
  %r = df.gradients %y wrt [@w] : (tensor<f32>) -> tensor<2x2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) a value's gradient must have its type}}
  %r = df.gradients %y wrt [] %x : (tensor<f32>, tensor<?xf32>) -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{needs one result for each symbol and value; found 1 for 0}}
  %r = df.gradients %y wrt [] : (tensor<f32>) -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<7xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<7xi64>, %j: tensor<2x2xi64>, %g: tensor<7x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) unique, ends and order must have the ids' type}}
  %u, %e, %o, %c = df.group_ids %i : (tensor<7xi64>) -> (tensor<7xi64>, tensor<2xi64>, tensor<7xi64>, tensor<i64>)
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) values and result must be [n, ...], ends and order [n]}}
  %r = df.group_sum %g, %i, %i, %n : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) ids must be [n] and rows [n, the row shape]}}
  %r = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x3xf32>>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C1) ids must be [n] and rows [n, the row shape]}}
  %u, %v, %c = df.unpack_rows %p : (!df.rows<tensor<4x2xf32>>) -> (tensor<?xi64>, tensor<?x3xf32>, tensor<i64>)
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) ids must be [n] and rows [n, ...] of f32, with one row shape on all sides}}
  %u, %v, %c = df.merge_rows %i, %g, %n, %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x3xf32>, tensor<i64>)
  df.return
}

// -----

df.function @f(%i: tensor<3xi64>, %g: tensor<3x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C2) without 'like' the results have the rows of both sides}}
  %u, %v, %c = df.merge_rows %i, %g, %n, %i, %g, %n : (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>, tensor<3xi64>, tensor<3x2xf32>, tensor<i64>) -> (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>)
  df.return
}

// -----

df.function @f(%i: tensor<3xi64>, %g: tensor<3x2xf32>, %n: tensor<i64>, %l: tensor<4xi64>) {
  // expected-error @+1 {{(C2) 'like' must have the type of the resulting ids}}
  %u, %v, %c = df.merge_rows %i, %g, %n, %i, %g, %n, %l : (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>, tensor<3xi64>, tensor<3x2xf32>, tensor<i64>, tensor<4xi64>) -> (tensor<3xi64>, tensor<3x2xf32>, tensor<i64>)
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C1) the factor must have the rows' element type}}
  %r = df.scale_rows %p, %z : (!df.rows<tensor<4x2xf32>>, tensor<f64>) -> !df.rows<tensor<4x2xf32>>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  %p = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<4x2xf32>>
  // expected-error @+1 {{(C1) the result must have the rows' tensor type}}
  %r = df.densify_rows %p : (!df.rows<tensor<4x2xf32>>) -> tensor<4x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?xf32>, %s: tensor<2xf32>, %y: tensor<f32>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %z: tensor<f64>) {
  // expected-error @+1 {{(C1) the operand must be static or rows}}
  %r = df.all_reduce %x {name = "s"} : (tensor<?xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%v: tensor<?x4xf32>, %ends: tensor<?xi64>) {
  // expected-error @+1 {{(C1) ends must be [m] and the result [m, the values' row shape]}}
  %r = df.ragged_reduce sum %v, %ends : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  df.return
}

// -----

df.function @f(%v: tensor<?x4xi64>, %ends: tensor<?xi64>) {
  // expected-error @+1 {{'df.ragged_reduce' op (C2) a mean must be of floats; found 'tensor<?x4xi64>'}}
  %r = df.ragged_reduce mean %v, %ends : (tensor<?x4xi64>, tensor<?xi64>) -> tensor<?x4xi64>
  df.return
}

// -----

df.function @f(%v: tensor<3x4xf32>, %ends: tensor<3xi64>, %like: tensor<7xi64>) {
  // expected-error @+1 {{(C1) ends must be [m], rows [m, ...] and the result like's n rows of the same shape}}
  %r = df.ragged_repeat %v, %ends like %like : (tensor<3x4xf32>, tensor<3xi64>, tensor<7xi64>) -> tensor<5x4xf32>
  df.return
}
