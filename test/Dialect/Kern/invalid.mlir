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
  // expected-error @+1 {{(C1) ends must be [m] and both sides alike behind the first dimension}}
  %s = kern.segment_sum ins(%v, %e : tensor<?x4xf32>, tensor<?xi64>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}

// -----

func.func @repeat(%v: tensor<?x4xf32>, %e: tensor<?x1xi64>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) ends must be [m] and both sides alike behind the first dimension}}
  %s = kern.segment_repeat ins(%v, %e : tensor<?x4xf32>, tensor<?x1xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
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

func.func @every_row(%ids: tensor<?xi64>, %n: tensor<i64>, %g: tensor<?x4xf32>, %w: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{(C2): the region must take ('f32', 'f32', 'i1'); found ('f32', 'f32')}}
  %u = kern.update_rows every_row ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%x: f32, %d: f32):
    kern.yield %d : f32
  }
  return %u : tensor<9x4xf32>
}
