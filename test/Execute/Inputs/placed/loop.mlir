// A loop whose body is on two devices, with a branch that both take, variables read and written on either, and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  df.variable @w : tensor<4x4xf32> = #df.normal<0.0, 0.5> {dist.device = "/cpu:0"}
  df.variable @bias : tensor<4xf32> = #df.constant<0.125> {dist.device = "/cpu:1"}
  df.variable @rounds : tensor<i64> = #df.constant<0.0> {dist.device = "/cpu:1"}

  df.function @loop(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<?x4xf32> {df.name = "y"}, tensor<i64> {df.name = "rounds"}, tensor<4xf32> {df.name = "bias"})
      attributes {dist.device = "/cpu:0"} {
    %zero = df.constant dense<0> : tensor<i64>
    %one = df.constant dense<1> : tensor<i64>
    %two = df.constant dense<2> : tensor<i64>
    %five = df.constant dense<5> : tensor<i64>
    %half = df.constant dense<0.5> : tensor<4xf32>
    %n, %y = df.while (%zero, %x) : (tensor<i64>, tensor<?x4xf32>) -> (tensor<i64>, tensor<?x4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>):
      %more = df.compare lt, %i, %five : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %more : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<?x4xf32>):
      %w = df.read @w : tensor<4x4xf32>
      %product = df.matmul %h, %w {dist.device = "/cpu:0"} : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      %b = df.read @bias : tensor<4xf32>
      %wide = df.broadcast %b like %product dimensions = [1] {dist.device = "/cpu:1"} : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      %sum = df.add %product, %wide {dist.device = "/cpu:1"} : tensor<?x4xf32>
      %scaled = df.mul %b, %half {dist.device = "/cpu:1"} : tensor<4xf32>
      df.assign_add @bias, %scaled : tensor<4xf32>
      df.assign_add @rounds, %one : tensor<i64>
      %late = df.compare ge, %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %next = df.if %late : (tensor<i1>) -> tensor<?x4xf32> {
        %r = df.relu %sum {dist.device = "/cpu:0"} : tensor<?x4xf32>
        %s = df.tanh %r {dist.device = "/cpu:1"} : tensor<?x4xf32>
        df.yield %s : tensor<?x4xf32>
      } else {
        %t = df.sigmoid %sum {dist.device = "/cpu:1"} : tensor<?x4xf32>
        df.yield %t : tensor<?x4xf32>
      }
      %i1 = df.add %i, %one : tensor<i64>
      df.yield %i1, %next : tensor<i64>, tensor<?x4xf32>
    }
    %rounds = df.read @rounds : tensor<i64>
    %bias = df.read @bias : tensor<4xf32>
    df.return %y, %rounds, %bias : tensor<?x4xf32>, tensor<i64>, tensor<4xf32>
  }
}
