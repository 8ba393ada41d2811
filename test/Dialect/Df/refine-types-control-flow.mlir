// What is known of sizes goes through branches, loops and calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(df-refine-types)' | FileCheck %s
// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(df-refine-types,df-refine-types)' | FileCheck %s

// Both regions yield 4 elements.
// CHECK-LABEL: @both
// CHECK: %[[I:.*]] = df.if %{{.*}} : (tensor<i1>) -> tensor<4xf32> {
// CHECK: %[[A:.*]] = df.add %{{.*}} : tensor<4xf32>
// CHECK-NEXT: df.yield %[[A]] : tensor<4xf32>
// CHECK: df.yield %{{.*}} : tensor<4xf32>
// CHECK: %[[E:.*]] = df.exp %[[I]] : tensor<4xf32>
// CHECK-NEXT: df.return %[[E]] : tensor<4xf32>
df.function @both(%x: tensor<?xf32>, %y: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %i = df.if %c : (tensor<i1>) -> tensor<?xf32> {
    %a = df.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
    df.yield %a : tensor<?xf32>
  } else {
    %z = df.cast_shape %y : tensor<4xf32> to tensor<?xf32>
    df.yield %z : tensor<?xf32>
  }
  %e = df.exp %i : (tensor<?xf32>) -> tensor<4xf32>
  df.return %e : tensor<4xf32>
}

// -----

// One of them does: nobody knows.
// CHECK-LABEL: @one
// CHECK: df.if %{{.*}} : (tensor<i1>) -> tensor<?xf32>
// CHECK-NEXT: %[[A:.*]] = df.exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = df.cast_shape %[[A]] : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: df.yield %[[R]] : tensor<?xf32>
df.function @one(%x: tensor<?xf32>, %y: tensor<4xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %i = df.if %c : (tensor<i1>) -> tensor<?xf32> {
    %a = df.exp %y : (tensor<4xf32>) -> tensor<?xf32>
    df.yield %a : tensor<?xf32>
  } else {
    df.yield %x : tensor<?xf32>
  }
  df.return %i : tensor<?xf32>
}

// -----

// The first carried value keeps its size, the second one grows.
// CHECK-LABEL: @while
// CHECK: df.while(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<i64>, tensor<4xf32>, tensor<?xf32>) -> (tensor<i64>, tensor<4xf32>, tensor<?xf32>)
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<?xf32>):
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<?xf32>):
// CHECK: %[[E:.*]] = df.exp %[[A]] : tensor<4xf32>
// CHECK: %[[C:.*]] = df.concat %[[B]], %[[A]] {axis = 0 : i64} : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
// CHECK: df.yield %{{.*}}, %[[E]], %[[C]] : tensor<i64>, tensor<4xf32>, tensor<?xf32>
df.function @while(%i: tensor<i64>, %n: tensor<i64>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %u = df.cast_shape %x : tensor<4xf32> to tensor<?xf32>
  %one = df.constant dense<1> : tensor<i64>
  %r:3 = df.while (%i, %u, %u) : (tensor<i64>, tensor<?xf32>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%k: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %go = df.compare lt, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %next = df.add %k, %one : tensor<i64>
    %e = df.exp %a : tensor<?xf32>
    %c = df.concat %b, %a {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    df.yield %next, %e, %c : tensor<i64>, tensor<?xf32>, tensor<?xf32>
  }
  df.return %r#2 : tensor<?xf32>
}

// -----

// Two carried values that change places keep what both know.
// CHECK-LABEL: @exchanged
// CHECK: df.while(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<i64>, tensor<?x2xf32>, tensor<?x2xf32>)
df.function @exchanged(%i: tensor<i64>, %n: tensor<i64>, %x: tensor<4x2xf32>, %y: tensor<3x2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %u = df.cast_shape %x : tensor<4x2xf32> to tensor<?x?xf32>
  %v = df.cast_shape %y : tensor<3x2xf32> to tensor<?x?xf32>
  %one = df.constant dense<1> : tensor<i64>
  %r:3 = df.while (%i, %u, %v) : (tensor<i64>, tensor<?x?xf32>, tensor<?x?xf32>) -> (tensor<i64>, tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%k: tensor<i64>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %go = df.compare lt, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %next = df.add %k, %one : tensor<i64>
    df.yield %next, %b, %a : tensor<i64>, tensor<?x?xf32>, tensor<?x?xf32>
  }
  df.return %r#1, %r#2 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Rows of the sequences, what is carried and what is stacked.
// CHECK-LABEL: @scan
// CHECK: df.scan(%{{.*}}) over(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK: df.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
df.function @scan(%x: tensor<3x4xf32>, %y: tensor<?x4xf32>, %z: tensor<4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %s = df.cast_shape %x : tensor<3x4xf32> to tensor<?x?xf32>
  %i = df.cast_shape %z : tensor<4xf32> to tensor<?xf32>
  %last, %all = df.scan (%i) over (%s, %y) : (tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%sum: tensor<?xf32>, %row: tensor<?xf32>, %other: tensor<4xf32>):
    %a = df.add %sum, %row : tensor<?xf32>
    %b = df.mul %a, %other : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
    df.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  df.return %last, %all : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// What an op computes of sizes that became known is known.
// CHECK-LABEL: @made
// CHECK: df.concat {{.*}} -> tensor<8xf32>
// CHECK: df.slice {{.*}} -> tensor<7xf32>
df.function @made(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %a = df.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %c = df.concat %a, %a {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %s = df.slice %c {starts = array<i64: 1>, sizes = array<i64: -1>} : (tensor<?xf32>) -> tensor<?xf32>
  df.return %s : tensor<?xf32>
}

// -----

// Both callers pass 4 rows, and columns of which one knows; the caller's results know what the function gives.
// CHECK-LABEL: df.function @train
// CHECK: %[[A:.*]] = df.call @train.c0(%{{.*}}) : (tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK: %[[B:.*]] = df.call @train.c0(%{{.*}}) : (tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK: df.function @train.c0(%{{.*}}: tensor<4x?xf32> {df.binding = {{.*}}, df.symbols = array<i64: 2>}) -> (tensor<4x?xf32> {df.binding = {{.*}}, df.symbols = array<i64: 2>})
// CHECK-NEXT: df.exp %{{.*}} : tensor<4x?xf32>
df.function @train(%x: tensor<4x?xf32>, %y: tensor<4x2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %u = df.cast_shape %x : tensor<4x?xf32> to tensor<?x?xf32>
  %v = df.cast_shape %y : tensor<4x2xf32> to tensor<?x?xf32>
  %a = df.call @train.c0(%u) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = df.call @train.c0(%v) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  df.return %a, %b : tensor<?x?xf32>, tensor<?x?xf32>
}
df.function @train.c0(%x: tensor<?x?xf32> {df.binding = #df.binding<intermediate, "x">, df.symbols = array<i64: 1, 2>})
    -> (tensor<?x?xf32> {df.binding = #df.binding<intermediate, "y">, df.symbols = array<i64: 1, 2>}) attributes {segment = #df.segment<called>, entry = "train"} {
  %e = df.exp %x : tensor<?x?xf32>
  df.return %e : tensor<?x?xf32>
}
