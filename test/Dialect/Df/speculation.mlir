// Upstream's code motion, and that of df-simplify, take out of a loop what cannot fail; what may fail stays, for the loop
// may have no iteration: the interpreter, which runs none here, computes the same before and after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: mlc-opt %s --df-simplify | FileCheck %s
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s --check-prefix=VALUES
// RUN: mlc-opt %s --loop-invariant-code-motion --df-interpret -o /dev/null | FileCheck %s --check-prefix=VALUES
// RUN: mlc-opt %s --df-simplify --df-interpret -o /dev/null | FileCheck %s --check-prefix=VALUES

// Integers divide by what may be 0, by a constant, floats by anything.
// CHECK-LABEL: @division
// CHECK-DAG: df.div %{{.*}}, %{{.*}} : tensor<2xi64>
// CHECK-DAG: df.div %{{.*}}, %{{.*}} : tensor<2xf32>
// CHECK: df.while
// CHECK: do {
// CHECK: df.rem %{{.*}}, %{{.*}} : tensor<2xi64>
// CHECK: df.yield
// VALUES-LABEL: @division
// VALUES-NEXT: tensor<2xi64> [1, 2]
df.function @division(%a: tensor<2xi64> {df.value = dense<[1, 2]> : tensor<2xi64>}, %z: tensor<2xi64> {df.value = dense<0> : tensor<2xi64>},
                      %x: tensor<2xf32> {df.value = dense<0.0> : tensor<2xf32>}, %n: tensor<i64> {df.value = dense<0> : tensor<i64>}) -> (tensor<2xi64>, tensor<2xf32>) {
  %three = df.constant dense<3> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %zero = df.constant dense<0> : tensor<i64>
  %i, %r, %f = df.while (%zero, %a, %x) : (tensor<i64>, tensor<2xi64>, tensor<2xf32>) -> (tensor<i64>, tensor<2xi64>, tensor<2xf32>) {
  ^bb0(%k: tensor<i64>, %c: tensor<2xi64>, %d: tensor<2xf32>):
    %go = df.compare lt, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %c: tensor<2xi64>, %d: tensor<2xf32>):
    %by = df.broadcast %three dimensions = [] : (tensor<i64>) -> tensor<2xi64>
    %third = df.div %a, %by : tensor<2xi64>
    %rest = df.rem %third, %z : tensor<2xi64>
    %c1 = df.add %c, %rest : tensor<2xi64>
    %q = df.div %x, %x : tensor<2xf32>
    %d1 = df.add %d, %q : tensor<2xf32>
    %k1 = df.add %k, %one : tensor<i64>
    df.yield %k1, %c1, %d1 : tensor<i64>, tensor<2xi64>, tensor<2xf32>
  }
  df.return %r, %f : tensor<2xi64>, tensor<2xf32>
}

// Ids that are out of range, text that is no number, a place beyond the end.
// CHECK-LABEL: @data
// CHECK-DAG: df.string_length
// CHECK: df.scan
// CHECK-DAG: df.gather
// CHECK-DAG: df.string_to_number
// CHECK-DAG: df.dynamic_slice
// CHECK: df.yield
// VALUES-LABEL: @data
// VALUES-NEXT: tensor<f32> 1
df.function @data(%t: tensor<3xf32> {df.value = dense<1.0> : tensor<3xf32>}, %id: tensor<1xi64> {df.value = dense<7> : tensor<1xi64>},
                  %s: tensor<1x!df.string> {df.value = dense<"x"> : tensor<1x!df.string>}, %e: tensor<?xf32> {df.value = dense<1.0> : tensor<0xf32>},
                  %one: tensor<f32> {df.value = dense<1.0> : tensor<f32>}) -> tensor<f32> {
  %r = df.scan (%one) over (%e) : (tensor<f32>, tensor<?xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %row: tensor<f32>):
    %g = df.gather %t, %id {axes = array<i64: 0>} : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
    %v = df.string_to_number %s : (tensor<1x!df.string>) -> tensor<1xf32>
    %p = df.dynamic_slice %t, %id : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
    %l = df.string_length %s : (tensor<1x!df.string>) -> tensor<1xi64>
    %lf = df.cast %l : (tensor<1xi64>) -> tensor<1xf32>
    %gv = df.add %g, %v : tensor<1xf32>
    %gp = df.mul %gv, %p : tensor<1xf32>
    %gl = df.mul %gp, %lf : tensor<1xf32>
    %sum = df.reduce_sum %gl {axes = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
    %n = df.add %c, %sum : tensor<f32>
    %m = df.add %n, %row : tensor<f32>
    df.yield %m : tensor<f32>
  }
  df.return %r : tensor<f32>
}

// Sizes that nothing shows to be equal; those of one value are.
// CHECK-LABEL: @sizes
// CHECK: df.mul %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK: df.scan
// CHECK: df.add %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK: df.concat
// CHECK: df.yield
// VALUES-LABEL: @sizes
// VALUES-NEXT: tensor<f32> 1
df.function @sizes(%x: tensor<?xf32> {df.symbol = 1 : i64, df.value = dense<1.0> : tensor<2xf32>}, %y: tensor<?xf32> {df.symbol = 2 : i64, df.value = dense<1.0> : tensor<3xf32>},
                   %e: tensor<?xf32> {df.value = dense<1.0> : tensor<0xf32>}, %one: tensor<f32> {df.value = dense<1.0> : tensor<f32>}) -> tensor<f32> {
  %r = df.scan (%one) over (%e) : (tensor<f32>, tensor<?xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %row: tensor<f32>):
    %n = df.neg %x : tensor<?xf32>
    %p = df.mul %x, %n : tensor<?xf32>
    %q = df.add %p, %y : tensor<?xf32>
    %k = df.concat %p, %q {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %s = df.reduce_sum %k {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %d = df.add %c, %s : tensor<f32>
    %m = df.add %d, %row : tensor<f32>
    df.yield %m : tensor<f32>
  }
  df.return %r : tensor<f32>
}

// A loop within the loop: over rows it ends, whatever its body does not fail in; a while may not.
// CHECK-LABEL: @nested
// CHECK: df.scan({{.*}}) over({{.*}}) : (tensor<f32>, tensor<4xf32>)
// CHECK-NOT: df.while
// CHECK: df.scan({{.*}}) over({{.*}}) : (tensor<f32>, tensor<?xf32>)
// CHECK: df.while
// CHECK: df.return
// VALUES-LABEL: @nested
// VALUES-NEXT: tensor<f32> 1
df.function @nested(%x: tensor<4xf32> {df.value = dense<1.0> : tensor<4xf32>}, %e: tensor<?xf32> {df.value = dense<1.0> : tensor<0xf32>},
                    %one: tensor<f32> {df.value = dense<1.0> : tensor<f32>}) -> tensor<f32> {
  %r = df.scan (%one) over (%e) : (tensor<f32>, tensor<?xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %row: tensor<f32>):
    %s = df.scan (%one) over (%x) : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = df.tanh %a : tensor<f32>
      %ab = df.add %t, %b : tensor<f32>
      df.yield %ab : tensor<f32>
    }
    %w = df.while (%one) : (tensor<f32>) -> tensor<f32> {
    ^bb0(%a: tensor<f32>):
      %go = df.compare ge, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%a: tensor<f32>):
      %b = df.exp %a : tensor<f32>
      df.yield %b : tensor<f32>
    }
    %d = df.add %c, %s : tensor<f32>
    %f = df.add %d, %w : tensor<f32>
    %m = df.add %f, %row : tensor<f32>
    df.yield %m : tensor<f32>
  }
  df.return %r : tensor<f32>
}
