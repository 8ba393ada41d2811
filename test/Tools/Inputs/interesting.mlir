// Something to make smaller. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = df.tanh %x : tensor<4xf32>
  df.return %0 : tensor<4xf32>
}
df.function @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = df.exp %x : tensor<4xf32>
  %1 = df.neg %x : tensor<4xf32>
  df.return %0 : tensor<4xf32>
}
