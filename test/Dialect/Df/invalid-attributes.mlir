// Attributes that nothing declares, as misspelt ones.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @op(%x: tensor<3x2xf32>) {
  // expected-note @+2 {{did you mean 'parallel_iterations'?}}
  // expected-error @below {{'df.scan' op has no attribute 'paralel_iterations'}}
  df.scan () over (%x) {paralel_iterations = 2 : i64} : (tensor<3x2xf32>) -> () {
  ^bb0(%a: tensor<2xf32>):
    df.yield
  }
  df.return
}

// -----

// expected-error @below {{'df.variable' op has the attribute 'df.racy', which the df dialect does not have}}
df.variable @w : tensor<2xf32> = #df.constant<0.0> {df.racy}

// -----

// expected-error @below {{'func.func' op 'df.code' must be the symbol of a function; found "init.a"}}
func.func private @code() attributes {df.code = "init.a"}

// -----

// expected-note @+2 {{did you mean 'racy'?}}
// expected-error @below {{'df.variable' op has no attribute 'racyy'}}
df.variable @w : tensor<2xf32> = #df.constant<0.0> {racyy}

// -----

// expected-note @+2 {{did you mean 'df.name'?}}
// expected-error @below {{'df.function' op has the attribute 'df.nme', which the df dialect does not have}}
df.function @argument(%x: tensor<2xf32> {df.nme = "x"}) {
  df.return
}

// -----

// expected-note @+2 {{did you mean 'df.name'?}}
// expected-error @below {{'df.function' op has the attribute 'df.nme', which the df dialect does not have}}
df.function @result(%x: tensor<2xf32>) -> (tensor<2xf32> {df.nme = "y"}) {
  df.return %x : tensor<2xf32>
}

// -----

// expected-error @below {{'df.function' op has 'df.value' where only arguments have it}}
df.function @value_of_result(%x: tensor<2xf32>) -> (tensor<2xf32> {df.value = dense<1.0> : tensor<2xf32>}) {
  df.return %x : tensor<2xf32>
}

// -----

// expected-error @below {{'df.function' op 'df.symbol' must be an i64 in [-1, 2^20]; found "rows"}}
df.function @type_of_attribute(%x: tensor<?xf32> {df.symbol = "rows"}) {
  df.return
}

// -----

// expected-error @below {{'df.function' op has 'df.role' where only functions of other dialects have it}}
df.function @role() attributes {df.role = #df.role<predict>} {
  df.return
}

// -----

df.function @loads_the_dialect() {
  df.return
}
// expected-error @below {{'func.func' op has 'df.settings' where only modules have it}}
func.func private @settings() attributes {df.settings = {}}

// -----

// A name of a value, and one of nothing.
df.function @names(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = df.neg %x {df.name = "negated"} : tensor<2xf32>
  // expected-error @below {{'df.return' op has 'df.name' where only arguments and results and ops with results have it}}
  df.return {df.name = "returned"} %y : tensor<2xf32>
}

// -----

// expected-error @below {{'df.function' op 'df.pulled_by' must be an array of strings; found [1]}}
df.function @f(%t: tensor<3xf32> {df.pulled_by = [1]}) -> (tensor<3xf32>) {
  df.return %t : tensor<3xf32>
}

// -----

// expected-error @+1 {{role}}
df.function @other_enum() attributes {role = #df.lifetime<train>} {
  df.return
}

// -----

// expected-error @+1 {{'df.function' op (C3) the body must end in a df.return}}
df.function @yields(%x: tensor<f32>) {
  df.yield %x : tensor<f32>
}

// -----

df.function @infinite(%x: tensor<?xf32>) {
  // expected-error @+1 {{(C1) boundaries must be finite and strictly increase; found}}
  %0 = df.bucketize %x {boundaries = array<f64: 0.0, 1.0e999>} : (tensor<?xf32>) -> tensor<?xi64>
  df.return
}

// -----

df.variable @flag : tensor<4xi1> = #df.constant<0.0>
df.function @adds(%x: tensor<4xi1>) {
  // expected-error @+1 {{'df.assign_add' op operand #0 must be}}
  df.assign_add @flag, %x : tensor<4xi1>
  df.return
}

// -----

// expected-error @+1 {{'df.variable' op (C3) names more rows than 64 bits hold}}
df.variable @tables : tensor<5x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 9223372036854775807>, #df.named_rows<"b", 2>]}

// -----

// expected-error @below {{'builtin.module' op 'df.precision' must be a #df.precision; found "bf16_mixed"}}
module attributes {df.precision = "bf16_mixed"} {
df.function @f() {
  df.return
}
}

// -----

df.function @f() {
  // expected-error @below {{'df.return' op has 'df.precision' where only modules have it}}
  df.return {df.precision = #df.precision<bf16_mixed>}
}
