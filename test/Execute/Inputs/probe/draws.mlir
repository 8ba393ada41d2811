// Of two calls of a function that is not deterministic each is made, in their order, used or not.
df.function @draws() -> (tensor<i64> {df.name = "third"}, tensor<i64> {df.name = "fourth"}) {
  %a = probe.draw "count"() : () -> tensor<i64>
  %b = probe.draw "count"() : () -> tensor<i64>
  %c = probe.draw "count"() : () -> tensor<i64>
  %d = probe.draw "count"() : () -> tensor<i64>
  df.return %c, %d : tensor<i64>, tensor<i64>
}
