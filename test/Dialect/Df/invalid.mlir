// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// The constraints of the ops, by the numbers of their descriptions.

//===-- element-wise ops ------------------------------------------------------------===//

df.function @f(%x: tensor<7xf32>) {
  // expected-error @+1 {{'df.compare' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.compare lt, %x, %x : (tensor<7xf32>, tensor<7xf32>) -> tensor<2xi1>
  df.return
}

// -----

df.function @f(%c: tensor<2xi1>, %x: tensor<7xf32>) {
  // expected-error @+1 {{'df.select' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.select %c, %x, %x : (tensor<2xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  df.return
}

// -----

df.function @f(%x: tensor<7xf32>) {
  // expected-error @+1 {{'df.cast' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.cast %x : (tensor<7xf32>) -> tensor<2xi64>
  df.return
}

// -----

//===-- shape ops -------------------------------------------------------------------===//

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) dimensions must be strictly ascending}}
  %r = df.broadcast %x dimensions = [1, 0] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) each dimension of the operand must be 1 or the result's}}
  %r = df.broadcast %x dimensions = [0, 1] : (tensor<2x4xf32>) -> tensor<3x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) a dynamic result needs 'like'}}
  %r = df.broadcast %x dimensions = [1, 2] : (tensor<2x4xf32>) -> tensor<?x2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) 'like' must have the result's shape}}
  %r = df.broadcast %x like %x dimensions = [1, 2] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<3x2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C4) element types must agree}}
  %r = df.broadcast %x dimensions = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4xf64>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) element types must agree}}
  %r = df.reshape %x : (tensor<2x4xf32>) -> tensor<8xf64>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) shapes must hold equally many elements}}
  %r = df.reshape %x : (tensor<2x4xf32>) -> tensor<9xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) both shapes must have one dynamic dimension or none, or differ in dimensions of 1 alone}}
  %r = df.reshape %x : (tensor<2x4xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{(C4) of the products of the static dimensions one must divide the other}}
  %r = df.reshape %x : (tensor<?x4xf32>) -> tensor<?x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) not a permutation}}
  %r = df.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) the result's shape must be the permuted one}}
  %r = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) axis 2 is no dimension of 'tensor<2x4xf32>'}}
  %r = df.concat %x, %x {axis = 2 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) the result must have the operands' dimensions, which add up along 'axis'; expected 'tensor<4x4xf32>', found 'tensor<4x5xf32>'}}
  %r = df.concat %x, %x {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x5xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) the result must have the operands' dimensions, which add up along 'axis'; expected 'tensor<4x4xf32>', found 'tensor<5x4xf32>'}}
  %r = df.concat %x, %x {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<5x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) ranges must be within the operand's dimensions; found start 2, size 3, stride 1 for 4}}
  %r = df.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: 2, 3>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C3) the result must have the sizes}}
  %r = df.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: 2, 2>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) low, high and interior must have one entry >= 0}}
  %r = df.pad %x {low = array<i64: 0, -1>, high = array<i64: 0, 0>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) the result must have low + n + interior + high}}
  %r = df.pad %x {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<2x4xf32>) -> tensor<2x6xf32>
  df.return
}

// -----

//===-- reductions, products and fused losses ---------------------------------------===//

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) axes must be strictly ascending}}
  %r = df.reduce_sum %x {axes = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C1) axes must be strictly ascending}}
  %r = df.reduce_max %x {axes = array<i64: 2>} : (tensor<2x4xf32>) -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{(C2) the result must have the remaining dimensions}}
  %r = df.reduce_min %x {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %z: tensor<4x3xf64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{(C1) ranks must be 2}}
  %r = df.matmul %x, %v : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x1xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %z: tensor<4x3xf64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{(C2) inner dimensions must agree}}
  %r = df.matmul %x, %y {transpose_b} : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %z: tensor<4x3xf64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{(C3) the result must have the outer dimensions}}
  %r = df.matmul %x, %y : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<3x2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %z: tensor<4x3xf64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{(C4) element types must agree}}
  %r = df.matmul %x, %z : (tensor<2x4xf32>, tensor<4x3xf64>) -> tensor<2x3xf32>
  df.return
}

