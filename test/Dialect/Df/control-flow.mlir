// RUN: mlc-opt %s --verify-roundtrip | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: df.function @scan
df.function @scan(%h: tensor<?x4xf32>, %x: tensor<5x?x4xf32>, %n: tensor<i64>) -> tensor<?x4xf32> {
  // CHECK: %{{.*}}:2 = df.scan(%{{.*}}) over(%{{.*}}) : (tensor<?x4xf32>, tensor<5x?x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>) {
  %last, %all = df.scan (%h) over (%x) : (tensor<?x4xf32>, tensor<5x?x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>) {
  ^bb0(%c: tensor<?x4xf32>, %row: tensor<?x4xf32>):
    %next = df.add %c, %row : tensor<?x4xf32>
    df.yield %next, %c : tensor<?x4xf32>, tensor<?x4xf32>
  }
  // CHECK: df.scan() over(%{{.*}}) count %{{.*}} {reverse} : (tensor<5x?x4xf32>, tensor<i64>) -> tensor<5x?x4xf32> {
  %rows = df.scan () over (%all) count %n {reverse} : (tensor<5x?x4xf32>, tensor<i64>) -> tensor<5x?x4xf32> {
  ^bb0(%row: tensor<?x4xf32>):
    df.yield %row : tensor<?x4xf32>
  }
  // CHECK: df.scan(%{{.*}}) count %{{.*}} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x4xf32>, tensor<?x?x4xf32>) {
  %end, %counted = df.scan (%last) count %n : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x4xf32>, tensor<?x?x4xf32>) {
  ^bb0(%c: tensor<?x4xf32>):
    df.yield %c, %c : tensor<?x4xf32>, tensor<?x4xf32>
  }
  // CHECK: df.scan(%{{.*}}) over(%{{.*}}) parallel_iterations 3 {reverse} :
  %overlapped = df.scan (%end) over (%x) parallel_iterations 3 {reverse} : (tensor<?x4xf32>, tensor<5x?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%c: tensor<?x4xf32>, %row: tensor<?x4xf32>):
    %next = df.add %c, %row : tensor<?x4xf32>
    df.yield %next : tensor<?x4xf32>
  }
  df.return %overlapped : tensor<?x4xf32>
}

// CHECK-LABEL: df.function @checkpoint
df.function @checkpoint(%x: tensor<?x4xf32>, %g: tensor<f32>) -> tensor<?x4xf32> {
  // CHECK: df.remat : () -> tensor<?x4xf32> {
  %y = df.remat : () -> tensor<?x4xf32> {
    %a = df.exp %x : tensor<?x4xf32>
    df.yield %a : tensor<?x4xf32>
  }
  // CHECK: df.optimization_barrier %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<f32>
  %z = df.optimization_barrier %y, %g : tensor<?x4xf32>, tensor<f32>
  df.return %z : tensor<?x4xf32>
}

// A function with a backward function of its own.
// CHECK-LABEL: @custom_gradient
df.function @custom_gradient(%x: tensor<?x4xf32>, %i: tensor<3xi64>) -> tensor<?x4xf32> {
  // CHECK: df.custom_gradient(%{{.*}}, %{{.*}}) {residuals = 1 : i64} : (tensor<?x4xf32>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<3xi64>, tensor<?x4xf32>) {
  // CHECK: } gradient {
  %y, %j, %kept = df.custom_gradient (%x, %i) {residuals = 1 : i64} : (tensor<?x4xf32>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<3xi64>, tensor<?x4xf32>) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<3xi64>):
    %e = df.exp %a : tensor<?x4xf32>
    df.yield %e, %b, %e : tensor<?x4xf32>, tensor<3xi64>, tensor<?x4xf32>
  } gradient {
  ^bb0(%e: tensor<?x4xf32>, %cotangent: tensor<?x4xf32>):
    %g = df.mul %cotangent, %e : tensor<?x4xf32>
    df.yield %g : tensor<?x4xf32>
  }
  // CHECK: df.custom_gradient() : () -> tensor<i64> {
  %n = df.custom_gradient () : () -> tensor<i64> {
    %c = df.constant dense<1> : tensor<i64>
    df.yield %c : tensor<i64>
  } gradient {
    df.yield
  }
  df.return %y : tensor<?x4xf32>
}

// CHECK-LABEL: @stacked
df.function @stacked(%x: tensor<?xf32>) -> tensor<i64> {
  // CHECK: df.while(%{{.*}}) {max_iterations = 5 : i64} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<5x?xf32>, tensor<5xi1>, tensor<i64>) {
  %last, %all, %was, %count = df.while (%x) {max_iterations = 5 : i64} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<5x?xf32>, tensor<5xi1>, tensor<i64>) {
  ^bb0(%a: tensor<?xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<?xf32>):
    %yes = df.constant dense<true> : tensor<i1>
    df.yield %a, %a, %yes : tensor<?xf32>, tensor<?xf32>, tensor<i1>
  }
  df.return %count : tensor<i64>
}
