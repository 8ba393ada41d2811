// What the verifiers of launches, groups and segments refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @group(%n: index) {
  // expected-error @+1 {{(C1) the region must hold kern.launch only; found arith.constant}}
  kern.group {
    %c = arith.constant 0 : index
  }
  return
}

// -----

func.func @launch(%n: index) {
  // expected-error @+1 {{(C1) the region must take an index and yield nothing}}
  kern.launch %n cost 1 {
  ^bb0(%i: i64):
    kern.yield
  }
  return
}

// -----

func.func @sum(%v: tensor<?x4xf32>, %e: tensor<?xi64>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{(C1) ends must be [m] of i64 and both sides alike after the first dimension}}
  %s = kern.ragged_sum ins(%v, %e : tensor<?x4xf32>, tensor<?xi64>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}

// -----

func.func @repeat(%v: tensor<?x4xf32>, %e: tensor<?x1xi64>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) ends must be [m] of i64 and both sides alike after the first dimension}}
  %s = kern.ragged_repeat ins(%v, %e : tensor<?x4xf32>, tensor<?x1xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

func.func @attribute(%n: index) {
  // expected-error @+1 {{has the attribute 'kern.const', which the kern dialect does not have}}
  kern.group {
  } {kern.const = 1 : i64}
  return
}

// -----

func.func @goes_on(%n: index) {
  // expected-error @+1 {{has 'kern.may_go_on', which only scf.for has}}
  kern.group {
  } {kern.may_go_on}
  return
}

// -----

func.func @goes_on_often(%n: index) {
  // expected-error @+1 {{has 'kern.may_go_on' = 2 : i64; expected a unit attribute}}
  scf.for %i = %n to %n step %n {
  } {kern.may_go_on = 2 : i64}
  return
}

// -----

func.func @every_row(%ids: tensor<?xi64>, %n: tensor<i64>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C2): the region must take ('f32', 'f32', 'i1'); found ('f32', 'f32')}}
  %u = kern.update_rows every_row ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}

// -----

func.func @repeat_of_more(%v: tensor<5x4xf32>, %e: tensor<6xi64>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) ends must be [m] of i64 and both sides alike after the first dimension; found 'tensor<6xi64>' for 'tensor<5x4xf32>'}}
  %s = kern.ragged_repeat ins(%v, %e : tensor<5x4xf32>, tensor<6xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

func.func @group_sum_types(%v: tensor<?x4xf32>, %e: tensor<?xi64>, %n: tensor<i64>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{(C1) values and out must have one type, of rows; found 'tensor<?x4xf32>' and 'tensor<?x3xf32>'}}
  %g = kern.group_sum ins(%v, %e, %e, %n : tensor<?x4xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}

// -----

func.func @group_sum_order(%v: tensor<7x4xf32>, %e: tensor<7xi64>, %r: tensor<7xi32>, %n: tensor<i64>, %o: tensor<7x4xf32>) -> tensor<7x4xf32> {
  // expected-error @+1 {{(C1) ends and order must be [n] of i64 for n values; found 'tensor<7xi64>' and 'tensor<7xi32>'}}
  %g = kern.group_sum ins(%v, %e, %r, %n : tensor<7x4xf32>, tensor<7xi64>, tensor<7xi32>, tensor<i64>) outs(%o : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %g : tensor<7x4xf32>
}

// -----

func.func @group_sum_ends(%v: tensor<7x4xf32>, %e: tensor<6xi64>, %r: tensor<7xi64>, %n: tensor<i64>, %o: tensor<7x4xf32>) -> tensor<7x4xf32> {
  // expected-error @+1 {{(C1) ends and order must be [n] of i64 for n values; found 'tensor<6xi64>' and 'tensor<7xi64>'}}
  %g = kern.group_sum ins(%v, %e, %r, %n : tensor<7x4xf32>, tensor<6xi64>, tensor<7xi64>, tensor<i64>) outs(%o : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %g : tensor<7x4xf32>
}

// -----

func.func @group_sum_count(%v: tensor<?x4xf32>, %e: tensor<?xi64>, %n: tensor<1xi64>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) count must be a scalar of i64; found 'tensor<1xi64>'}}
  %g = kern.group_sum ins(%v, %e, %e, %n : tensor<?x4xf32>, tensor<?xi64>, tensor<?xi64>, tensor<1xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %g : tensor<?x4xf32>
}

// -----

func.func @group_sum_outs(%v: memref<?x4xf32>, %e: memref<?xi64>, %n: memref<i64>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{(C1) needs one out}}
  kern.group_sum ins(%v, %e, %e, %n : memref<?x4xf32>, memref<?xi64>, memref<?xi64>, memref<i64>) outs(%o, %o : memref<?x4xf32>, memref<?x4xf32>)
  return
}

