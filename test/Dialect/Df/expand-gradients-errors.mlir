// RUN: mlc-opt %s --df-expand-gradients -split-input-file -verify-diagnostics

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @no_path(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "dw"}) {
  // expected-warning @+1 {{no path leads from @w to the loss: its gradient is zero}}
  %dw = df.gradients %x wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @loop(%go: tensor<i1> {df.name = "go"}) -> (tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  // expected-error @+1 {{has no gradient: its body writes "w"}}
  %y = df.while (%w) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    df.assign @w, %a : tensor<f32>
    df.yield %a : tensor<f32>
  }
  %dw = df.gradients %y wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.variable @t : tensor<4x2xf32> = #df.constant<0.0>
df.function @rows_of_read(%ids: tensor<?xi64> {df.name = "ids"}) {
  %t = df.read @t : tensor<4x2xf32>
  %s = df.reduce_sum %t {axes = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
  // expected-error @+1 {{asks for rows of @t, which the loss reads as a whole}}
  %d = df.gradients %s wrt [@t] : (tensor<f32>) -> !df.rows<tensor<4x2xf32>>
  df.return
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @mean_of_mean(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-note @+1 {{the other mean}}
  %m = df.batch_mean %wb : (tensor<?xf32>) -> tensor<f32>
  %mb = df.broadcast %m like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{has no gradient: its losses depend on another mean over the batch}}
  %loss = df.batch_mean %mb : (tensor<?xf32>) -> tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @weights(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{has no gradient with respect to its weights}}
  %loss = df.batch_mean %x, %wb : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.function @nested(%c: tensor<i1> {df.name = "c"}, %x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) {
  %y = df.if %c : (tensor<i1>) -> tensor<f32> {
    // expected-error @+1 {{must stand at the top level of its function}}
    %m = df.batch_mean %x : (tensor<?xf32>) -> tensor<f32>
    df.yield %m : tensor<f32>
  } else {
    %z = df.constant dense<0.0> : tensor<f32>
    df.yield %z : tensor<f32>
  }
  df.return %y : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @written_between(%c: tensor<i1> {df.name = "c"}) -> (tensor<f32> {df.name = "dw"}) {
  // expected-error @+1 {{has no gradient: its regions read "w", which is written before the gradient}}
  %y = df.if %c : (tensor<i1>) -> tensor<f32> {
    %w = df.read @w : tensor<f32>
    df.yield %w : tensor<f32>
  } else {
    %z = df.constant dense<0.0> : tensor<f32>
    df.yield %z : tensor<f32>
  }
  // expected-note @+1 {{the write}}
  df.assign @w, %y : tensor<f32>
  %dw = df.gradients %y wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0>
df.function @writing_branch(%c: tensor<i1> {df.name = "c"}) -> (tensor<f32> {df.name = "dw"}) {
  // expected-error @+1 {{has no gradient: its branches write "w"}}
  %y = df.if %c : (tensor<i1>) -> tensor<f32> {
    %w = df.read @w : tensor<f32>
    df.assign @w, %w : tensor<f32>
    df.yield %w : tensor<f32>
  } else {
    %z = df.constant dense<0.0> : tensor<f32>
    df.yield %z : tensor<f32>
  }
  %dw = df.gradients %y wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// -----

df.variable @t : tensor<4x2xf32> = #df.constant<0.0>
df.function @no_rule(%ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf32> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}) -> (tensor<4x2xf32> {df.name = "d"}) {
  %t = df.read @t : tensor<4x2xf32>
  // expected-note @+2 {{leave it out of what the loss depends on, compute it by ops that have a gradient, or give df.}}
  // expected-error @+1 {{op has no gradient rule, and the loss depends on what is differentiated by through it}}
  %u = df.update_rows tables(%t) ids(%ids) rows(%g) count(%n) : (tensor<4x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<4x2xf32> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  %s = df.reduce_sum %u {axes = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
  %d = df.gradients %s wrt [@t] : (tensor<f32>) -> tensor<4x2xf32>
  df.return %d : tensor<4x2xf32>
}

// -----

df.function @packed_rows(%ids: tensor<3xi64>, %x: tensor<3x2xf64>, %n: tensor<i64>) -> tensor<3x2xf64> {
  %rows = df.pack_rows %ids, %x, %n : (tensor<3xi64>, tensor<3x2xf64>, tensor<i64>) -> !df.rows<tensor<4x2xf64>>
  // expected-error @below {{has no gradient: its rows are no sums by id of this function}}
  %dense = df.densify_rows %rows : (!df.rows<tensor<4x2xf64>>) -> tensor<4x2xf64>
  %loss = df.reduce_sum %dense {axes = array<i64: 0, 1>} : (tensor<4x2xf64>) -> tensor<f64>
  %dx = df.gradients %loss wrt [] %x : (tensor<f64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  df.return %dx : tensor<3x2xf64>
}

// -----

// What a function with a gradient of its own takes from outside would lose its gradient.
df.function @captured(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'df.custom_gradient' op has no gradient by a value of type 'tensor<4xf32>' that its regions take from outside and that depends on what is differentiated by}}
  %y = df.custom_gradient (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{used here: pass it as an operand}}
    %b = df.mul %a, %w : tensor<4xf32>
    df.yield %b : tensor<4xf32>
  } gradient {
  ^bb0(%g: tensor<4xf32>):
    df.yield %g : tensor<4xf32>
  }
  %l = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [] %w : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// -----

df.variable @w : tensor<4xf32> = #df.constant<0.0>
df.function @read(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'df.custom_gradient' op has no gradient by @w, which its regions read and the loss is differentiated by}}
  // expected-note @+1 {{read it outside, and pass it as an operand}}
  %y = df.custom_gradient (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %w = df.read @w : tensor<4xf32>
    %b = df.mul %a, %w : tensor<4xf32>
    df.yield %b : tensor<4xf32>
  } gradient {
  ^bb0(%g: tensor<4xf32>):
    df.yield %g : tensor<4xf32>
  }
  %l = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %d = df.gradients %l wrt [@w] : (tensor<f32>) -> tensor<4xf32>
  df.return %d : tensor<4xf32>
}

// -----

// The rule is of sums alone.
df.variable @w : tensor<5xf32> = #df.constant<0.0>
df.function @form(%ends: tensor<2xi64> {df.name = "ends"}) -> (tensor<5xf32> {df.name = "dw"}) {
  %w = df.read @w : tensor<5xf32>
  // expected-error @+1 {{'df.ragged_reduce' op has a gradient in this form only after df-decompose}}
  %m = df.ragged_reduce max %w, %ends : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
  %s = df.reduce_sum %m {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %dw = df.gradients %s wrt [@w] : (tensor<f32>) -> tensor<5xf32>
  df.return %dw : tensor<5xf32>
}
