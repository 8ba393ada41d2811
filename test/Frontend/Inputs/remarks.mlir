// A sum in a loop whose operands may have different sizes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @f(%x: tensor<3x?xf32> {df.name = "x"}, %a: tensor<?xf32> {df.name = "a"}, %b: tensor<?xf32> {df.name = "b", df.symbol = 1 : i64}) -> tensor<3x?xf32> {
  %r = df.scan () over (%x) : (tensor<3x?xf32>) -> tensor<3x?xf32> {
  ^bb0(%row: tensor<?xf32>):
    %s = df.add %a, %b : tensor<?xf32>
    %t = df.mul %row, %s : tensor<?xf32>
    df.yield %t : tensor<?xf32>
  }
  df.return %r : tensor<3x?xf32>
}
