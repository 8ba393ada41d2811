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

df.function @runaway() -> tensor<f32> {
  %x = df.constant dense<1.0> : tensor<f32>
  // expected-error @below {{did not end within 5 iterations}}
  %r = df.while (%x) {max_iterations = 5 : i64, must_end} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    %b = df.add %a, %a : tensor<f32>
    df.yield %b : tensor<f32>
  }
  df.return %r : tensor<f32>
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
