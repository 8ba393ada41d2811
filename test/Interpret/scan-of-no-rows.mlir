// A loop without iterations stacks no row: how large a row would be is known from outside, through every op that the body has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @split
// CHECK-NEXT: 0: tensor<0x3x3xf32>
df.function @split(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x3xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x3xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %a, %y = df.split %r {axis = 1 : i64} : (tensor<?x4xf32>) -> (tensor<?x1xf32>, tensor<?x3xf32>)
    df.yield %carried, %y : tensor<f32>, tensor<?x3xf32>
  }
  df.return %s : tensor<0x?x3xf32>
}
// CHECK-LABEL: @unstack
// CHECK-NEXT: 0: tensor<0x3x2xf32>
df.function @unstack(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x2xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x2xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %k = df.reshape %r : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
    %a, %y = df.unstack %k {axis = 1 : i64} : (tensor<?x2x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
    df.yield %carried, %y : tensor<f32>, tensor<?x2xf32>
  }
  df.return %s : tensor<0x?x2xf32>
}
// CHECK-LABEL: @stack
// CHECK-NEXT: 0: tensor<0x3x2x4xf32>
df.function @stack(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x2x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x2x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.stack %r, %r {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x2x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x2x4xf32>
  }
  df.return %s : tensor<0x?x2x4xf32>
}
// CHECK-LABEL: @tile
// CHECK-NEXT: 0: tensor<0x3x8xf32>
df.function @tile(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x8xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x8xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.tile %r {multiples = array<i64: 1, 2>} : (tensor<?x4xf32>) -> tensor<?x8xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x8xf32>
  }
  df.return %s : tensor<0x?x8xf32>
}
// CHECK-LABEL: @diag
// CHECK-NEXT: 0: tensor<0x3x4x4xf32>
df.function @diag(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x4x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x4x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.diag %r : (tensor<?x4xf32>) -> tensor<?x4x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x4x4xf32>
  }
  df.return %s : tensor<0x?x4x4xf32>
}
// CHECK-LABEL: @l2_normalize
// CHECK-NEXT: 0: tensor<0x3x4xf32>
df.function @l2_normalize(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.l2_normalize %r {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x4xf32>
  }
  df.return %s : tensor<0x?x4xf32>
}
// CHECK-LABEL: @roll
// CHECK-NEXT: 0: tensor<0x3x4xf32>
df.function @roll(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.roll %r {axis = 1 : i64, shift = 1 : i64} : tensor<?x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x4xf32>
  }
  df.return %s : tensor<0x?x4xf32>
}
// CHECK-LABEL: @mirror_pad
// CHECK-NEXT: 0: tensor<0x3x6xf32>
df.function @mirror_pad(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x6xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x6xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.mirror_pad reflect %r {axis = 1 : i64, low = 1 : i64, high = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x6xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x6xf32>
  }
  df.return %s : tensor<0x?x6xf32>
}
// CHECK-LABEL: @einsum
// CHECK-NEXT: 0: tensor<0x3x2xf32>
df.function @einsum(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}, %w: tensor<4x2xf32> {df.value = dense<1.0> : tensor<4x2xf32>}) -> tensor<0x?x2xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x2xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.einsum %r, %w {equation = "bi,ij->bj"} : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x2xf32>
  }
  df.return %s : tensor<0x?x2xf32>
}
// CHECK-LABEL: @reduce_mean
// CHECK-NEXT: 0: tensor<0x3xf32>
df.function @reduce_mean(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.reduce_mean %r {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?xf32>
  }
  df.return %s : tensor<0x?xf32>
}
// CHECK-LABEL: @huber_loss
// CHECK-NEXT: 0: tensor<0x3x4xf32>
df.function @huber_loss(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.huber_loss %r, %r {delta = 1.0 : f64} : tensor<?x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x4xf32>
  }
  df.return %s : tensor<0x?x4xf32>
}
// CHECK-LABEL: @layer_norm
// CHECK-NEXT: 0: tensor<0x3x4xf32>
df.function @layer_norm(%x: tensor<?x4xf32> {df.value = dense<1.0> : tensor<3x4xf32>}, %t: tensor<0x2xf32> {df.value = dense<1.0> : tensor<0x2xf32>}) -> tensor<0x?x4xf32> {
  %c = df.constant dense<0.0> : tensor<f32>
  %last, %s = df.scan (%c) over (%t) : (tensor<f32>, tensor<0x2xf32>) -> (tensor<f32>, tensor<0x?x4xf32>) {
  ^bb0(%carried: tensor<f32>, %row: tensor<2xf32>):
    %r = df.neg %x : tensor<?x4xf32>
    %y = df.layer_norm %r {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    df.yield %carried, %y : tensor<f32>, tensor<?x4xf32>
  }
  df.return %s : tensor<0x?x4xf32>
}
