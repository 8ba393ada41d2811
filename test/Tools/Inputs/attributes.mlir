// A module most of whose arguments, results and attributes have nothing to do with its df.exp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @named attributes {mlc.manifest = "{\"a\":1}", mlc.name = "m", test.more = [1, 2, 3]} {
  df.function @f(%a: tensor<4xf32> {df.name = "a"}, %x: tensor<4xf32> {df.name = "x"}, %b: tensor<?xi64> {df.name = "b"}) -> (tensor<4xf32> {df.name = "y"}, tensor<?xi64> {df.name = "z"}, tensor<4xf32> {df.name = "w"}) {
    %0 = df.exp %x : tensor<4xf32>
    %1 = df.add %0, %a : tensor<4xf32>
    df.return %1, %b, %0 : tensor<4xf32>, tensor<?xi64>, tensor<4xf32>
  }
  func.func private @g(%c: tensor<4xf32> {test.attribute}) -> (tensor<4xf32> {test.result = 1 : i64}) attributes {test.function} {
    %0 = df.neg %c : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
