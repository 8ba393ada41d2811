// RUN: mlc-opt %s --df-split-step -split-input-file | FileCheck %s

df.variable @w : tensor<f32> = #df.constant<0.0> {trainable}
df.variable @t : tensor<9x2xf32> = #df.constant<0.0> {trainable}
df.variable @steps : tensor<i64> = #df.constant<0.0>

// CHECK-LABEL: df.function @train(
// CHECK-NOT: df.all_reduce
// CHECK: %[[P:.*]] = df.pack_rows
// CHECK: df.apply_rows [@t], %[[P]]

// The grad part needs no label and no state but @w; it checks the data.
// CHECK-LABEL: df.function @train_grad(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32> {df.name = "x"}, %[[IDS:[^:]*]]: tensor<?xi64> {df.name = "ids"}, %[[G:[^:]*]]: tensor<?x2xf32> {df.name = "g"}, %[[CHECKED:[^:]*]]: tensor<?xi64> {df.name = "checked"})
// CHECK-SAME: -> (tensor<f32> {df.binding = #df.binding<sum_out, "w">}, tensor<?xi64> {df.binding = #df.binding<sum_out, "t.ids">}, tensor<?x2xf32> {df.binding = #df.binding<sum_out, "t.rows">}, tensor<i64> {df.binding = #df.binding<sum_out, "t.count">})
// CHECK-SAME: attributes {role = #df.role<train_grad>} {
// CHECK-NEXT: df.check_ids %[[CHECKED]]
// CHECK-NEXT: %[[W:.*]] = df.read @w
// CHECK-NEXT: %[[S:.*]] = df.reduce_sum %[[X]]
// CHECK-NEXT: %[[M:.*]] = df.mul %[[S]], %[[W]]
// CHECK-NEXT: %[[U:.*]], %[[ENDS:.*]], %[[ORDER:.*]], %[[N:.*]] = df.group_ids %[[IDS]]
// CHECK-NEXT: %[[GS:.*]] = df.group_sum %[[G]]
// CHECK-NEXT: %[[P:.*]] = df.pack_rows %[[U]], %[[GS]], %[[N]]
// CHECK-NEXT: %[[PI:.*]], %[[PR:.*]], %[[PC:.*]] = df.unpack_rows %[[P]]
// CHECK-NEXT: df.return %[[M]], %[[PI]], %[[PR]], %[[PC]]

// CHECK-LABEL: df.function @train_combine(
// CHECK-SAME: %[[A0:[^:]*]]: tensor<f32> {df.binding = #df.binding<sum_a, "w">}, %[[A1:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<sum_a, "t.ids">}, %[[A2:[^:]*]]: tensor<?x2xf32> {df.binding = #df.binding<sum_a, "t.rows">}, %[[A3:[^:]*]]: tensor<i64> {df.binding = #df.binding<sum_a, "t.count">}
// CHECK-SAME: %[[B0:[^:]*]]: tensor<f32> {df.binding = #df.binding<sum_b, "w">}, %[[B1:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<sum_b, "t.ids">}, %[[B2:[^:]*]]: tensor<?x2xf32> {df.binding = #df.binding<sum_b, "t.rows">}, %[[B3:[^:]*]]: tensor<i64> {df.binding = #df.binding<sum_b, "t.count">})
// CHECK-SAME: #df.binding<sum_out, "t.count">}) attributes {role = #df.role<train_combine>} {
// CHECK-NEXT: %[[S:.*]] = df.add %[[A0]], %[[B0]]
// CHECK-NEXT: %[[I:.*]], %[[R:.*]], %[[C:.*]] = df.merge_rows %[[A1]], %[[A2]], %[[A3]], %[[B1]], %[[B2]], %[[B3]], %[[A1]]
// CHECK-NEXT: df.return %[[S]], %[[I]], %[[R]], %[[C]]

