// Products of tensors of any rank, and what their verifier refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @window(%x: tensor<?x9x3xf32>, %w: tensor<2x3x4xf32>, %y: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  %r = kern.contract ins(%x, %w : tensor<?x9x3xf32>, tensor<2x3x4xf32>) outs(%y : tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(b, p, o, k, c) -> (b, p * 2 + k, c)>, affine_map<(b, p, o, k, c) -> (k, c, o)>, affine_map<(b, p, o, k, c) -> (b, p, o)>]}
  return %r : tensor<?x4x4xf32>
}

// -----

func.func @two_maps(%x: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) maps must be three, without transposition}}
  %r = kern.contract ins(%x, %x : tensor<4x3xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>]}
  return
}

// -----

func.func @ranks(%x: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) maps must go from the loops to the operands' dimensions}}
  %r = kern.contract ins(%x, %x : tensor<4x3xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @columns(%x: tensor<4xf32>, %w: tensor<4x2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+1 {{(C4) there must be one column loop, the outs' last dimension}}
  %r = kern.contract ins(%x, %w : tensor<4xf32>, tensor<4x2x3xf32>) outs(%y : tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, m, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @alone(%x: tensor<4x3x2xf32>, %w: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) a loop must be of two operands at least}}
  %r = kern.contract ins(%x, %w : tensor<4x3x2xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k)>, affine_map<(m, n, k, l) -> (m, n)>]}
  return
}

// -----

func.func @inner(%x: tensor<9xf32>, %w: tensor<9x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{(C4) an inner loop must be a dimension of rhs}}
  %r = kern.contract ins(%x, %w : tensor<9xf32>, tensor<9x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m + k)>, affine_map<(m, n, k) -> (k * 2, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @linear(%x: tensor<9x4xf32>, %w: tensor<4x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{(C4) dimensions must be linear in the loops}}
  %r = kern.contract ins(%x, %w : tensor<9x4xf32>, tensor<4x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m floordiv 2, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}
