// More dimensions than a buffer of the runtime has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @predict(%x: tensor<?x1x2x1x2x1x2xf32> {df.name = "x"}) -> (tensor<?x1x2x1x2x1x2xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %y = df.exp %x : tensor<?x1x2x1x2x1x2xf32>
  df.return %y : tensor<?x1x2x1x2x1x2xf32>
}
