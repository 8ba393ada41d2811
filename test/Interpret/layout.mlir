// Values of slices, pads, shapes of run time and what is made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @slices
df.function @slices(%d: tensor<?x5xi64> {df.value = dense<[[0, 1, 2, 3, 4], [10, 11, 12, 13, 14], [20, 21, 22, 23, 24]]> : tensor<3x5xi64>})
    -> (tensor<?x2xi64>, tensor<?x1xi64>, tensor<?x5xi64>, tensor<2x2xi64>, tensor<?x5xi64>) {
  // CHECK-NEXT: 0: tensor<3x2xi64> {{\[}}[1, 3], [11, 13], [21, 23]]
  %a = df.slice %d {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 2>} : (tensor<?x5xi64>) -> tensor<?x2xi64>
  // CHECK-NEXT: 1: tensor<1x1xi64> {{\[}}[14]]
  %b = df.slice %d {starts = array<i64: 1, 4>, sizes = array<i64: -1, -1>, strides = array<i64: 2, 3>} : (tensor<?x5xi64>) -> tensor<?x1xi64>
  %u = df.constant dense<[[-1, -2, -3]]> : tensor<1x3xi64>
  // CHECK-NEXT: 2: tensor<3x5xi64> {{\[}}[0, 1, 2, 3, 4], [-1, 11, -2, 13, -3], [20, 21, 22, 23, 24]]
  %c = df.update_slice %d, %u {starts = array<i64: 1, 0>, strides = array<i64: 1, 2>} : (tensor<?x5xi64>, tensor<1x3xi64>) -> tensor<?x5xi64>
  %s = df.constant dense<[1, 3]> : tensor<2xi64>
  // CHECK-NEXT: 3: tensor<2x2xi64> {{\[}}[13, 14], [23, 24]]
  %e = df.dynamic_slice %d, %s : (tensor<?x5xi64>, tensor<2xi64>) -> tensor<2x2xi64>
  %v = df.constant dense<[[7, 8]]> : tensor<1x2xi64>
  // CHECK-NEXT: 4: tensor<3x5xi64> {{\[}}[0, 1, 2, 3, 4], [10, 11, 12, 7, 8], [20, 21, 22, 23, 24]]
  %f = df.dynamic_update_slice %d, %v, %s : (tensor<?x5xi64>, tensor<1x2xi64>, tensor<2xi64>) -> tensor<?x5xi64>
  df.return %a, %b, %c, %e, %f : tensor<?x2xi64>, tensor<?x1xi64>, tensor<?x5xi64>, tensor<2x2xi64>, tensor<?x5xi64>
}

// CHECK-LABEL: @pads
df.function @pads() -> (tensor<3x6xi64>, tensor<7xi64>, tensor<7xi64>, tensor<5xi64>, tensor<3xi64>) {
  %x = df.constant dense<[[1, 2]]> : tensor<1x2xi64>
  %v = df.constant dense<9> : tensor<i64>
  // CHECK-NEXT: 0: tensor<3x6xi64> {{\[}}[9, 9, 9, 9, 9, 9], [9, 1, 9, 9, 2, 9], [9, 9, 9, 9, 9, 9]]
  %a = df.pad %x, %v {low = array<i64: 1, 1>, high = array<i64: 1, 1>, interior = array<i64: 5, 2>} : (tensor<1x2xi64>, tensor<i64>) -> tensor<3x6xi64>
  %y = df.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK-NEXT: 1: tensor<7xi64> [3, 2, 1, 2, 3, 2, 1]
  %b = df.mirror_pad reflect %y {axis = 0 : i64, low = 2 : i64, high = 2 : i64} : (tensor<3xi64>) -> tensor<7xi64>
  // CHECK-NEXT: 2: tensor<7xi64> [1, 1, 2, 3, 3, 2, 1]
  %c = df.mirror_pad symmetric %y {axis = 0 : i64, low = 1 : i64, high = 3 : i64} : (tensor<3xi64>) -> tensor<7xi64>
  // CHECK-NEXT: 3: tensor<5xi64> [1, 1, 2, 3, 3]
  %d = df.mirror_pad edge %y {axis = 0 : i64, low = 1 : i64, high = 1 : i64} : (tensor<3xi64>) -> tensor<5xi64>
  // CHECK-NEXT: 4: tensor<3xi64> [3, 2, 1]
  %e = df.reverse %y {axes = array<i64: 0>} : tensor<3xi64>
  df.return %a, %b, %c, %d, %e : tensor<3x6xi64>, tensor<7xi64>, tensor<7xi64>, tensor<5xi64>, tensor<3xi64>
}