// -----

//===-- feature ops -----------------------------------------------------------------===//

df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>) {
  // expected-error @+1 {{'df.fingerprint' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.fingerprint %s : (tensor<7x!df.string>) -> tensor<2xi64>
  df.return
}

// -----

df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) buckets must be > 0; found 0}}
  %r = df.hash_bucket %i {buckets = 0 : i64} : tensor<?xi64>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>) {
  // expected-error @+1 {{'df.is_empty' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.is_empty %s : (tensor<7x!df.string>) -> tensor<2xi1>
  df.return
}

// -----

df.vocabulary @strings ["a", "b"]
df.vocabulary @integers [1, 2]
df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) looks}}
  %r = df.lookup @integers, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  df.return
}

// -----

df.vocabulary @strings ["a", "b"]
df.vocabulary @integers [1, 2]
df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{names @absent, which is not a df.vocabulary}}
  %r = df.lookup @absent, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  df.return
}

// -----

df.vocabulary @strings ["a", "b"]
df.vocabulary @integers [1, 2]
df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>) {
  // expected-error @+1 {{(C2) the result must have the shape of the operands; expected 'tensor<7xi64>', found 'tensor<2xi64>'}}
  %r = df.lookup @strings, %s : (tensor<7x!df.string>) -> tensor<2xi64>
  df.return
}

// -----

df.vocabulary @strings ["a", "b"]
df.vocabulary @integers [1, 2]
df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) needs a table of strings; @integers holds integers}}
  %r = df.term @integers, %i : (tensor<?xi64>) -> tensor<?x!df.string>
  df.return
}

// -----

df.vocabulary @strings ["a", "b"]
df.vocabulary @integers [1, 2]
df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>) {
  // expected-error @+1 {{(C2) the result must have the shape of the operands; expected 'tensor<7x!df.string>', found 'tensor<2x!df.string>'}}
  %r = df.term @strings, %i : (tensor<7xi64>) -> tensor<2x!df.string>
  df.return
}

// -----

