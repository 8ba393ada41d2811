// Attributes of an op that its C function gets: a number, an array, a boolean.
df.function @weighs(%x: tensor<f64> {df.name = "x", df.value = dense<3.0> : tensor<f64>}) -> (tensor<f64> {df.name = "y"}, tensor<f64> {df.name = "z"}) {
  %y = probe.call "weigh"(%x) {passed = [0.5 : f64, array<i64: 1, 2, 3>, false]} : (tensor<f64>) -> tensor<f64>
  %z = probe.call "weigh"(%x) {passed = [0.25 : f64, array<i64: 10, -2>, true]} : (tensor<f64>) -> tensor<f64>
  df.return %y, %z : tensor<f64>, tensor<f64>
}
