// RUN: mlc-opt %s --convert-df-to-linalg --mlc-fuse | FileCheck %s

// A layer: product, bias and relu are one kernel.
// CHECK-LABEL: func.func @layer
// CHECK: kern.contract {{.*}} extras(
// CHECK: arith.addf
// CHECK: arith.select
// CHECK-NOT: linalg.generic
df.function @layer(%x: tensor<?x20xf32> {df.binding = #df.binding<feature, "x">}, %w: tensor<20x7xf32> {df.binding = #df.binding<variable, "w">},
    %b: tensor<7xf32> {df.binding = #df.binding<variable, "b">}) -> (tensor<?x7xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>} {
  %p = df.matmul %x, %w : (tensor<?x20xf32>, tensor<20x7xf32>) -> tensor<?x7xf32>
  %r = df.broadcast %b like %p dimensions = [1] : (tensor<7xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  %s = df.add %p, %r : tensor<?x7xf32>
  %y = df.relu %s : tensor<?x7xf32>
  df.return %y : tensor<?x7xf32>
}

// An optimizer's slot and its variable come out of one kernel.
// CHECK-LABEL: func.func @adagrad
// CHECK: linalg.generic
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT: linalg.generic
df.function @adagrad(%w: tensor<20x7xf32> {df.binding = #df.binding<variable, "w">}, %a: tensor<20x7xf32> {df.binding = #df.binding<variable, "a">},
    %g: tensor<20x7xf32> {df.binding = #df.binding<sum_a, "g">}) -> (tensor<20x7xf32> {df.binding = #df.binding<variable, "w">}, tensor<20x7xf32> {df.binding = #df.binding<variable, "a">})
    attributes {role = #df.role<train_apply>} {
  %q = df.square %g : tensor<20x7xf32>
  %a1 = df.add %a, %q : tensor<20x7xf32>
  %r = df.sqrt %a1 : tensor<20x7xf32>
  %d = df.div %g, %r : tensor<20x7xf32>
  %w1 = df.sub %w, %d : tensor<20x7xf32>
  df.return %w1, %a1 : tensor<20x7xf32>, tensor<20x7xf32>
}

// An operand that is read twice is read once: a chain of squares stays as long as it is, it does not double at every link.
// CHECK-LABEL: @squares
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{[a-z0-9]+}} : tensor<?xf32>)
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
df.function @squares(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<?xf32> {df.binding = #df.binding<output, "y">})
    attributes {role = #df.role<predict>} {
  %a = df.mul %x, %x : tensor<?xf32>
  %b = df.mul %a, %a : tensor<?xf32>
  %c = df.mul %b, %b : tensor<?xf32>
  df.return %c : tensor<?xf32>
}

// The factor of a sparse gradient goes into the update of its rows; where every row is updated, the others keep their zeros.
// CHECK-LABEL: @every_row
// CHECK-NOT: linalg.generic
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: kern.update_rows every_row
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[D:[^:]*]]: f32, %[[PRESENT:[^:]*]]: i1, %[[F:[^:]*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[D]], %[[F]]
// CHECK-NEXT: %[[G:.*]] = arith.select %[[PRESENT]], %[[S]], %[[ZERO]]
// CHECK-NEXT: arith.subf %{{.*}}, %[[G]]
df.function @every_row(%w: tensor<9x2xf32> {df.binding = #df.binding<variable, "w">}, %ids: tensor<?xi64> {df.binding = #df.binding<sum_a, "w.ids">}, %g: tensor<?x2xf32> {df.binding = #df.binding<sum_a, "w.rows">},
    %n: tensor<i64> {df.binding = #df.binding<sum_a, "w.count">}, %f: tensor<f32> {df.binding = #df.binding<sum_a, "f">}) -> (tensor<9x2xf32> {df.binding = #df.binding<variable, "w">}) attributes {role = #df.role<train_apply>} {
  %fs = df.broadcast %f like %g dimensions = [] : (tensor<f32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = df.mul %g, %fs : tensor<?x2xf32>
  %u = df.update_rows every_row tables(%w) ids(%ids) rows(%s) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%r: tensor<2xf32>, %d: tensor<2xf32>):
    %r1 = df.sub %r, %d : tensor<2xf32>
    df.yield %r1 : tensor<2xf32>
  }
  df.return %u : tensor<9x2xf32>
}
