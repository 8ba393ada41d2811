// A step whose kernel is from two lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "two_lines"} {
  df.variable @w : tensor<5000xf32> = #df.normal<0.0, 1.0> {trainable}
  df.function @step(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<5000xf32> {df.name = "y"}) {
    %w = df.read @w : tensor<5000xf32>
    %e = df.exp %w : tensor<5000xf32>
    %y = df.mul %e, %w : tensor<5000xf32>
    df.return %y : tensor<5000xf32>
  }
}
