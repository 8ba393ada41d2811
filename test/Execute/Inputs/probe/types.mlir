// Values of all types go through a C function and back.
df.function @types(%x: tensor<?x2xf32> {df.name = "x", df.value = dense<[[1.0, 2.5], [-3.0, 0.0], [0.125, 100.0]]> : tensor<3x2xf32>})
    -> (tensor<?x2xf32> {df.name = "f32"}, tensor<?x2xf64> {df.name = "f64"}, tensor<?x2xf32> {df.name = "f16"}, tensor<?x2xf32> {df.name = "bf16"},
        tensor<?x2xi1> {df.name = "i1"}, tensor<?x2xi8> {df.name = "i8"}, tensor<?x2xui16> {df.name = "ui16"}, tensor<?x2xi64> {df.name = "i64"}) {
  %d = df.cast %x : (tensor<?x2xf32>) -> tensor<?x2xf64>
  %h = df.cast %x : (tensor<?x2xf32>) -> tensor<?x2xf16>
  %b = df.cast %x : (tensor<?x2xf32>) -> tensor<?x2xbf16>
  %zero = df.constant dense<0.0> : tensor<f32>
  %zeros = df.broadcast %zero like %x dimensions = [] : (tensor<f32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %p = df.compare gt, %x, %zeros : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xi1>
  %s = df.cast %x : (tensor<?x2xf32>) -> tensor<?x2xi8>
  %a = df.abs %x : tensor<?x2xf32>
  %u = df.cast %a : (tensor<?x2xf32>) -> tensor<?x2xui16>
  %l = df.cast %x : (tensor<?x2xf32>) -> tensor<?x2xi64>
  %y:8 = probe.call "identity"(%x, %d, %h, %b, %p, %s, %u, %l) : (tensor<?x2xf32>, tensor<?x2xf64>, tensor<?x2xf16>, tensor<?x2xbf16>, tensor<?x2xi1>, tensor<?x2xi8>, tensor<?x2xui16>, tensor<?x2xi64>)
      -> (tensor<?x2xf32>, tensor<?x2xf64>, tensor<?x2xf16>, tensor<?x2xbf16>, tensor<?x2xi1>, tensor<?x2xi8>, tensor<?x2xui16>, tensor<?x2xi64>)
  %hf = df.cast %y#2 : (tensor<?x2xf16>) -> tensor<?x2xf32>
  %bf = df.cast %y#3 : (tensor<?x2xbf16>) -> tensor<?x2xf32>
  df.return %y#0, %y#1, %hf, %bf, %y#4, %y#5, %y#6, %y#7 : tensor<?x2xf32>, tensor<?x2xf64>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi1>, tensor<?x2xi8>, tensor<?x2xui16>, tensor<?x2xi64>
}
