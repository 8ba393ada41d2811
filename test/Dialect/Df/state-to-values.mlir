// RUN: mlc-opt %s --df-state-to-values -split-input-file | FileCheck %s

// CHECK: module attributes {df.settings = {lr = 5.000000e-02 : f64}}
df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}
df.variable @steps : tensor<i64> = #df.constant<0.0>
df.variable @unread : tensor<f32> = #df.constant<0.0>

// Two reads are one argument; the last value is the one result; a value written back unchanged is none.
// CHECK-LABEL: df.function @straight(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32> {df.binding = #df.binding<feature, "x">}
// CHECK-SAME: %[[W:.*]]: tensor<4xf32> {df.binding = #df.binding<variable, "w">}
// CHECK-SAME: %[[LR:[^:]*]]: tensor<f32> {df.binding = #df.binding<setting, "lr">}
// CHECK-SAME: %[[S:[^:]*]]: tensor<i64> {df.binding = #df.binding<variable, "steps">})
// CHECK-SAME: -> (tensor<f32> {df.binding = #df.binding<output, "y">}, tensor<4xf32> {df.binding = #df.binding<variable, "w">}, tensor<f32> {df.binding = #df.binding<variable, "unread">})
df.function @straight(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "y"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<4xf32>
  %lr = df.setting "lr" = 5.0e-2 : f64 -> tensor<f32>
  %lr2 = df.setting "lr" = 5.0e-2 : f64 -> tensor<f32>
  %lrb = df.broadcast %lr2 dimensions = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[B:.*]] = df.broadcast %[[LR]]
  // CHECK: %[[W1:.*]] = df.sub %[[W]], %[[B]]
  df.assign_sub @w, %lrb : tensor<4xf32>
  %w1 = df.read @w : tensor<4xf32>
  // CHECK: %[[W2:.*]] = df.add %[[W1]], %[[W]]
  df.assign_add @w, %w : tensor<4xf32>
  %w2 = df.read @w : tensor<4xf32>
  // CHECK: %[[Y:.*]] = df.reduce_sum %[[W2]]
  %y = df.reduce_sum %w2 {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %s = df.read @steps : tensor<i64>
  df.assign @steps, %s : tensor<i64>
  df.assign @unread, %lr : tensor<f32>
  // CHECK: df.return %[[Y]], %[[W2]], %[[LR]]
  df.return %y : tensor<f32>
}

// -----

df.variable @a : tensor<f32> = #df.constant<0.0>
df.variable @b : tensor<f32> = #df.constant<0.0>

// A variable that one branch writes leaves the other with its old value.
// CHECK-LABEL: df.function @branch(
// CHECK-SAME: %[[C:[^:]*]]: tensor<i1> {df.binding = #df.binding<feature, "c">}, %[[A:[^:]*]]: tensor<f32> {df.binding = #df.binding<variable, "a">}, %[[B:[^:]*]]: tensor<f32> {df.binding = #df.binding<variable, "b">})
df.function @branch(%c: tensor<i1> {df.name = "c"}) {
  // CHECK: %[[IF:.*]]:2 = df.if %[[C]] : (tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %r = df.if %c : (tensor<i1>) -> tensor<f32> {
    %a = df.read @a : tensor<f32>
    // CHECK: %[[NEG:.*]] = df.neg %[[A]]
    %n = df.neg %a : tensor<f32>
    df.assign @a, %n : tensor<f32>
    %a1 = df.read @a : tensor<f32>
    // CHECK: df.yield %[[NEG]], %[[NEG]]
    df.yield %a1 : tensor<f32>
  } else {
    %b = df.read @b : tensor<f32>
    // CHECK: df.yield %[[B]], %[[A]]
    df.yield %b : tensor<f32>
  }
  // CHECK: %[[SUM:.*]] = df.add %[[IF]]#1, %[[IF]]#0
  df.assign_add @a, %r : tensor<f32>
  // CHECK: df.return %[[SUM]] : tensor<f32>
  df.return
}

// CHECK-LABEL: df.function @loop(
// CHECK-SAME: %[[N:[^:]*]]: tensor<i64> {{.*}}, %[[A:[^:]*]]: tensor<f32> {df.binding = #df.binding<variable, "a">}, %[[B:[^:]*]]: tensor<f32> {df.binding = #df.binding<variable, "b">})
df.function @loop(%n: tensor<i64> {df.name = "n"}) {
  // CHECK: %[[R:.*]]:2 = df.while(%[[N]], %[[A]]) {max_iterations = 10 : i64} : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
  %r = df.while (%n) {max_iterations = 10 : i64} : (tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    // CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[A0:.*]]: tensor<f32>)
    %a = df.read @a : tensor<f32>
    %b = df.read @b : tensor<f32>
    // CHECK: df.compare lt, %[[A0]], %[[B]]
    %go = df.compare lt, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  // CHECK: ^bb0(%[[I:.*]]: tensor<i64>, %[[A1:.*]]: tensor<f32>)
  ^bb0(%i: tensor<i64>):
    %b = df.read @b : tensor<f32>
    // CHECK: %[[A2:.*]] = df.add %[[A1]], %[[B]]
    df.assign_add @a, %b : tensor<f32>
    // CHECK: df.yield %[[I]], %[[A2]]
    df.yield %i : tensor<i64>
  }
  // CHECK: df.return %[[R]]#1
  df.return
}

