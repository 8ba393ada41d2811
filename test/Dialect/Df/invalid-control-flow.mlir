// RUN: mlc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @no_rows(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C1) needs a sequence or a count}}
  %r = df.scan (%h) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    df.yield %c : tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}

// -----

df.function @scalar_sequence(%x: tensor<f32>) {
  // expected-error @below {{(C1) sequences must have rank >= 1; found 'tensor<f32>'}}
  df.scan () over (%x) : (tensor<f32>) -> () {
  ^bb0(%row: tensor<f32>):
    df.yield
  }
  df.return
}

// -----

df.function @leading_dimensions(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{(C1) sequences must have one leading dimension; found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  df.scan () over (%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> () {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    df.yield
  }
  df.return
}

// -----

df.function @arguments(%h: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C2) the body must take ('tensor<4xf32>', 'tensor<4xf32>'); found ('tensor<4xf32>', 'tensor<3x4xf32>')}}
  %r = df.scan (%h) over (%x) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %row: tensor<3x4xf32>):
    df.yield %c : tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}

// -----

df.function @yields(%h: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C4) stacked results must have the leading dimension of the first sequence, a dynamic one without sequences, and the rows that the body yields; needs 2 results, found 1}}
  %r = df.scan (%h) over (%x) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %row: tensor<4xf32>):
    df.yield %c, %c : tensor<4xf32>, tensor<4xf32>
  }
  df.return %r : tensor<4xf32>
}

// -----

df.function @results(%h: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<?xf32> {
  // expected-error @below {{(C4) the first results must have the types of the initial values}}
  %r = df.scan (%h) over (%x) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<?xf32> {
  ^bb0(%c: tensor<4xf32>, %row: tensor<4xf32>):
    df.yield %c : tensor<4xf32>
  }
  df.return %r : tensor<?xf32>
}

// -----

df.function @stacked(%x: tensor<3x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{(C4) stacked results must have the leading dimension of the first sequence, a dynamic one without sequences, and the rows that the body yields; expected 'tensor<3x4xf32>', found 'tensor<?x4xf32>'}}
  %r = df.scan () over (%x) : (tensor<3x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%row: tensor<4xf32>):
    df.yield %row : tensor<4xf32>
  }
  df.return %r : tensor<?x4xf32>
}

// -----

df.function @checkpoint(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @below {{(C1) the region must yield the result types; expected 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %r = df.remat : () -> tensor<3xf32> {
    df.yield %x : tensor<4xf32>
  }
  df.return %r : tensor<3xf32>
}

// -----

df.function @after(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<3xf32> {
  // expected-note @below {{prior use here}}
  %r = df.optimization_barrier %x, %y : tensor<4xf32>, tensor<f32>
  // expected-error @below {{expects different type}}
  df.return %r : tensor<3xf32>
}

// -----

df.function @must_end(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{(C3) must_end needs max_iterations}}
  %r = df.while (%x) {must_end} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    df.yield %a : tensor<f32>
  }
  df.return %r : tensor<f32>
}

// -----

df.function @parallel_iterations(%x: tensor<3x2xf32>) {
  // expected-error @below {{(C5) parallel_iterations must be in [1, 1024]; found 0}}
  df.scan () over (%x) parallel_iterations 0 : (tensor<3x2xf32>) -> () {
  ^bb0(%a: tensor<2xf32>):
    df.yield
  }
  df.return
}

// -----

df.function @custom_takes(%x: tensor<4xf32>) {
  // expected-error @below {{'df.custom_gradient' op (C1) the first region must take the operands' types ('tensor<4xf32>'); found ('tensor<3xf32>')}}
  %r = df.custom_gradient (%x) : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    df.yield %a : tensor<3xf32>
  } gradient {
  ^bb0(%g: tensor<3xf32>):
    df.yield %g : tensor<3xf32>
  }
  df.return
}

// -----

df.function @custom_yields(%x: tensor<4xf32>) {
  // expected-error @below {{(C2) the first region must yield the result types; expected 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %r = df.custom_gradient (%x) : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<4xf32>):
    df.yield %a : tensor<4xf32>
  } gradient {
  ^bb0(%g: tensor<3xf32>):
    df.yield %g : tensor<3xf32>
  }
  df.return
}

// -----

df.function @custom_residuals(%x: tensor<4xf32>) {
  // expected-error @below {{(C3) residuals must be >= 0 and at most the number of results, 1; found 2}}
  %r = df.custom_gradient (%x) {residuals = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    df.yield %a : tensor<4xf32>
  } gradient {
  ^bb0(%g: tensor<4xf32>):
    df.yield %g : tensor<4xf32>
  }
  df.return
}

// -----

df.function @custom_cotangents(%x: tensor<4xf32>) {
  // expected-error @below {{(C4) the backward region must take the residuals, then the cotangents of the outputs of floats ('tensor<4xi1>', 'tensor<4xf32>'); found ('tensor<4xf32>')}}
  %r:3 = df.custom_gradient (%x) {residuals = 1 : i64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>, tensor<4xi1>) {
  ^bb0(%a: tensor<4xf32>):
    %n = df.constant dense<1> : tensor<i64>
    %is = df.compare gt, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    df.yield %a, %n, %is : tensor<4xf32>, tensor<i64>, tensor<4xi1>
  } gradient {
  ^bb0(%g: tensor<4xf32>):
    df.yield %g : tensor<4xf32>
  }
  df.return
}

// -----

df.function @custom_gradients(%x: tensor<4xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{(C5) the backward region must yield the gradients of the operands of floats: expected ('tensor<4xf32>')}}
  %r = df.custom_gradient (%x, %i) : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xi64>):
    df.yield %a : tensor<4xf32>
  } gradient {
  ^bb0(%g: tensor<4xf32>):
    // expected-note @below {{yields ('tensor<4xf32>', 'tensor<4xf32>')}}
    df.yield %g, %g : tensor<4xf32>, tensor<4xf32>
  }
  df.return
}

// -----

df.function @stacked_without_bound(%x: tensor<4xf32>) {
  // expected-error @below {{(C4) rows after the carried values need max_iterations: yields ('tensor<4xf32>', 'tensor<4xf32>')}}
  %r:3 = df.while (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<i64>) {
  ^bb0(%a: tensor<4xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    df.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  df.return
}

// -----

df.function @stacked_size(%x: tensor<4xf32>) {
  // expected-error @below {{(C4) stacked results must be [max_iterations, ..] of the rows that the body yields; expected 'tensor<3x4xf32>', found 'tensor<2x4xf32>'}}
  %r:3 = df.while (%x) {max_iterations = 3 : i64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>, tensor<i64>) {
  ^bb0(%a: tensor<4xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    df.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  df.return
}

// -----

df.function @stacked_count(%x: tensor<4xf32>) {
  // expected-error @below {{needs 3 results, found 2}}
  %r:2 = df.while (%x) {max_iterations = 3 : i64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %go = df.constant dense<true> : tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    df.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  df.return
}
