// What the verifiers of concatenations, splits and copies refuse.
// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @ok(%a: tensor<?x1xf32>, %b: tensor<?x4xf32>, %o: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %x = kern.concat ins(%a, %b : tensor<?x1xf32>, tensor<?x4xf32>) outs(%o : tensor<?x5xf32>) {axis = 1 : i64} -> tensor<?x5xf32>
  return %x : tensor<?x5xf32>
}

// -----

func.func @axis(%a: tensor<?x1xf32>, %o: tensor<?x1xf32>) {
  // expected-error @+1 {{(C1) axis 2 is no dimension of 'tensor<?x1xf32>'}}
  %x = kern.concat ins(%a : tensor<?x1xf32>) outs(%o : tensor<?x1xf32>) {axis = 2 : i64} -> tensor<?x1xf32>
  return
}

// -----

func.func @shape(%a: tensor<3x1xf32>, %o: tensor<4x1xf32>) {
  // expected-error @+1 {{(C1) ins must be as the out but for dimension 1; found 'tensor<3x1xf32>' and 'tensor<4x1xf32>'}}
  %x = kern.concat ins(%a : tensor<3x1xf32>) outs(%o : tensor<4x1xf32>) {axis = 1 : i64} -> tensor<4x1xf32>
  return
}

// -----

func.func @sum(%a: tensor<?x1xf32>, %o: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) the ins have 2 in all along dimension 1, the out 3}}
  %x = kern.concat ins(%a, %a : tensor<?x1xf32>, tensor<?x1xf32>) outs(%o : tensor<?x3xf32>) {axis = 1 : i64} -> tensor<?x3xf32>
  return
}

// -----

func.func @nothing(%o: tensor<?x3xf32>) {
  // expected-error @+1 {{(C1) needs ins and one out}}
  %x = "kern.concat"(%o) {axis = 1 : i64, operandSegmentSizes = array<i32: 0, 1>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @copies(%a: memref<?xf32>, %x: memref<?xf32, strided<[2]>>, %y: memref<?xf32, strided<[2], offset: 1>>) {
  kern.copies %a, %a to %x, %y : memref<?xf32>, memref<?xf32> to memref<?xf32, strided<[2]>>, memref<?xf32, strided<[2], offset: 1>>
  return
}

// -----

func.func @uneven(%a: memref<?xf32>, %x: memref<?xf32>) {
  // expected-error @+1 {{(C1) needs a target for each source; found 1 for 2}}
  kern.copies %a, %a to %x : memref<?xf32>, memref<?xf32> to memref<?xf32>
  return
}

// -----

func.func @kinds(%a: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32, strided<[2]>>) {
  // expected-error @+1 {{(C2) copies must be of one kind, with rows along one dimension; found 'memref<?xf32>' to 'memref<?xf32, strided<[2]>>'}}
  kern.copies %a, %a to %x, %y : memref<?xf32>, memref<?xf32> to memref<?xf32>, memref<?xf32, strided<[2]>>
  return
}

// -----

func.func @two_dynamic(%a: memref<?x?xf32>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{(C2) copies must be of one kind}}
  kern.copies %a to %x : memref<?x?xf32> to memref<?x?xf32>
  return
}

// -----

func.func @split(%x: tensor<5x2xf32>, %a: tensor<1x2xf32>, %b: tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<4x2xf32>) {
  %y:2 = kern.split ins(%x : tensor<5x2xf32>) outs(%a, %b : tensor<1x2xf32>, tensor<4x2xf32>) {axis = 0 : i64, offsets = array<i64: 0, 1>} -> tensor<1x2xf32>, tensor<4x2xf32>
  return %y#0, %y#1 : tensor<1x2xf32>, tensor<4x2xf32>
}

// -----

func.func @split_axis(%x: tensor<5xf32>, %a: tensor<1xf32>) {
  // expected-error @+1 {{(C1) axis 1 is no dimension of 'tensor<5xf32>'}}
  %y = kern.split ins(%x : tensor<5xf32>) outs(%a : tensor<1xf32>) {axis = 1 : i64, offsets = array<i64: 0>} -> tensor<1xf32>
  return
}

// -----

func.func @split_shape(%x: tensor<5x2xf32>, %a: tensor<1x3xf32>) {
  // expected-error @+1 {{(C1) outs must be as the value but for dimension 0; found 'tensor<1x3xf32>' and 'tensor<5x2xf32>'}}
  %y = kern.split ins(%x : tensor<5x2xf32>) outs(%a : tensor<1x3xf32>) {axis = 0 : i64, offsets = array<i64: 0>} -> tensor<1x3xf32>
  return
}

// -----

func.func @split_offsets(%x: tensor<5xf32>, %a: tensor<1xf32>) {
  // expected-error @+1 {{(C2) needs an offset for each out; found 2 for 1}}
  %y = kern.split ins(%x : tensor<5xf32>) outs(%a : tensor<1xf32>) {axis = 0 : i64, offsets = array<i64: 0, 1>} -> tensor<1xf32>
  return
}

// -----

func.func @split_beyond(%x: tensor<5xf32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{(C2) the part from 4 on, 'tensor<2xf32>', is not within 'tensor<5xf32>'}}
  %y = kern.split ins(%x : tensor<5xf32>) outs(%a : tensor<2xf32>) {axis = 0 : i64, offsets = array<i64: 4>} -> tensor<2xf32>
  return
}

// -----

// Sizes that no number holds.
func.func @too_many(%a: tensor<9223372036854775807xi8>, %o: tensor<?xi8>) {
  // expected-error @+1 {{(C1) the ins have more in all along dimension 0 than a number holds}}
  %x = kern.concat ins(%a, %a : tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8>) outs(%o : tensor<?xi8>) {axis = 0 : i64} -> tensor<?xi8>
  return
}
