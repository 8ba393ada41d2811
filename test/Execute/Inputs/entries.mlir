// Entries to run one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "entries"} {
  df.variable @w : tensor<3xf32> = #df.normal<0.0, 1.0> {trainable}
  df.vocabulary @words ["ä", "word"] {default_value = -1 : i64}
  df.function @double(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<?x3xf32> {df.name = "y"}) {
    %y = df.add %x, %x : tensor<?x3xf32>
    df.return %y : tensor<?x3xf32>
  }
  df.function @wide(%a: tensor<?xf64> {df.name = "a"}, %b: tensor<?xi64> {df.name = "b"}, %s: tensor<?x!df.string> {df.name = "s"})
      -> (tensor<?xf64> {df.name = "sum/a"}, tensor<?xi64> {df.name = "id"}) {
    %sum = df.add %a, %a : tensor<?xf64>
    %id = df.lookup @words, %s : (tensor<?x!df.string>) -> tensor<?xi64>
    %both = df.add %id, %b : tensor<?xi64>
    df.return %sum, %both : tensor<?xf64>, tensor<?xi64>
  }
  df.function @weights() -> (tensor<3xf32> {df.name = "w"}) {
    %w = df.read @w : tensor<3xf32>
    df.return %w : tensor<3xf32>
  }
}
