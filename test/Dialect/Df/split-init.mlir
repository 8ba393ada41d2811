// df-split-update: what init gives variables element by element is made of the rows that a segment's buffer has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --mlc-df-pipeline --df-split-update --cse | FileCheck %s

// What is no rows stays.
// CHECK-LABEL: df.function @init(
// CHECK-SAME: df.binding = #df.binding<variable, "global_step">
// CHECK-NOT: df.binding<variable, "table">
// Of a variable that is several tensors the segment is run for each, whose key takes the place of the first one's.
// CHECK-LABEL: df.function @"init.stack/m"(
// CHECK-NOT: context, "key"
// CHECK: df.broadcast
// CHECK-LABEL: df.function @init.stack(
// CHECK-SAME: %[[STACKED:.*]]: tensor<?x2xf32> {df.binding = #df.binding<variable, "stack">}
// CHECK-SAME: %[[FROM:.*]]: tensor<i64> {df.binding = #df.binding<context, "first_row">}
// CHECK-SAME: %[[GIVEN:.*]]: tensor<i64> {df.binding = #df.binding<context, "seed">}
// CHECK-SAME: %[[KEY:.*]]: tensor<i64> {df.binding = #df.binding<context, "key">}
// CHECK: %[[WITHOUT:.*]] = df.bitwise_xor %[[GIVEN]], %{{.*}} : tensor<i64>
// CHECK: %[[OWN:.*]] = df.bitwise_xor %[[WITHOUT]], %[[KEY]] : tensor<i64>
// CHECK: df.random truncated_normal "a" each_step like %[[STACKED]] seed %[[OWN]] step %{{.*}} row %[[FROM]]
// CHECK-NOT: df.random
// CHECK-LABEL: df.function @init.slot(
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<variable, "slot">}
// CHECK-SAME: tensor<i64> {df.binding = #df.binding<context, "first_row">}
// CHECK: df.broadcast
// CHECK-LABEL: df.function @init.table(
// CHECK-SAME: %[[ROWS:.*]]: tensor<?x2xf32> {df.binding = #df.binding<variable, "table">}
// CHECK-SAME: %[[FIRST:.*]]: tensor<i64> {df.binding = #df.binding<context, "first_row">}
// CHECK-SAME: %[[SEED:.*]]: tensor<i64> {df.binding = #df.binding<context, "seed">}
// CHECK: df.random normal "table" each_step like %[[ROWS]] seed %[[SEED]] step %{{.*}} row %[[FIRST]]
module {
  df.variable @table : tensor<9x2xf32> = #df.normal<0.0, 0.5> {trainable}
  df.variable @slot : tensor<9x2xf32> = #df.constant<0.1>
  df.variable @stack : tensor<9x2xf32> = #df.truncated_normal<0.0, 0.5> {named_rows = [#df.named_rows<"a", 4>, #df.named_rows<"b", 5>]}
  df.variable @"stack/m" : tensor<9x2xf32> = #df.constant<0.1> {named_rows = [#df.named_rows<"a/m", 4>, #df.named_rows<"b/m", 5>], slot = "m", slot_of = @stack}
  df.variable @global_step : tensor<i64> = #df.constant<0.0>
  df.function @train(%id: tensor<?xi64> {df.name = "id"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x2xf32>
    %each = df.reduce_sum %t {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    df.return %loss : tensor<f32>
  }
}
