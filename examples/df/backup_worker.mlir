// Synchronous replication by queues alone, with one backup worker (Abadi et al., OSDI 2016, 4.4): each step takes the gradients of the two workers that come first, of three.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc run backup_worker.mlir --entry chief --entry worker0 --entry worker1 --entry worker2     # all tasks in one process
//
//   mlc compile backup_worker.mlir -o backup_worker                                              # or each in one of its own
//   mlc launch --workers 4 --ps 1 -- ./backup_worker run --entry chief --entry worker0 --entry worker1 --entry worker2
//
//   mlc-opt backup_worker.mlir --dist-place='devices=/job:chief/task:0/cpu:0,/job:ps/task:0/cpu:0,/job:worker/task:0/cpu:0,/job:worker/task:1/cpu:0,/job:worker/task:2/cpu:0' \
//     --dist-partition --df-interpret='together functions=chief,worker0,worker1,worker2' -o /dev/null
//
// A worker takes a token, which carries the step, reads the weights, and puts its gradient with the step into @gradients. The chief takes gradients out until it has two of its step; one that comes late, of a step that
// is over, is dropped. It applies their mean and puts a token for each worker into @tokens; a token of -1 ends a worker. Variables and queues are on the server: what the tasks do with them goes to it by messages.
module {
  df.variable @weights : tensor<2xf32> = #df.constant<0.0> {dist.device = "/job:ps"}
  df.variable @applied : tensor<i64> = #df.constant<0.0> {dist.device = "/job:chief"}
  df.variable @dropped : tensor<i64> = #df.constant<0.0> {dist.device = "/job:chief"}
  df.queue fifo @tokens capacity 6 : [tensor<i64>] {dist.device = "/job:ps"}
  df.queue fifo @gradients capacity 16 : [tensor<i64>, tensor<2xf32>] {dist.device = "/job:ps"}

  // Returns what was learned, and how many gradients were applied and dropped.
  df.function @chief() -> (tensor<2xf32> {df.name = "weights"}, tensor<i64> {df.name = "applied"}, tensor<i64> {df.name = "dropped"})
      attributes {dist.device = "/job:chief"} {
    %zero = df.constant dense<0> : tensor<i64>
    %one = df.constant dense<1> : tensor<i64>
    %needed = df.constant dense<2> : tensor<i64>
    %steps = df.constant dense<40> : tensor<i64>
    %none = df.constant dense<0.0> : tensor<2xf32>
    %rate = df.constant dense<0.25> : tensor<2xf32>
    %first = df.constant dense<0> : tensor<3xi64>
    df.enqueue_many @tokens, %first : tensor<3xi64>
    %last = df.while (%zero) {dist.device = "/job:chief"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%step: tensor<i64>):
      %more = df.compare lt, %step, %steps : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%step: tensor<i64>):
      %count, %sum = df.while (%zero, %none) : (tensor<i64>, tensor<2xf32>) -> (tensor<i64>, tensor<2xf32>) {
      ^bb0(%n: tensor<i64>, %s: tensor<2xf32>):
        %few = df.compare lt, %n, %needed : (tensor<i64>, tensor<i64>) -> tensor<i1>
        df.condition %few : tensor<i1>
      } do {
      ^bb0(%n: tensor<i64>, %s: tensor<2xf32>):
        %of, %g = df.dequeue @gradients : tensor<i64>, tensor<2xf32>
        %fresh = df.compare eq, %of, %step : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %n1, %s1 = df.if %fresh : (tensor<i1>) -> (tensor<i64>, tensor<2xf32>) {
          %n2 = df.add %n, %one : tensor<i64>
          %s2 = df.add %s, %g : tensor<2xf32>
          df.assign_add @applied, %one : tensor<i64>
          df.yield %n2, %s2 : tensor<i64>, tensor<2xf32>
        } else {
          df.assign_add @dropped, %one : tensor<i64>
          df.yield %n, %s : tensor<i64>, tensor<2xf32>
        }
        df.yield %n1, %s1 : tensor<i64>, tensor<2xf32>
      }
      %update = df.mul %sum, %rate : tensor<2xf32>
      df.assign_sub @weights, %update : tensor<2xf32>
      %next = df.add %step, %one : tensor<i64>
      // Tokens of the next step, after the update on the same server; of the last one they end the workers.
      %end = df.compare eq, %next, %steps : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %stop = df.constant dense<-1> : tensor<i64>
      %token = df.select %end, %stop, %next : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %tokens = df.broadcast %token dimensions = [] : (tensor<i64>) -> tensor<3xi64>
      df.enqueue_many @tokens, %tokens : tensor<3xi64>
      df.yield %next : tensor<i64>
    }
    %learned = df.read @weights : tensor<2xf32>
    %applied = df.read @applied : tensor<i64>
    %dropped = df.read @dropped : tensor<i64>
    df.return %learned, %applied, %dropped : tensor<2xf32>, tensor<i64>, tensor<i64>
  }

  // Least squares on the rows of this worker; those of all workers have the solution (2, -1).
  df.function @worker0() attributes {dist.device = "/job:worker/task:0"} {
    %x = df.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, -1.0]]> : tensor<4x2xf32>
    %y = df.constant dense<[[2.0], [-1.0], [1.0], [2.0]]> : tensor<4x1xf32>
    %zero = df.constant dense<0> : tensor<i64>
    %share = df.constant dense<0.25> : tensor<2x1xf32>
    %token = df.dequeue @tokens : tensor<i64>
    %end = df.while (%token) {dist.device = "/job:worker/task:0"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%step: tensor<i64>):
      %go = df.compare ge, %step, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%step: tensor<i64>):
      %w = df.read @weights : tensor<2xf32>
      %column = df.reshape %w : (tensor<2xf32>) -> tensor<2x1xf32>
      %xw = df.matmul %x, %column : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
      %error = df.sub %xw, %y : tensor<4x1xf32>
      %xe = df.matmul %x, %error {transpose_a} : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
      %mean = df.mul %xe, %share : tensor<2x1xf32>
      %g = df.reshape %mean : (tensor<2x1xf32>) -> tensor<2xf32>
      df.enqueue @gradients, %step, %g : tensor<i64>, tensor<2xf32>
      %next = df.dequeue @tokens : tensor<i64>
      df.yield %next : tensor<i64>
    }
    df.return
  }

  // Least squares on the rows of this worker; those of all workers have the solution (2, -1).
  df.function @worker1() attributes {dist.device = "/job:worker/task:1"} {
    %x = df.constant dense<[[0.0, 2.0], [1.0, -1.0], [-1.0, 0.5], [1.0, 0.5]]> : tensor<4x2xf32>
    %y = df.constant dense<[[-2.0], [3.0], [-2.5], [1.5]]> : tensor<4x1xf32>
    %zero = df.constant dense<0> : tensor<i64>
    %share = df.constant dense<0.25> : tensor<2x1xf32>
    %token = df.dequeue @tokens : tensor<i64>
    %end = df.while (%token) {dist.device = "/job:worker/task:1"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%step: tensor<i64>):
      %go = df.compare ge, %step, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%step: tensor<i64>):
      %w = df.read @weights : tensor<2xf32>
      %column = df.reshape %w : (tensor<2xf32>) -> tensor<2x1xf32>
      %xw = df.matmul %x, %column : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
      %error = df.sub %xw, %y : tensor<4x1xf32>
      %xe = df.matmul %x, %error {transpose_a} : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
      %mean = df.mul %xe, %share : tensor<2x1xf32>
      %g = df.reshape %mean : (tensor<2x1xf32>) -> tensor<2xf32>
      df.enqueue @gradients, %step, %g : tensor<i64>, tensor<2xf32>
      %next = df.dequeue @tokens : tensor<i64>
      df.yield %next : tensor<i64>
    }
    df.return
  }

  // Least squares on the rows of this worker; those of all workers have the solution (2, -1).
  df.function @worker2() attributes {dist.device = "/job:worker/task:2"} {
    %x = df.constant dense<[[1.5, 0.5], [-0.5, 1.0], [0.0, 1.0], [1.0, 0.0]]> : tensor<4x2xf32>
    %y = df.constant dense<[[2.5], [-2.0], [-1.0], [2.0]]> : tensor<4x1xf32>
    %zero = df.constant dense<0> : tensor<i64>
    %share = df.constant dense<0.25> : tensor<2x1xf32>
    %token = df.dequeue @tokens : tensor<i64>
    %end = df.while (%token) {dist.device = "/job:worker/task:2"} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%step: tensor<i64>):
      %go = df.compare ge, %step, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%step: tensor<i64>):
      %w = df.read @weights : tensor<2xf32>
      %column = df.reshape %w : (tensor<2xf32>) -> tensor<2x1xf32>
      %xw = df.matmul %x, %column : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
      %error = df.sub %xw, %y : tensor<4x1xf32>
      %xe = df.matmul %x, %error {transpose_a} : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
      %mean = df.mul %xe, %share : tensor<2x1xf32>
      %g = df.reshape %mean : (tensor<2x1xf32>) -> tensor<2xf32>
      df.enqueue @gradients, %step, %g : tensor<i64>, tensor<2xf32>
      %next = df.dequeue @tokens : tensor<i64>
      df.yield %next : tensor<i64>
    }
    df.return
  }
}
