// An op of examples/plugin, with its gradient.
df.function @cosine(%x: tensor<?x2xf32> {df.name = "x", df.value = dense<[[1.0, 2.0], [1.0, 0.0], [-1.0, -1.0]]> : tensor<3x2xf32>},
                    %y: tensor<?x2xf32> {df.name = "y", df.value = dense<[[2.0, 3.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>})
    -> (tensor<?xf32> {df.name = "cosine"}, tensor<?x2xf32> {df.name = "scaled"}) {
  %cosine = demo.cosine_similarity %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?xf32>
  %like = df.broadcast %cosine like %x dimensions = [0] : (tensor<?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %scaled = df.mul %like, %x : tensor<?x2xf32>
  df.return %cosine, %scaled : tensor<?xf32>, tensor<?x2xf32>
}

df.function @clip(%x: tensor<?x2xf32> {df.name = "x", df.value = dense<[[1.0, 2.0], [1.0, 0.0], [-1.0, -1.0]]> : tensor<3x2xf32>})
    -> (tensor<?x2xf32> {df.name = "clipped"}) {
  %y = demo.soft_clip %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}
