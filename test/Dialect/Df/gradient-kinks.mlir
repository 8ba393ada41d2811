// RUN: mlc-opt %s --df-decompose=keep-differentiable --df-expand-gradients --df-interpret | FileCheck %s

// Where functions have no derivative the gradient is what the ops' descriptions say.

// CHECK-LABEL: @abs
// CHECK-NEXT: 0: tensor<3xf32> [-1, 0, 1]
df.function @abs(%x: tensor<3xf32> {df.name = "x", df.value = dense<[-2.0, 0.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32> {df.name = "dx"}) {
  %y = df.abs %x : tensor<3xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  df.return %dx : tensor<3xf32>
}

// CHECK-LABEL: @relu
// CHECK-NEXT: 0: tensor<3xf32> [0, 0, 1]
df.function @relu(%x: tensor<3xf32> {df.name = "x", df.value = dense<[-2.0, 0.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32> {df.name = "dx"}) {
  %y = df.relu %x : tensor<3xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  df.return %dx : tensor<3xf32>
}

// CHECK-LABEL: @maximum
// CHECK-NEXT: 0: tensor<3xf32> [0, 1, 1]
// CHECK-NEXT: 1: tensor<3xf32> [1, 0, 0]
df.function @maximum(%x: tensor<3xf32> {df.name = "x", df.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
                     %y: tensor<3xf32> {df.name = "y", df.value = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>})
    -> (tensor<3xf32> {df.name = "dx"}, tensor<3xf32> {df.name = "dy"}) {
  %z = df.maximum %x, %y : tensor<3xf32>
  %loss = df.reduce_sum %z {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %dx, %dy = df.gradients %loss wrt [] %x, %y : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  df.return %dx, %dy : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @minimum
// CHECK-NEXT: 0: tensor<3xf32> [1, 1, 0]
// CHECK-NEXT: 1: tensor<3xf32> [0, 0, 1]
df.function @minimum(%x: tensor<3xf32> {df.name = "x", df.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
                     %y: tensor<3xf32> {df.name = "y", df.value = dense<[2.0, 2.0, 2.0]> : tensor<3xf32>})
    -> (tensor<3xf32> {df.name = "dx"}, tensor<3xf32> {df.name = "dy"}) {
  %z = df.minimum %x, %y : tensor<3xf32>
  %loss = df.reduce_sum %z {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %dx, %dy = df.gradients %loss wrt [] %x, %y : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  df.return %dx, %dy : tensor<3xf32>, tensor<3xf32>
}

// Equal elements share the gradient of a maximum.
// CHECK-LABEL: @reduce_max
// CHECK-NEXT: 0: tensor<3xf32> [0, 0.5, 0.5]
df.function @reduce_max(%x: tensor<3xf32> {df.name = "x", df.value = dense<[1.0, 4.0, 4.0]> : tensor<3xf32>}) -> (tensor<3xf32> {df.name = "dx"}) {
  %loss = df.reduce_max %x {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  df.return %dx : tensor<3xf32>
}

// 0^0 and 0^1 have finite gradients; powers of negative bases have one for the base alone.
// CHECK-LABEL: @pow
// CHECK-NEXT: 0: tensor<5xf32> [0, 1, 4, 12, 0.25]
// CHECK-NEXT: 1: tensor<5xf32> [0, 0, {{2\.77.*}}, -0, 0]
df.function @pow(%x: tensor<5xf32> {df.name = "x", df.value = dense<[0.0, 0.0, 2.0, -2.0, -2.0]> : tensor<5xf32>},
                 %y: tensor<5xf32> {df.name = "y", df.value = dense<[0.0, 1.0, 2.0, 3.0, -2.0]> : tensor<5xf32>})
    -> (tensor<5xf32> {df.name = "dx"}, tensor<5xf32> {df.name = "dy"}) {
  %z = df.pow %x, %y : tensor<5xf32>
  %loss = df.reduce_sum %z {axes = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  %dx, %dy = df.gradients %loss wrt [] %x, %y : (tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  df.return %dx, %dy : tensor<5xf32>, tensor<5xf32>
}

// A mean over nothing is 0 and so is its gradient.
// CHECK-LABEL: @nothing
// CHECK-NEXT: 0: tensor<f32> 0
// CHECK-NEXT: 1: tensor<f32> 0
df.function @nothing(%x: tensor<f32> {df.name = "x", df.value = dense<3.0> : tensor<f32>}) -> (tensor<f32> {df.name = "loss"}, tensor<f32> {df.name = "dx"})
    attributes {role = #df.role<train>} {
  %none = df.constant dense<0.0> : tensor<2xf32>
  %xb = df.broadcast %x dimensions = [] : (tensor<f32>) -> tensor<2xf32>
  %loss = df.batch_mean %xb, %none {reduction = #df.batch_reduction<mean>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  df.return %loss, %dx : tensor<f32>, tensor<f32>
}

// Both outcomes of a branch.
// CHECK-LABEL: @taken
// CHECK-NEXT: 0: tensor<f32> 6
// CHECK-LABEL: @not_taken
// CHECK-NEXT: 0: tensor<f32> -1
df.function @taken(%c: tensor<i1> {df.name = "c", df.value = dense<true> : tensor<i1>}, %x: tensor<f32> {df.name = "x", df.value = dense<3.0> : tensor<f32>}) -> (tensor<f32> {df.name = "dx"}) {
  %loss = df.if %c : (tensor<i1>) -> tensor<f32> {
    %y = df.square %x : tensor<f32>
    df.yield %y : tensor<f32>
  } else {
    %y = df.neg %x : tensor<f32>
    df.yield %y : tensor<f32>
  }
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  df.return %dx : tensor<f32>
}
df.function @not_taken(%c: tensor<i1> {df.name = "c", df.value = dense<false> : tensor<i1>}, %x: tensor<f32> {df.name = "x", df.value = dense<3.0> : tensor<f32>}) -> (tensor<f32> {df.name = "dx"}) {
  %loss = df.if %c : (tensor<i1>) -> tensor<f32> {
    %y = df.square %x : tensor<f32>
    df.yield %y : tensor<f32>
  } else {
    %y = df.neg %x : tensor<f32>
    df.yield %y : tensor<f32>
  }
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  df.return %dx : tensor<f32>
}

// Steep at 0, flat at infinities (0xFF800000 and 0x7F800000).
// CHECK-LABEL: @cbrt
// CHECK-NEXT: 0: tensor<5xf32> [inf, 0, 0, {{0\.0833.*}}, {{0\.0833.*}}]
df.function @cbrt(%x: tensor<5xf32> {df.name = "x", df.value = dense<[0.0, 0xFF800000, 0x7F800000, 8.0, -8.0]> : tensor<5xf32>}) -> (tensor<5xf32> {df.name = "dx"}) {
  %y = df.cbrt %x : tensor<5xf32>
  %loss = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  %dx = df.gradients %loss wrt [] %x : (tensor<f32>, tensor<5xf32>) -> tensor<5xf32>
  df.return %dx : tensor<5xf32>
}

// NaN (0x7FC00000) has no slope, nor has what is made of it.
// CHECK-LABEL: @exponential_units
// CHECK-NEXT: 0: tensor<4xf32> [1, 1, 0, nan]
// CHECK-NEXT: 1: tensor<4xf32> [2, 3, 0, nan]
// CHECK-NEXT: 2: tensor<4xf32> [1, 1, 0, nan]
df.function @exponential_units(%x: tensor<4xf32> {df.name = "x", df.value = dense<[2.0, 0.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>})
    -> (tensor<4xf32> {df.name = "elu"}, tensor<4xf32> {df.name = "selu"}, tensor<4xf32> {df.name = "celu"}) {
  %a = df.elu %x : tensor<4xf32>
  %b = df.selu %x {alpha = 1.5 : f64, gamma = 2.0 : f64} : tensor<4xf32>
  %c = df.celu %x {alpha = 2.0 : f64} : tensor<4xf32>
  %la = df.reduce_sum %a {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %lb = df.reduce_sum %b {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %lc = df.reduce_sum %c {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %da = df.gradients %la wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %db = df.gradients %lb wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %dc = df.gradients %lc wrt [] %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  df.return %da, %db, %dc : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
