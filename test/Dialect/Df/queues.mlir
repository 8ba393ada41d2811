// Queues and the ops on them, read and printed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s

// CHECK: df.queue fifo @q capacity 8 : [tensor<4xf32>, tensor<i64>]
df.queue fifo @q capacity 8 : [tensor<4xf32>, tensor<i64>]
// CHECK: df.queue random_shuffle @r capacity 64 : [tensor<i64>] {min_after_dequeue = 16 : i64, seed = 7 : i64}
df.queue random_shuffle @r capacity 64 : [tensor<i64>] {min_after_dequeue = 16 : i64, seed = 7 : i64}
// CHECK: df.queue padding_fifo @p capacity 8 : [tensor<?x3xf32>]
df.queue padding_fifo @p capacity 8 : [tensor<?x3xf32>]
// CHECK: df.queue priority @o capacity 8 : [tensor<i64>, tensor<2xi1>]
df.queue priority @o capacity 8 : [tensor<i64>, tensor<2xi1>]

// CHECK-LABEL: df.function @ops
df.function @ops(%x: tensor<4xf32>, %n: tensor<i64>, %xs: tensor<?x4xf32>, %ns: tensor<?xi64>) {
  // CHECK: df.enqueue @q, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i64>
  df.enqueue @q, %x, %n : tensor<4xf32>, tensor<i64>
  // CHECK: df.enqueue_many @q, %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?xi64>
  df.enqueue_many @q, %xs, %ns : tensor<?x4xf32>, tensor<?xi64>
  // CHECK: %{{.*}}:2 = df.dequeue @q : tensor<4xf32>, tensor<i64>
  %a, %b = df.dequeue @q : tensor<4xf32>, tensor<i64>
  // CHECK: %{{.*}}:2 = df.dequeue_many @q count 3 : tensor<3x4xf32>, tensor<3xi64>
  %c, %d = df.dequeue_many @q count 3 : tensor<3x4xf32>, tensor<3xi64>
  // CHECK: df.dequeue_up_to @p count 3 : tensor<?x?x3xf32>
  %e = df.dequeue_up_to @p count 3 : tensor<?x?x3xf32>
  // CHECK: df.queue_size @q : tensor<i64>
  %f = df.queue_size @q : tensor<i64>
  // CHECK: df.queue_is_closed @q : tensor<i1>
  %g = df.queue_is_closed @q : tensor<i1>
  // CHECK: df.queue_close @q {{[{]}}cancel_pending}
  df.queue_close @q {cancel_pending}
  df.return
}

// Two ops on one queue are never one, and none is dead.
// CHECK-LABEL: df.function @twice
df.function @twice() {
  // CHECK-COUNT-2: df.dequeue @r
  %a = df.dequeue @r : tensor<i64>
  %b = df.dequeue @r : tensor<i64>
  df.return
}