// CHECK-LABEL: @shapes
df.function @shapes(%d: tensor<?x2xi64> {df.value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>})
    -> (tensor<2xi64>, tensor<?x2xf32>, tensor<?x3xi64>, tensor<?x?xi64>, tensor<1x?x?xi64>) {
  // CHECK-NEXT: 0: tensor<2xi64> [3, 2]
  %s = df.shape %d : (tensor<?x2xi64>) -> tensor<2xi64>
  // CHECK-NEXT: 1: tensor<3x2xf32> {{\[}}[0, 0], [1, 1], [2, 2]]
  %i = df.iota %d {axis = 0 : i64} : (tensor<?x2xi64>) -> tensor<?x2xf32>
  %b = df.constant dense<[7, 8, 9]> : tensor<3xi64>
  %to = df.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK-NEXT: 2: tensor<2x3xi64> {{\[}}[7, 8, 9], [7, 8, 9]]
  %c = df.dynamic_broadcast %b, %to {dimensions = array<i64: 1>} : (tensor<3xi64>, tensor<2xi64>) -> tensor<?x3xi64>
  %open = df.constant dense<[-1, 3]> : tensor<2xi64>
  // CHECK-NEXT: 3: tensor<2x3xi64> {{\[}}[1, 2, 3], [4, 5, 6]]
  %r = df.dynamic_reshape %d, %open : (tensor<?x2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  // CHECK-NEXT: 4: tensor<1x2x3xi64>
  %u = df.reshape %r : (tensor<?x?xi64>) -> tensor<1x?x?xi64>
  df.return %s, %i, %c, %r, %u : tensor<2xi64>, tensor<?x2xf32>, tensor<?x3xi64>, tensor<?x?xi64>, tensor<1x?x?xi64>
}

// CHECK-LABEL: @parts
df.function @parts() -> (tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x2x3xi64>, tensor<2x6xi64>, tensor<2x3xi64>) {
  %x = df.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  // CHECK-NEXT: 0: tensor<2x1xi64> {{\[}}[1], [4]]
  // CHECK-NEXT: 1: tensor<2x2xi64> {{\[}}[2, 3], [5, 6]]
  %a, %b = df.split %x {axis = 1 : i64} : (tensor<2x3xi64>) -> (tensor<2x1xi64>, tensor<2x2xi64>)
  %y = df.neg %x : tensor<2x3xi64>
  // CHECK-NEXT: 2: tensor<2x2x3xi64> {{\[}}{{\[}}[1, 2, 3], [-1, -2, -3]], {{\[}}[4, 5, 6], [-4, -5, -6]]]
  %c = df.stack %x, %y {axis = 1 : i64} : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x2x3xi64>
  // CHECK-NEXT: 3: tensor<2x6xi64> {{\[}}[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]
  %d = df.tile %x {multiples = array<i64: 1, 2>} : (tensor<2x3xi64>) -> tensor<2x6xi64>
  // CHECK-NEXT: 4: tensor<2x3xi64> {{\[}}[2, 3, 1], [5, 6, 4]]
  %e = df.roll %x {axis = 1 : i64, shift = -4 : i64} : tensor<2x3xi64>
  df.return %a, %b, %c, %d, %e : tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x2x3xi64>, tensor<2x6xi64>, tensor<2x3xi64>
}

// CHECK-LABEL: @unstack
df.function @unstack() -> (tensor<2xi64>, tensor<2xi64>) {
  %x = df.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK-NEXT: 0: tensor<2xi64> [1, 3]
  // CHECK-NEXT: 1: tensor<2xi64> [2, 4]
  %a, %b = df.unstack %x {axis = 1 : i64} : (tensor<2x2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  df.return %a, %b : tensor<2xi64>, tensor<2xi64>
}

// CHECK-LABEL: @meshgrid
df.function @meshgrid() -> (tensor<3x2xi64>, tensor<3x2xi64>, tensor<2x3xi64>, tensor<2x3xi64>) {
  %a = df.constant dense<[1, 2]> : tensor<2xi64>
  %b = df.constant dense<[5, 6, 7]> : tensor<3xi64>
  // CHECK-NEXT: 0: tensor<3x2xi64> {{\[}}[1, 2], [1, 2], [1, 2]]
  // CHECK-NEXT: 1: tensor<3x2xi64> {{\[}}[5, 5], [6, 6], [7, 7]]
  %x0, %y0 = df.meshgrid xy %a, %b : (tensor<2xi64>, tensor<3xi64>) -> (tensor<3x2xi64>, tensor<3x2xi64>)
  // CHECK-NEXT: 2: tensor<2x3xi64> {{\[}}[1, 1, 1], [2, 2, 2]]
  // CHECK-NEXT: 3: tensor<2x3xi64> {{\[}}[5, 6, 7], [5, 6, 7]]
  %x1, %y1 = df.meshgrid ij %a, %b : (tensor<2xi64>, tensor<3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>)
  df.return %x0, %y0, %x1, %y1 : tensor<3x2xi64>, tensor<3x2xi64>, tensor<2x3xi64>, tensor<2x3xi64>
}

// CHECK-LABEL: @matrices
df.function @matrices() -> (tensor<2x3xf32>, tensor<3x3xi64>, tensor<3x3xi64>, tensor<2x2xf32>, tensor<2x3xi1>) {
  // CHECK-NEXT: 0: tensor<2x3xf32> {{\[}}[0, 1, 0], [0, 0, 1]]
  %a = df.eye {offset = 1 : i64} : () -> tensor<2x3xf32>
  %x = df.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi64>
  // CHECK-NEXT: 1: tensor<3x3xi64> {{\[}}[1, 0, 0], [4, 5, 0], [7, 8, 9]]
  %b = df.band_part %x {lower = -1 : i64, upper = 0 : i64} : tensor<3x3xi64>
  // CHECK-NEXT: 2: tensor<3x3xi64> {{\[}}[1, 2, 0], [0, 5, 6], [0, 0, 9]]
  %c = df.band_part %x {lower = 0 : i64, upper = 1 : i64} : tensor<3x3xi64>
  %d = df.constant dense<[1.0, -0.0]> : tensor<2xf32>
  // CHECK-NEXT: 3: tensor<2x2xf32> {{\[}}[1, 0], [0, -0]]
  %m = df.diag %d : (tensor<2xf32>) -> tensor<2x2xf32>
  %n = df.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK-NEXT: 4: tensor<2x3xi1> {{\[}}[true, true, false], [false, false, false]]
  %e = df.sequence_mask %n : (tensor<2xi64>) -> tensor<2x3xi1>
  df.return %a, %b, %c, %m, %e : tensor<2x3xf32>, tensor<3x3xi64>, tensor<3x3xi64>, tensor<2x2xf32>, tensor<2x3xi1>
}

// CHECK-LABEL: @numbers
df.function @numbers() -> (tensor<2xi64>, tensor<4xf32>, tensor<1xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xi8>) {
  %x = df.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK-NEXT: 0: tensor<2xi64> [1, 4]
  %d = df.diag_part %x : (tensor<2x2xi64>) -> tensor<2xi64>
  %f = df.constant dense<1.0> : tensor<f32>
  %t = df.constant dense<2.5> : tensor<f32>
  // CHECK-NEXT: 1: tensor<4xf32> [1, 1.5, 2, 2.5]
  %l = df.linspace %f, %t : (tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: 2: tensor<1xf32> [1]
  %one = df.linspace %f, %t : (tensor<f32>, tensor<f32>) -> tensor<1xf32>
  %a = df.constant dense<7> : tensor<i64>
  %b = df.constant dense<0> : tensor<i64>
  %c = df.constant dense<-3> : tensor<i64>
  // CHECK-NEXT: 3: tensor<3xi64> [7, 4, 1]
  %r = df.range %a, %b, %c : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %h = df.constant dense<0.5> : tensor<f32>
  // CHECK-NEXT: 4: tensor<3xf32> [1, 1.5, 2]
  %s = df.range %f, %t, %h : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %p = df.constant dense<5> : tensor<i8>
  %q = df.constant dense<3> : tensor<i8>
  // CHECK-NEXT: 5: tensor<0xi8> []
  %e = df.range %p, %q, %q : (tensor<i8>, tensor<i8>, tensor<i8>) -> tensor<?xi8>
  df.return %d, %l, %one, %r, %s, %e : tensor<2xi64>, tensor<4xf32>, tensor<1xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xi8>
}

// CHECK-LABEL: @blocks
df.function @blocks() -> (tensor<1x1x2x4xi64>, tensor<1x2x4x1xi64>) {
  %x = df.constant dense<[[[[1], [2], [5], [6]], [[3], [4], [7], [8]]]]> : tensor<1x2x4x1xi64>
  // CHECK-NEXT: 0: tensor<1x1x2x4xi64> {{\[}}{{\[}}{{\[}}[1, 2, 3, 4], [5, 6, 7, 8]]]]
  %a = df.space_to_depth %x {block = 2 : i64} : (tensor<1x2x4x1xi64>) -> tensor<1x1x2x4xi64>
  // CHECK-NEXT: 1: tensor<1x2x4x1xi64> {{\[}}{{\[}}{{\[}}[1], [2], [5], [6]], {{\[}}[3], [4], [7], [8]]]]
  %b = df.depth_to_space %a {block = 2 : i64} : (tensor<1x1x2x4xi64>) -> tensor<1x2x4x1xi64>
  df.return %a, %b : tensor<1x1x2x4xi64>, tensor<1x2x4x1xi64>
}

// CHECK-LABEL: @resize
df.function @resize() -> (tensor<1x4x1xf64>, tensor<1x4x1xf64>, tensor<1x3x1xf64>, tensor<1x4x1xf64>, tensor<1x4x1xf64>, tensor<1x4x1xf64>) {
  %x = df.constant dense<[[[1.0], [3.0]]]> : tensor<1x2x1xf64>
  // CHECK-NEXT: 0: tensor<1x4x1xf64> {{\[}}{{\[}}[1], [1], [3], [3]]]
  %a = df.resize nearest %x : (tensor<1x2x1xf64>) -> tensor<1x4x1xf64>
  // CHECK-NEXT: 1: tensor<1x4x1xf64> {{\[}}{{\[}}[1], [1.5], [2.5], [3]]]
  %b = df.resize linear %x {half_pixel} : (tensor<1x2x1xf64>) -> tensor<1x4x1xf64>
  // CHECK-NEXT: 2: tensor<1x3x1xf64> {{\[}}{{\[}}[1], [2], [3]]]
  %c = df.resize linear %x {align_corners} : (tensor<1x2x1xf64>) -> tensor<1x3x1xf64>
  // CHECK-NEXT: 3: tensor<1x4x1xf64> {{\[}}{{\[}}[1], [2], [3], [3]]]
  %d = df.resize linear %x : (tensor<1x2x1xf64>) -> tensor<1x4x1xf64>
  %y = df.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf64>
  // CHECK-NEXT: 4: tensor<1x4x1xf64> {{\[}}{{\[}}[1], [2], [3], [4]]]
  %e = df.resize cubic %y {half_pixel} : (tensor<1x4x1xf64>) -> tensor<1x4x1xf64>
  // The weights of a quarter: -0.10546875, 0.87890625, 0.26171875, -0.03515625.
  // CHECK-NEXT: 5: tensor<1x4x1xf64> {{\[}}{{\[}}[0.7890625], [1.453125], [2.546875], [3.2109375]]]
  %f = df.resize cubic %x {half_pixel} : (tensor<1x2x1xf64>) -> tensor<1x4x1xf64>
  df.return %a, %b, %c, %d, %e, %f : tensor<1x4x1xf64>, tensor<1x4x1xf64>, tensor<1x3x1xf64>, tensor<1x4x1xf64>, tensor<1x4x1xf64>, tensor<1x4x1xf64>
}
