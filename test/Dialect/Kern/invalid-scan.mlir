// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @axis(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) axis 2 is no dimension of 'tensor<?x4xf32>'}}
  %y = kern.scan ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%sum: f32, %a: f32):
    kern.yield %sum, %a : f32, f32
  } {axis = 2 : i64, initial = 0.0 : f32}
  return %y : tensor<?x4xf32>
}

// -----

func.func @shape(%x: tensor<?x3xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) ins must have the out's dimensions; found 'tensor<?x3xf32>' and 'tensor<?x4xf32>'}}
  %y = kern.scan ins(%x : tensor<?x3xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%sum: f32, %a: f32):
    kern.yield %sum, %a : f32, f32
  } {axis = 0 : i64, initial = 0.0 : f32}
  return %y : tensor<?x4xf32>
}

// -----

func.func @takes(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C2): the region must take ('f64', 'f32'); found ('f32', 'f32')}}
  %y = kern.scan ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%sum: f32, %a: f32):
    kern.yield %sum, %a : f32, f32
  } {axis = 0 : i64, initial = 0.0 : f64}
  return %y : tensor<?x4xf32>
}

// -----

func.func @yields(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C3): the region must yield ('f32', 'f32'); found ('f32')}}
  %y = kern.scan ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%sum: f32, %a: f32):
    kern.yield %sum : f32
  } {axis = 0 : i64, initial = 0.0 : f32}
  return %y : tensor<?x4xf32>
}
