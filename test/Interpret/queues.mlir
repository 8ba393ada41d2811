// What queues give, in which order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

df.queue fifo @fifo capacity 4 : [tensor<i64>]
df.queue priority @priority capacity 4 : [tensor<i64>, tensor<2xi64>]
df.queue padding_fifo @padded capacity 4 : [tensor<?xi64>]
df.queue random_shuffle @shuffled capacity 8 : [tensor<i64>] {min_after_dequeue = 2 : i64, seed = 1 : i64}

// CHECK-LABEL: @in_order
// CHECK-NEXT: 0: tensor<2xi64> [1, 2]
// CHECK-NEXT: 1: tensor<i64> 1
// CHECK-NEXT: 2: tensor<1xi64> [3]
// CHECK-NEXT: 3: tensor<i1> true
df.function @in_order() -> (tensor<2xi64>, tensor<i64>, tensor<?xi64>, tensor<i1>) {
  %x = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  df.enqueue_many @fifo, %x : tensor<3xi64>
  %a = df.dequeue_many @fifo count 2 : tensor<2xi64>
  %n = df.queue_size @fifo : tensor<i64>
  df.queue_close @fifo
  %b = df.dequeue_up_to @fifo count 2 : tensor<?xi64>
  %c = df.queue_is_closed @fifo : tensor<i1>
  df.return %a, %n, %b, %c : tensor<2xi64>, tensor<i64>, tensor<?xi64>, tensor<i1>
}

// CHECK-LABEL: @least_first
// CHECK-NEXT: 0: tensor<3xi64> [-1, 3, 3]
// CHECK-NEXT: 1: tensor<3x2xi64> {{\[}}[2, 2], [0, 0], [1, 1]]
df.function @least_first() -> (tensor<3xi64>, tensor<3x2xi64>) {
  %p = df.constant dense<[3, 3, -1]> : tensor<3xi64>
  %v = df.constant dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi64>
  df.enqueue_many @priority, %p, %v : tensor<3xi64>, tensor<3x2xi64>
  %a, %b = df.dequeue_many @priority count 3 : tensor<3xi64>, tensor<3x2xi64>
  df.return %a, %b : tensor<3xi64>, tensor<3x2xi64>
}

// CHECK-LABEL: @padding
// CHECK-NEXT: 0: tensor<2x3xi64> {{\[}}[7, 0, 0], [1, 2, 3]]
df.function @padding() -> tensor<2x?xi64> {
  %x = df.constant dense<[7]> : tensor<1xi64>
  %y = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  df.enqueue @padded, %x : tensor<1xi64>
  df.enqueue @padded, %y : tensor<3xi64>
  %r = df.dequeue_many @padded count 2 : tensor<2x?xi64>
  df.return %r : tensor<2x?xi64>
}

// Drawn by the seed; two stay behind until the queue is closed.
// CHECK-LABEL: @shuffling
// CHECK-NEXT: 0: tensor<2xi64>
// CHECK-NEXT: 1: tensor<i64> 2
// CHECK-NEXT: 2: tensor<2xi64>
// CHECK-NEXT: 3: tensor<i64> 10
df.function @shuffling() -> (tensor<2xi64>, tensor<i64>, tensor<2xi64>, tensor<i64>) {
  %x = df.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  df.enqueue_many @shuffled, %x : tensor<4xi64>
  %a = df.dequeue_many @shuffled count 2 : tensor<2xi64>
  %n = df.queue_size @shuffled : tensor<i64>
  df.queue_close @shuffled
  %b = df.dequeue_many @shuffled count 2 : tensor<2xi64>
  %both = df.add %a, %b : tensor<2xi64>
  %sum = df.reduce_sum %both {axes = array<i64: 0>} : (tensor<2xi64>) -> tensor<i64>
  df.return %a, %n, %b, %sum : tensor<2xi64>, tensor<i64>, tensor<2xi64>, tensor<i64>
}
