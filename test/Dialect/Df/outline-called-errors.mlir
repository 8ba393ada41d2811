// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --verify-diagnostics --df-outline-called

df.variable @w : tensor<4xf32> = #df.constant<0.0>
df.queue padding_fifo @q capacity 1 : [tensor<?xf32>]
df.function @f(%c: tensor<i1> {df.name = "c"}) {
  df.if %c : (tensor<i1>) -> () {
    // expected-error @+1 {{a value of type 'tensor<?xf32>' goes from what waits to what uses variables, or back, in a region; of its shape, which only the call knows, no buffer can be planned between the two}}
    %x = df.dequeue @q : tensor<?xf32>
    %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %w = df.read @w : tensor<4xf32>
    %y = df.broadcast %x like %x dimensions = [0] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    df.assign @w, %w : tensor<4xf32>
    df.enqueue @q, %y : tensor<?xf32>
    df.yield
  } else {
    df.yield
  }
  df.return
}
