// Room for the rows that a scan stacks is asked of what tells their sizes outside of the loop, also where that is traced through a branch that is converted before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: %[[START:.*]] = scf.if
// CHECK: kern.contract
// CHECK: %[[SIZE:.*]] = tensor.dim %[[START]],
// CHECK: tensor.empty(%[[SIZE]]) : tensor<3x?xf32>
// CHECK: scf.for
df.function @f(%m: tensor<3xf32> {df.name = "m"}, %z: tensor<?xf32> {df.name = "z"}, %k: tensor<i1> {df.name = "k"}, %c: tensor<3xi1> {df.name = "c"}) -> (tensor<3x?xf32> {df.name = "y"})
    attributes {role = #df.role<other>, segment = #df.segment<step>, entry = "f"} {
  %s = df.if %k : (tensor<i1>) -> tensor<?xf32> {
    %e = df.neg %z : tensor<?xf32>
    df.yield %e : tensor<?xf32>
  } else {
    %e = df.abs %z : tensor<?xf32>
    df.yield %e : tensor<?xf32>
  }
  %col = df.reshape %m : (tensor<3xf32>) -> tensor<3x1xf32>
  %row = df.reshape %z : (tensor<?xf32>) -> tensor<1x?xf32>
  %x = df.matmul %col, %row : (tensor<3x1xf32>, tensor<1x?xf32>) -> tensor<3x?xf32>
  %h, %all = df.scan (%s) over (%x, %c) : (tensor<?xf32>, tensor<3x?xf32>, tensor<3xi1>) -> (tensor<?xf32>, tensor<3x?xf32>) {
  ^bb0(%a: tensor<?xf32>, %r: tensor<?xf32>, %t: tensor<i1>):
    %n = df.if %t : (tensor<i1>) -> tensor<?xf32> {
      %q = df.neg %a : tensor<?xf32>
      df.yield %q : tensor<?xf32>
    } else {
      %q = df.mul %r, %r : tensor<?xf32>
      df.yield %q : tensor<?xf32>
    }
    %b = df.mul %a, %a : tensor<?xf32>
    df.yield %b, %n : tensor<?xf32>, tensor<?xf32>
  }
  df.return %all : tensor<3x?xf32>
}
