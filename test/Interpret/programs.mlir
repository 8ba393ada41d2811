// Programs of several devices in one process: the same as the uncut module, entries that wait for each other, and what fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null > %t.whole
// RUN: mlc-opt %s --dist-place=devices=/cpu:0,/cpu:1 --dist-partition --df-interpret -o /dev/null > %t.cut
// RUN: diff %t.whole %t.cut
// RUN: FileCheck %s < %t.cut

df.variable @runs : tensor<i64> = #df.constant<0.0> {dist.device = "/cpu:1"}
df.variable @last : tensor<f32> = #df.constant<0.0> {dist.device = "/cpu:0"}

// A branch taken on both devices, a loop whose body sits on both.
// CHECK-LABEL: @collatz
// CHECK-NEXT: 0: tensor<i64> 111
// CHECK-NEXT: 1: tensor<i64> 9232
// CHECK-NEXT: @runs = tensor<i64> 111
df.function @collatz(%start: tensor<i64> {df.value = dense<27> : tensor<i64>}) -> (tensor<i64>, tensor<i64>) {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %two = df.constant dense<2> : tensor<i64>
  %three = df.constant dense<3> : tensor<i64>
  %n, %steps, %most = df.while (%start, %zero, %start) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %m: tensor<i64>):
    %go = df.compare gt, %a, %one {dist.device = "/cpu:0"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %m: tensor<i64>):
    %rest = df.rem %a, %two {dist.device = "/cpu:1"} : tensor<i64>
    %odd = df.compare eq, %rest, %one {dist.device = "/cpu:0"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = df.if %odd {dist.device = "/cpu:0"} : (tensor<i1>) -> tensor<i64> {
      %t = df.mul %a, %three {dist.device = "/cpu:0"} : tensor<i64>
      %u = df.add %t, %one {dist.device = "/cpu:1"} : tensor<i64>
      df.yield %u : tensor<i64>
    } else {
      %h = df.div %a, %two {dist.device = "/cpu:0"} : tensor<i64>
      df.yield %h : tensor<i64>
    }
    %b1 = df.add %b, %one {dist.device = "/cpu:1"} : tensor<i64>
    %m1 = df.maximum %m, %next {dist.device = "/cpu:1"} : tensor<i64>
    df.assign_add @runs, %one : tensor<i64>
    df.yield %next, %b1, %m1 : tensor<i64>, tensor<i64>, tensor<i64>
  }
  df.return %steps, %most : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @rows
// CHECK-NEXT: 0: tensor<2x2xf32> {{\[}}[1, 4], [9, 16]]
// CHECK-NEXT: @last = tensor<f32> 16
df.function @rows(%x: tensor<?x?xf32> {df.value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}) -> tensor<?x?xf32> {
  %y = df.scan () over (%x) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%row: tensor<?xf32>):
    %s = df.square %row {dist.device = "/cpu:1"} : tensor<?xf32>
    %m = df.reduce_max %s {axes = array<i64: 0>, dist.device = "/cpu:0"} : (tensor<?xf32>) -> tensor<f32>
    df.assign @last, %m : tensor<f32>
    df.yield %s : tensor<?xf32>
  }
  df.return %y : tensor<?x?xf32>
}
