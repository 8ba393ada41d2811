// df-split-update: functions over ranges of rows, the shared one, and what keeps a variable whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --mlc-df-pipeline --df-split-update --cse --verify-diagnostics | FileCheck %s

// Dense rows and entries by ids of the range; the loss and one over the count are shared.
// CHECK-LABEL: df.function @train_shared(
// CHECK-SAME: df.binding = #df.binding<output, "loss">
// CHECK-SAME: tensor<f32> {df.binding = #df.binding<shared, "s0">}
// CHECK-SAME: role = #df.role<train_shared>
// CHECK-LABEL: df.function @train_update.w(
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<variable, "w">, df.symbol = [[$ROWS:[0-9]+]] : i64}
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<sum_a, "w">, df.symbol = [[$ROWS]] : i64}
// CHECK-SAME: tensor<f32> {df.binding = #df.binding<shared, "s0">}
// CHECK-LABEL: df.function @train_update.table(
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<variable, "table">, df.symbol = [[$ROWS]] : i64}
// CHECK-SAME: tensor<?xi64> {df.binding = #df.binding<sum_a, "table.ids">, df.symbol = [[$ENTRIES:[0-9]+]] : i64}
// CHECK: df.update_rows
module {
  df.variable @table : tensor<9x2xf32> = #df.constant<1.0> {trainable}
  df.variable @w : tensor<4x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %id: tensor<?xi64> {df.name = "id"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x2xf32>
    %w = df.read @w : tensor<4x2xf32>
    %y = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %z = df.mul %y, %t : tensor<?x2xf32>
    %each = df.reduce_sum %z {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dt, %dw = df.gradients %loss wrt [@table, @w] : (tensor<f32>) -> (!df.rows<tensor<9x2xf32>>, tensor<4x2xf32>)
    df.apply_rows [@table], %dt : !df.rows<tensor<9x2xf32>> {
    ^bb0(%row: tensor<2xf32>, %d: tensor<2xf32>):
      %new = df.sub %row, %d : tensor<2xf32>
      df.yield %new : tensor<2xf32>
    }
    df.assign_sub @w, %dw : tensor<4x2xf32>
    df.return %loss : tensor<f32>
  }
}

// -----

// Rows of a range without an entry are the range's as well.
// CHECK-LABEL: df.function @train_update.table(
// CHECK-SAME: tensor<?x2xf32> {df.binding = #df.binding<variable, "table">, df.symbol = [[ROWS:[0-9]+]] : i64}
// CHECK: df.update_rows every_row
module {
  df.variable @table : tensor<9x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %id: tensor<?xi64> {df.name = "id"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x2xf32>
    %z = df.mul %x, %t : tensor<?x2xf32>
    %each = df.reduce_sum %z {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dt = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<9x2xf32>>
    df.apply_rows every_row [@table], %dt : !df.rows<tensor<9x2xf32>> {
    ^bb0(%row: tensor<2xf32>, %d: tensor<2xf32>):
      %half = df.constant dense<5.0e-01> : tensor<2xf32>
      %less = df.mul %row, %half : tensor<2xf32>
      %new = df.sub %less, %d : tensor<2xf32>
      df.yield %new : tensor<2xf32>
    }
    df.return %loss : tensor<f32>
  }
}

// -----

// A norm is a number for each row that crosses, and a scalar of the second stage.
// CHECK-LABEL: df.function @train_shared.0(
// CHECK: df.function @train_partial.0.w(
// CHECK-SAME: -> (tensor<?xf32> {df.binding = #df.binding<shared, "s{{[0-9]+}}">, df.symbol = {{[0-9]+}} : i64})
// CHECK: df.reduce_sum {{.*}} {axes = array<i64: 1>}
// CHECK: df.function @train_shared.1(
// CHECK-SAME: tensor<4xf32> {df.binding = #df.binding<shared, "s{{[0-9]+}}">}
// CHECK: df.reduce_sum {{.*}} {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
// CHECK: df.function @train_update.w(
module {
  df.variable @w : tensor<4x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<4x2xf32>
    %y = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %each = df.reduce_sum %y {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4x2xf32>
    %square = df.square %dw : tensor<4x2xf32>
    %sum = df.reduce_sum %square {axes = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
    %norms = df.broadcast %sum dimensions = [] : (tensor<f32>) -> tensor<4x2xf32>
    %unit = df.div %dw, %norms : tensor<4x2xf32>
    df.assign_sub @w, %unit : tensor<4x2xf32>
    df.return %loss : tensor<f32>
  }
}

// -----

// A scalar that is repeated for a variable and for rows of a table crosses as the scalar.
// CHECK-LABEL: df.function @train_update.table(
// CHECK-SAME: %s1: tensor<f32> {df.binding = #df.binding<shared, "s1">}
// CHECK: %[[REPEATED:.*]] = df.broadcast %s1 dimensions = [] : (tensor<f32>) -> tensor<2xf32>
// CHECK: df.update_rows
// CHECK: df.mul %{{.*}}, %[[REPEATED]]
module {
  df.variable @table : tensor<9x2xf32> = #df.constant<1.0> {trainable}
  df.variable @b : tensor<2xf32> = #df.constant<1.0> {trainable}
  df.variable @rate : tensor<f32> = #df.constant<1.0>
  df.function @train(%id: tensor<?xi64> {df.name = "id"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %t = df.read_rows @table[%id] : (tensor<?xi64>) -> tensor<?x2xf32>
    %b = df.read @b : tensor<2xf32>
    %bs = df.broadcast %b like %t dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %z = df.mul %bs, %t : tensor<?x2xf32>
    %each = df.reduce_sum %z {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dt, %db = df.gradients %loss wrt [@table, @b] : (tensor<f32>) -> (!df.rows<tensor<9x2xf32>>, tensor<2xf32>)
    %rate = df.read @rate : tensor<f32>
    %root = df.sqrt %rate : tensor<f32>
    %repeated = df.broadcast %root dimensions = [] : (tensor<f32>) -> tensor<2xf32>
    %step = df.mul %db, %repeated : tensor<2xf32>
    df.assign_sub @b, %step : tensor<2xf32>
    df.apply_rows [@table], %dt : !df.rows<tensor<9x2xf32>> {
    ^bb0(%row: tensor<2xf32>, %d: tensor<2xf32>):
      %moved = df.mul %d, %repeated : tensor<2xf32>
      %new = df.sub %row, %moved : tensor<2xf32>
      df.yield %new : tensor<2xf32>
    }
    df.return %loss : tensor<f32>
  }
}

// -----

// Columns are sums over all rows: the matrix stays whole.
// CHECK-LABEL: df.function @train_shared(
// CHECK-SAME: tensor<4x2xf32> {df.binding = #df.binding<variable, "w">}
// CHECK-NOT: df.function @train_update
module {
  df.variable @w : tensor<4x2xf32> = #df.constant<1.0> {trainable}
  df.function @train(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<4x2xf32>
    %y = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %each = df.reduce_sum %y {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4x2xf32>
    // expected-remark @below {{keeps the rows of 'w' together: 'df.reduce_sum' is not computed row by row}}
    %sums = df.reduce_sum %dw {axes = array<i64: 0>} : (tensor<4x2xf32>) -> tensor<2xf32>
    %along = df.broadcast %sums dimensions = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
    %step = df.div %dw, %along : tensor<4x2xf32>
    df.assign_sub @w, %step : tensor<4x2xf32>
    df.return %loss : tensor<f32>
  }
}
