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

// expected-error @+1 {{result 0 (#df.binding<output, "y">) of type 'tensor<?xf32>' has a dynamic dimension that is not the number of rows of the batch}}
df.function @many_rows(%x: tensor<?x3xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xf32> {df.binding = #df.binding<output, "y">})
    attributes {segment = #df.segment<step>, entry = "many_rows"} {
  %y = df.reshape %x : (tensor<?x3xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @random_rows(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %n: tensor<i64> {df.binding = #df.binding<context, "seed">})
    attributes {segment = #df.segment<step>, entry = "random_rows"} {
  %two = df.concat %x, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{is of rows that are not those of the batch}}
  %u = df.random uniform "u" like %two seed %n step %n row %n : (tensor<?xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  df.return
}

// -----

df.function @growing(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}) attributes {segment = #df.segment<step>, entry = "growing"} {
  // expected-error @+1 {{carries a value of type 'tensor<?xf32>' whose shape changes}}
  %r = df.while (%x) {max_iterations = 2 : i64} : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<?xf32>):
    %b = df.concat %a, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    df.yield %b : tensor<?xf32>
  }
  df.return
}

// -----

df.function @good(%x: tensor<f32> {df.binding = #df.binding<feature, "x">}) -> (tensor<f32> {df.binding = #df.binding<output, "y">})
    attributes {segment = #df.segment<step>, entry = "good"} {
  df.return %x : tensor<f32>
}
