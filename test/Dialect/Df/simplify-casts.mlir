// Casts of constants: unsigned ones are extended by zeros and never negative.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-simplify | FileCheck %s

// CHECK-LABEL: @unsigned
df.function @unsigned() -> (tensor<f32>, tensor<i16>, tensor<ui16>, tensor<ui8>, tensor<bf16>) {
  %u = df.constant dense<200> : tensor<ui8>
  // CHECK-DAG: dense<2.000000e+02> : tensor<f32>
  %f = df.cast %u : (tensor<ui8>) -> tensor<f32>
  // CHECK-DAG: dense<200> : tensor<i16>
  %i = df.cast %u : (tensor<ui8>) -> tensor<i16>
  %m = df.constant dense<-1> : tensor<i8>
  // CHECK-DAG: dense<65535> : tensor<ui16>
  %w = df.cast %m : (tensor<i8>) -> tensor<ui16>
  %n = df.constant dense<257> : tensor<i32>
  // CHECK-DAG: dense<1> : tensor<ui8>
  %t = df.cast %n : (tensor<i32>) -> tensor<ui8>
  // CHECK-DAG: dense<-1.000000e+00> : tensor<bf16>
  %h = df.cast %m : (tensor<i8>) -> tensor<bf16>
  // CHECK-NOT: df.cast
  df.return %f, %i, %w, %t, %h : tensor<f32>, tensor<i16>, tensor<ui16>, tensor<ui8>, tensor<bf16>
}

// A bitcast to its own type is nothing.
// CHECK-LABEL: @bits
// CHECK-NEXT: df.return
df.function @bits(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = df.bitcast %x : (tensor<?xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}
