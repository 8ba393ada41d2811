// What fails on a device while another one waits for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  df.queue fifo @numbers capacity 1 : [tensor<i64>] {dist.device = "/cpu:1"}
  df.function @fails() -> (tensor<i64> {df.name = "n"}) attributes {dist.device = "/cpu:0"} {
    %one = df.constant dense<1> : tensor<i64>
    df.queue_close @numbers
    df.enqueue @numbers, %one : tensor<i64>
    %n = df.queue_size @numbers : tensor<i64>
    df.return %n : tensor<i64>
  }
}