df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) low must be below high; found 2 and 2}}
  %r = df.check_ids %i {low = 2 : i64, high = 2 : i64, what = "label"} : (tensor<?xi64>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%i: tensor<i64>) {
  // expected-error @+1 {{(C2) ids must be [n] or [rows, ..]; found 'tensor<i64>'}}
  %r = df.check_ids %i {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<i64>) -> tensor<i64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>, %e: tensor<?xi64>) {
  // expected-error @+1 {{(C2) with cells or ends ids must be [n]; found 'tensor<?x2xi64>'}}
  %r = df.check_ids %i ends(%e) {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<?x2xi64>, tensor<?xi64>) -> tensor<?x2xi64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>) {
  // expected-error @+1 {{(C3) ids must be [rows, 1]; found 'tensor<?x2xi64>'}}
  %r = df.check_ids %i {low = 0 : i64, high = 2 : i64, what = "column", columns = [#df.id_column<"a", 2>]} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>) {
  // expected-error @+1 {{(C3) columns of ids have no cells, ends, table or 'feature'}}
  %r = df.check_ids %i {low = 0 : i64, high = 2 : i64, what = "column", feature = "a", columns = [#df.id_column<"a", 2>, #df.id_column<"b", 2>]} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>) {
  // expected-error @+1 {{(C3) the bound of 'b' must be above low; found 0 and 0}}
  %r = df.check_ids %i {low = 0 : i64, high = 2 : i64, what = "column", columns = [#df.id_column<"a", 2>, #df.id_column<"b", 0>]} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>) {
  // expected-error @+1 {{(C3) high must be the largest bound of a column, 3; found 2}}
  %r = df.check_ids %i {low = 0 : i64, high = 2 : i64, what = "column", columns = [#df.id_column<"a", 2>, #df.id_column<"b", 3>]} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>, %t: tensor<2x!df.string>) {
  // expected-error @+1 {{(C2) cells must have the ids' shape}}
  %r = df.check_ids %i, %t {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<7xi64>, tensor<2x!df.string>) -> tensor<7xi64>
  df.return
}

// -----

df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) boundaries must be finite and strictly increase}}
  %r = df.bucketize %x {boundaries = array<f64: 1.0, 1.0>} : (tensor<?xf32>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%s: tensor<7x!df.string>, %i: tensor<7xi64>, %x: tensor<7xf32>) {
  // expected-error @+1 {{'df.bucketize' op all non-scalar operands/results must have the same shape and base type}}
  %r = df.bucketize %x {boundaries = array<f64: 1.0, 2.0>} : (tensor<7xf32>) -> tensor<2xi64>
  df.return
}

// -----

df.function @f(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) the result must have the ids' shape and a static depth}}
  %r = df.one_hot %i : (tensor<?xi64>) -> tensor<?x?xf32>
  df.return
}

// -----

//===-- random numbers and settings -------------------------------------------------===//

df.function @f() {
  // expected-error @+1 {{(C1) 'like' must have the result's shape, and a dynamic result needs it}}
  %r = df.random uniform "r" : () -> tensor<?xf32>
  df.return
}

// -----

df.function @f() {
  // expected-error @+1 {{(C2) the name must not be empty}}
  %r = df.random uniform "" : () -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%n: tensor<i64>) {
  // expected-error @+1 {{(C3) step comes with 'like' or 'each_step' only, row with 'like'}}
  %r = df.random uniform "r" step %n : (tensor<i64>) -> tensor<2xf32>
  df.return
}

// -----

df.function @f() {
  // expected-error @+1 {{(C1) a float result needs a float default}}
  %r = df.setting "rate" = 1 : i64 -> tensor<f32>
  df.return
}

// -----

//===-- state -----------------------------------------------------------------------===//

// expected-error @+1 {{(C2) slot_of and slot come together}}
df.variable @w : tensor<f32> = #df.constant<0.0> {slot = "accumulator"}

// -----

// expected-error @+1 {{(C5) is initialized with 1.500000e+00, which is not a value of 'i64'}}
df.variable @half : tensor<i64> = #df.constant<1.5>

// -----

// expected-error @+1 {{(C5) has random numbers for an initializer; they are floats, not 'i64'}}
df.variable @integers : tensor<i64> = #df.uniform<0.0, 1.0>

// -----

// expected-error @+1 {{(C5) is initialized with 3.000000e+02, which is not a value of 'i8'}}
df.variable @wide : tensor<i8> = #df.constant<300.0>

// -----

// expected-error @+1 {{names @absent, which is not a df.variable}}
df.variable @w : tensor<f32> = #df.constant<0.0> {slot_of = @absent, slot = "accumulator"}

// -----

// expected-error @+1 {{attribute 'type' failed to satisfy constraint}}
df.variable @w : tensor<?xf32> = #df.constant<0.0>

// -----

// expected-error @+1 {{(C1) terms must be distinct; found "a" again at position 1}}
df.vocabulary @t ["a", "a"]

// -----

// expected-error @+1 {{(C1) terms must be all strings or all i64; found 1 : i64 at position 1}}
df.vocabulary @t ["a", 1]

// -----

// expected-error @+1 {{(C1) needs at least one term}}
df.vocabulary @t []

// -----

// expected-error @+1 {{(C2) num_oov must be >= 0, and excludes a default_value}}
df.vocabulary @t ["a"] {num_oov = 2 : i64, default_value = 0 : i64}

// -----

df.function @f(%x: tensor<f32>) -> tensor<f64> {
  // expected-error @+1 {{(C1) returns}}
  df.return %x : tensor<f32>
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f() {
  // expected-error @+1 {{(C1) @w has type 'tensor<4x2xf32>'; found 'tensor<4x2xf64>'}}
  %r = df.read @w : tensor<4x2xf64>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C1) @w has type 'tensor<4x2xf32>'; found 'tensor<4x2xf64>'}}
  df.assign @w, %x : tensor<4x2xf64>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{(C1) @w has type 'tensor<4x2xf32>'; found 'tensor<4x2xf64>'}}
  df.assign_add @w, %x : tensor<4x2xf64>
  df.return
}

// -----

df.variable @w : tensor<4x2xf32> = #df.constant<0.0>
df.function @f(%x: tensor<4x2xf64>, %i: tensor<?xi64>, %j: tensor<2x2xi64>, %t: tensor<4x2xf32>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{names @absent, which is not a df.variable}}
  df.assign_sub @absent, %x : tensor<4x2xf64>
  df.return
}

