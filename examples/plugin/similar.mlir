// Learns which numbers count when rows are compared: a scale for each column, so that the cosine of scaled and clipped rows
// with others is what `similarity` says. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "similar", mlc.settings = {train.batch_size = 50 : i64, train.epochs = 60 : i64}} {
  df.variable @scale : tensor<4xf32> = #df.constant<1.0> {trainable}

  df.function @train(%left: tensor<?x4xf32> {df.name = "left"}, %right: tensor<?x4xf32> {df.name = "right"},
                     %similarity: tensor<?xf32> {df.name = "similarity"})
      -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %s = df.read @scale : tensor<4xf32>
    %ss = df.broadcast %s like %left dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %scaled = df.mul %left, %ss : tensor<?x4xf32>
    %clipped = demo.soft_clip %scaled : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %cosine = demo.cosine_similarity %clipped, %right : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
    %each = df.squared_difference %cosine, %similarity : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %ds = df.gradients %loss wrt [@scale] : (tensor<f32>) -> tensor<4xf32>
    %rate = df.setting "learning_rate" = 10.0 : f64 {doc = "of gradient descent"} -> tensor<f32>
    %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> tensor<4xf32>
    %step = df.mul %rates, %ds : tensor<4xf32>
    df.assign_sub @scale, %step : tensor<4xf32>
    df.return %loss : tensor<f32>
  }

  df.function @predict(%left: tensor<?x4xf32> {df.name = "left"}, %right: tensor<?x4xf32> {df.name = "right"})
      -> (tensor<?xf32> {df.name = "cosine"}) attributes {role = #df.role<predict>} {
    %s = df.read @scale : tensor<4xf32>
    %ss = df.broadcast %s like %left dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %scaled = df.mul %left, %ss : tensor<?x4xf32>
    %clipped = demo.soft_clip %scaled : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %cosine = demo.cosine_similarity %clipped, %right : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
    df.return %cosine : tensor<?xf32>
  }
}
