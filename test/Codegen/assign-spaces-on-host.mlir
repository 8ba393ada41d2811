// Tables that stay in the host's memory: what is gathered of them goes to the device, and what updates them comes back.
// RUN: mlc-opt %s --split-input-file --codegen-assign-spaces=device=variable | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ids lie where they are used. The weights are those of the device, as ever.
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64> {df.binding = #df.binding<feature, "ids">}
// CHECK-SAME:    %[[TABLE:.*]]: tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.on_host}
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32, 1 : i64> {df.binding = #df.binding<variable, "w">}
// CHECK-SAME:    -> (tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.on_host}, tensor<?x4xf32, 1 : i64> {df.binding = #df.binding<output, "out">})
// CHECK:         %[[ROWS:.*]] = kern.take_rows ins(%[[TABLE]], %[[IDS]] : tensor<100x4xf32>, tensor<?xi64>) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK:         %[[THERE:.*]] = kern.transfer ins(%[[ROWS]] : tensor<?x4xf32>) outs(%{{.*}} : tensor<?x4xf32, 1 : i64>)
// CHECK:         %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[THERE]], %[[W]] : tensor<?x4xf32, 1 : i64>, tensor<4xf32, 1 : i64>)
// CHECK:         %[[NEXT:.*]] = linalg.generic {{.*}} outs(%[[TABLE]] : tensor<100x4xf32>)
// CHECK:         return %[[NEXT]], %[[OUT]] : tensor<100x4xf32>, tensor<?x4xf32, 1 : i64>
#row = affine_map<(i, j) -> (j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @step(%ids: tensor<?xi64> {df.binding = #df.binding<feature, "ids">}, %table: tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.on_host},
    %w: tensor<4xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.on_host}, tensor<?x4xf32> {df.binding = #df.binding<output, "out">})
    attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %rows = kern.take_rows ins(%table, %ids : tensor<100x4xf32>, tensor<?xi64>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %f = tensor.empty(%n) : tensor<?x4xf32>
  %out = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]} ins(%rows, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%f : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<?x4xf32>
  %next = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%table : tensor<100x4xf32>) {
  ^bb0(%a: f32):
    %d = arith.addf %a, %a : f32
    linalg.yield %d : f32
  } -> tensor<100x4xf32>
  return %next, %out : tensor<100x4xf32>, tensor<?x4xf32>
}

// -----

// What makes nothing but them is work of the host, of which nothing goes anywhere.
// CHECK-LABEL: func.func @init(
// CHECK-NOT:     1 : i64>
// CHECK:         return %{{.*}} : tensor<?x4xf32>
func.func @init(%ids: tensor<?xi64> {df.binding = #df.binding<feature, "ids">}) -> (tensor<?x4xf32> {df.binding = #df.binding<variable, "moments">, df.on_host})
    attributes {df.role = #df.role<init>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %filled : tensor<?x4xf32>
}