// -----

df.variable @table : tensor<9x2xf32> = #df.constant<0.0> {trainable}
df.variable @acc : tensor<9x2xf32> = #df.constant<0.1> {slot_of = @table, slot = "accumulator"}

// CHECK-LABEL: df.function @rows(
// CHECK-SAME: %[[IDS:[^:]*]]: tensor<?xi64> {{[^%]*}} %[[G:[^:]*]]: tensor<?x2xf32> {{[^%]*}} %[[N:[^:]*]]: tensor<i64> {{[^%]*}} %[[F:[^:]*]]: tensor<f32> {{[^%]*}} %[[T:[^:]*]]: tensor<9x2xf32> {{[^%]*}} %[[A:[^:]*]]: tensor<9x2xf32>
df.function @rows(%ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf32> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}, %f: tensor<f32> {df.name = "f"})
    -> (tensor<?x2xf32> {df.name = "e"}, tensor<9x2xf32> {df.name = "dense"}) {
  // CHECK: %[[E:.*]] = df.gather %[[T]], %[[IDS]]
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
  %r = df.pack_rows %ids, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  // CHECK: %[[FB:.*]] = df.broadcast %[[F]] like %[[G]]
  // CHECK: %[[S:.*]] = df.mul %[[G]], %[[FB]]
  %s = df.scale_rows %r, %f : (!df.rows<tensor<9x2xf32>>, tensor<f32>) -> !df.rows<tensor<9x2xf32>>
  // CHECK: %[[U:.*]]:2 = df.update_rows tables(%[[T]], %[[A]]) ids(%[[IDS]]) rows(%[[S]]) count(%[[N]])
  df.apply_rows [@table, @acc], %s : !df.rows<tensor<9x2xf32>> {
  ^bb0(%w: tensor<2xf32>, %a: tensor<2xf32>, %d: tensor<2xf32>):
    %sq = df.square %d : tensor<2xf32>
    %a1 = df.add %a, %sq : tensor<2xf32>
    %w1 = df.sub %w, %d : tensor<2xf32>
    df.yield %w1, %a1 : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK: %[[Z:.*]] = df.constant dense<0.000000e+00> : tensor<9x2xf32>
  // CHECK: %[[D:.*]] = df.update_rows tables(%[[Z]]) ids(%[[IDS]]) rows(%[[G]]) count(%[[N]])
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2xf32>, %[[NEW:.*]]: tensor<2xf32>):
  // CHECK-NEXT: df.yield %[[NEW]]
  %d = df.densify_rows %r : (!df.rows<tensor<9x2xf32>>) -> tensor<9x2xf32>
  // CHECK-NOT: df.pack_rows
  // CHECK: df.return %[[E]], %[[D]], %[[U]]#0, %[[U]]#1
  df.return %e, %d : tensor<?x2xf32>, tensor<9x2xf32>
}

// CHECK-LABEL: df.function @every_row(
// CHECK: %[[U:.*]] = df.update_rows every_row tables(%{{.*}}) ids(%{{.*}}) rows(%{{.*}}) count(%{{.*}}) :
// CHECK: df.return %[[U]]
df.function @every_row(%ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf32> {df.name = "g"}, %n: tensor<i64> {df.name = "n"}) {
  %r = df.pack_rows %ids, %g, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  df.apply_rows every_row [@table], %r : !df.rows<tensor<9x2xf32>> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    %w1 = df.sub %w, %d : tensor<2xf32>
    df.yield %w1 : tensor<2xf32>
  }
  df.return
}

// Initializers know the seed alone; a draw like rows knows step and row as well.
// CHECK-LABEL: df.function @random(
// CHECK-SAME: {df.binding = #df.binding<feature, "x">}, %[[SEED:[^:]*]]: tensor<i64> {df.binding = #df.binding<context, "seed">}, %[[STEP:[^:]*]]: tensor<i64> {df.binding = #df.binding<context, "step">}, %[[ROW:[^:]*]]: tensor<i64> {df.binding = #df.binding<context, "first_row">})
df.function @random(%x: tensor<?x2xf32> {df.name = "x"}) -> (tensor<3xf32> {df.name = "a"}, tensor<?x2xf32> {df.name = "b"}) {
  // CHECK: df.random uniform "init" seed %[[SEED]] :
  %a = df.random uniform "init" : () -> tensor<3xf32>
  // CHECK: df.random normal "noise" like %{{.*}} seed %[[SEED]] step %[[STEP]] row %[[ROW]]
  %b = df.random normal "noise" like %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  df.return %a, %b : tensor<3xf32>, tensor<?x2xf32>
}
