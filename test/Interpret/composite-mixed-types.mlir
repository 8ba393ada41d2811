// Composites whose operands know different sizes are taken apart as they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-decompose | FileCheck %s --check-prefix=PARTS

// PARTS-NOT: df.xlogy
// PARTS-NOT: df.layer_norm
// PARTS-NOT: df.batch_matmul
// PARTS-NOT: df.kl_divergence
// PARTS-NOT: df.rnn_cell
// PARTS-NOT: df.huber_loss
// CHECK-LABEL: @mixed
df.function @mixed() -> (tensor<?xf32>, tensor<2x?xf32>, tensor<?x1x1xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<2xf32>) {
  %x = df.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %u = df.cast_shape %x : tensor<2xf32> to tensor<?xf32>
  %m = df.constant dense<[[1.0, 3.0], [5.0, 9.0]]> : tensor<2x2xf32>
  %n = df.cast_shape %m : tensor<2x2xf32> to tensor<?x?xf32>
  %z = df.constant dense<0.0> : tensor<2xf32>
  // CHECK-NEXT: 0: tensor<2xf32> [0, 1.3862944]
  %a = df.xlogy %u, %x : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  // CHECK-NEXT: 1: tensor<2x2xf32>
  // CHECK-SAME: {{-0.99999.*0.99999.*-0.99999.*0.99999}}
  %b = df.layer_norm %n offset %z {axes = array<i64: 1>} : (tensor<?x?xf32>, tensor<2xf32>) -> tensor<2x?xf32>
  %row = df.constant dense<[[[1.0, 3.0]], [[5.0, 9.0]]]> : tensor<2x1x2xf32>
  %rows = df.cast_shape %row : tensor<2x1x2xf32> to tensor<?x1x?xf32>
  // CHECK-NEXT: 2: tensor<2x1x1xf32> {{.*}}10{{.*}}106
  %c = df.batch_matmul %rows, %row {transpose_b} : (tensor<?x1x?xf32>, tensor<2x1x2xf32>) -> tensor<?x1x1xf32>
  // CHECK-NEXT: 3: tensor<2xf32> [0, 0]
  %d = df.kl_divergence %n, %m : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?xf32>
  %h = df.constant dense<0.0> : tensor<2x2xf32>
  %g = df.cast_shape %h : tensor<2x2xf32> to tensor<?x2xf32>
  // CHECK-NEXT: 4: tensor<2x2xf32>
  %e = df.rnn_cell %m, %g, %h, %h, %z : (tensor<2x2xf32>, tensor<?x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  // CHECK-NEXT: 5: tensor<2xf32> [0, 0]
  %f = df.huber_loss %u, %x : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  df.return %a, %b, %c, %d, %e, %f : tensor<?xf32>, tensor<2x?xf32>, tensor<?x1x1xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<2xf32>
}
