// Values of gathers, scatters and what is made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

// Whole rows, elements by two components, a batch dimension, and an index that is skipped.
// CHECK-LABEL: @gather
df.function @gather() -> (tensor<2x3xi64>, tensor<2xi64>, tensor<2x2xi64>, tensor<3x2xi64>, tensor<2x2xf32>) {
  %x = df.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %rows = df.constant dense<[1, 0]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<2x3xi64> {{\[}}[4, 5, 6], [1, 2, 3]]
  %a = df.gather %x, %rows {axes = array<i64: 0>} : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<2x3xi64>
  %pairs = df.constant dense<[[1, 2], [0, 0]]> : tensor<2x2xi64>
  // CHECK-NEXT: 1: tensor<2xi64> [6, 1]
  %b = df.gather %x, %pairs {axes = array<i64: 0, 1>} : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2xi64>
  // The batch dimension stands first: row 0 at 2 and 0, row 1 at 1 and 1.
  %own = df.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  // CHECK-NEXT: 2: tensor<2x2xi64> {{\[}}[3, 1], [5, 5]]
  %c = df.gather %x, %own {axes = array<i64: 1>, batch = array<i64: 0>} : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  // The batch dimension stands after the axis: column j of the result by its own indices.
  %columns = df.constant dense<[[1, 1], [0, 1], [1, 0]]> : tensor<3x2xi64>
  %t = df.transpose %x {permutation = array<i64: 0, 1>} : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %each = df.gather %t, %columns {axes = array<i64: 0>, batch = array<i64: 1>} : (tensor<2x3xi64>, tensor<3x2xi64>) -> tensor<2x3xi64>
  // CHECK-NEXT: 3: tensor<3x2xi64> {{\[}}[4, 4], [2, 5], [6, 3]]
  %d = df.transpose %each {permutation = array<i64: 1, 0>} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %f = df.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %some = df.constant dense<[0, -1]> : tensor<2xi64>
  // CHECK-NEXT: 4: tensor<2x2xf32> {{\[}}[1, 2], [0, 0]]
  %e = df.gather %f, %some {axes = array<i64: 0>, skip_negative} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  df.return %a, %b, %c, %d, %e : tensor<2x3xi64>, tensor<2xi64>, tensor<2x2xi64>, tensor<3x2xi64>, tensor<2x2xf32>
}

