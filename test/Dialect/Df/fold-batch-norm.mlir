// Normalization goes into the weights, in predict and not in train; the values stay within a bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-fold-batch-norm | FileCheck %s
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s --check-prefix=VALUES
// RUN: mlc-opt %s --df-fold-batch-norm --df-interpret -o /dev/null | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: @dense
// CHECK-NOT: df.batch_norm_inference
// CHECK: %[[W:.*]] = df.mul %{{.*}}, %{{.*}} : tensor<2x2xf64>
// CHECK: %[[P:.*]] = df.matmul %{{.*}}, %[[W]]
// CHECK: df.add %[[P]], %{{.*}} : tensor<2x2xf64>
// VALUES: @dense
// VALUES-NEXT: 0: tensor<2x2xf64> {{\[\[}}3.9980014987{{[0-9]+}}, 1.4998750234{{[0-9]+}}], [9.9950037468{{[0-9]+}}, 2.9996875585{{[0-9]+}}]]
df.function @dense(%x: tensor<2x2xf64> {df.value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>}) -> tensor<2x2xf64> attributes {role = #df.role<predict>} {
  %w = df.constant dense<[[1.0, 0.5], [0.5, 0.25]]> : tensor<2x2xf64>
  %b = df.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %mean = df.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %variance = df.constant dense<[1.0, 4.0]> : tensor<2xf64>
  %scale = df.constant dense<[2.0, 2.0]> : tensor<2xf64>
  %offset = df.constant dense<[0.0, 0.5]> : tensor<2xf64>
  %p = df.matmul %x, %w : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %bias = df.broadcast %b dimensions = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %s = df.add %p, %bias : tensor<2x2xf64>
  %y = df.batch_norm_inference %s, %mean, %variance scale %scale offset %offset {axes = array<i64: 0>, epsilon = 1.0e-3} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  df.return %y : tensor<2x2xf64>
}

// CHECK-LABEL: @images
// CHECK-NOT: df.batch_norm_inference
// CHECK: df.conv
// CHECK-NEXT: df.broadcast %{{.*}} like %{{.*}} dimensions = [3]
// CHECK-NEXT: df.add
df.function @images(%x: tensor<?x4x4x1xf32>, %w: tensor<3x3x1x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<?x2x2x2xf32> attributes {role = #df.role<predict>} {
  %p = df.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>} : (tensor<?x4x4x1xf32>, tensor<3x3x1x2xf32>) -> tensor<?x2x2x2xf32>
  %y = df.batch_norm_inference %p, %m, %v {axes = array<i64: 0, 1, 2>} : (tensor<?x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x2x2xf32>
  df.return %y : tensor<?x2x2x2xf32>
}

// Of channels first the last dimension is no channel.
// CHECK-LABEL: @channels_first
// CHECK: df.batch_norm_inference
df.function @channels_first(%x: tensor<?x1x4xf32>, %w: tensor<3x1x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<?x2x2xf32> attributes {role = #df.role<predict>} {
  %p = df.conv %x, %w {channels_first} : (tensor<?x1x4xf32>, tensor<3x1x2xf32>) -> tensor<?x2x2xf32>
  %y = df.batch_norm_inference %p, %m, %v {axes = array<i64: 0, 1>} : (tensor<?x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x2xf32>
  df.return %y : tensor<?x2x2xf32>
}

// CHECK-LABEL: @train
// CHECK: df.batch_norm_inference
df.function @train(%x: tensor<?x2xf32>, %w: tensor<2x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<?x2xf32> attributes {role = #df.role<train>} {
  %p = df.matmul %x, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %y = df.batch_norm_inference %p, %m, %v {axes = array<i64: 0>} : (tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}
