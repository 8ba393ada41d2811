// RUN: mlc-opt %s --df-verify-program=needs-role --split-input-file --verify-diagnostics
// What a program must be, one error each. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program with every role.
df.variable @w : tensor<2xf32> = #df.constant<0.0> {trainable}
df.variable @n : tensor<i64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %t: tensor<?xi64> {df.name = "tags", df.symbol = 1}, %e: tensor<?xi64> {df.name = "tags.ends"})
    -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %one = df.constant dense<1.0> : tensor<2xf32>
  df.assign @w, %one : tensor<2xf32>
  %loss = df.constant dense<0.0> : tensor<f32>
  df.return %loss : tensor<f32>
}
df.function @update(%x: tensor<?x2xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
  %rows = df.constant dense<1> : tensor<i64>
  df.assign_add @n, %rows : tensor<i64>
  df.return
}
df.function @result() -> (tensor<i64> {df.name = "rows"}) attributes {role = #df.role<eval_result>} {
  %n = df.read @n : tensor<i64>
  df.return %n : tensor<i64>
}
df.function @predict(%x: tensor<?x2xf32> {df.name = "x"}) -> (tensor<?x2xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?x2xf32>
}
df.function @helper(%s: tensor<2x?xf32> {df.name = "s"}) -> (tensor<2x?xf32> {df.name = "s"}) {
  df.return %s : tensor<2x?xf32>
}

// -----

// expected-error @+1 {{no function has a role that a trainer runs; expected attributes {role = #df.role<train>}, eval_update or predict at one of them}}
module {
  df.function @f(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) {
    df.return %x : tensor<?xf32>
  }
}

// -----

// expected-error @+1 {{@f is lowered already (df.binding); expected df as built, with one function for each role and features and outputs by df.name}}
df.function @f(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}) attributes {role = #df.role<eval_update>} {
  df.return
}

// -----

// expected-error @+1 {{@f is lowered already (role train_grad)}}
df.function @f() attributes {role = #df.role<train_grad>} {
  df.return
}

// -----

// expected-error @+1 {{@f is lowered already (segment)}}
df.function @f() attributes {role = #df.role<predict>, segment = #df.segment<step>} {
  df.return
}

// -----

// expected-note @+1 {{@a is here}}
df.function @a(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}
// expected-error @+1 {{@b has role predict, as another function has; a program has one function of each role}}
df.function @b(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0 of @predict has no df.name, the feature that it is; expected {df.name = "x"}}}
df.function @predict(%x: tensor<?xf32>) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{result 0 of @predict has no df.name, the name of the output; expected {df.name = "y"}}}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> tensor<?xf32> attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

df.function @predict(%x: tensor<?xf32> {df.name = "x"}, // expected-note {{the other is here}}
    %y: tensor<?xf32> {df.name = "x"}) // expected-error {{feature 'x' is two arguments of @predict}}
    -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{output 'y' is two results of @predict}}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}, tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x, %x : tensor<?xf32>, tensor<?xf32>
}

// -----

df.function @f(%x: tensor<?xf64> {df.name = "x"}) { // expected-note {{here}}
  df.return
}
// expected-error @+1 {{feature 'x' is 'tensor<?xf32>'; elsewhere it is 'tensor<?xf64>'}}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{feature 'x' is 'tensor<4xf32>'; expected a first dimension '?', the rows of the batch}}
df.function @predict(%x: tensor<4xf32> {df.name = "x"}, %z: tensor<?xf32> {df.name = "z"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %z : tensor<?xf32>
}

// -----

// expected-error @+1 {{prediction 'y' is 'tensor<f32>'; expected a first dimension '?': a prediction for each row of the batch}}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %y = df.constant dense<1.0> : tensor<f32>
  df.return %y : tensor<f32>
}

// -----

