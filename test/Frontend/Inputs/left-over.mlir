// A segment with an op that code generation does not know. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "left_over"} {
  func.func @predict(%x: tensor<4xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<4xf32> {df.binding = #df.binding<output, "y">}) attributes {df.entry = "predict", df.role = #df.role<predict>, df.segment = #df.segment<step>, df.type = (tensor<4xf32>) -> tensor<4xf32>} {
    %b = async.runtime.create : !async.token
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
