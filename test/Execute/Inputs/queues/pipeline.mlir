// Producers and consumers that share a queue and variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.queue fifo @numbers capacity 16 : [tensor<i64>, tensor<8xi64>]
df.variable @next : tensor<i64> = #df.constant<0.0>
df.variable @taken : tensor<i64> = #df.constant<0.0>
df.variable @sum : tensor<8xi64> = #df.constant<0.0>

// Takes a number and puts it in, with a vector of it.
df.function @produce() {
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @next, %one : tensor<i64>
  %n = df.read @next : tensor<i64>
  %v = df.broadcast %n dimensions = [] : (tensor<i64>) -> tensor<8xi64>
  df.enqueue @numbers, %n, %v : tensor<i64>, tensor<8xi64>
  df.return
}

// Adds up what comes out.
df.function @consume() {
  %n, %v = df.dequeue @numbers : tensor<i64>, tensor<8xi64>
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @taken, %one : tensor<i64>
  df.assign_add @sum, %v : tensor<8xi64>
  df.return
}

df.function @close() {
  df.queue_close @numbers
  df.return
}

df.function @totals() -> (tensor<i64> {df.name = "taken"}, tensor<8xi64> {df.name = "sum"}) {
  %t = df.read @taken : tensor<i64>
  %s = df.read @sum : tensor<8xi64>
  df.return %t, %s : tensor<i64>, tensor<8xi64>
}
