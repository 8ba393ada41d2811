// What the verifiers of slices, pads, shapes of run time and what is made of them refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

df.function @slice(%x: tensor<?x5xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{(C1) starts >= 0, sizes >= -1 and strides >= 1 must have one entry for each dimension; found [0, 1], [-1, 2] and [1, 0] for 'tensor<?x5xf32>'}}
  %y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 0>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// -----

df.function @slice(%x: tensor<?x5xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{(C2) ranges must be within the operand's dimensions; found start 1, size 2, stride 4 for 5 of 'tensor<?x5xf32>'}}
  %y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 4>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
  df.return %y : tensor<?x2xf32>
}

// -----

df.function @slice(%x: tensor<?x5xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{(C3) the result must have the sizes; expected 'tensor<?x2xf32>', found 'tensor<?x3xf32>'}}
  %y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, -1>, strides = array<i64: 1, 3>} : (tensor<?x5xf32>) -> tensor<?x3xf32>
  df.return %y : tensor<?x3xf32>
}

// -----

df.function @update(%x: tensor<?x5xf32>, %u: tensor<?x2xf32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C1) starts >= 0 and strides >= 1 must have one entry for each dimension; found [0] and [1] for 'tensor<?x5xf32>'}}
  %y = df.update_slice %x, %u {starts = array<i64: 0>, strides = array<i64: 1>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @update(%x: tensor<?x5xf32>, %u: tensor<?x2xf32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C2) ranges must be within the operand's dimensions; found start 4, size 2, stride 1 for 5 of 'tensor<?x5xf32>'}}
  %y = df.update_slice %x, %u {starts = array<i64: 0, 4>, strides = array<i64: 1, 1>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @update(%x: tensor<?x5xf32>, %u: tensor<2xf32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C3) the update must have the operand's rank and element type: found 'tensor<?x5xf32>' and 'tensor<2xf32>'}}
  %y = df.update_slice %x, %u {starts = array<i64: 0, 1>, strides = array<i64: 1, 1>} : (tensor<?x5xf32>, tensor<2xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @update(%x: tensor<7x5xf32>, %u: tensor<7x2xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{(C4) the result must have the operand's type}}
  %y = df.update_slice %x, %u {starts = array<i64: 0, 1>, strides = array<i64: 1, 1>} : (tensor<7x5xf32>, tensor<7x2xf32>) -> tensor<4x5xf32>
  df.return %y : tensor<4x5xf32>
}

// -----

df.function @dynamic(%x: tensor<?x5xf32>, %s: tensor<1xi64>) -> tensor<1x2xf32> {
  // expected-error @+1 {{(C1) starts must be [rank]: found 'tensor<?x5xf32>' and 'tensor<1xi64>'}}
  %y = df.dynamic_slice %x, %s : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  df.return %y : tensor<1x2xf32>
}

// -----

df.function @dynamic(%x: tensor<?x5xf32>, %s: tensor<2xi64>) -> tensor<1x6xf32> {
  // expected-error @+1 {{(C2) the result must have the operand's rank and element type and be within its dimensions}}
  %y = df.dynamic_slice %x, %s : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<1x6xf32>
  df.return %y : tensor<1x6xf32>
}

// -----

df.function @dynamic(%x: tensor<?x5xf32>, %s: tensor<2xi64>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C3) a dynamic result needs 'like' of its shape}}
  %y = df.dynamic_slice %x, %s : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @dynamic(%x: tensor<?x5xf32>, %u: tensor<1x2xf32>, %s: tensor<3xi64>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C1) starts must be [rank]}}
  %y = df.dynamic_update_slice %x, %u, %s : (tensor<?x5xf32>, tensor<1x2xf32>, tensor<3xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @dynamic(%x: tensor<?x5xf32>, %u: tensor<1x6xf32>, %s: tensor<2xi64>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C2) the update must have the operand's rank and element type and be within its dimensions}}
  %y = df.dynamic_update_slice %x, %u, %s : (tensor<?x5xf32>, tensor<1x6xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @dynamic(%x: tensor<7x5xf32>, %u: tensor<1x2xf32>, %s: tensor<2xi64>) -> tensor<4x5xf32> {
  // expected-error @+1 {{(C3) the result must have the operand's type}}
  %y = df.dynamic_update_slice %x, %u, %s : (tensor<7x5xf32>, tensor<1x2xf32>, tensor<2xi64>) -> tensor<4x5xf32>
  df.return %y : tensor<4x5xf32>
}

// -----

df.function @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C1) low, high and interior must have one entry >= 0 for each dimension; found [-1], [1] and [] for 'tensor<4xf32>'}}
  %y = df.pad %x, %v {low = array<i64: -1>, high = array<i64: 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<9xf32> {
  // expected-error @+1 {{(C2) the result must have low + n + interior + high; expected 'tensor<8xf32>', found 'tensor<9xf32>'}}
  %y = df.pad %x, %v {low = array<i64: 0>, high = array<i64: 1>, interior = array<i64: 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<9xf32>
  df.return %y : tensor<9xf32>
}

// -----

df.function @pad(%x: tensor<4xf32>, %v: tensor<f64>) -> tensor<5xf32> {
  // expected-error @+1 {{(C3) the value must be a scalar of the element type}}
  %y = df.pad %x, %v {low = array<i64: 0>, high = array<i64: 1>} : (tensor<4xf32>, tensor<f64>) -> tensor<5xf32>
  df.return %y : tensor<5xf32>
}

// -----

df.function @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C1) axes must be strictly ascending dimensions; found [0, 0] for 'tensor<4xf32>'}}
  %y = df.reverse %x {axes = array<i64: 0, 0>} : tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @iota() -> tensor<4xf32> {
  // expected-error @+1 {{(C1) axis 1 must be a dimension of 'tensor<4xf32>'}}
  %y = df.iota {axis = 1 : i64} : () -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @iota() -> tensor<?xf32> {
  // expected-error @+1 {{(C2) a dynamic result needs 'like' of its shape}}
  %y = df.iota {axis = 0 : i64} : () -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @shape(%x: tensor<4xf32>) -> tensor<2xi64> {
  // expected-error @+1 {{(C1) the result must be [rank of the operand]}}
  %y = df.shape %x : (tensor<4xf32>) -> tensor<2xi64>
  df.return %y : tensor<2xi64>
}

// -----

df.function @broadcast(%x: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) dimensions must be strictly ascending dimensions of the result, one for each of the operand's; found [2] for 'tensor<4xf32>' and 'tensor<?x4xf32>'}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// -----

df.function @broadcast(%x: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C2) each dimension of the operand must be 1 or the result's}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @broadcast(%x: tensor<4xf32>, %s: tensor<3xi64>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C3) shape must be [rank of the result]}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<3xi64>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// -----

df.function @broadcast(%x: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x4xf64> {
  // expected-error @+1 {{(C4) element types must agree}}
  %y = df.dynamic_broadcast %x, %s {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf64>
  df.return %y : tensor<?x4xf64>
}

// -----

df.function @reshape(%x: tensor<?x4xf32>, %s: tensor<1xi64>) -> tensor<?x?xf32> {
  // expected-error @+1 {{(C1) shape must be [rank of the result]}}
  %y = df.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  df.return %y : tensor<?x?xf32>
}

// -----

df.function @reshape(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x?xi32> {
  // expected-error @+1 {{(C2) element types must agree}}
  %y = df.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xi32>
  df.return %y : tensor<?x?xi32>
}

// -----

df.function @split(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{(C1) axis 0 must be a static dimension of 'tensor<?x5xf32>'}}
  %y = df.split %x {axis = 0 : i64} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  df.return %y : tensor<?x5xf32>
}

// -----

df.function @split(%x: tensor<?x5xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{(C2) parts must have the operand's other dimensions and element type}}
  %y = df.split %x {axis = 1 : i64} : (tensor<?x5xf32>) -> tensor<5xf32>
  df.return %y : tensor<5xf32>
}

// -----

df.function @split(%x: tensor<4x5xf32>) -> tensor<4x?xf32> {
  // expected-error @+1 {{(C3) sizes of parts along 'axis' must be static; found 'tensor<4x?xf32>'}}
  %y = df.split %x {axis = 1 : i64} : (tensor<4x5xf32>) -> tensor<4x?xf32>
  df.return %y : tensor<4x?xf32>
}

// -----

df.function @split(%x: tensor<?x5xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{(C3) sizes of parts along 'axis' must add up to the operand's; found 4 for 'tensor<?x5xf32>'}}
  %y, %z = df.split %x {axis = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  df.return %y : tensor<?x2xf32>
}

// -----

df.function @stack(%x: tensor<7xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{(C1) needs at least one operand, all of one type}}
  %z = df.stack %x, %y {axis = 0 : i64} : (tensor<7xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  df.return %z : tensor<2x4xf32>
}

// -----

df.function @stack(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{(C2) the result must have the operands' shape with their number in a new dimension 'axis'}}
  %z = df.stack %x, %y {axis = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  df.return %z : tensor<2x4xf32>
}

// -----

df.function @tile(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C1) multiples must have one entry >= 1 for each dimension; found [0] for 'tensor<4xf32>'}}
  %y = df.tile %x {multiples = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @tile(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C2) the result must have the multiplied sizes; expected 'tensor<8xf32>', found 'tensor<4xf32>'}}
  %y = df.tile %x {multiples = array<i64: 2>} : (tensor<4xf32>) -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @roll(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) axis 0 must be a static dimension of 'tensor<?x4xf32>'}}
  %y = df.roll %x {axis = 0 : i64, shift = 1 : i64} : tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// -----

df.function @mirror(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{(C1) axis must be a static dimension >= 1 and low, high >= 0; found axis 0, low 1, high 0 for 'tensor<?x4xf32>'}}
  %y = df.mirror_pad edge %x {axis = 0 : i64, low = 1 : i64, high = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  df.return %y : tensor<?x4xf32>
}

// -----

df.function @mirror(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{(C2) low and high must be at most 3; found 4 and 0}}
  %y = df.mirror_pad reflect %x {axis = 0 : i64, low = 4 : i64, high = 0 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  df.return %y : tensor<8xf32>
}

// -----

df.function @mirror(%x: tensor<4xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{(C3) the result must have low + n + high at 'axis'}}
  %y = df.mirror_pad symmetric %x {axis = 0 : i64, low = 4 : i64, high = 0 : i64} : (tensor<4xf32>) -> tensor<9xf32>
  df.return %y : tensor<9xf32>
}

// -----

df.function @eye() -> tensor<4xf32> {
  // expected-error @+1 {{(C1) the result must be static of rank >= 2}}
  %y = df.eye : () -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @band(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C1) the rank must be >= 2; found 'tensor<4xf32>'}}
  %y = df.band_part %x {lower = 0 : i64, upper = 0 : i64} : tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @band(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{(C2) lower and upper must be >= -1; found -2 and 0}}
  %y = df.band_part %x {lower = -2 : i64, upper = 0 : i64} : tensor<4x4xf32>
  df.return %y : tensor<4x4xf32>
}

// -----

df.function @diag(%x: tensor<4xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{(C1) the result must have the operand's shape with the last, static dimension twice}}
  %y = df.diag %x : (tensor<4xf32>) -> tensor<4x5xf32>
  df.return %y : tensor<4x5xf32>
}

// -----

df.function @blocks(%x: tensor<4x6x3xf32>) -> tensor<2x3x12xf32> {
  // expected-error @+1 {{(C1) operand and result must be [n, h, w, c] of one element type, all but n static}}
  %y = df.space_to_depth %x {block = 2 : i64} : (tensor<4x6x3xf32>) -> tensor<2x3x12xf32>
  df.return %y : tensor<2x3x12xf32>
}

// -----

df.function @blocks(%x: tensor<?x2x3x12xf32>) -> tensor<?x4x6x4xf32> {
  // expected-error @+1 {{(C2) the result must have the channels as blocks; expected 'tensor<?x4x6x3xf32>', found 'tensor<?x4x6x4xf32>'}}
  %y = df.depth_to_space %x {block = 2 : i64} : (tensor<?x2x3x12xf32>) -> tensor<?x4x6x4xf32>
  df.return %y : tensor<?x4x6x4xf32>
}

// -----

df.function @resize(%x: tensor<?x4x3xf32>) -> tensor<?x5x4xf32> {
  // expected-error @+1 {{(C1) operand and result must have one rank >= 3 and equal first and last dimensions}}
  %y = df.resize linear %x : (tensor<?x4x3xf32>) -> tensor<?x5x4xf32>
  df.return %y : tensor<?x5x4xf32>
}

// -----

df.function @resize(%x: tensor<?x?x3xf32>) -> tensor<?x5x3xf32> {
  // expected-error @+1 {{(C2) the dimensions between must be static and >= 1}}
  %y = df.resize linear %x : (tensor<?x?x3xf32>) -> tensor<?x5x3xf32>
  df.return %y : tensor<?x5x3xf32>
}

// -----

df.function @resize(%x: tensor<?x4x3xf32>) -> tensor<?x5x3xf32> {
  // expected-error @+1 {{(C3) takes half_pixel or align_corners, not both}}
  %y = df.resize linear %x {half_pixel, align_corners} : (tensor<?x4x3xf32>) -> tensor<?x5x3xf32>
  df.return %y : tensor<?x5x3xf32>
}

// -----

df.function @mask(%n: tensor<?xi64>) -> tensor<?x?xi1> {
  // expected-error @+1 {{(C1) the result must have the lengths' shape and one more, static dimension}}
  %y = df.sequence_mask %n : (tensor<?xi64>) -> tensor<?x?xi1>
  df.return %y : tensor<?x?xi1>
}

// -----

df.function @unstack(%x: tensor<?x2147483647xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{(C1) makes 2147483647 tensors; the most are 65536}}
  %y = df.unstack %x {axis = 1 : i64} : (tensor<?x2147483647xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @unstack(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{(C2) results must have the operand's other dimensions; needs 2 results, found 1}}
  %y = df.unstack %x {axis = 1 : i64} : (tensor<?x2xf32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @unstack(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  // expected-error @+1 {{(C2) results must have the operand's other dimensions; expected 'tensor<?xf32>', found 'tensor<?x1xf32>'}}
  %y = df.unstack %x {axis = 1 : i64} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  df.return %y : tensor<?x1xf32>
}

// -----

df.function @diag(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(C1) the last two dimensions must be static and equal and the result without the last one}}
  %y = df.diag_part %x : (tensor<4x5xf32>) -> tensor<4xf32>
  df.return %y : tensor<4xf32>
}

// -----

df.function @linspace(%x: tensor<f32>) -> tensor<?xf32> {
  // expected-error @+1 {{(C1) operands must be scalars of the element type of the result, [n]}}
  %y = df.linspace %x, %x : (tensor<f32>, tensor<f32>) -> tensor<?xf32>
  df.return %y : tensor<?xf32>
}

// -----

df.function @range(%x: tensor<f32>) -> tensor<3xf32> {
  // expected-error @+1 {{(C1) operands must be scalars of the element type of the result, [?]}}
  %y = df.range %x, %x, %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  df.return %y : tensor<3xf32>
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'df.meshgrid' op (C1) needs at least one vector, all of one element type; found 'tensor<2x4xf32>'}}
  %y = df.meshgrid ij %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'df.meshgrid' op (C2) there must be a result of the grid's type for each operand; expected 'tensor<3x2xf32>', found 'tensor<2x3xf32>'}}
  %a, %b = df.meshgrid xy %x, %y : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  df.return
}

// -----

// Sizes that no number holds.
df.function @f() {
  // expected-error @+1 {{'df.concat' op (C2) sizes along 'axis' add up to more than 64 bits hold}}
  %y = "df.concat"(%x, %x) {axis = 0 : i64} : (tensor<9223372036854775807xi1>, tensor<9223372036854775807xi1>) -> tensor<?xi1>
  %x = df.constant dense<true> : tensor<9223372036854775807xi1>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'df.pad' op (C2) dimension 1 of 'tensor<2x4xf32>' becomes larger than 64 bits hold}}
  %y = df.pad %x {low = array<i64: 0, 9223372036854775807>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<2x4xf32>) -> tensor<2x?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'df.tile' op (C2) 9223372036854775807 times 4 is more than 64 bits hold}}
  %y = df.tile %x {multiples = array<i64: 1, 9223372036854775807>} : (tensor<2x4xf32>) -> tensor<2x?xf32>
  df.return
}
