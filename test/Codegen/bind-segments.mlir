// RUN: mlc-opt %s --codegen-bind-segments | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer for each argument, then one for each result that is no variable: each is read as a tensor once and written once, and
// what ends in a buffer is computed there.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:.*]]: memref<20xf32>, %[[G:.*]]: memref<20xf32>, %[[TWICE:.*]]: memref<20xf32>)
// CHECK-SAME: mlc.symbols = [array<i64: -1>, array<i64: -1>, array<i64: -1>]
// CHECK-DAG: %[[OUT:.*]] = bufferization.to_tensor %[[TWICE]] restrict writable
// CHECK-DAG: %[[OLD:.*]] = bufferization.to_tensor %[[W]] restrict writable
// CHECK-DAG: %[[SUM:.*]] = bufferization.to_tensor %[[G]] restrict :
// CHECK-NOT: tensor.empty
// CHECK: %[[T:.*]] = linalg.add ins(%[[SUM]], %[[SUM]] {{.*}} outs(%[[OUT]]
// CHECK: %[[S:.*]] = linalg.sub ins(%[[OLD]], %[[SUM]] {{.*}} outs(%[[OLD]]
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[TWICE]]
// CHECK: bufferization.materialize_in_destination %[[S]] in restrict writable %[[W]]
// CHECK-NEXT: return{{$}}
func.func @step(%w: tensor<20xf32> {df.binding = #df.binding<variable, "w">}, %g: tensor<20xf32> {df.binding = #df.binding<sum_a, "g">})
    -> (tensor<20xf32> {df.binding = #df.binding<output, "twice">}, tensor<20xf32> {df.binding = #df.binding<variable, "w">}) attributes {df.role = #df.role<train_apply>} {
  %e = tensor.empty() : tensor<20xf32>
  %f = tensor.empty() : tensor<20xf32>
  %t = linalg.add ins(%g, %g : tensor<20xf32>, tensor<20xf32>) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.sub ins(%w, %g : tensor<20xf32>, tensor<20xf32>) outs(%f : tensor<20xf32>) -> tensor<20xf32>
  return %t, %s : tensor<20xf32>, tensor<20xf32>
}

// An output whose size only the call knows is published from a buffer of its own; an argument holds its place. Symbols are told.
// CHECK-LABEL: func.func @sized(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: memref<i64>, %{{.*}}: memref<0xi8>)
// CHECK-SAME: mlc.symbols = [array<i64: 3>, array<i64: 1>, array<i64: -1>]
// CHECK: %[[OWN:.*]] = linalg.copy
// CHECK-NEXT: kern.publish %[[OWN]] as 2 : tensor<?xf32>
// CHECK-NEXT: return
func.func @sized(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">, df.symbol = 3 : i64}, %n: tensor<i64> {df.binding = #df.binding<dimension, "1">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "y">, df.symbol = -1 : i64}) attributes {df.role = #df.role<other>} {
  return %x : tensor<?xf32>
}

// What train_grad waits for and tells of.
// CHECK-LABEL: func.func @grad(
// CHECK-SAME: mlc.signals = array<i64: 1, 2>
func.func @grad(%w: tensor<20xf32> {df.binding = #df.binding<variable, "w">}) -> (tensor<20xf32> {df.binding = #df.binding<sum_out, "w">})
    attributes {df.role = #df.role<train_grad>, df.segment = #df.segment<step>, df.entry = "grad"} {
  return %w : tensor<20xf32>
}

// Variables that swap their values: what the first result overwrites is copied before.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
// CHECK: %[[COPY:.*]] = linalg.copy
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[A]]
// CHECK: bufferization.materialize_in_destination %[[COPY]] in restrict writable %[[B]]
func.func @swap(%a: tensor<4xf32> {df.binding = #df.binding<variable, "a">}, %b: tensor<4xf32> {df.binding = #df.binding<variable, "b">})
    -> (tensor<4xf32> {df.binding = #df.binding<variable, "a">}, tensor<4xf32> {df.binding = #df.binding<variable, "b">}) attributes {df.role = #df.role<train>} {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}
