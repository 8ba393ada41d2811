// Half precision, which compiled code does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @predict(%x: tensor<?xf16> {df.name = "x"}) -> (tensor<?xf16> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %y = df.exp %x : tensor<?xf16>
  df.return %y : tensor<?xf16>
}
