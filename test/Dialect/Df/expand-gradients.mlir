// RUN: mlc-opt %s --df-expand-gradients -split-input-file | FileCheck %s

df.variable @w : tensor<4xf32> = #df.constant<0.0> {trainable}

// The sum is differentiated; what divides stands after the sums over the shards.
// CHECK-LABEL: df.function @mean
df.function @mean(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}, tensor<4xf32> {df.name = "dw"})
    attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<4xf32>
  %wb = df.broadcast %w like %x dimensions = [1] : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: %[[XW:.*]] = df.mul %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %xw = df.mul %x, %wb : tensor<?x4xf32>
  // CHECK: %[[EACH:.*]] = df.reduce_sum %[[XW]]
  %each = df.reduce_sum %xw {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  // CHECK: %[[SUM:.*]] = df.reduce_sum %[[EACH]] {axes = array<i64: 0>}
  // CHECK: %[[TOTAL:.*]] = df.all_reduce %[[SUM]] {name = "batch_mean.sum"}
  // CHECK: %[[N:.*]] = df.size %[[EACH]] {dimensions = array<i64: 0>}
  // CHECK: %[[NF:.*]] = df.cast %[[N]]
  // CHECK: %[[COUNT:.*]] = df.all_reduce %[[NF]] {name = "batch_mean.count"}
  // CHECK: %[[NONE:.*]] = df.compare eq, %[[COUNT]], %[[ZERO:.*]] :
  // CHECK: %[[QUOTIENT:.*]] = df.div %[[TOTAL]], %[[COUNT]]
  // CHECK: %[[LOSS:.*]] = df.select %[[NONE]], %[[ZERO]], %[[QUOTIENT]]
  // CHECK: %[[INVERSE:.*]] = df.div %{{.*}}, %[[COUNT]]
  // CHECK: %[[FACTOR:.*]] = df.select %[[NONE]], %[[ZERO]], %[[INVERSE]]
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  // CHECK: %[[DW:.*]] = df.reduce_sum %{{.*}} {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
  // CHECK: %[[DWS:.*]] = df.all_reduce %[[DW]] {name = "w"}
  // CHECK: %[[FB:.*]] = df.broadcast %[[FACTOR]]
  // CHECK: %[[G:.*]] = df.mul %[[DWS]], %[[FB]]
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<4xf32>
  // CHECK: df.return %[[LOSS]], %[[G]]
  df.return %loss, %dw : tensor<f32>, tensor<4xf32>
}