// -----

//===-- control flow ----------------------------------------------------------------===//

df.function @f(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f64>) {
  // expected-error @+1 {{(C1) both regions must yield the result types}}
  %r = df.if %c : (tensor<i1>) -> tensor<f32> {
    df.yield %x : tensor<f32>
  } else {
    // expected-note @+1 {{yields ('tensor<f64>')}}
    df.yield %y : tensor<f64>
  }
  df.return
}

// -----

df.function @f(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f64>) {
  // expected-error @+1 {{(C1) regions must take the initial values' types}}
  %r = df.while(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f64>):
    df.condition %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    df.yield %a : tensor<f32>
  }
  df.return
}

// -----

df.function @f(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f64>) {
  // expected-error @+1 {{(C2) the condition region must end in df.condition}}
  %r = df.while(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    df.yield %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    df.yield %a : tensor<f32>
  }
  df.return
}

// -----

df.function @f(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f64>) {
  // expected-error @+1 {{(C2) the body must yield the carried types}}
  %r = df.while(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    df.condition %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    // expected-note @+1 {{yields ('tensor<f64>')}}
  df.yield %y : tensor<f64>
  }
  df.return
}

// -----

df.function @f(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<f64>) {
  // expected-error @+1 {{(C3) max_iterations must be >= 0; found -1}}
  %r = df.while(%x) {max_iterations = -1 : i64} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    df.condition %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    df.yield %a : tensor<f32>
  }
  df.return
}

// -----

df.function @f(%e: tensor<?xi64>) {
  // expected-error@+1 {{(C1) at least one side must have ends, all [m]}}
  %i, %j, %k = df.ragged_product {lhs_per_row = 2 : i64, rhs_per_row = 2 : i64, symbol = 1 : i64} : () -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  df.return
}

// -----

df.function @f(%e: tensor<?xi64>) {
  // expected-error@+1 {{(C2) positions must be [p]; expected 'tensor<?xi64>', found 'tensor<?x1xi64>'}}
  %i, %j, %k = df.ragged_product lhs_ends(%e) rhs_ends(%e) {symbol = 1 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?x1xi64>, tensor<?xi64>)
  df.return
}

// -----

df.function @f(%e: tensor<?xi64>) {
  // expected-error@+1 {{(C3) symbol and numbers per row must be at least 1}}
  %i, %j, %k = df.ragged_product lhs_ends(%e) {symbol = 1 : i64} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  df.return
}

// -----

// expected-error@+1 {{(C1) symbol must be in [1, 1048576]; found 0}}
df.dimension sum [1] as 0

// -----

df.dimension sum [1] as 1
// expected-error@+1 {{(C1) another dimension has symbol 1}}
df.dimension sum [2] as 1

// -----

// expected-error@+1 {{(C2) a sum needs factors >= 0, not all 0, of symbols below 1}}
df.dimension sum [1, 1] as 1

// -----

// expected-error@+1 {{(C2) a product needs at least two symbols in [1, 3)}}
df.dimension product [1, 3] as 3

// -----

