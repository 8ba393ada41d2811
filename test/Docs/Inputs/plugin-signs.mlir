// What demo-drop-signs of the plug-in makes simpler. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
df.function @signs(%x: tensor<?x2xf32> {df.name = "x"}, %y: tensor<?x2xf32> {df.name = "y"}) -> (tensor<?xf32> {df.name = "cosine"}) {
  %nx = df.neg %x : tensor<?x2xf32>
  %ny = df.neg %y : tensor<?x2xf32>
  %cosine = demo.cosine_similarity %nx, %ny : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?xf32>
  df.return %cosine : tensor<?xf32>
}
