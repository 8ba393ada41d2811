// One entry that fills and empties queues of every kind, and one that asks for what is not there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.queue fifo @fifo capacity 4 : [tensor<i64>]
df.queue priority @priority capacity 4 : [tensor<i64>, tensor<2xf32>]
df.queue padding_fifo @padded capacity 4 : [tensor<?xi64>]
df.queue random_shuffle @shuffled capacity 8 : [tensor<i64>] {min_after_dequeue = 2 : i64, seed = 1 : i64}

df.function @kinds() -> (tensor<2xi64> {df.name = "first"}, tensor<i64> {df.name = "size"}, tensor<?xi64> {df.name = "rest"}, tensor<i1> {df.name = "closed"},
                         tensor<3xi64> {df.name = "priorities"}, tensor<3x2xf32> {df.name = "payloads"}, tensor<2x?xi64> {df.name = "padded"},
                         tensor<2xi64> {df.name = "shuffled"}, tensor<2xi64> {df.name = "behind"}) {
  %x = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  df.enqueue_many @fifo, %x : tensor<3xi64>
  %a = df.dequeue_many @fifo count 2 : tensor<2xi64>
  %n = df.queue_size @fifo : tensor<i64>
  df.queue_close @fifo
  %b = df.dequeue_up_to @fifo count 2 : tensor<?xi64>
  %c = df.queue_is_closed @fifo : tensor<i1>
  %p = df.constant dense<[3, 3, -1]> : tensor<3xi64>
  %v = df.constant dense<[[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]]> : tensor<3x2xf32>
  df.enqueue_many @priority, %p, %v : tensor<3xi64>, tensor<3x2xf32>
  %d, %e = df.dequeue_many @priority count 3 : tensor<3xi64>, tensor<3x2xf32>
  %y = df.constant dense<[7]> : tensor<1xi64>
  df.enqueue @padded, %y : tensor<1xi64>
  df.enqueue @padded, %x : tensor<3xi64>
  %r = df.dequeue_many @padded count 2 : tensor<2x?xi64>
  %w = df.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  df.enqueue_many @shuffled, %w : tensor<4xi64>
  %s = df.dequeue_many @shuffled count 2 : tensor<2xi64>
  df.queue_close @shuffled
  %t = df.dequeue_many @shuffled count 2 : tensor<2xi64>
  df.return %a, %n, %b, %c, %d, %e, %r, %s, %t : tensor<2xi64>, tensor<i64>, tensor<?xi64>, tensor<i1>, tensor<3xi64>, tensor<3x2xf32>, tensor<2x?xi64>, tensor<2xi64>, tensor<2xi64>
}

df.function @ended() -> (tensor<i64> {df.name = "x"}) {
  df.queue_close @fifo
  %x = df.dequeue @fifo : tensor<i64>
  df.return %x : tensor<i64>
}

df.queue padding_fifo @texts capacity 4 : [tensor<?x!df.string>, tensor<i64>]

df.function @words() -> (tensor<2x?x!df.string> {df.name = "words"}, tensor<?x!df.string> {df.name = "rest"}, tensor<2xi64> {df.name = "numbers"}) {
  %a = df.constant dense<["ab", ""]> : tensor<2x!df.string>
  %b = df.constant dense<["long enough to be no short string", "d", "e"]> : tensor<3x!df.string>
  %i = df.constant dense<[1, 2]> : tensor<2xi64>
  %one = df.constant dense<1> : tensor<i64>
  %two = df.constant dense<2> : tensor<i64>
  df.enqueue @texts, %a, %one : tensor<2x!df.string>, tensor<i64>
  df.enqueue @texts, %b, %two : tensor<3x!df.string>, tensor<i64>
  %c = df.stack %a, %a {axis = 0 : i64} : (tensor<2x!df.string>, tensor<2x!df.string>) -> tensor<2x2x!df.string>
  df.enqueue_many @texts, %c, %i : tensor<2x2x!df.string>, tensor<2xi64>
  %x, %n = df.dequeue_many @texts count 2 : tensor<2x?x!df.string>, tensor<2xi64>
  %y, %m = df.dequeue @texts : tensor<?x!df.string>, tensor<i64>
  %z, %k = df.dequeue @texts : tensor<?x!df.string>, tensor<i64>
  df.return %x, %y, %n : tensor<2x?x!df.string>, tensor<?x!df.string>, tensor<2xi64>
}