// Index 1 comes twice, in this order.
// CHECK-LABEL: @scatter
df.function @scatter() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>) {
  %x = df.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = df.constant dense<[1, 0, 1, -1]> : tensor<4xi64>
  %u = df.constant dense<[5.0, -1.0, 0.5, 100.0]> : tensor<4xf32>
  // CHECK-NEXT: 0: tensor<3xf32> [-1, 0.5, 3]
  %set = df.scatter set %x, %i, %u {axes = array<i64: 0>, skip_negative} : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
  // CHECK-NEXT: 1: tensor<3xf32> [0, 7.5, 3]
  %add = df.scatter add %x, %i, %u {axes = array<i64: 0>, skip_negative} : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
  // CHECK-NEXT: 2: tensor<3xf32> [-1, 5, 3]
  %mul = df.scatter mul %x, %i, %u {axes = array<i64: 0>, skip_negative} : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
  // CHECK-NEXT: 3: tensor<3xf32> [-1, 0.5, 3]
  %min = df.scatter min %x, %i, %u {axes = array<i64: 0>, skip_negative} : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
  // CHECK-NEXT: 4: tensor<3xf32> [1, 5, 3]
  %max = df.scatter max %x, %i, %u {axes = array<i64: 0>, skip_negative} : (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
  %y = df.constant dense<[100, 100, 0]> : tensor<3xi8>
  %v = df.constant dense<[100, 1, 0, 0]> : tensor<4xi8>
  // CHECK-NEXT: 5: tensor<3xi8> [101, -56, 0]
  %wraps = df.scatter add %y, %i, %v {axes = array<i64: 0>, skip_negative} : (tensor<3xi8>, tensor<4xi64>, tensor<4xi8>) -> tensor<3xi8>
  df.return %set, %add, %mul, %min, %max, %wraps : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi8>
}

// CHECK-LABEL: @take
df.function @take() -> (tensor<2x2x2xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<3x2xi64>) {
  %x = df.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %i = df.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  // CHECK-NEXT: 0: tensor<2x2x2xi64> {{\[}}{{\[}}[3, 1], [2, 2]], {{\[}}[6, 4], [5, 5]]]
  %a = df.gather %x, %i {axes = array<i64: 1>} : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2x2x2xi64>
  %one = df.constant dense<[[2], [0]]> : tensor<2x1xi64>
  // CHECK-NEXT: 1: tensor<2x1xi64> {{\[}}[3], [4]]
  %b = df.gather %x, %one {axes = array<i64: 1>, batch = array<i64: 0>} : (tensor<2x3xi64>, tensor<2x1xi64>) -> tensor<2x1xi64>
  // CHECK-NEXT: 2: tensor<2x2xi64> {{\[}}[3, 1], [5, 5]]
  %c = df.take_along_axis %x, %i {axis = 1 : i64} : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  %u = df.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi64>
  // CHECK-NEXT: 3: tensor<2x3xi64> {{\[}}[21, 2, 13], [4, 75, 6]]
  %d = df.scatter_along_axis add %x, %i, %u {axis = 1 : i64} : (tensor<2x3xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x3xi64>
  // Along the first axis each column has its own rows.
  %t = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %j = df.constant dense<[[2, 0], [0, 1], [1, 1]]> : tensor<3x2xi64>
  // CHECK-NEXT: 4: tensor<3x2xi64> {{\[}}[3, 4], [1, 5], [2, 5]]
  %e = df.take_along_axis %t, %j {axis = 0 : i64} : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  df.return %a, %b, %c, %d, %e : tensor<2x2x2xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<3x2xi64>
}

// Segments 2, 0, 2, dropped, 2; segment 1 has nothing.
// CHECK-LABEL: @segments
df.function @segments(%v: tensor<?x1xf32> {df.value = dense<[[1.0], [2.0], [4.0], [100.0], [-2.0]]> : tensor<5x1xf32>}, %ids: tensor<?xi64> {df.value = dense<[2, 0, 2, -1, 2]> : tensor<5xi64>})
    -> (tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>) {
  // CHECK-NEXT: 0: tensor<3x1xf32> {{\[}}[2], [0], [3]]
  %sum = df.segment_reduce sum %v, %ids : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: 1: tensor<3x1xf32> {{\[}}[2], [0], [1]]
  %mean = df.segment_reduce mean %v, %ids : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: 2: tensor<3x1xf32> {{\[}}[2], [1], [-8]]
  %prod = df.segment_reduce prod %v, %ids : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: 3: tensor<3x1xf32> {{\[}}[2], [inf], [-2]]
  %min = df.segment_reduce min %v, %ids : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<3x1xf32>
  // CHECK-NEXT: 4: tensor<3x1xf32> {{\[}}[2], [-inf], [4]]
  %max = df.segment_reduce max %v, %ids : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<3x1xf32>
  df.return %sum, %mean, %prod, %min, %max : tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
}

// CHECK-LABEL: @data_says_the_shape
df.function @data_says_the_shape() -> (tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>) {
  %m = df.constant dense<[[false, true, true], [true, false, false]]> : tensor<2x3xi1>
  // CHECK-NEXT: 0: tensor<3x2xi64> {{\[}}[0, 1], [0, 2], [1, 0]]
  %places = df.nonzero %m : (tensor<2x3xi1>) -> tensor<?x2xi64>
  %x = df.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  // CHECK-NEXT: 1: tensor<3xi64> [2, 3, 4]
  %masked = df.boolean_mask %x, %m : (tensor<2x3xi64>, tensor<2x3xi1>) -> tensor<?xi64>
  %none = df.constant dense<false> : tensor<2x3xi1>
  // CHECK-NEXT: 2: tensor<0xi64> []
  %nothing = df.boolean_mask %x, %none : (tensor<2x3xi64>, tensor<2x3xi1>) -> tensor<?xi64>
  %all = df.constant dense<[7, -3, 7, 9, -3, 7]> : tensor<6xi64>
  // CHECK-NEXT: 3: tensor<3xi64> [7, -3, 9]
  // CHECK-NEXT: 4: tensor<6xi64> [0, 1, 0, 2, 1, 0]
  // CHECK-NEXT: 5: tensor<3xi64> [3, 2, 1]
  %v, %i, %n = df.unique %all : (tensor<6xi64>) -> (tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
  // CHECK-NEXT: 6: tensor<3xi64> [-3, 7, 9]
  // CHECK-NEXT: 7: tensor<6xi64> [1, 0, 1, 2, 0, 1]
  %w, %j, %k = df.unique %all {sorted} : (tensor<6xi64>) -> (tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
  %parts = df.constant dense<[1, 0, 1, 2, 1, 0]> : tensor<6xi64>
  // CHECK-NEXT: 8: tensor<3xi64> [7, 7, -3]
  %p0, %p1 = df.dynamic_partition %all, %parts : (tensor<6xi64>, tensor<6xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  df.return %places, %masked, %nothing, %v, %i, %n, %w, %j, %p1 : tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>
}

// Row 1 comes twice, row 2 not at all.
// CHECK-LABEL: @stitch
df.function @stitch() -> (tensor<?x2xi64>, tensor<?xi64>) {
  %i = df.constant dense<[3, 1]> : tensor<2xi64>
  %j = df.constant dense<[1, 0]> : tensor<2xi64>
  %a = df.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %b = df.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  // CHECK-NEXT: 0: tensor<4x2xi64> {{\[}}[7, 8], [5, 6], [0, 0], [1, 2]]
  %y = df.dynamic_stitch %i, %j data %a, %b : (tensor<2xi64>, tensor<2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<?x2xi64>
  %none = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 1: tensor<0xi64> []
  %z = df.dynamic_stitch %none data %none : (tensor<0xi64>, tensor<0xi64>) -> tensor<?xi64>
  df.return %y, %z : tensor<?x2xi64>, tensor<?xi64>
}

// CHECK-LABEL: @reverse_sequence
df.function @reverse_sequence() -> tensor<2x4xi64> {
  %x = df.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  %n = df.constant dense<[3, 0]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<2x4xi64> {{\[}}[3, 2, 1, 4], [5, 6, 7, 8]]
  %y = df.reverse_sequence %x, %n {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<2x4xi64>, tensor<2xi64>) -> tensor<2x4xi64>
  df.return %y : tensor<2x4xi64>
}

// CHECK-LABEL: @require
df.function @require() -> tensor<i64> {
  %ok = df.constant dense<true> : tensor<i1>
  df.require %ok, "never said" : tensor<i1>
  %x = df.constant dense<4> : tensor<i64>
  // CHECK-NEXT: 0: tensor<i64> 4
  df.return %x : tensor<i64>
}

// Along another axis, with other numbers than 1 and 0.
// CHECK-LABEL: @one_hot
df.function @one_hot() -> (tensor<3x2xi8>, tensor<2x3xf32>) {
  %ids = df.constant dense<[2, -1]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<3x2xi8> {{\[}}[-4, -4], [-4, -4], [5, -4]]
  %a = df.one_hot %ids {axis = 0 : i64, on = 5.0 : f64, off = -4.0 : f64} : (tensor<2xi64>) -> tensor<3x2xi8>
  // CHECK-NEXT: 1: tensor<2x3xf32> {{\[}}[0, 0, 1], [0, 0, 0]]
  %b = df.one_hot %ids : (tensor<2xi64>) -> tensor<2x3xf32>
  df.return %a, %b : tensor<3x2xi8>, tensor<2x3xf32>
}
