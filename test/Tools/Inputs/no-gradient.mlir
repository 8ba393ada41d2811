// A loop that writes state has no gradient. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @loop(%go: tensor<i1> {df.name = "go"}) -> (tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  %y = df.while (%w) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    df.assign @w, %a : tensor<f32>
    df.yield %a : tensor<f32>
  }
  %dw = df.gradients %y wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}
