// RUN: mlc-opt %s --df-state-to-values -split-input-file -verify-diagnostics

df.variable @a : tensor<f32> = #df.constant<0.0>
df.function @condition_writes(%x: tensor<f32> {df.name = "x"}, %c: tensor<i1> {df.name = "c"}) {
  // expected-error @+1 {{writes state in its condition region; only the body may}}
  %r = df.while (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<f32>):
    df.assign @a, %i : tensor<f32>
    df.condition %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<f32>):
    df.yield %i : tensor<f32>
  }
  df.return
}

// -----

df.function @two_defaults() -> (tensor<f32> {df.name = "y"}) {
  // expected-note @+1 {{here 1.000000e+00 : f64 and 'tensor<f32>'}}
  %a = df.setting "rate" = 1.0 : f64 -> tensor<f32>
  // expected-error @+1 {{has default 2.000000e+00 : f64 and type 'tensor<f32>'; a setting has one of each}}
  %b = df.setting "rate" = 2.0 : f64 -> tensor<f32>
  %c = df.add %a, %b : tensor<f32>
  df.return %c : tensor<f32>
}

// -----

// expected-error @+1 {{argument 0 has no df.binding}}
df.function @unnamed(%x: tensor<f32>) {
  df.return
}

// -----

// expected-error @+1 {{argument 1 is bound to #df.binding<feature, "x">, as another argument is}}
df.function @twice(%x: tensor<f32> {df.name = "x"}, %y: tensor<f32> {df.name = "x"}) {
  df.return
}

// -----

df.function @too_early(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) {
  // expected-error @+1 {{must be gone after df-split-step}}
  %y = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
  df.return %y : tensor<f32>
}

// -----

df.function @parts(%ids: tensor<4xi64> {df.name = "ids"}, %g: tensor<4x2xf32> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}) -> (tensor<?xi64> {df.name = "u"}) {
  %r = df.pack_rows %ids, %g, %n : (tensor<4xi64>, tensor<4x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  // expected-error @+1 {{but they were packed as}}
  %u, %v, %k = df.unpack_rows %r : (!df.rows<tensor<9x2xf32>>) -> (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>)
  df.return %u : tensor<?xi64>
}
