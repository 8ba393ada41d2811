// Dimension symbols that arguments and results cannot have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{(C2) argument 1 of type 'tensor<?x?xf32>' has df.symbols = array<i64: 1>; expected array<i64> of symbols in [0, 1048576], one for each dynamic dimension of a tensor}}
df.function @count(%a: tensor<?xf32>, %b: tensor<?x?xf32> {df.symbols = array<i64: 1>}) {
  df.return
}

// -----

// expected-error @+1 {{(C2) argument 0 of type 'tensor<?xf32>' has df.symbols = array<i64: -1>}}
df.function @negative(%a: tensor<?xf32> {df.symbols = array<i64: -1>}) {
  df.return
}

// -----

// expected-error @+1 {{'df.symbols' must be an array of i64; found [0, 1]}}
df.function @kind(%a: tensor<?x?xf32> {df.symbols = [0, 1]}) {
  df.return
}

// -----

// expected-error @+1 {{(C2) argument 0 has both df.symbol and df.symbols}}
df.function @both(%a: tensor<?x?xf32> {df.symbol = 1, df.symbols = array<i64: 1, 2>}) {
  df.return
}

// -----

// expected-error @+1 {{(C2) result 0 of type 'tensor<?xf32>' has df.symbols = array<i64: 0, 1>}}
df.function @result(%a: tensor<?xf32>) -> (tensor<?xf32> {df.symbols = array<i64: 0, 1>}) {
  df.return %a : tensor<?xf32>
}
