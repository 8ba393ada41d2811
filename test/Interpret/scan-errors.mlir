// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @count(%x: tensor<?xf32> {df.value = dense<[1.0, 2.0]> : tensor<2xf32>}) -> tensor<?xf32> {
  %n = df.constant dense<3> : tensor<i64>
  // expected-error @below {{count must be between 0 and the number of rows, 2; found 3}}
  %r = df.scan () over (%x) count %n : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32> {
  ^bb0(%row: tensor<f32>):
    df.yield %row : tensor<f32>
  }
  df.return %r : tensor<?xf32>
}

// -----

df.function @rows(%x: tensor<?xf32> {df.value = dense<[1.0, 2.0]> : tensor<2xf32>}, %y: tensor<?xf32> {df.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}) -> tensor<?xf32> {
  // expected-error @below {{(C1) sequences must have one leading dimension; found 2 and 3}}
  %r = df.scan () over (%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%row: tensor<f32>, %other: tensor<f32>):
    df.yield %row : tensor<f32>
  }
  df.return %r : tensor<?xf32>
}
