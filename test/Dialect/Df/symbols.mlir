// Features with dynamic dimensions after the rows get dimension symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --df-number-symbols | FileCheck %s
// Twice is once.
// RUN: mlc-opt %s --split-input-file --df-number-symbols --df-number-symbols | FileCheck %s
// RUN: mlc-opt %s --split-input-file --mlc-df-pipeline | FileCheck %s --check-prefix=BOUND

// A feature has the same symbols in all functions, above those that are named; what a function names holds for the others.
// CHECK: df.function @train(%{{.*}}: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 6>}, %{{.*}}: tensor<?x?x2xf32> {df.name = "y", df.symbols = array<i64: 0, 5>}, %{{.*}}: tensor<?xf32> {df.name = "z"})
// CHECK: df.function @predict(%{{.*}}: tensor<?x?x2xf32> {df.name = "y", df.symbols = array<i64: 0, 5>}, %{{.*}}: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 6>}
// Values of rows keep their symbol; a first dimension that is static has none.
// CHECK: df.function @other(%{{.*}}: tensor<?x?xf32> {df.name = "a", df.symbols = array<i64: 3, 7>}, %{{.*}}: tensor<4x?xf32> {df.name = "b", df.symbols = array<i64: 8>}, %{{.*}}: tensor<4xf32> {df.name = "c"})
df.function @train(%x: tensor<?x?xf32> {df.name = "x"}, %y: tensor<?x?x2xf32> {df.name = "y"}, %z: tensor<?xf32> {df.name = "z"}) -> (tensor<f32> {df.name = "loss"}) {
  %s = df.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
  df.return %s : tensor<f32>
}
// BOUND: df.function @predict(%{{.*}}: tensor<?x?x2xf32> {df.binding = #df.binding<feature, "y">, df.symbols = array<i64: 0, 5>}
// An output of these sizes has their symbols, one whose sizes are no symbols those of the call.
// BOUND-SAME: -> (tensor<?x?x2xf32> {df.binding = #df.binding<output, "u">, df.symbols = array<i64: 0, 5>}, tensor<?x?x2xf32> {df.binding = #df.binding<output, "v">, df.symbol = -1 : i64})
df.function @predict(%y: tensor<?x?x2xf32> {df.name = "y", df.symbols = array<i64: 0, 5>}, %x: tensor<?x?xf32> {df.name = "x"}) -> (tensor<?x?x2xf32> {df.name = "u"}, tensor<?x?x2xf32> {df.name = "v"}) {
  %u = df.relu %y : tensor<?x?x2xf32>
  %v = df.concat %y, %y {axis = 1 : i64} : (tensor<?x?x2xf32>, tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  df.return %u, %v : tensor<?x?x2xf32>, tensor<?x?x2xf32>
}
df.function @other(%a: tensor<?x?xf32> {df.name = "a", df.symbol = 3}, %b: tensor<4x?xf32> {df.name = "b"}, %c: tensor<4xf32> {df.name = "c"}) {
  df.return
}

// -----

// What crosses to the step keeps its symbols.
// BOUND: df.function @predict.features(%{{.*}}: tensor<?x?x!df.string> {df.binding = #df.binding<feature, "w">, df.symbols = array<i64: 0, 1>}) -> (tensor<?x?xi64> {df.binding = #df.binding<intermediate, "i0">, df.symbols = array<i64: [[A:.*]]>})
// BOUND: df.function @predict.step(%{{.*}}: tensor<?x?xi64> {df.binding = #df.binding<intermediate, "i0">, df.symbols = array<i64: [[A]]>}) -> (tensor<?x?xi64> {df.binding = #df.binding<output, "n">, df.symbols = array<i64: 1, 0>})
df.function @predict(%w: tensor<?x?x!df.string> {df.name = "w"}) -> (tensor<?x?xi64> {df.name = "n"}) {
  %h = df.fingerprint %w : (tensor<?x?x!df.string>) -> tensor<?x?xi64>
  %b = df.hash_bucket %h {buckets = 10 : i64} : tensor<?x?xi64>
  %t = df.transpose %b {permutation = array<i64: 1, 0>} : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %f = df.cast %t : (tensor<?x?xi64>) -> tensor<?x?xf64>
  %e = df.exp %f : tensor<?x?xf64>
  %n = df.cast %e : (tensor<?x?xf64>) -> tensor<?x?xi64>
  df.return %n : tensor<?x?xi64>
}
