// RUN: mlc-opt %s --df-verify-stage=stage=segments -split-input-file -verify-diagnostics

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @names_variable() {
  // expected-error @+1 {{names a variable after df-state-to-values}}
  %w = df.read @w : tensor<f32>
  df.return
}

// -----

df.function @has_setting() {
  // expected-error @+1 {{must be an argument after df-state-to-values}}
  %s = df.setting "rate" = 1.0 : f64 -> tensor<f32>
  df.return
}

// -----

df.function @unbound_random() {
  // expected-error @+1 {{must be bound to the context after df-state-to-values}}
  %r = df.random uniform "r" : () -> tensor<2xf32>
  df.return
}

// -----

df.function @has_rows(%i: tensor<?xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{only tensors remain after df-state-to-values}}
  %r = df.pack_rows %i, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  df.return
}

// -----

// expected-error @+1 {{argument 0 is bound to #df.binding<output, "x">, which no argument can be}}
df.function @wrong_kind(%x: tensor<f32> {df.binding = #df.binding<output, "x">}) {
  df.return
}

// -----

// expected-error @+1 {{result 1 is bound to #df.binding<variable, "w">, as another result is}}
df.function @written_twice(%x: tensor<f32> {df.binding = #df.binding<feature, "x">})
    -> (tensor<f32> {df.binding = #df.binding<variable, "w">}, tensor<f32> {df.binding = #df.binding<variable, "w">}) {
  df.return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{must be a segment of an entry after df-outline-features}}
df.function @no_segment() {
  df.return
}

// -----

// expected-error @+1 {{argument of a features segment 0 is bound to #df.binding<variable, "w">}}
df.function @reads_state(%w: tensor<f32> {df.binding = #df.binding<variable, "w">}) attributes {segment = #df.segment<features>, entry = "f"} {
  df.return
}

// -----

df.function @good(%x: tensor<f32> {df.binding = #df.binding<feature, "x">}) -> (tensor<f32> {df.binding = #df.binding<output, "y">})
    attributes {segment = #df.segment<step>, entry = "good"} {
  df.return %x : tensor<f32>
}
