// RUN: mlc-opt %s --df-split-step -split-input-file -verify-diagnostics

// expected-error @+1 {{cannot be split: feature 'x' is used after the sums over the batch, where no rows are}}
df.function @rows_behind(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<?xf32> {df.name = "y"}) attributes {role = #df.role<train>} {
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %t = df.all_reduce %s {name = "s"} : (tensor<f32>) -> tensor<f32>
  // expected-note @+1 {{used here}}
  %b = df.broadcast %t like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  df.return %b : tensor<?xf32>
}

// -----

df.function @sum_of_sum(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  // expected-note @+1 {{the other sum}}
  %s = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
  %n = df.neg %s : tensor<f32>
  // expected-error @+1 {{sums what depends on another sum over the batch, 's'}}
  %t = df.all_reduce %n {name = "t"} : (tensor<f32>) -> tensor<f32>
  df.return %t : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @read_after_write(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  // expected-note @+1 {{the write}}
  df.assign @w, %x : tensor<f32>
  // expected-error @+1 {{reads "w" for a sum over the batch after a write}}
  %w = df.read @w : tensor<f32>
  %s = df.all_reduce %w {name = "s"} : (tensor<f32>) -> tensor<f32>
  df.return %s : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @write_for_sum(%x: tensor<f32> {df.name = "x"}, %c: tensor<i1> {df.name = "c"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  // expected-error @+1 {{writes "w" and a sum over the batch depends on it}}
  %y = df.if %c : (tensor<i1>) -> tensor<f32> {
    df.assign @w, %x : tensor<f32>
    df.yield %x : tensor<f32>
  } else {
    df.yield %x : tensor<f32>
  }
  %s = df.all_reduce %y {name = "s"} : (tensor<f32>) -> tensor<f32>
  df.return %s : tensor<f32>
}

// -----

df.function @one_name(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  // expected-note @+1 {{here}}
  %s = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{(C2) another sum has the name 's'}}
  %t = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
  %y = df.add %s, %t : tensor<f32>
  df.return %y : tensor<f32>
}

// -----

df.function @nested(%c: tensor<i1> {df.name = "c"}, %x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  %y = df.if %c : (tensor<i1>) -> tensor<f32> {
    // expected-error @+1 {{must stand at the top level of its function}}
    %s = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
    df.yield %s : tensor<f32>
  } else {
    df.yield %x : tensor<f32>
  }
  df.return %y : tensor<f32>
}

// -----

df.function @rows_of_f64(%ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf64> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}) attributes {role = #df.role<train>} {
  %p = df.pack_rows %ids, %g, %n : (tensor<?xi64>, tensor<?x2xf64>, tensor<i64>) -> !df.rows<tensor<9x2xf64>>
  // expected-error @+1 {{sums rows of 'f64'; only rows of f32 can be merged}}
  %s = df.all_reduce %p {name = "t"} : (!df.rows<tensor<9x2xf64>>) -> !df.rows<tensor<9x2xf64>>
  df.return
}

// -----

// expected-note @+1 {{this one is taken}}
df.variable @train_apply : tensor<f32> = #df.constant<0.0>
// expected-error @+1 {{is split into functions of names that must be free}}
df.function @train(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  %s = df.all_reduce %x {name = "s"} : (tensor<f32>) -> tensor<f32>
  df.return %s : tensor<f32>
}

// -----

df.function @early(%l: tensor<?xf32> {df.name = "l"}) -> (tensor<f32> {df.name = "loss"}) {
  // expected-error @+1 {{must be gone after df-expand-gradients}}
  %loss = df.batch_mean %l : (tensor<?xf32>) -> tensor<f32>
  df.return %loss : tensor<f32>
}
