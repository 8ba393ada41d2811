// With df.optional_parts a training step that cannot be cut into parts stays whole, with a remark; one that can is cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -df-split-step --remarks-filter=parts --remark-format=emitRemark -verify-diagnostics | FileCheck %s

// CHECK-LABEL: df.function @train(
// CHECK-NOT: df.all_reduce
// CHECK: df.function @train_grad(
// CHECK: df.function @train_combine(
// CHECK: df.function @train_apply(
module attributes {df.optional_parts} {
  df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<4xf32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
    %t = df.all_reduce %s {name = "s"} : (tensor<4xf32>) -> tensor<4xf32>
    df.assign @w, %t : tensor<4xf32>
    df.return %t : tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: df.function @train(
// CHECK-NOT: df.all_reduce
// CHECK: df.assign @m
// CHECK-NOT: df.function @train_
module attributes {df.optional_parts} {
  df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
  df.variable @m : tensor<4xf32> = #df.constant<0.0>
  // expected-remark @+5 {{[Missed] split | Category:parts | Remark="the step has no parts for shards and clusters: 'df.function' op cannot be split: feature 'x' is used after the sums over the batch}}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<4xf32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
    %t = df.all_reduce %s {name = "s"} : (tensor<4xf32>) -> tensor<4xf32>
    df.assign @w, %t : tensor<4xf32>
    %m = df.reduce_max %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
    df.assign @m, %m : tensor<4xf32>
    df.return %t : tensor<4xf32>
  }
}
