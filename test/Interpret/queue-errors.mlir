// What would wait for ever, and what a closed queue refuses, are errors at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.queue fifo @q capacity 2 : [tensor<i64>]
df.function @full() {
  %x = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  // expected-error @+1 {{would wait for ever: queue @q is full with 2 elements}}
  df.enqueue_many @q, %x : tensor<3xi64>
  df.return
}

// -----

df.queue fifo @q capacity 2 : [tensor<i64>]
df.function @empty() -> tensor<i64> {
  // expected-error @+1 {{would wait for ever: queue @q has 0 elements}}
  %x = df.dequeue @q : tensor<i64>
  df.return %x : tensor<i64>
}

// -----

df.queue fifo @q capacity 2 : [tensor<i64>]
df.function @ended() -> tensor<i64> {
  df.queue_close @q
  // expected-error @+1 {{queue @q is closed with 0 elements, 1 asked for}}
  %x = df.dequeue @q : tensor<i64>
  df.return %x : tensor<i64>
}

// -----

df.queue fifo @q capacity 2 : [tensor<i64>]
df.function @closed() {
  %x = df.constant dense<1> : tensor<i64>
  df.queue_close @q
  // expected-error @+1 {{queue @q is closed}}
  df.enqueue @q, %x : tensor<i64>
  df.return
}
