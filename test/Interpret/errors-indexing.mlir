// Indices, ranges and shapes of run time that fail, each with an error at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.function @gather() -> tensor<2xf32> {
  %x = df.constant dense<0.0> : tensor<3x4xf32>
  %i = df.constant dense<[[2, 3], [1, 4]]> : tensor<2x2xi64>
  // expected-error @+1 {{component 1 of index 1 is 4, not in [0, 4)}}
  %y = df.gather %x, %i {axes = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}

// -----

df.function @negative() -> tensor<1xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %i = df.constant dense<[-1]> : tensor<1xi64>
  // expected-error @+1 {{component 0 of index 0 is -1, not in [0, 3)}}
  %y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
  df.return %y : tensor<1xf32>
}

// -----

df.function @scatter() -> tensor<3xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %i = df.constant dense<[0, 3]> : tensor<2xi64>
  %u = df.constant dense<1.0> : tensor<2xf32>
  // expected-error @+1 {{component 0 of index 1 is 3, not in [0, 3)}}
  %y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
  df.return %y : tensor<3xf32>
}

// -----

df.function @slice(%d: tensor<?xf32> {df.value = dense<0.0> : tensor<3xf32>}) -> tensor<2xf32> {
  // expected-error @+1 {{component 0 of the start is 2: 2 elements from there are not within the 3 of the dimension}}
  %y = df.slice %d {starts = array<i64: 2>, sizes = array<i64: 2>} : (tensor<?xf32>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}

// -----

df.function @update(%d: tensor<?xf32> {df.value = dense<0.0> : tensor<3xf32>}) -> tensor<?xf32> {
  %u = df.constant dense<0.0> : tensor<2xf32>
  // expected-error @+1 {{component 0 of the start is 0: 2 elements from there are not within the 3 of the dimension}}
  %y = df.update_slice %d, %u {starts = array<i64: 0>, strides = array<i64: 3>} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @dynamic_slice() -> tensor<2xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %s = df.constant dense<[-1]> : tensor<1xi64>
  // expected-error @+1 {{component 0 of the start is -1: 2 elements from there are not within the 3 of the dimension}}
  %y = df.dynamic_slice %x, %s : (tensor<3xf32>, tensor<1xi64>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}

// -----

df.function @dynamic_update() -> tensor<3xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %u = df.constant dense<0.0> : tensor<2xf32>
  %s = df.constant dense<[2]> : tensor<1xi64>
  // expected-error @+1 {{component 0 of the start is 2: 2 elements from there are not within the 3 of the dimension}}
  %y = df.dynamic_update_slice %x, %u, %s : (tensor<3xf32>, tensor<2xf32>, tensor<1xi64>) -> tensor<3xf32>
  df.return %y : tensor<3xf32>
}

// -----

df.function @broadcast() -> tensor<?x3xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %s = df.constant dense<[-2, 3]> : tensor<2xi64>
  // expected-error @+1 {{size -2 of dimension 0 is not one of 'tensor<?x3xf32>'}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  df.return %y : tensor<?x3xf32>
}

// -----

df.function @broadcast_operand() -> tensor<?x?xf32> {
  %x = df.constant dense<0.0> : tensor<3xf32>
  %s = df.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error @+1 {{dimension 0 of the operand is 3, the result's 4}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// -----

df.function @reshape() -> tensor<?x?xf32> {
  %x = df.constant dense<0.0> : tensor<6xf32>
  %s = df.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error @+1 {{the shape does not hold the 6 elements of the operand}}
  %y = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// -----

df.function @reshape_twice_open() -> tensor<?x?xf32> {
  %x = df.constant dense<0.0> : tensor<6xf32>
  %s = df.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error @+1 {{size -1 of dimension 1 must be >= 0, or -1 once}}
  %y = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// -----

df.function @reshape_type() -> tensor<?x2xf32> {
  %x = df.constant dense<0.0> : tensor<6xf32>
  %s = df.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+1 {{size 3 of dimension 1 is not one of 'tensor<?x2xf32>'}}
  %y = df.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// -----

df.function @require(%x: tensor<i64> {df.value = dense<3> : tensor<i64>}) -> tensor<i64> {
  %four = df.constant dense<4> : tensor<i64>
  %ok = df.compare eq, %x, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
  // expected-error @+1 {{the condition does not hold: must be four}}
  df.require %ok, "must be four" : tensor<i1>
  df.return %x : tensor<i64>
}

// -----

df.function @range() -> tensor<?xi64> {
  %x = df.constant dense<3> : tensor<i64>
  %zero = df.constant dense<0> : tensor<i64>
  // expected-error @+1 {{size -1 of dimension 0 is not one of 'tensor<?xi64>'}}
  %y = df.range %zero, %x, %zero : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  df.return %y : tensor<?xi64>
}
