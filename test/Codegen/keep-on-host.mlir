// Tables that segments read by rows, and slots of them, stay in the host's memory from a size on; segments of entries that are the host's do, with their variables.
// RUN: mlc-opt %s --codegen-keep-on-host=bytes=1600 | FileCheck %s
// RUN: mlc-opt %s --codegen-keep-on-host=bytes=1601 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: mlc-opt %s --codegen-keep-on-host=entries=other,step.cpu_0 2>&1 | FileCheck %s --check-prefix=ENTRY --implicit-check-not=warning
// NONE: warning: no table has 1601 bytes or more: all are in the memory of the device
// NONE-NOT: df.on_host
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.variable @table : tensor<100x4xf32> = #df.constant<0.0>
df.variable @table_acc : tensor<100x4xf32> = #df.constant<0.0> {slot = "accumulator", slot_of = @table}
df.variable @small : tensor<99x4xf32> = #df.constant<0.0>
df.variable @kernel : tensor<100x4xf32> = #df.constant<0.0>

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    {df.binding = #df.binding<variable, "table">, df.on_host, df.pulled_by = ["ids"]}
// CHECK-SAME:    {df.binding = #df.binding<variable, "small">, df.pulled_by = ["ids"]}
// CHECK-SAME:    {df.binding = #df.binding<variable, "kernel">}
// CHECK-SAME:    -> (tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.on_host},
// CHECK-SAME:        tensor<100x4xf32> {df.binding = #df.binding<variable, "table_acc">, df.on_host})
func.func @step(%table: tensor<100x4xf32> {df.binding = #df.binding<variable, "table">, df.pulled_by = ["ids"]},
    %small: tensor<99x4xf32> {df.binding = #df.binding<variable, "small">, df.pulled_by = ["ids"]},
    %kernel: tensor<100x4xf32> {df.binding = #df.binding<variable, "kernel">})
    -> (tensor<100x4xf32> {df.binding = #df.binding<variable, "table">}, tensor<100x4xf32> {df.binding = #df.binding<variable, "table_acc">})
    attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  return %table, %kernel : tensor<100x4xf32>, tensor<100x4xf32>
}

// Wherever they are bound.
// CHECK: func.func @init() -> (tensor<?x4xf32> {df.binding = #df.binding<variable, "table_acc">, df.on_host})
func.func @init() -> (tensor<?x4xf32> {df.binding = #df.binding<variable, "table_acc">}) attributes {df.role = #df.role<init>} {
  %c9 = arith.constant 9 : index
  %rows = tensor.empty(%c9) : tensor<?x4xf32>
  return %rows : tensor<?x4xf32>
}

// ENTRY-LABEL: func.func @step(
// ENTRY-SAME:    {df.binding = #df.binding<variable, "table">, df.pulled_by = ["ids"]}
// ENTRY-SAME:    {df.binding = #df.binding<variable, "kernel">, df.on_host})
// ENTRY-SAME:    {df.binding = #df.binding<variable, "table_acc">})
// ENTRY-SAME:    attributes {df.role = #df.role<train>, df.segment
// ENTRY-LABEL: func.func @part(
// ENTRY-SAME:    {df.binding = #df.binding<variable, "kernel">, df.on_host})
// ENTRY-SAME:    attributes {df.entry = "step.cpu_0", df.on_host
func.func @part(%kernel: tensor<100x4xf32> {df.binding = #df.binding<variable, "kernel">})
    attributes {df.entry = "step.cpu_0", df.role = #df.role<other>, df.segment = #df.segment<step>} {
  return
}
