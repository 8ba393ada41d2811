// Element-wise ops on tensors of 64 MB: one addition, one function, a chain that narrows, and the same in f16 and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @add(%x: tensor<16777216xf32> {df.name = "x"}, %y: tensor<16777216xf32> {df.name = "y"}) -> (tensor<16777216xf32> {df.name = "z"}) {
  %z = df.add %x, %y : tensor<16777216xf32>
  df.return %z : tensor<16777216xf32>
}
df.function @exp(%x: tensor<16777216xf32> {df.name = "x"}) -> (tensor<16777216xf32> {df.name = "z"}) {
  %z = df.exp %x : tensor<16777216xf32>
  df.return %z : tensor<16777216xf32>
}
df.function @relu(%x: tensor<16777216xf32> {df.name = "x"}) -> (tensor<16777216xf32> {df.name = "z"}) {
  %z = df.relu %x : tensor<16777216xf32>
  df.return %z : tensor<16777216xf32>
}
df.function @relu_to_bf16(%x: tensor<16777216xf32> {df.name = "x"}) -> (tensor<16777216xbf16> {df.name = "z"}) {
  %r = df.relu %x : tensor<16777216xf32>
  %z = df.cast %r : (tensor<16777216xf32>) -> tensor<16777216xbf16>
  df.return %z : tensor<16777216xbf16>
}
df.function @bytes_to_f32(%b: tensor<16777216xui8> {df.name = "b"}) -> (tensor<16777216xf32> {df.name = "z"}) {
  %c = df.cast %b : (tensor<16777216xui8>) -> tensor<16777216xf32>
  %s = df.constant dense<0.00392156886> : tensor<16777216xf32>
  %z = df.mul %c, %s : tensor<16777216xf32>
  df.return %z : tensor<16777216xf32>
}
df.function @add_f16(%h: tensor<33554432xf16> {df.name = "h"}) -> (tensor<33554432xf16> {df.name = "z"}) {
  %z = df.add %h, %h : tensor<33554432xf16>
  df.return %z : tensor<33554432xf16>
}
df.function @max_bytes(%c: tensor<67108864xui8> {df.name = "c"}, %d: tensor<67108864xui8> {df.name = "d"}) -> (tensor<67108864xui8> {df.name = "z"}) {
  %z = df.maximum %c, %d : tensor<67108864xui8>
  df.return %z : tensor<67108864xui8>
}
