// Element-wise ops: operands and result have one type (C1).
// RUN: mlc-opt --split-input-file --verify-diagnostics %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

df.function @abs(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.abs' op requires the same type for all operands and results}}
  %0 = "df.abs"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @absolute_difference(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.absolute_difference' op requires the same type for all operands and results}}
  %0 = "df.absolute_difference"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @acos(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.acos' op requires the same type for all operands and results}}
  %0 = "df.acos"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @acosh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.acosh' op requires the same type for all operands and results}}
  %0 = "df.acosh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @asin(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.asin' op requires the same type for all operands and results}}
  %0 = "df.asin"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @asinh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.asinh' op requires the same type for all operands and results}}
  %0 = "df.asinh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @atan(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.atan' op requires the same type for all operands and results}}
  %0 = "df.atan"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @atan2(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.atan2' op requires the same type for all operands and results}}
  %0 = "df.atan2"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @atanh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.atanh' op requires the same type for all operands and results}}
  %0 = "df.atanh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @bitwise_and(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.bitwise_and' op requires the same type for all operands and results}}
  %0 = "df.bitwise_and"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @bitwise_or(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.bitwise_or' op requires the same type for all operands and results}}
  %0 = "df.bitwise_or"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @bitwise_xor(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.bitwise_xor' op requires the same type for all operands and results}}
  %0 = "df.bitwise_xor"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @cbrt(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.cbrt' op requires the same type for all operands and results}}
  %0 = "df.cbrt"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @ceil(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.ceil' op requires the same type for all operands and results}}
  %0 = "df.ceil"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @celu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.celu' op requires the same type for all operands and results}}
  %0 = "df.celu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @clamp(%a0: tensor<2xf32>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.clamp' op requires the same type for all operands and results}}
  %0 = "df.clamp"(%a0, %a1, %a2) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @cos(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.cos' op requires the same type for all operands and results}}
  %0 = "df.cos"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @cosh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.cosh' op requires the same type for all operands and results}}
  %0 = "df.cosh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @count_leading_zeros(%a0: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.count_leading_zeros' op requires the same type for all operands and results}}
  %0 = "df.count_leading_zeros"(%a0) : (tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @div_no_nan(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.div_no_nan' op requires the same type for all operands and results}}
  %0 = "df.div_no_nan"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @elu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.elu' op requires the same type for all operands and results}}
  %0 = "df.elu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @erfc(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.erfc' op requires the same type for all operands and results}}
  %0 = "df.erfc"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @erf_inv(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.erf_inv' op requires the same type for all operands and results}}
  %0 = "df.erf_inv"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @exp(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.exp' op requires the same type for all operands and results}}
  %0 = "df.exp"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @exp2(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.exp2' op requires the same type for all operands and results}}
  %0 = "df.exp2"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @expm1(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.expm1' op requires the same type for all operands and results}}
  %0 = "df.expm1"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @floor(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.floor' op requires the same type for all operands and results}}
  %0 = "df.floor"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @floor_div(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.floor_div' op requires the same type for all operands and results}}
  %0 = "df.floor_div"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @gelu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.gelu' op requires the same type for all operands and results}}
  %0 = "df.gelu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @hard_sigmoid(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.hard_sigmoid' op requires the same type for all operands and results}}
  %0 = "df.hard_sigmoid"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @hard_swish(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.hard_swish' op requires the same type for all operands and results}}
  %0 = "df.hard_swish"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @hinge_loss(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.hinge_loss' op requires the same type for all operands and results}}
  %0 = "df.hinge_loss"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @log(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.log' op requires the same type for all operands and results}}
  %0 = "df.log"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @log1p(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.log1p' op requires the same type for all operands and results}}
  %0 = "df.log1p"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @log2(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.log2' op requires the same type for all operands and results}}
  %0 = "df.log2"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @log_cosh_error(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.log_cosh_error' op requires the same type for all operands and results}}
  %0 = "df.log_cosh_error"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @log_sigmoid(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.log_sigmoid' op requires the same type for all operands and results}}
  %0 = "df.log_sigmoid"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @logical_and(%a0: tensor<2xi1>, %a1: tensor<2xi1>) -> tensor<3xi1> {
  // expected-error@+1 {{'df.logical_and' op requires the same type for all operands and results}}
  %0 = "df.logical_and"(%a0, %a1) : (tensor<2xi1>, tensor<2xi1>) -> tensor<3xi1>
  df.return %0 : tensor<3xi1>
}

// -----

df.function @logical_not(%a0: tensor<2xi1>) -> tensor<3xi1> {
  // expected-error@+1 {{'df.logical_not' op requires the same type for all operands and results}}
  %0 = "df.logical_not"(%a0) : (tensor<2xi1>) -> tensor<3xi1>
  df.return %0 : tensor<3xi1>
}

// -----

df.function @logical_or(%a0: tensor<2xi1>, %a1: tensor<2xi1>) -> tensor<3xi1> {
  // expected-error@+1 {{'df.logical_or' op requires the same type for all operands and results}}
  %0 = "df.logical_or"(%a0, %a1) : (tensor<2xi1>, tensor<2xi1>) -> tensor<3xi1>
  df.return %0 : tensor<3xi1>
}

// -----

df.function @logical_xor(%a0: tensor<2xi1>, %a1: tensor<2xi1>) -> tensor<3xi1> {
  // expected-error@+1 {{'df.logical_xor' op requires the same type for all operands and results}}
  %0 = "df.logical_xor"(%a0, %a1) : (tensor<2xi1>, tensor<2xi1>) -> tensor<3xi1>
  df.return %0 : tensor<3xi1>
}

// -----

df.function @maximum(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.maximum' op requires the same type for all operands and results}}
  %0 = "df.maximum"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @minimum(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.minimum' op requires the same type for all operands and results}}
  %0 = "df.minimum"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @mish(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.mish' op requires the same type for all operands and results}}
  %0 = "df.mish"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @mul(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.mul' op requires the same type for all operands and results}}
  %0 = "df.mul"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @neg(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.neg' op requires the same type for all operands and results}}
  %0 = "df.neg"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @population_count(%a0: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.population_count' op requires the same type for all operands and results}}
  %0 = "df.population_count"(%a0) : (tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @pow(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.pow' op requires the same type for all operands and results}}
  %0 = "df.pow"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @prelu(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.prelu' op requires the same type for all operands and results}}
  %0 = "df.prelu"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @reciprocal(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.reciprocal' op requires the same type for all operands and results}}
  %0 = "df.reciprocal"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @relu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.relu' op requires the same type for all operands and results}}
  %0 = "df.relu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @relu6(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.relu6' op requires the same type for all operands and results}}
  %0 = "df.relu6"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @round(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.round' op requires the same type for all operands and results}}
  %0 = "df.round"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @rsqrt(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.rsqrt' op requires the same type for all operands and results}}
  %0 = "df.rsqrt"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @selu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.selu' op requires the same type for all operands and results}}
  %0 = "df.selu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @shift_left(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.shift_left' op requires the same type for all operands and results}}
  %0 = "df.shift_left"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @shift_right_arithmetic(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.shift_right_arithmetic' op requires the same type for all operands and results}}
  %0 = "df.shift_right_arithmetic"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @shift_right_logical(%a0: tensor<2xi32>, %a1: tensor<2xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{'df.shift_right_logical' op requires the same type for all operands and results}}
  %0 = "df.shift_right_logical"(%a0, %a1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  df.return %0 : tensor<3xi32>
}

// -----

df.function @sigmoid(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sigmoid' op requires the same type for all operands and results}}
  %0 = "df.sigmoid"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sigmoid_cross_entropy(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sigmoid_cross_entropy' op requires the same type for all operands and results}}
  %0 = "df.sigmoid_cross_entropy"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sign(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sign' op requires the same type for all operands and results}}
  %0 = "df.sign"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @silu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.silu' op requires the same type for all operands and results}}
  %0 = "df.silu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sin(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sin' op requires the same type for all operands and results}}
  %0 = "df.sin"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sinh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sinh' op requires the same type for all operands and results}}
  %0 = "df.sinh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @softplus(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.softplus' op requires the same type for all operands and results}}
  %0 = "df.softplus"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @softsign(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.softsign' op requires the same type for all operands and results}}
  %0 = "df.softsign"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sqrt(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sqrt' op requires the same type for all operands and results}}
  %0 = "df.sqrt"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @square(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.square' op requires the same type for all operands and results}}
  %0 = "df.square"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @stop_gradient(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.stop_gradient' op requires the same type for all operands and results}}
  %0 = "df.stop_gradient"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @squared_difference(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.squared_difference' op requires the same type for all operands and results}}
  %0 = "df.squared_difference"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @sub(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.sub' op requires the same type for all operands and results}}
  %0 = "df.sub"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @tan(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.tan' op requires the same type for all operands and results}}
  %0 = "df.tan"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @tanh(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.tanh' op requires the same type for all operands and results}}
  %0 = "df.tanh"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @thresholded_relu(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.thresholded_relu' op requires the same type for all operands and results}}
  %0 = "df.thresholded_relu"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @trunc(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.trunc' op requires the same type for all operands and results}}
  %0 = "df.trunc"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @xlogy(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.xlogy' op requires the same type for all operands and results}}
  %0 = "df.xlogy"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @fingerprint_cat(%a0: tensor<2xi64>, %a1: tensor<2xi64>) -> tensor<3xi64> {
  // expected-error@+1 {{'df.fingerprint_cat' op requires the same type for all operands and results}}
  %0 = "df.fingerprint_cat"(%a0, %a1) : (tensor<2xi64>, tensor<2xi64>) -> tensor<3xi64>
  df.return %0 : tensor<3xi64>
}

// -----

df.function @digamma(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.digamma' op requires the same type for all operands and results}}
  %0 = "df.digamma"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @lgamma(%a0: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.lgamma' op requires the same type for all operands and results}}
  %0 = "df.lgamma"(%a0) : (tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @igamma(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.igamma' op requires the same type for all operands and results}}
  %0 = "df.igamma"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @igammac(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.igammac' op requires the same type for all operands and results}}
  %0 = "df.igammac"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}

// -----

df.function @igamma_grad_a(%a0: tensor<2xf32>, %a1: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'df.igamma_grad_a' op requires the same type for all operands and results}}
  %0 = "df.igamma_grad_a"(%a0, %a1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  df.return %0 : tensor<3xf32>
}
