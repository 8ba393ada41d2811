// Segments that differ in names alone have one code.
// RUN: mlc-opt %s --codegen-share-segments | FileCheck %s
// RUN: mlc-opt %s --pass-pipeline='builtin.module(codegen-share-segments,func.func(codegen-bind-segments),codegen-bufferize)' | FileCheck %s --check-prefix=DROPPED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:       func.func @init.a(
// CHECK-NEXT:    linalg.exp
// CHECK:       func.func private @init.b(
// CHECK-SAME:    #df.binding<variable, "b">
// CHECK-SAME:    df.code = @init.a, df.entry = "init", df.role = #df.role<init>
// DROPPED:     func.func @init.a
// DROPPED-NOT: @init.b
func.func @init.a(%v: tensor<4xf32> {df.binding = #df.binding<variable, "a">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "a">})
    attributes {df.entry = "init", df.role = #df.role<init>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @init.b(%v: tensor<4xf32> {df.binding = #df.binding<variable, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "b">})
    attributes {df.entry = "init", df.role = #df.role<init>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The result goes elsewhere; it is of another kind; another op; another role; called by name.
// CHECK: func.func @init.c({{.*}} {
// CHECK: func.func @init.d({{.*}} {
// CHECK: func.func @init.e({{.*}} {
// CHECK: func.func @update({{.*}} {
// CHECK: func.func @called.c0({{.*}} {
// CHECK: func.func @called.c1({{.*}} {
// CHECK-NOT: df.code
func.func @init.c(%v: tensor<4xf32> {df.binding = #df.binding<variable, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "c">})
    attributes {df.entry = "init", df.role = #df.role<init>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @init.d(%v: tensor<4xf32> {df.binding = #df.binding<feature, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "b">})
    attributes {df.entry = "init", df.role = #df.role<init>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @init.e(%v: tensor<4xf32> {df.binding = #df.binding<variable, "e">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "e">})
    attributes {df.entry = "init", df.role = #df.role<init>} {
  %r = linalg.log ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @update(%v: tensor<4xf32> {df.binding = #df.binding<variable, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "b">})
    attributes {df.entry = "update", df.role = #df.role<train_update>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @called.c0(%v: tensor<4xf32> {df.binding = #df.binding<feature, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<output, "c">})
    attributes {df.entry = "called", df.role = #df.role<other>, df.segment = #df.segment<called>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @called.c1(%v: tensor<4xf32> {df.binding = #df.binding<feature, "b">}) -> (tensor<4xf32> {df.binding = #df.binding<output, "c">})
    attributes {df.entry = "called", df.role = #df.role<other>, df.segment = #df.segment<called>} {
  %r = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