// Outside of training nothing is cut.
// CHECK-LABEL: df.function @evaluate
// CHECK-NOT: df.all_reduce
// CHECK: df.return
df.function @evaluate(%l: tensor<?xf32> {df.name = "l"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<eval_update>} {
  %loss = df.batch_mean %l : (tensor<?xf32>) -> tensor<f32>
  df.return %loss : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0> {trainable}

// Weights are the cotangents of the losses and, for a mean, the denominator.
// CHECK-LABEL: df.function @weighted
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32> {{[^%]*}} %[[W:[^:]*]]: tensor<?xf32>
df.function @weighted(%x: tensor<?xf32> {df.name = "x"}, %weight: tensor<?xf32> {df.name = "weight"}) -> (tensor<f32> {df.name = "dw"})
    attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %each = df.mul %x, %wb : tensor<?xf32>
  // CHECK: %[[S:.*]] = df.reduce_sum %[[W]]
  // CHECK: df.all_reduce %[[S]] {name = "batch_mean.weight"}
  %loss = df.batch_mean %each, %weight {reduction = #df.batch_reduction<mean>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  // CHECK: %[[D:.*]] = df.mul %[[W]], %[[X]]
  // CHECK: %[[R:.*]] = df.reduce_sum %[[D]]
  // CHECK: df.all_reduce %[[R]] {name = "w"}
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// A sum has no denominator and no factor.
// CHECK-LABEL: df.function @sum
// CHECK-NOT: df.div
// CHECK: %[[TOTAL:.*]] = df.all_reduce %{{.*}} {name = "batch_mean.sum"}
// CHECK: %[[DW:.*]] = df.all_reduce %{{.*}} {name = "w"}
// CHECK-NEXT: df.return %[[TOTAL]], %[[DW]]
df.function @sum(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}, tensor<f32> {df.name = "dw"})
    attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %each = df.mul %x, %wb : tensor<?xf32>
  %loss = df.batch_mean %each {reduction = #df.batch_reduction<sum>} : (tensor<?xf32>) -> tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %loss, %dw : tensor<f32>, tensor<f32>
}

// A scalar around the mean multiplies after the sum over the shards; the term beside it is added after that, once.
// CHECK-LABEL: df.function @regularized
df.function @regularized(%x: tensor<?xf32> {df.name = "x"}, %c: tensor<f32> {df.name = "c"}) -> (tensor<f32> {df.name = "dw"})
    attributes {role = #df.role<train>} {
  // CHECK: %[[W:.*]] = df.read @w
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %each = df.mul %x, %wb : tensor<?xf32>
  %mean = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %scaled = df.mul %mean, %c : tensor<f32>
  %reg = df.square %w : tensor<f32>
  %loss = df.add %scaled, %reg : tensor<f32>
  // CHECK: %[[FACTOR:.*]] = df.select
  // CHECK: %[[REG:.*]] = df.mul %{{.*}}, %[[TWICE:.*]] : tensor<f32>
  // CHECK: %[[OUTER:.*]] = df.mul %{{.*}}, %[[FACTOR]]
  // CHECK: %[[S:.*]] = df.all_reduce %{{.*}} {name = "w"}
  // CHECK: %[[BATCH:.*]] = df.mul %[[S]], %[[OUTER]]
  // CHECK: %[[DW:.*]] = df.add %[[BATCH]], %[[REG]]
  // CHECK: df.return %[[DW]]
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// Two means have sums of their own.
// CHECK-LABEL: df.function @two_means
// CHECK: df.all_reduce %{{.*}} {name = "batch_mean.0.count"}
// CHECK: df.all_reduce %{{.*}} {name = "batch_mean.1.count"}
// CHECK: %[[A:.*]] = df.all_reduce %{{.*}} {name = "w"}
// CHECK: %[[SA:.*]] = df.mul %[[A]]
// CHECK: %[[B:.*]] = df.all_reduce %{{.*}} {name = "w.1"}
// CHECK: %[[SB:.*]] = df.mul %[[B]]
// CHECK: df.add %[[SA]], %[[SB]]
df.function @two_means(%x: tensor<?xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "dw"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<f32>
  %wb = df.broadcast %w like %x dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  %each = df.mul %x, %wb : tensor<?xf32>
  %first = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %squares = df.square %each : tensor<?xf32>
  %second = df.batch_mean %squares : (tensor<?xf32>) -> tensor<f32>
  %loss = df.add %first, %second : tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// Contributions are added in the order of the uses: the first read's before the second's.
// CHECK-LABEL: df.function @order
// CHECK: %[[E:.*]] = df.exp
// CHECK: %[[SECOND:.*]] = df.mul %{{.*}}, %[[E]]
// CHECK: df.add %{{.*}}, %[[SECOND]]
df.function @order() -> (tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  %t = df.tanh %w : tensor<f32>
  %again = df.read @w : tensor<f32>
  %e = df.exp %again : tensor<f32>
  %loss = df.add %t, %e : tensor<f32>
  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %dw : tensor<f32>
}

// A value in the middle is a source and still passed through: both gradients are asked for, and meet in it.
// CHECK-LABEL: df.function @values
// CHECK: %[[W:.*]] = df.read @w
// CHECK: %[[Y:.*]] = df.exp %[[W]]
// CHECK: %[[DY:.*]] = df.mul %{{.*}}, %[[T:.*]] :
// CHECK: %[[DW:.*]] = df.mul %[[DY]], %[[Y]]
// CHECK: df.return %[[DY]], %[[DW]]
df.function @values() -> (tensor<f32> {df.name = "dy"}, tensor<f32> {df.name = "dw"}) {
  %w = df.read @w : tensor<f32>
  %y = df.exp %w : tensor<f32>
  %loss = df.square %y : tensor<f32>
  %dw, %dy = df.gradients %loss wrt [@w] %y : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  df.return %dy, %dw : tensor<f32>, tensor<f32>
}

// -----

df.variable @table : tensor<9x2xf32> = #df.constant<0.0> {trainable}

// Gathers of one table: their ids and cotangents one after another, in program order.
// CHECK-LABEL: df.function @rows
// CHECK-SAME: %[[A:[^:]*]]: tensor<?xi64> {{[^%]*}} %[[B:[^:]*]]: tensor<?xi64>
df.function @rows(%a: tensor<?xi64> {df.name = "a"}, %b: tensor<?xi64> {df.name = "b"}) attributes {role = #df.role<train>} {
  %ea = df.read_rows @table[%a] : (tensor<?xi64>) -> tensor<?x2xf32>
  %eb = df.read_rows @table[%b] : (tensor<?xi64>) -> tensor<?x2xf32>
  %e = df.mul %ea, %eb : tensor<?x2xf32>
  %each = df.reduce_sum %e {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  // CHECK: %[[FACTOR:.*]] = df.select
  // CHECK: %[[IDS:.*]] = df.concat %[[A]], %[[B]] {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  // CHECK: %[[V:.*]] = df.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: %[[U:.*]], %[[ENDS:.*]], %[[ORDER:.*]], %[[N:.*]] = df.group_ids %[[IDS]]
  // CHECK: %[[G:.*]] = df.group_sum %[[V]], %[[ENDS]], %[[ORDER]], %[[N]]
  // CHECK: %[[P:.*]] = df.pack_rows %[[U]], %[[G]], %[[N]]
  // CHECK: %[[S:.*]] = df.all_reduce %[[P]] {name = "table"}
  // CHECK: %[[D:.*]] = df.scale_rows %[[S]], %[[FACTOR]]
  // CHECK: df.apply_rows [@table], %[[D]]
  %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> !df.rows<tensor<9x2xf32>>
  df.apply_rows [@table], %d : !df.rows<tensor<9x2xf32>> {
  ^bb0(%w: tensor<2xf32>, %g: tensor<2xf32>):
    %w1 = df.sub %w, %g : tensor<2xf32>
    df.yield %w1 : tensor<2xf32>
  }
  df.return
}

// CHECK-LABEL: df.function @gathered_and_read
// CHECK: %[[ROWS:.*]] = df.densify_rows
// CHECK: %[[SUM:.*]] = df.add %{{.*}}, %[[ROWS]]
// CHECK: df.all_reduce %[[SUM]] {name = "table"}
df.function @gathered_and_read(%a: tensor<?xi64> {df.name = "a"}, %x: tensor<?x9xf32> {df.name = "x"})
    -> (tensor<9x2xf32> {df.name = "d"}) attributes {role = #df.role<train>} {
  %t = df.read @table : tensor<9x2xf32>
  %ea = df.read_rows @table[%a] : (tensor<?xi64>) -> tensor<?x2xf32>
  %xt = df.matmul %x, %t : (tensor<?x9xf32>, tensor<9x2xf32>) -> tensor<?x2xf32>
  %e = df.add %ea, %xt : tensor<?x2xf32>
  %each = df.reduce_sum %e {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?xf32>
  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
  %d = df.gradients %loss wrt [@table] : (tensor<f32>) -> tensor<9x2xf32>
  df.return %d : tensor<9x2xf32>
}

// -----

df.variable @a : tensor<f32> = #df.constant<0.0> {trainable}
df.variable @t : tensor<9x2xf32> = #df.constant<0.0> {trainable}

// The backward branch computes the forward values again; the branch without a path yields zeros, ids of -1 for rows.
// CHECK-LABEL: df.function @branch
// CHECK-SAME: %[[C:[^:]*]]: tensor<i1> {{[^%]*}} %[[X:[^:]*]]: tensor<f32> {{[^%]*}} %[[IDS:[^:]*]]: tensor<?xi64>
df.function @branch(%c: tensor<i1> {df.name = "c"}, %x: tensor<f32> {df.name = "x"}, %ids: tensor<?xi64> {df.name = "ids"})
    -> (tensor<f32> {df.name = "da"}, tensor<f32> {df.name = "dx"}, tensor<9x2xf32> {df.name = "dt"}) {
  %loss = df.if %c : (tensor<i1>) -> tensor<f32> {
    %a = df.read @a : tensor<f32>
    %e = df.exp %a : tensor<f32>
    %y = df.mul %e, %x : tensor<f32>
    df.yield %y : tensor<f32>
  } else {
    %g = df.read_rows @t[%ids] : (tensor<?xi64>) -> tensor<?x2xf32>
    %s = df.reduce_sum %g {axes = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
    df.yield %s : tensor<f32>
  }
  // CHECK: %[[B:.*]]:4 = df.if %[[C]] : (tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<?xi64>, tensor<?x2xf32>) {
  // CHECK:   %[[A:.*]] = df.read @a
  // CHECK:   %[[E:.*]] = df.exp %[[A]]
  // CHECK:   %[[GE:.*]] = df.mul %{{.*}}, %[[X]]
  // CHECK:   %[[GX:.*]] = df.mul %{{.*}}, %[[E]]
  // CHECK:   %[[GA:.*]] = df.mul %[[GE]], %[[E]]
  // CHECK:   %[[MINUS:.*]] = df.constant dense<-1> : tensor<i64>
  // CHECK:   %[[NO:.*]] = df.broadcast %[[MINUS]] like %[[IDS]]
  // CHECK:   %[[ZEROS:.*]] = df.gather %{{.*}}, %[[NO]]
  // CHECK:   df.yield %[[GX]], %[[GA]], %[[NO]], %[[ZEROS]]
  // CHECK: } else {
  // CHECK:   df.yield %{{.*}}, %{{.*}}, %[[IDS]], %{{.*}} :
  // CHECK: }
  // CHECK: df.group_ids %[[B]]#2
  // CHECK: df.return %[[B]]#1, %[[B]]#0
  %da, %dt, %dx = df.gradients %loss wrt [@a, @t] %x : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<9x2xf32>, tensor<f32>)
  df.return %da, %dx, %dt : tensor<f32>, tensor<f32>, tensor<9x2xf32>
}
