// Means and sums over the batch that losses are made of become df.batch_mean.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-batch-losses --split-input-file | FileCheck %s

// CHECK: module attributes {df.optional_parts}

df.variable @w : tensor<2x1xf32> = #df.constant<0.0> {trainable}

// A mean of elements, a sum of rows by a constant, and a penalty that is of no batch.
// CHECK-LABEL: @train(
df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %y: tensor<?x1xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}, tensor<f32> {df.name = "bias"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<2x1xf32>
  %p = df.matmul %x, %w : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %d = df.sub %p, %y : tensor<?x1xf32>
  // CHECK: df.square %[[D:.*]] :
  %s = df.square %d : tensor<?x1xf32>
  // CHECK: %[[MEAN:.*]] = df.batch_mean %[[S:.*]] {df.name = "mse"} : (tensor<?x1xf32>) -> tensor<f32>
  %mean = df.reduce_mean %s {axes = array<i64: 0, 1>, df.name = "mse"} : (tensor<?x1xf32>) -> tensor<f32>
  // CHECK: df.batch_mean %[[S]] {reduction = #df.batch_reduction<sum>}
  %sum = df.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<?x1xf32>) -> tensor<f32>
  %ww = df.square %w : tensor<2x1xf32>
  // CHECK: df.reduce_sum
  %l2 = df.reduce_sum %ww {axes = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<f32>
  %tenth = df.constant dense<0.1> : tensor<f32>
  %a = df.mul %sum, %tenth : tensor<f32>
  %b = df.add %mean, %a : tensor<f32>
  %loss = df.add %b, %l2 : tensor<f32>
  %g = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<2x1xf32>
  df.assign_sub @w, %g : tensor<2x1xf32>
  // What is put out beside the loss.
  // CHECK: df.reduce_mean %[[D]]
  %bias = df.reduce_mean %d {axes = array<i64: 0, 1>} : (tensor<?x1xf32>) -> tensor<f32>
  df.return %loss, %bias : tensor<f32>, tensor<f32>
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0> {trainable}

// A mean that rows need, one over other sizes, one along an axis, one in a function that trains nothing.
// CHECK-LABEL: @train(
// CHECK-NOT: df.batch_mean
df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %v: tensor<?xf32> {df.name = "v", df.symbol = 1 : i64}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<2xf32>
  %ws = df.broadcast %w like %x dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = df.mul %x, %ws : tensor<?x2xf32>
  %all = df.reduce_mean %p {axes = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
  %alls = df.broadcast %all like %p dimensions = [] : (tensor<f32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %centered = df.sub %p, %alls : tensor<?x2xf32>
  %columns = df.reduce_sum %centered {axes = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<2xf32>
  %first = df.reduce_sum %columns {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %values = df.reduce_mean %v {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %partial = df.add %first, %values : tensor<f32>
  %loss = df.add %partial, %all : tensor<f32>
  %g = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<2xf32>
  df.assign_sub @w, %g : tensor<2xf32>
  df.return %loss : tensor<f32>
}

// CHECK-LABEL: @predict(
// CHECK: df.reduce_mean
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "mean"}) attributes {role = #df.role<other>} {
  %mean = df.reduce_mean %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  df.return %mean : tensor<f32>
}
