// RUN by ../../external-calls.test
df.function @size(%x: tensor<2xf32>) -> tensor<?xf32> {
  // expected-error @+2 {{'probe.call' op has a result whose dimension 0 is of unknown size: its dimensions tell no operand's that is as large}}
  // expected-error @+1 {{failed to legalize operation 'probe.call'}}
  %y = probe.call "identity"() : () -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @codes(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = probe.call "identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+2 {{'probe.call' op is computed by the function 'identity', of which another op brings other code}}
  // expected-error @+1 {{failed to legalize operation 'probe.call'}}
  %z = probe.call "identity"(%x) {other_code} : (tensor<2xf32>) -> tensor<2xf32>
  df.return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// -----

df.function @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{'probe.call' op is computed by the function 'identity', the name of something else}}
  // expected-error @+1 {{failed to legalize operation 'probe.call'}}
  %y = probe.call "identity"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  df.return %y : tensor<2xf32>
}
