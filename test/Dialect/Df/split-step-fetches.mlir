// RUN: mlc-opt %s --df-split-step | FileCheck %s
// What observers of a step get of a shard's rows is the grad part's; no part has the rest.

df.variable @w : tensor<3x2xf32> = #df.constant<0.0> {trainable}
df.variable @t : tensor<9x2xf32> = #df.constant<0.0> {trainable}

// CHECK-LABEL: df.function @train(
// CHECK-SAME: -> (tensor<f32> {df.name = "loss"}, tensor<?x2xf32> {df.name = "fetch/0"}, tensor<?x2xf32> {df.name = "fetch/1"}, tensor<f32> {df.name = "fetch/2"}, tensor<3x2xf32> {df.name = "fetch/3"}, tensor<?x2xf32> {df.name = "fetch/4"}, tensor<3x2xf32> {df.name = "fetch/5"})

// A product that the sum needs, and its negation.
// CHECK-LABEL: df.function @train_grad(
// CHECK-SAME: -> (tensor<f32> {df.binding = #df.binding<sum_out, "l">}, tensor<?x2xf32> {df.name = "fetch/0"}, tensor<?x2xf32> {df.name = "fetch/1"}) attributes {role = #df.role<train_grad>}
// CHECK: %[[P:.*]] = df.matmul
// CHECK: %[[N:.*]] = df.neg %[[P]]
// CHECK: df.return %{{.*}}, %[[P]], %[[N]]

// CHECK-LABEL: df.function @train_apply(
// CHECK-SAME: -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train_apply>} {
// CHECK-NOT: df.read @t
// CHECK: df.return
df.function @train(%x: tensor<?x3xf32> {df.name = "x"}, %ids: tensor<?xi64> {df.name = "ids"})
    -> (tensor<f32> {df.name = "loss"}, tensor<?x2xf32> {df.name = "fetch/0"}, tensor<?x2xf32> {df.name = "fetch/1"}, tensor<f32> {df.name = "fetch/2"},
        tensor<3x2xf32> {df.name = "fetch/3"}, tensor<?x2xf32> {df.name = "fetch/4"}, tensor<3x2xf32> {df.name = "fetch/5"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<3x2xf32>
  %p = df.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %n = df.neg %p : tensor<?x2xf32>
  %l = df.reduce_sum %p {axes = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
  %total = df.all_reduce %l {name = "l"} : (tensor<f32>) -> tensor<f32>
  // Of the whole batch; of a variable after the step; of rows that the sums do not need; of a whole variable.
  %twice = df.add %total, %total : tensor<f32>
  %t = df.read @t : tensor<9x2xf32>
  %rows = df.gather %t, %ids {axes = array<i64: 0>} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %m = df.neg %w : tensor<3x2xf32>
  df.assign @w, %m : tensor<3x2xf32>
  %after = df.read @w : tensor<3x2xf32>
  df.return %total, %p, %n, %twice, %after, %rows, %m : tensor<f32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<f32>, tensor<3x2xf32>, tensor<?x2xf32>, tensor<3x2xf32>
}