df.function @f(%i: tensor<?xi64>, %e: tensor<?x2xi64>) {
  // expected-error@+1 {{(C2) ends must be [rows]; found 'tensor<?x2xi64>'}}
  %r = df.check_ids %i ends(%e) {low = 0 : i64, high = 2 : i64, what = "id"} : (tensor<?xi64>, tensor<?x2xi64>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%i: tensor<?x2xi64>) {
  // expected-error @+1 {{'df.bincount' op (C1) ids must be [n]; found 'tensor<?x2xi64>'}}
  %r = df.bincount %i : (tensor<?x2xi64>) -> tensor<4xi64>
  df.return
}

// -----

df.function @f(%i: tensor<4xi64>, %w: tensor<5xf32>) {
  // expected-error @+1 {{(C1) weights must have the ids' shape}}
  %r = df.bincount %i, %w : (tensor<4xi64>, tensor<5xf32>) -> tensor<4xf32>
  df.return
}

// -----

df.function @f(%i: tensor<4xi64>) {
  // expected-error @+1 {{(C2) the result must be [bins], static, of 'i64'; found 'tensor<?xi64>'}}
  %r = df.bincount %i : (tensor<4xi64>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%i: tensor<4xi64>, %w: tensor<4xf32>) {
  // expected-error @+1 {{(C2) the result must be [bins], static, of 'f32'; found 'tensor<4xf64>'}}
  %r = df.bincount %i, %w : (tensor<4xi64>, tensor<4xf32>) -> tensor<4xf64>
  df.return
}

// -----

df.function @f() {
  // expected-error @+1 {{(C1) names @f, which is not a df.function of segment kind called}}
  df.call @f() : () -> ()
  df.return
}

// -----

df.function @c(%x: tensor<f32> {df.binding = #df.binding<intermediate, "c0.a0">}) -> (tensor<f32> {df.binding = #df.binding<intermediate, "c0.r0">}) attributes {entry = "f", segment = #df.segment<called>} {
  df.return %x : tensor<f32>
}
df.function @f(%y: tensor<2xf32>) {
  // expected-error @+1 {{(C2) gives ('tensor<2xf32>'); @c takes ('tensor<f32>')}}
  %z = df.call @c(%y) : (tensor<2xf32>) -> tensor<f32>
  df.return
}

// -----

df.function @c(%x: tensor<f32> {df.binding = #df.binding<intermediate, "c0.a0">}) -> (tensor<f32> {df.binding = #df.binding<intermediate, "c0.r0">}) attributes {entry = "f", segment = #df.segment<called>} {
  df.return %x : tensor<f32>
}
df.function @f(%y: tensor<f32>) {
  // expected-error @+1 {{(C3) takes (); @c gives ('tensor<f32>')}}
  df.call @c(%y) : (tensor<f32>) -> ()
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %low: tensor<1xf32>) {
  // expected-error @+1 {{'df.histogram' op (C1) 'low' and 'high' must be scalars of the operand's element type}}
  %h = df.histogram %x, %low, %low : (tensor<?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<10xi64>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %low: tensor<f32>) {
  // expected-error @+1 {{'df.histogram' op (C2) the result must be [bins], static, with bins > 0; found 'tensor<?xi64>'}}
  %h = df.histogram %x, %low, %low : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%x: tensor<3x4xi64>, %y: tensor<3x4xi32>, %n: tensor<3xi64>) {
  // expected-error @+1 {{'df.edit_distance' op (C1) hypothesis must be [n, u] and truth [n, v] of one element type}}
  %d = df.edit_distance %x, %y, %n, %n : (tensor<3x4xi64>, tensor<3x4xi32>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<3x4xi64>, %n: tensor<4xi64>) {
  // expected-error @+1 {{'df.edit_distance' op (C2) lengths must be [n]: found 'tensor<4xi64>' and 'tensor<3x4xi64>'}}
  %d = df.edit_distance %x, %x, %n, %n : (tensor<3x4xi64>, tensor<3x4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<3xf32>
  df.return
}

// -----

df.function @f(%x: tensor<3x4xi64>, %n: tensor<3xi64>) {
  // expected-error @+1 {{'df.edit_distance' op (C3) the result must be [n] of f32; expected 'tensor<3xf32>', found 'tensor<4xf32>'}}
  %d = df.edit_distance %x, %x, %n, %n : (tensor<3x4xi64>, tensor<3x4xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<4xf32>
  df.return
}
