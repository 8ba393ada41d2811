// Ops on nine dimensions, without inputs: for the interpreter and for code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @ops() -> (tensor<2x1x1x1x3x1x1x2x1xf32> {df.name = "scaled"}, tensor<1x1x1x3x1x1x1x1xf32> {df.name = "sums"}, tensor<1x2x1x1x3x1x1x2x1xf32> {df.name = "turned"}) {
  %x = df.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.5]> : tensor<12xf32>
  %nine = df.reshape %x : (tensor<12xf32>) -> tensor<2x1x1x1x3x1x1x2x1xf32>
  %scaled = df.mul %nine, %nine : tensor<2x1x1x1x3x1x1x2x1xf32>
  %sums = df.reduce_sum %scaled {axes = array<i64: 0, 7>} : (tensor<2x1x1x1x3x1x1x2x1xf32>) -> tensor<1x1x1x3x1x1x1xf32>
  %eight = df.reshape %sums : (tensor<1x1x1x3x1x1x1xf32>) -> tensor<1x1x1x3x1x1x1x1xf32>
  %turned = df.transpose %scaled {permutation = array<i64: 8, 0, 1, 2, 4, 3, 5, 7, 6>} : (tensor<2x1x1x1x3x1x1x2x1xf32>) -> tensor<1x2x1x1x3x1x1x2x1xf32>
  df.return %scaled, %eight, %turned : tensor<2x1x1x1x3x1x1x2x1xf32>, tensor<1x1x1x3x1x1x1x1xf32>, tensor<1x2x1x1x3x1x1x2x1xf32>
}
