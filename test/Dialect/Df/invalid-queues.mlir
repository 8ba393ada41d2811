// The constraints of queues, by the numbers of their descriptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(C1) capacity must be at least 1; found 0}}
df.queue fifo @q capacity 0 : [tensor<i64>]

// -----

// expected-error @+1 {{(C2) needs at least one component}}
df.queue fifo @q capacity 2 : []

// -----

// expected-error @+1 {{(C2) component 1 must be a tensor of numbers, truth values or strings; found 'i64'}}
df.queue fifo @q capacity 2 : [tensor<i64>, i64]

// -----

// expected-error @+1 {{(C3) component 0 of a fifo queue must be static; found 'tensor<?xf32>'}}
df.queue fifo @q capacity 2 : [tensor<?xf32>]

// -----

// expected-error @+1 {{(C4) the first component of a priority queue must be tensor<i64>; found 'tensor<i32>'}}
df.queue priority @q capacity 2 : [tensor<i32>]

// -----

// expected-error @+1 {{(C5) min_after_dequeue and seed are of a random_shuffle queue alone}}
df.queue fifo @q capacity 2 : [tensor<i64>] {seed = 3 : i64}

// -----

// expected-error @+1 {{(C5) min_after_dequeue must be in [0, 2); found 2}}
df.queue random_shuffle @q capacity 2 : [tensor<i64>] {min_after_dequeue = 2 : i64}

// -----

df.function @f() {
  // expected-error @+1 {{names @q, which is not a df.queue}}
  %a = df.queue_size @q : tensor<i64>
  df.return
}

// -----

df.queue fifo @q capacity 2 : [tensor<i64>, tensor<2xf32>]
df.function @f(%n: tensor<i64>) {
  // expected-error @+1 {{(C1) @q has 2 components; found 1 operands}}
  df.enqueue @q, %n : tensor<i64>
  df.return
}

// -----

df.queue fifo @q capacity 2 : [tensor<2xf32>]
df.function @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{(C1) operand 0 must be 'tensor<2xf32>', component 0 of @q; found 'tensor<3xf32>'}}
  df.enqueue @q, %x : tensor<3xf32>
  df.return
}

// -----

df.queue fifo @q capacity 2 : [tensor<2xf32>]
df.function @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{(C1) operand 0 must be rows of 'tensor<2xf32>', component 0 of @q; found 'tensor<2xf32>'}}
  df.enqueue_many @q, %x : tensor<2xf32>
  df.return
}

// -----

df.queue fifo @q capacity 2 : [tensor<2xf32>]
df.function @f() {
  // expected-error @+1 {{(C1) result 0 must be 'tensor<2xf32>', component 0 of @q; found 'tensor<?xf32>'}}
  %x = df.dequeue @q : tensor<?xf32>
  df.return
}

// -----

df.queue fifo @q capacity 4 : [tensor<2xf32>]
df.function @f() {
  // expected-error @+1 {{(C1) result 0 must be rows of 'tensor<2xf32>', component 0 of @q; found 'tensor<2x2xf32>'}}
  %x = df.dequeue_many @q count 3 : tensor<2x2xf32>
  df.return
}

// -----

df.queue random_shuffle @q capacity 4 : [tensor<2xf32>] {min_after_dequeue = 2 : i64}
df.function @f() {
  // expected-error @+1 {{(C2) count must be in [1, 2], what @q can give at once; found 3}}
  %x = df.dequeue_many @q count 3 : tensor<3x2xf32>
  df.return
}

// -----

df.queue fifo @q capacity 4 : [tensor<2xf32>]
df.function @f() {
  // expected-error @+1 {{(C1) the first dimension of a result must be '?'; found 'tensor<3x2xf32>'}}
  %x = df.dequeue_up_to @q count 3 : tensor<3x2xf32>
  df.return
}

// -----

df.queue fifo @q capacity 4 : [tensor<2xf32>]
df.function @f() {
  // expected-error @+1 {{(C2) count must be in [1, 4], what @q can give at once; found 0}}
  %x = df.dequeue_up_to @q count 0 : tensor<?x2xf32>
  df.return
}

// -----

df.function @close() {
  // expected-error @+1 {{names @q, which is not a df.queue}}
  df.queue_close @q
  df.return
}

// -----

df.function @is_closed() {
  // expected-error @+1 {{names @q, which is not a df.queue}}
  %a = df.queue_is_closed @q : tensor<i1>
  df.return
}

// -----

df.queue padding_fifo @q capacity 1 : [tensor<?x2xf32>]
df.function @sizes() {
  // expected-error @+1 {{(C2) sizes has 2 arrays for 1 results}}
  %a = df.dequeue @q {sizes = [[array<i64: 1>, array<i64>], []]} : tensor<?x2xf32>
  df.return
}

// -----

df.queue padding_fifo @q capacity 1 : [tensor<?x2xf32>]
df.function @sizes() {
  // expected-error @+1 {{(C2) sizes of 'tensor<?x2xf32>' must be 2 array<i64>; found [array<i64: 1>]}}
  %a = df.dequeue @q {sizes = [[array<i64: 1>]]} : tensor<?x2xf32>
  df.return
}
