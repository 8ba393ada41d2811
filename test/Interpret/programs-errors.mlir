// What fails in one program ends all, and is told once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --df-interpret --verify-diagnostics -o /dev/null

// A copy of a loop that goes round once more than the other one.
dist.program @p on "/device:CPU:0" {
  df.function @f() {
    %n = df.constant dense<2> : tensor<i64>
    %x = df.constant dense<2.0> : tensor<f32>
    df.scan () count %n : (tensor<i64>) -> () {
      dist.send %x to @q channel 0 : tensor<f32>
      df.yield
    }
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() {
    %n = df.constant dense<3> : tensor<i64>
    df.scan () count %n : (tensor<i64>) -> () {
      // expected-error @+1 {{'dist.recv' op waits for ever: channel 0 has no message and nobody is left to send}}
      %x = dist.recv from @p channel 0 : tensor<f32>
      df.yield
    }
    df.return
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f() {
    %x = df.constant dense<2> : tensor<i64>
    %no = df.constant dense<false> : tensor<i1>
    // expected-error @+1 {{'df.require' op}}
    df.require %no, "it is wrong" : tensor<i1>
    dist.send %x to @q channel 0 : tensor<i64>
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() {
    %x = dist.recv from @p channel 0 : tensor<i64>
    df.return
  }
}

// -----

// A queue of another program's device that nobody fills.
dist.program @p on "/device:CPU:0" {
  df.queue fifo @queue capacity 1 : [tensor<f32>]
  df.function @take() {
    // expected-error @+1 {{'df.dequeue' op would wait for ever: queue @queue has 0 elements}}
    %x = df.dequeue @queue : tensor<f32>
    df.return
  }
}
