df.function @fails(%x: tensor<2xf32> {df.name = "x", df.value = dense<0.0> : tensor<2xf32>}) -> (tensor<2xf32> {df.name = "y"}) {
  %y = probe.call "fail"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}
