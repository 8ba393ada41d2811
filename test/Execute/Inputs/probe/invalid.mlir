// RUN by ../../external-calls.test
df.function @random(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'probe.call' op is of a function that is not deterministic, and has no memory effects: it could be repeated or merged with others}}
  %y = probe.call "identity"(%x) {random} : (tensor<2xf32>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}

// -----

df.function @text(%x: tensor<2x!df.string>) -> tensor<2xf32> {
  // expected-error @+1 {{operand 0 must be a tensor of numbers of rank 6 at most, which a C function can take; found 'tensor<2x!df.string>'}}
  %y = probe.call "identity"(%x) : (tensor<2x!df.string>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}

// -----

df.function @rank(%x: tensor<2xf32>) -> tensor<1x1x1x1x1x1x2xf32> {
  // expected-error @+1 {{result 0 must be a tensor of numbers of rank 6 at most, which a C function can take; found 'tensor<1x1x1x1x1x1x2xf32>'}}
  %y = probe.call "identity"(%x) : (tensor<2xf32>) -> tensor<1x1x1x1x1x1x2xf32>
  df.return %y : tensor<1x1x1x1x1x1x2xf32>
}

// -----

df.function @parameter(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{parameter 1 must be a number, a boolean or an array of numbers, which a C function can take; found "text"}}
  %y = probe.call "weigh"(%x) {passed = [1.0 : f64, "text"]} : (tensor<f64>) -> tensor<f64>
  df.return %y : tensor<f64>
}
