// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-interpret | FileCheck %s

// Rows of a df.scan from its count on are zeros, and the loop reads none of them: they carry no gradient, whatever
// stands in them.

// Sums of products that are one product after the loop: of the first two rows, and of none.
// CHECK-LABEL: @product
// CHECK-NEXT: 0: tensor<2x1xf64> {{\[\[}}31], [42]]
df.function @product(%x: tensor<3x1x2xf64> {df.name = "x", df.value = dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]> : tensor<3x1x2xf64>},
                     %y: tensor<3x1x1xf64> {df.name = "y", df.value = dense<[[[1.0]], [[10.0]], [[100.0]]]> : tensor<3x1x1xf64>},
                     %w: tensor<2x1xf64> {df.name = "w", df.value = dense<1.0> : tensor<2x1xf64>},
                     %n: tensor<i64> {df.name = "n", df.value = dense<2> : tensor<i64>}) -> (tensor<2x1xf64> {df.name = "dw"}) {
  %o = df.scan () over (%x) count %n : (tensor<3x1x2xf64>, tensor<i64>) -> tensor<3x1x1xf64> {
  ^bb0(%r: tensor<1x2xf64>):
    %p = df.matmul %r, %w : (tensor<1x2xf64>, tensor<2x1xf64>) -> tensor<1x1xf64>
    df.yield %p : tensor<1x1xf64>
  }
  %m = df.mul %o, %y : tensor<3x1x1xf64>
  %loss = df.reduce_sum %m {axes = array<i64: 0, 1, 2>} : (tensor<3x1x1xf64>) -> tensor<f64>
  %dw = df.gradients %loss wrt [] %w : (tensor<f64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  df.return %dw : tensor<2x1xf64>
}

// CHECK-LABEL: @product_of_none
// CHECK-NEXT: 0: tensor<2x1xf64> {{\[\[}}0], [0]]
df.function @product_of_none(%x: tensor<3x1x2xf64> {df.name = "x", df.value = dense<2.0> : tensor<3x1x2xf64>},
                             %w: tensor<2x1xf64> {df.name = "w", df.value = dense<1.0> : tensor<2x1xf64>},
                             %n: tensor<i64> {df.name = "n", df.value = dense<0> : tensor<i64>}) -> (tensor<2x1xf64> {df.name = "dw"}) {
  %o = df.scan () over (%x) count %n : (tensor<3x1x2xf64>, tensor<i64>) -> tensor<3x1x1xf64> {
  ^bb0(%r: tensor<1x2xf64>):
    %p = df.matmul %r, %w : (tensor<1x2xf64>, tensor<2x1xf64>) -> tensor<1x1xf64>
    df.yield %p : tensor<1x1xf64>
  }
  %loss = df.reduce_sum %o {axes = array<i64: 0, 1, 2>} : (tensor<3x1x1xf64>) -> tensor<f64>
  %dw = df.gradients %loss wrt [] %w : (tensor<f64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  df.return %dw : tensor<2x1xf64>
}

// NaN after the count, in what the loop takes and in the cotangents of what it stacks (0x7FF8000000000000 is NaN).
// CHECK-LABEL: @nan_behind
// CHECK-NEXT: 0: tensor<2x1xf64> {{\[\[}}4], [6]]
// CHECK-NEXT: 1: tensor<2x1xf64> {{\[\[}}31], [42]]
df.function @nan_behind(%x: tensor<3x1x2xf64> {df.name = "x", df.value = dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[0x7FF8000000000000, 0x7FF8000000000000]]]> : tensor<3x1x2xf64>},
                        %y: tensor<3x1x1xf64> {df.name = "y", df.value = dense<[[[1.0]], [[10.0]], [[0x7FF8000000000000]]]> : tensor<3x1x1xf64>},
                        %w: tensor<2x1xf64> {df.name = "w", df.value = dense<0.0> : tensor<2x1xf64>},
                        %n: tensor<i64> {df.name = "n", df.value = dense<2> : tensor<i64>})
    -> (tensor<2x1xf64> {df.name = "last"}, tensor<2x1xf64> {df.name = "all"}) {
  %z = df.constant dense<0.0> : tensor<1x1xf64>
  %h, %o = df.scan (%z) over (%x) count %n : (tensor<1x1xf64>, tensor<3x1x2xf64>, tensor<i64>) -> (tensor<1x1xf64>, tensor<3x1x1xf64>) {
  ^bb0(%c: tensor<1x1xf64>, %r: tensor<1x2xf64>):
    %p = df.matmul %r, %w : (tensor<1x2xf64>, tensor<2x1xf64>) -> tensor<1x1xf64>
    %q = df.add %c, %p : tensor<1x1xf64>
    %t = df.tanh %q : tensor<1x1xf64>
    df.yield %t, %p : tensor<1x1xf64>, tensor<1x1xf64>
  }
  %last = df.reduce_sum %h {axes = array<i64: 0, 1>} : (tensor<1x1xf64>) -> tensor<f64>
  %m = df.mul %o, %y : tensor<3x1x1xf64>
  %all = df.reduce_sum %m {axes = array<i64: 0, 1, 2>} : (tensor<3x1x1xf64>) -> tensor<f64>
  %a = df.gradients %last wrt [] %w : (tensor<f64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %b = df.gradients %all wrt [] %w : (tensor<f64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  df.return %a, %b : tensor<2x1xf64>, tensor<2x1xf64>
}

// The gradient of a sequence has all its rows, where the backward loop needs none of them.
// CHECK-LABEL: @sequence
// CHECK-NEXT: 0: tensor<4xf64> [1, 1, 0, 0]
df.function @sequence(%x: tensor<4xf64> {df.name = "x", df.value = dense<3.0> : tensor<4xf64>},
                      %n: tensor<i64> {df.name = "n", df.value = dense<2> : tensor<i64>}) -> (tensor<4xf64> {df.name = "dx"}) {
  %z = df.constant dense<0.0> : tensor<f64>
  %o = df.scan (%z) over (%x) count %n : (tensor<f64>, tensor<4xf64>, tensor<i64>) -> tensor<f64> {
  ^bb0(%h: tensor<f64>, %r: tensor<f64>):
    %q = df.add %h, %r : tensor<f64>
    df.yield %q : tensor<f64>
  }
  %dx = df.gradients %o wrt [] %x : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  df.return %dx : tensor<4xf64>
}

// CHECK-LABEL: @dynamic_sequence
// CHECK-NEXT: 0: tensor<3x2xf64> {{\[\[}}1, 1], [0, 0], [0, 0]]
df.function @dynamic_sequence(%x: tensor<?x2xf64> {df.name = "x", df.value = dense<3.0> : tensor<3x2xf64>},
                              %n: tensor<i64> {df.name = "n", df.value = dense<1> : tensor<i64>}) -> (tensor<?x2xf64> {df.name = "dx"}) {
  %z = df.constant dense<0.0> : tensor<2xf64>
  %o = df.scan (%z) over (%x) count %n {reverse} : (tensor<2xf64>, tensor<?x2xf64>, tensor<i64>) -> tensor<2xf64> {
  ^bb0(%h: tensor<2xf64>, %r: tensor<2xf64>):
    %q = df.add %h, %r : tensor<2xf64>
    df.yield %q : tensor<2xf64>
  }
  %l = df.reduce_sum %o {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  %dx = df.gradients %l wrt [] %x : (tensor<f64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  df.return %dx : tensor<?x2xf64>
}