// -----

func.func @take_narrow_ids(%t: tensor<9x4xf32>, %i: tensor<?xi32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) ids must be [n] of i64 and the out [n, d...] with the table's rows; found 'tensor<9x4xf32>', 'tensor<?xi32>'}}
  %e = kern.take_rows ins(%t, %i : tensor<9x4xf32>, tensor<?xi32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}

// -----

func.func @take_other_type(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %o: tensor<3x4xf64>) -> tensor<3x4xf64> {
  // expected-error @+1 {{(C1) ids must be [n] of i64 and the out [n, d...] with the table's rows}}
  %e = kern.take_rows ins(%t, %i : tensor<9x4xf32>, tensor<3xi64>) outs(%o : tensor<3x4xf64>) -> tensor<3x4xf64>
  return %e : tensor<3x4xf64>
}

// -----

func.func @take_more(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %o: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // expected-error @+1 {{(C1) ids must be [n] of i64 and the out [n, d...] with the table's rows}}
  %e = kern.take_rows ins(%t, %i : tensor<9x4xf32>, tensor<3xi64>) outs(%o : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %e : tensor<5x4xf32>
}

// -----

func.func @update_ids(%ids: tensor<?x1xi64>, %n: tensor<i64>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C1) ids, ends and order must be [n] of i64 for n values; found 'tensor<?x1xi64>'}}
  %u = kern.update_rows ids(%ids, %n : tensor<?x1xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}

// -----

func.func @update_count(%ids: tensor<?xi64>, %n: tensor<f32>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C1) count must be a scalar of i64; found 'tensor<f32>'}}
  %u = kern.update_rows ids(%ids, %n : tensor<?xi64>, tensor<f32>) values(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}

// -----

func.func @update_values(%ids: tensor<?xi64>, %n: tensor<i64>, %g: tensor<?x5xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C1) values must be rows as the outs have; found 'tensor<?x5xf32>' for 'tensor<9x4xf32>'}}
  %u = kern.update_rows ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x5xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}

// -----

func.func @update_outs(%ids: tensor<?xi64>, %n: tensor<i64>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>, %s: tensor<8x4xf32>) {
  // expected-error @+1 {{(C1) needs outs of one type, of rows}}
  %u:2 = kern.update_rows ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%w, %s : tensor<9x4xf32>, tensor<8x4xf32>) -> tensor<9x4xf32>, tensor<8x4xf32> {
  ^bb0(%x: f32, %y: f32, %d: f32):
    kern.yield %d, %d : f32, f32
  }
  return
}

// -----

func.func @update_scalars(%ids: tensor<?xi64>, %n: tensor<i64>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C1) scalars must have one element; found 'tensor<?x4xf32>'}}
  %u = kern.update_rows ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) scalars(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32, %s: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}

// -----

func.func @inner_sizes(%x: tensor<?x4xf32>, %w: tensor<5x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{(C5) loop 2 has 4 iterations; found 'tensor<5x8xf32>' with 5 in dimension 0}}
  %h = kern.contract ins(%x, %w : tensor<?x4xf32>, tensor<5x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return %h : tensor<?x8xf32>
}

// -----

func.func @no_projection(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{(C2) a map must be a projection of the outs' dimensions to the extra's; found affine_map<(d0, d1) -> (d0 + d1)>}}
  %h = kern.contract ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) extras(%b : tensor<8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%acc: f32, %i: f32):
    kern.yield %acc : f32
  } {extra_maps = [affine_map<(m, n) -> (m + n)>]}
  return %h : tensor<?x8xf32>
}