// CHECK-LABEL: df.function @train_apply(
// CHECK-SAME: %[[A0:[^:]*]]: tensor<f32> {df.binding = #df.binding<sum_a, "w">}, %[[A1:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<sum_a, "t.ids">}, %[[A2:[^:]*]]: tensor<?x2xf32> {df.binding = #df.binding<sum_a, "t.rows">}, %[[A3:[^:]*]]: tensor<i64> {df.binding = #df.binding<sum_a, "t.count">})
// CHECK-SAME: -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train_apply>} {
// CHECK-NEXT: %[[P:.*]] = df.pack_rows %[[A1]], %[[A2]], %[[A3]]
// CHECK-NEXT: df.assign_sub @w, %[[A0]]
// CHECK-NEXT: df.apply_rows [@t], %[[P]]
// CHECK: df.assign_add @steps
// CHECK-NEXT: df.return %[[A0]]
df.function @train(%x: tensor<?xf32> {df.name = "x"}, %ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf32> {df.name = "g"},
                   %checked: tensor<?xi64> {df.name = "checked"}, %unused: tensor<?xi64> {df.name = "unused"})
    -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %ok = df.check_ids %checked {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<?xi64>) -> tensor<?xi64>
  %w = df.read @w : tensor<f32>
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %m = df.mul %s, %w : tensor<f32>
  %total = df.all_reduce %m {name = "w"} : (tensor<f32>) -> tensor<f32>
  %u, %e, %o, %n = df.group_ids %ids : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %gs = df.group_sum %g, %e, %o, %n : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %p = df.pack_rows %u, %gs, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  %rows = df.all_reduce %p {name = "t"} : (!df.rows<tensor<9x2xf32>>) -> !df.rows<tensor<9x2xf32>>
  df.assign_sub @w, %total : tensor<f32>
  df.apply_rows [@t], %rows : !df.rows<tensor<9x2xf32>> {
  ^bb0(%r: tensor<2xf32>, %d: tensor<2xf32>):
    %r1 = df.sub %r, %d : tensor<2xf32>
    df.yield %r1 : tensor<2xf32>
  }
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @steps, %one : tensor<i64>
  df.return %total : tensor<f32>
}

// -----

// Rows of three gathers: buffers hold three for each row of the batch.
// CHECK-LABEL: df.function @train_grad(
// CHECK-SAME: -> (tensor<?x3xi64> {df.binding = #df.binding<sum_out, "t.ids">}, tensor<?x3x2xf32> {df.binding = #df.binding<sum_out, "t.rows">}, tensor<i64> {df.binding = #df.binding<sum_out, "t.count">})
// CHECK: %[[PI:.*]], %[[PR:.*]], %[[PC:.*]] = df.unpack_rows
// CHECK-NEXT: %[[I:.*]] = df.reshape %[[PI]] : (tensor<?xi64>) -> tensor<?x3xi64>
// CHECK-NEXT: %[[R:.*]] = df.reshape %[[PR]] : (tensor<?x2xf32>) -> tensor<?x3x2xf32>
// CHECK-NEXT: df.return %[[I]], %[[R]], %[[PC]]
// CHECK-LABEL: df.function @train_combine(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x3xi64> {df.binding = #df.binding<sum_a, "t.ids">}
// CHECK: %[[AI:.*]] = df.reshape %[[A]] : (tensor<?x3xi64>) -> tensor<?xi64>
// CHECK: df.merge_rows %[[AI]], %{{.*}}, %[[AI]]
df.variable @t : tensor<9x2xf32> = #df.constant<0.0> {trainable}
df.function @train(%ids: tensor<?xi64> {df.name = "ids"}, %g: tensor<?x2xf32> {df.name = "g"}) attributes {role = #df.role<train>} {
  %i3 = df.concat %ids, %ids, %ids {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %g3 = df.concat %g, %g, %g {axis = 0 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %u, %e, %o, %n = df.group_ids %i3 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %gs = df.group_sum %g3, %e, %o, %n : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %p = df.pack_rows %u, %gs, %n : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> !df.rows<tensor<9x2xf32>>
  %rows = df.all_reduce %p {name = "t"} : (!df.rows<tensor<9x2xf32>>) -> !df.rows<tensor<9x2xf32>>
  df.apply_rows [@t], %rows : !df.rows<tensor<9x2xf32>> {
  ^bb0(%r: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return
}

// -----

// Sums come in the order that their operands are made in, whatever the order of the sums.
// CHECK-LABEL: df.function @train_grad(
// CHECK-SAME: -> (tensor<f32> {df.binding = #df.binding<sum_out, "second">}, tensor<f32> {df.binding = #df.binding<sum_out, "first">})
// CHECK-LABEL: df.function @train_combine(
// CHECK-SAME: #df.binding<sum_a, "second">}, %{{[^:]*}}: tensor<f32> {df.binding = #df.binding<sum_a, "first">}
df.function @train(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %t = df.square %s : tensor<f32>
  %first = df.all_reduce %t {name = "first"} : (tensor<f32>) -> tensor<f32>
  %second = df.all_reduce %s {name = "second"} : (tensor<f32>) -> tensor<f32>
  %loss = df.add %first, %second : tensor<f32>
  df.return %loss : tensor<f32>
}

// -----

// Nothing is summed: there is no step to cut.
// CHECK: df.function @plain
// CHECK-NOT: df.function
df.function @plain(%x: tensor<f32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
  df.return %x : tensor<f32>
}