// expected-error @+2 {{@train of role train has no output 'loss'; expected a result {df.name = "loss"}}}
// expected-warning @+1 {{@train of role train writes no variable: nothing is learned}}
df.function @train(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<train>} {
  df.return %x : tensor<?xf32>
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
// expected-error @+1 {{the loss of @train is 'tensor<?xf32>'; expected a scalar float (df.batch_mean makes one)}}
df.function @train(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<2xf32>
  df.assign @w, %w : tensor<2xf32>
  df.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{@update of role eval_update needs a function of role eval_result}}
df.function @update(%x: tensor<?xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
  df.return
}

// -----

// expected-error @+1 {{@result of role eval_result needs a function of role eval_update}}
df.function @result() -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<eval_result>} {
  %y = df.constant dense<1.0> : tensor<f32>
  df.return %y : tensor<f32>
}
// expected-error @+1 {{@reset of role eval_reset needs a function of role eval_update}}
df.function @reset() attributes {role = #df.role<eval_reset>} {
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @update(%x: tensor<?xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
  %c = df.constant dense<0.0> : tensor<2xf32>
  // expected-error @+1 {{@update of role eval_update writes 'w', which has not lifetime eval: evaluation would change the model}}
  df.assign @w, %c : tensor<2xf32>
  df.return
}
// expected-error @+2 {{@result of role eval_result has arguments; it reads no features}}
// expected-error @+1 {{@result of role eval_result has no result}}
df.function @result(%x: tensor<?xf32> {df.name = "x"}) attributes {role = #df.role<eval_result>} {
  df.return
}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  %c = df.constant dense<0.0> : tensor<2xf32>
  // expected-error @+1 {{@predict of role predict writes 'w'; it may write nothing}}
  df.assign @w, %c : tensor<2xf32>
  df.return %x : tensor<?xf32>
}
// expected-error @+1 {{@init of role init has results; nothing reads them}}
df.function @init() -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<init>} {
  %y = df.constant dense<1.0> : tensor<f32>
  df.return %y : tensor<f32>
}

// -----

// expected-error @+1 {{feature 'tags' of dimension symbol 1 needs a feature 'tags.ends' : tensor<?xi64>, where each row's values end}}
df.function @predict(%t: tensor<?xi64> {df.name = "tags", df.symbol = 1}, %x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?xf32>
}

// -----

// Sizes of rows: another symbol than rows and values.
df.function @predict(%x: tensor<?x?xf32> {df.name = "x"}, %y: tensor<?x?xf32> {df.name = "y", df.symbols = array<i64: 0, 1>}) -> (tensor<?x?xf32> {df.name = "z"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?x?xf32>
}
// What one function does not say another one does; two that say different things do not agree.
// expected-note @+1 {{here}}
df.function @none(%u: tensor<?x?xf32> {df.name = "u"}) {
  df.return
}
df.function @one(%x: tensor<?x?xf32> {df.name = "x"}, %y: tensor<?x?xf32> {df.name = "y"}, %u: tensor<?x?xf32> {df.name = "u", df.symbols = array<i64: 0, 1>}) {
  df.return
}
// expected-error @+1 {{feature 'u' is 'tensor<?x?xf32>'; elsewhere it is 'tensor<?x?xf32>' of other dimension symbols}}
df.function @two(%u: tensor<?x?xf32> {df.name = "u", df.symbols = array<i64: 0, 2>}) {
  df.return
}

// -----

// expected-error @+1 {{feature 'x' is 'tensor<?x?xf32>' whose dimension 1 is dimension symbol 0, the rows of the batch; expected a symbol that no first dimension and no df.dimension has}}
df.function @predict(%x: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 0>}) -> (tensor<?x?xf32> {df.name = "z"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{feature 'x' is 'tensor<?x?xf32>' whose dimension 1 is dimension symbol 1, a number of values}}
df.function @predict(%x: tensor<?x?xf32> {df.name = "x", df.symbols = array<i64: 0, 1>}, %t: tensor<?xi64> {df.name = "tags", df.symbol = 1}, %e: tensor<?xi64> {df.name = "tags.ends"})
    -> (tensor<?x?xf32> {df.name = "z"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{feature 'tags' is 'tensor<?x?xi64>', the values of rows (dimension symbol 1); expected static dimensions after the first}}
df.function @predict(%t: tensor<?x?xi64> {df.name = "tags", df.symbols = array<i64: 1, 2>}, %e: tensor<?xi64> {df.name = "tags.ends"}) -> (tensor<?xi64> {df.name = "z"}) attributes {role = #df.role<predict>} {
  df.return %e : tensor<?xi64>
}

// -----

// What observers of batches get.
df.variable @n : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
df.function @eval_update(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "fetch/0"}) attributes {role = #df.role<eval_update>} {
  df.return %x : tensor<?xf32>
}
df.function @eval_result() -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<eval_result>} {
  %n = df.read @n : tensor<f32>
  df.return %n : tensor<f32>
}
df.function @predict(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}, tensor<2xf32> {df.name = "fetch/0"}) attributes {role = #df.role<predict>} {
  %c = df.constant dense<0.0> : tensor<2xf32>
  df.return %x, %c : tensor<?xf32>, tensor<2xf32>
}

// -----

df.variable @n : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
// expected-error @+1 {{@eval_update of role eval_update has results; nothing reads them}}
df.function @eval_update(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "fetch/0"}, tensor<?xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
  df.return %x, %x : tensor<?xf32>, tensor<?xf32>
}
df.function @eval_result() -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<eval_result>} {
  %n = df.read @n : tensor<f32>
  df.return %n : tensor<f32>
}
