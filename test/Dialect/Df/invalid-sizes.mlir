// No tensor has more than 2^58 elements: what counts elements and bytes does not overflow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// As many are fine.
df.variable @largest : tensor<536870912x536870912xf32> = #df.constant<0.0>
df.function @takes_as_many(%x: tensor<?x536870912x536870912xi8>) {
  df.return
}

// -----

// expected-error @below {{is of type 'tensor<536870912x536870913xf32>'; the most are 288230376151711744 elements}}
df.variable @w : tensor<536870912x536870913xf32> = #df.constant<0.0>

// -----

// The product of these is 0 in 64 bits.
// expected-error @below {{has a value of type 'tensor<4294967296x?x4294967296xf32>'; the most are 288230376151711744 elements}}
df.function @f(%x: tensor<4294967296x?x4294967296xf32>) {
  df.return
}

// -----

df.function @f(%x: tensor<1048576xf32>, %y: tensor<1048576x1048576xf32>) {
  // expected-error @below {{has a value of type 'tensor<1048576x1048576x1048576xf32>'}}
  %z = df.broadcast %x dimensions = [2] : (tensor<1048576xf32>) -> tensor<1048576x1048576x1048576xf32>
  df.return
}

// -----

// A dimension of no elements hides no others.
// expected-error @below {{has a value of type 'tensor<0x4294967296x4294967296xf32>'}}
df.function @f(%x: tensor<0x4294967296x4294967296xf32>) {
  df.return
}

// -----

// expected-error @below {{'df.value' must be at most 2^58 elements}}
df.function @f(%x: tensor<?x2xf32> {df.value = dense<1.0> : tensor<4294967296x4294967296xf32>}) {
  df.return
}

// -----

// expected-error @below {{(C1) symbol must be in [1, 1048576]; found 1048577}}
df.dimension sum [1] as 1048577

// -----

df.dimension sum [2] as 1
df.dimension sum [0, 2] as 2
// expected-error @below {{(C1) another dimension has symbol 2}}
df.dimension sum [3] as 2

// -----

df.function @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{(C5) parallel_iterations must be in [1, 1024]; found 1025}}
  %y = df.scan () over (%x) parallel_iterations 1025 : (tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%row: tensor<4xf32>):
    df.yield %row : tensor<4xf32>
  }
  df.return %y : tensor<?x4xf32>
}

// -----

// The square of the block overflows.
df.function @f(%x: tensor<?x1x1x8xf32>) {
  // expected-error @below {{(C2) block 4294967296 squared does not divide the channels}}
  %y = df.depth_to_space %x {block = 4294967296 : i64} : (tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  df.return
}
