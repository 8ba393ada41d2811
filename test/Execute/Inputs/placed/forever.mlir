// A chief that waits for what a worker puts into a queue, again and again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  df.queue fifo @numbers capacity 1 : [tensor<i64>] {dist.device = "/job:chief"}
  df.function @takes() -> (tensor<i64> {df.name = "last"}) attributes {dist.device = "/job:chief"} {
    %zero = df.constant dense<0> : tensor<i64>
    %last = df.while (%zero) {dist.device = "/job:chief"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%n: tensor<i64>):
      %more = df.compare ge, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%n: tensor<i64>):
      %next = df.dequeue @numbers : tensor<i64>
      df.yield %next : tensor<i64>
    }
    df.return %last : tensor<i64>
  }
  df.function @puts() attributes {dist.device = "/job:worker/task:0"} {
    %zero = df.constant dense<0> : tensor<i64>
    %one = df.constant dense<1> : tensor<i64>
    %last = df.while (%zero) {dist.device = "/job:worker/task:0"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%n: tensor<i64>):
      %more = df.compare ge, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%n: tensor<i64>):
      df.enqueue @numbers, %n : tensor<i64>
      %next = df.add %n, %one : tensor<i64>
      df.yield %next : tensor<i64>
    }
    df.return
  }
}
