// RUN: mlc-opt %s --mlc-df-pipeline | FileCheck %s
// RUN: mlc-opt %s --df-expand-gradients --df-materialize-initializers --df-split-step --df-state-to-values \
// RUN:   --df-outline-features --canonicalize --cse | mlc-opt --df-verify-stage=stage=segments | FileCheck %s --check-prefix=SEGMENTS

// A wide and deep model: the segments of its entries, in their order, and what each part of a step needs.

// SEGMENTS: module attributes {df.settings = {model.dnn.optimizer.adagrad.learning_rate = 5.000000e-02 : f64}}
// SEGMENTS: df.function @train.features(
// SEGMENTS: df.function @train.step(
// SEGMENTS: df.function @train_grad.features(
// SEGMENTS: df.function @train_grad.step(
// SEGMENTS: df.function @train_combine(
// SEGMENTS: df.function @train_apply(
// SEGMENTS: df.function @eval_update(
// SEGMENTS: df.function @predict.features(
// SEGMENTS: df.function @predict.step(
// SEGMENTS: df.function @init(
// SEGMENTS: df.function @eval_reset(

// CHECK: df.function @train.features(
// CHECK-SAME: segment = #df.segment<features>
// CHECK-DAG: df.check_ids
// CHECK-DAG: df.fingerprint
// CHECK-DAG: df.lookup
// CHECK-DAG: df.group_ids
// CHECK-LABEL: df.function @train.step(
// CHECK-NOT: df.string
// CHECK-SAME: {df.binding = #df.binding<variable, "table_acc">}
// CHECK-SAME: -> (tensor<f32> {df.binding = #df.binding<output, "loss">}
// CHECK: df.softmax_cross_entropy
// The cotangent of a mean without weights is 1: nothing is multiplied by it.
// CHECK: %[[P:.*]] = df.sub %{{.*}}, %{{.*}} : tensor<?x2xf32>
// CHECK-NEXT: df.mul %[[P]], %[[DROPOUT:.*]] :
// CHECK: df.update_rows
// CHECK: df.function @train_grad.features(
// CHECK: df.check_ids
// CHECK-LABEL: df.function @train_grad.step(
// CHECK-NOT: learning_rate
// CHECK-NOT: table_acc
// CHECK-SAME: {df.binding = #df.binding<sum_out, "table.count">}) attributes
// CHECK-NOT: df.update_rows
// CHECK-LABEL: df.function @train_combine(
// CHECK-SAME: segment = #df.segment<step>
// CHECK: df.merge_rows
// CHECK-LABEL: df.function @train_apply(
// CHECK-NOT: feature
// CHECK-SAME: attributes {entry = "train_apply", role = #df.role<train_apply>, segment = #df.segment<step>}
// CHECK-NOT: df.matmul
// CHECK: df.update_rows

df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.0, 0.5> {trainable}
df.variable @b : tensor<2xf32> = #df.constant<0.0> {trainable}
df.variable @table : tensor<100x8xf32> = #df.uniform<-0.1, 0.1> {trainable}
df.variable @table_acc : tensor<100x8xf32> = #df.constant<0.1> {slot_of = @table, slot = "accumulator"}
df.variable @k : tensor<8x2xf32> = #df.normal<0.0, 1.0> {trainable}
df.variable @global_step : tensor<i64> = #df.constant<0.0>
df.variable @total : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
df.vocabulary @gender ["Female", "Male"]
df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %s: tensor<?x!df.string> {df.name = "s"}, %y: tensor<?xi64> {df.name = "y"})
    -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %yc = df.check_ids %y {low = 0 : i64, high = 2 : i64, what = "label 'y'"} : (tensor<?xi64>) -> tensor<?xi64>
  %w = df.read @w : tensor<4x2xf32>
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %ids = df.hash_bucket %h {buckets = 100 : i64} : tensor<?xi64>
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  %g = df.lookup @gender, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %oh = df.one_hot %g : (tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %k = df.read @k : tensor<8x2xf32>
  %deep = df.matmul %e, %k : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
  %b = df.read @b : tensor<2xf32>
  %bb = df.broadcast %b like %l dimensions = [1] : (tensor<2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %z0 = df.add %l, %oh : tensor<?x2xf32>
  %z1 = df.add %z0, %deep : tensor<?x2xf32>
  %z = df.add %z1, %bb : tensor<?x2xf32>
  %u = df.random uniform "dropout" like %z : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %zd = df.mul %z, %u : tensor<?x2xf32>
  %each = df.softmax_cross_entropy %zd, %yc : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?xf32>
  %mean = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %sq = df.square %w : tensor<4x2xf32>
  %reg = df.reduce_sum %sq {axes = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
  %c = df.constant dense<0.01> : tensor<f32>
  %regc = df.mul %reg, %c : tensor<f32>
  %loss = df.add %mean, %regc : tensor<f32>
  %dw, %db, %dk, %dt = df.gradients %loss wrt [@w, @b, @k, @table] : (tensor<f32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<8x2xf32>, !df.rows<tensor<100x8xf32>>)
  %lr = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.0e-2 : f64 -> tensor<f32>
  %lrb = df.broadcast %lr dimensions = [] : (tensor<f32>) -> tensor<4x2xf32>
  %step = df.mul %dw, %lrb : tensor<4x2xf32>
  df.assign_sub @w, %step : tensor<4x2xf32>
  df.assign_sub @b, %db : tensor<2xf32>
  df.assign_sub @k, %dk : tensor<8x2xf32>
  df.apply_rows [@table, @table_acc], %dt : !df.rows<tensor<100x8xf32>> {
  ^bb0(%r: tensor<8xf32>, %a: tensor<8xf32>, %d: tensor<8xf32>):
    %sqd = df.square %d : tensor<8xf32>
    %a1 = df.add %a, %sqd : tensor<8xf32>
    %r1 = df.sub %r, %d : tensor<8xf32>
    df.yield %r1, %a1 : tensor<8xf32>, tensor<8xf32>
  }
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @global_step, %one : tensor<i64>
  df.return %loss : tensor<f32>
}

// A metric and a prediction beside it.
df.function @eval_update(%x: tensor<?x4xf32> {df.name = "x"}) attributes {role = #df.role<eval_update>} {
  %w = df.read @w : tensor<4x2xf32>
  %l = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %s = df.reduce_sum %l {axes = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
  df.assign_add @total, %s : tensor<f32>
  df.return
}
df.function @predict(%s: tensor<?x!df.string> {df.name = "s"}) -> (tensor<?x8xf32> {df.name = "embedding"}) attributes {role = #df.role<predict>} {
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %ids = df.hash_bucket %h {buckets = 100 : i64} : tensor<?xi64>
  %e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  df.return %e : tensor<?x8xf32>
}
