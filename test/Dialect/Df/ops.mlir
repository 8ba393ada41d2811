// RUN: mlc-opt %s | mlc-opt | FileCheck %s

// CHECK: df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.000000e+00, 5.000000e-01> {trainable}
df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.0, 0.5> {trainable}
df.variable @table : tensor<100x8xf32> = #df.uniform<-0.1, 0.1> {trainable}
df.variable @table_acc : tensor<100x8xf32> = #df.constant<0.1> {slot_of = @table, slot = "accumulator"}
df.variable @total : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
// CHECK: df.variable @shared : tensor<f32> = #df.constant<0.000000e+00> {racy}
df.variable @shared : tensor<f32> = #df.constant<0.0> {racy}
// CHECK: df.vocabulary @gender ["Female", "Male"]
df.vocabulary @gender ["Female", "Male"]

// CHECK-LABEL: df.function @train
df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %s: tensor<?x!df.string> {df.name = "s"}, %y: tensor<?xi64> {df.name = "y"})
    -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<4x2xf32>
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %ids = df.hash_bucket %h {buckets = 100 : i64} : tensor<?xi64>
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  %g = df.lookup @gender, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %oh = df.one_hot %g : (tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %z = df.add %l, %oh : tensor<?x2xf32>
  %u = df.random uniform "dropout" like %z : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %each = df.softmax_cross_entropy %z, %y : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %dw, %dt = df.gradients %loss wrt [@w, @table] : (tensor<f32>) -> (tensor<4x2xf32>, !df.rows<tensor<100x8xf32>>)
  %lr = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.0e-2 : f64 -> tensor<f32>
  %lrb = df.broadcast %lr dimensions = [] : (tensor<f32>) -> tensor<4x2xf32>
  %step = df.mul %dw, %lrb : tensor<4x2xf32>
  df.assign_sub @w, %step : tensor<4x2xf32>
  // CHECK: df.apply_rows [@table, @table_acc], %{{.*}} : !df.rows<tensor<100x8xf32>> {
  df.apply_rows [@table, @table_acc], %dt : !df.rows<tensor<100x8xf32>> {
  ^bb0(%r: tensor<8xf32>, %a: tensor<8xf32>, %d: tensor<8xf32>):
    %sq = df.square %d : tensor<8xf32>
    %a1 = df.add %a, %sq : tensor<8xf32>
    %r1 = df.sub %r, %d : tensor<8xf32>
    df.yield %r1, %a1 : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK: df.apply_rows every_row [@table_acc], %{{.*}} : !df.rows<tensor<100x8xf32>> {
  df.apply_rows every_row [@table_acc], %dt : !df.rows<tensor<100x8xf32>> {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    %a1 = df.add %a, %d : tensor<8xf32>
    df.yield %a1 : tensor<8xf32>
  }
  df.return %loss : tensor<f32>
}

// CHECK-LABEL: df.function @control
df.function @control(%c: tensor<i1>, %n: tensor<i64>) -> tensor<i64> {
  %one = df.constant dense<1> : tensor<i64>
  // CHECK: df.while
  %r = df.while (%n) {max_iterations = 10 : i64} : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    %go = df.compare lt, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    %b = df.add %a, %one : tensor<i64>
    df.yield %b : tensor<i64>
  }
  // CHECK: df.if
  %q = df.if %c : (tensor<i1>) -> tensor<i64> {
    df.yield %r : tensor<i64>
  } else {
    df.yield %one : tensor<i64>
  }
  df.return %q : tensor<i64>
}

// CHECK: df.dimension product [1, 2] as 3
df.dimension product [1, 2] as 3
// CHECK: df.dimension sum [1, 0, 2] as 4
df.dimension sum [1, 0, 2] as 4

// CHECK-LABEL: df.function @pairs
df.function @pairs(%a: tensor<?xi64>, %b: tensor<?xi64>, %n: tensor<i64>, %s: tensor<?x!df.string>) {
  // CHECK: df.ragged_product lhs_ends(%{{.*}}) rhs_ends(%{{.*}}) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %i, %j, %e = df.ragged_product lhs_ends(%a) rhs_ends(%b) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  // CHECK: df.ragged_product rhs_ends(%{{.*}}) count(%{{.*}}) {lhs_per_row = 2 : i64, symbol = 4 : i64} : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %k, %l, %f = df.ragged_product rhs_ends(%b) count(%n) {lhs_per_row = 2 : i64, symbol = 4 : i64} : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  // CHECK: df.check_ids %{{.*}}, %{{.*}} ends(%{{.*}}) {high = 2 : i64, low = 0 : i64, what = "id"} : (tensor<?xi64>, tensor<?x!df.string>, tensor<?xi64>) -> tensor<?xi64>
  %ok = df.check_ids %a, %s ends(%b) {high = 2 : i64, low = 0 : i64, what = "id"} : (tensor<?xi64>, tensor<?x!df.string>, tensor<?xi64>) -> tensor<?xi64>
  // CHECK: df.check_ids %{{.*}} {columns = [#df.id_column<"u", 2>, #df.id_column<"v", 5>], high = 5 : i64, low = 0 : i64, what = "column"} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  %pair = df.reshape %a : (tensor<?xi64>) -> tensor<?x2xi64>
  %both = df.check_ids %pair {columns = [#df.id_column<"u", 2>, #df.id_column<"v", 5>], high = 5 : i64, low = 0 : i64, what = "column"} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  df.return
}

// CHECK-LABEL: df.function @statistics
df.function @statistics(%w: tensor<?xf64>, %g: tensor<?xi64>) {
  // CHECK: df.bincount %{{.*}} : (tensor<?xi64>) -> tensor<10xi64>
  %counts = df.bincount %g : (tensor<?xi64>) -> tensor<10xi64>
  // CHECK: df.bincount %{{.*}}, %{{.*}} : (tensor<?xi64>, tensor<?xf64>) -> tensor<10xf64>
  %sums = df.bincount %g, %w : (tensor<?xi64>, tensor<?xf64>) -> tensor<10xf64>
  df.return
}

// CHECK-LABEL: @statistics_of_tensors
df.function @statistics_of_tensors(%x: tensor<?x4xf32>, %low: tensor<f32>, %y: tensor<?x5xi32>, %z: tensor<?x6xi32>, %m: tensor<?xi64>) {
  // CHECK: df.histogram %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<10xi64>
  %h = df.histogram %x, %low, %low : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<10xi64>
  // CHECK: df.edit_distance %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {normalize} : (tensor<?x5xi32>, tensor<?x6xi32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
  %d = df.edit_distance %y, %z, %m, %m {normalize} : (tensor<?x5xi32>, tensor<?x6xi32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
  df.return
}
