// A count that the axis does not hold is an error at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.function @too_many() -> tensor<?xf32> {
  %x = df.constant dense<1.0> : tensor<3xf32>
  %k = df.constant dense<4> : tensor<i64>
  // expected-error @+1 {{'df.top_k' op takes 4 elements of an axis of 3}}
  %v:2 = df.top_k %x, %k : (tensor<3xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi64>)
  df.return %v#0 : tensor<?xf32>
}

// -----

df.function @too_short(%x: tensor<?xf32> {df.value = dense<1.0> : tensor<1xf32>}) -> tensor<2xf32> {
  // expected-error @+1 {{'df.top_k' op takes 2 elements of an axis of 1}}
  %v:2 = df.top_k %x {k = 2 : i64} : (tensor<?xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  df.return %v#0 : tensor<2xf32>
}

// -----

df.function @negative() -> tensor<?xf32> {
  %x = df.constant dense<1.0> : tensor<3xf32>
  %k = df.constant dense<-1> : tensor<i64>
  // expected-error @+1 {{'df.top_k' op takes -1 elements of an axis of 3}}
  %v:2 = df.top_k %x, %k : (tensor<3xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi64>)
  df.return %v#0 : tensor<?xf32>
}
