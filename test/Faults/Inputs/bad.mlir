// A reshape that loses an element.
df.function @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = df.reshape %x : (tensor<4xf32>) -> tensor<3xf32>
  df.return %x : tensor<4xf32>
}
