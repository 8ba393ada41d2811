// f16 and bf16 are computed in f32 and rounded once for each op; what a library would convert is expanded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg | FileCheck %s

// CHECK-LABEL: @f16
// CHECK:         %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[S:.*]] = arith.addf %[[X]], %{{.*}} : f32
// CHECK:         arith.truncf %[[S]] : f32 to f16
df.function @f16(%x: tensor<?xf16> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xf16> {df.binding = #df.binding<output, "y">}) {
  %y = df.add %x, %x : tensor<?xf16>
  df.return %y : tensor<?xf16>
}

// CHECK-LABEL: @bf16
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.*}} : bf16 to i16
// CHECK:         arith.shli
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.trunci %{{.*}} : i32 to i16
// CHECK-NEXT:    arith.bitcast %{{.*}} : i16 to bf16
// CHECK-NOT:     arith.truncf
df.function @bf16(%x: tensor<?xbf16> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xbf16> {df.binding = #df.binding<output, "y">}) {
  %y = df.mul %x, %x : tensor<?xbf16>
  df.return %y : tensor<?xbf16>
}

// Never from f64 in one step, which is a call.
// CHECK-LABEL: @from_f64
// CHECK-NOT:     f64 to f16
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT:     f64 to f16
df.function @from_f64(%x: tensor<?xf64> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xf16> {df.binding = #df.binding<output, "y">}) {
  %y = df.cast %x : (tensor<?xf64>) -> tensor<?xf16>
  df.return %y : tensor<?xf16>
}

// The sign is in the op: tensors are signless.
// CHECK-LABEL: @unsigned
// CHECK-SAME:    tensor<?xi8>
// CHECK:         arith.maxui
// CHECK:         arith.uitofp
df.function @unsigned(%x: tensor<?xui8> {df.binding = #df.binding<feature, "x">}, %w: tensor<?xui32> {df.binding = #df.binding<feature, "w">})
    -> (tensor<?xui8> {df.binding = #df.binding<output, "y">}, tensor<?xf32> {df.binding = #df.binding<output, "z">}) {
  %y = df.maximum %x, %x : tensor<?xui8>
  %z = df.cast %w : (tensor<?xui32>) -> tensor<?xf32>
  df.return %y, %z : tensor<?xui8>, tensor<?xf32>
}

// CHECK-LABEL: @division
// CHECK:         kern.report_error{{.*}}divides by zero
// CHECK:         arith.divsi
df.function @division(%x: tensor<?xi32> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xi32> {df.binding = #df.binding<output, "y">}) {
  %y = df.div %x, %x : tensor<?xi32>
  df.return %y : tensor<?xi32>
}
