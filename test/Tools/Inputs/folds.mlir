// Something that folding and the removal of dead code would take away. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @f(%c: tensor<i1>, %x: tensor<4xf32>, %rows: tensor<3x4xf32>) -> tensor<4xf32> {
  %r = df.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = df.neg %x : tensor<4xf32>
    %1 = df.scan (%0) over (%rows) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %row: tensor<4xf32>):
      %s = df.sin %a : tensor<4xf32>
      %dead = df.exp %s : tensor<4xf32>
      %b = df.add %a, %s : tensor<4xf32>
      df.yield %b : tensor<4xf32>
    }
    df.yield %1 : tensor<4xf32>
  } else {
    df.yield %x : tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}
