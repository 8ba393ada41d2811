// What says that factors are numbers of tf32 stands on products of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @of_halves(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{has 'kern.tf32', which only kern.contract and attention of f32 have}}
  %y = kern.contract ins(%x, %w : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], kern.tf32}
  return %y : tensor<4x4xf32>
}

// -----

func.func @of_a_number(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{has 'kern.tf32' = 1 : i64; expected a unit attribute}}
  %y = kern.contract ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = [], kern.tf32 = 1 : i64}
  return %y : tensor<4x4xf32>
}
