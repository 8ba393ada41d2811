// A model that predicts and cannot be trained.
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}
