// RUN: mlc-opt %s --df-outline-features | FileCheck %s

// What bounds its ids needs no check where they are used.
df.vocabulary @words ["a", "b", "c"] {num_oov = 2 : i64, default_value = -1 : i64}

// CHECK-LABEL: df.function @bounded.features
// CHECK-NOT: df.check_ids
// CHECK-LABEL: df.function @bounded.step
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds, skip_negative}
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds, skip_negative}
// CHECK: df.softmax_cross_entropy %{{.*}}, %{{.*}} {df.in_bounds}
df.function @bounded(%h: tensor<?xi64> {df.binding = #df.binding<feature, "h">}, %s: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">},
                     %x: tensor<?x9xf32> {df.binding = #df.binding<feature, "x">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x2xf32> {df.binding = #df.binding<output, "b">}, tensor<?xf32> {df.binding = #df.binding<output, "c">}) attributes {role = #df.role<predict>} {
  %b = df.hash_bucket %h {buckets = 9 : i64} : tensor<?xi64>
  // No value is no row.
  %none = df.constant dense<-1> : tensor<i64>
  %nones = df.broadcast %none like %b dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %m = df.is_empty %s : (tensor<?x!df.string>) -> tensor<?xi1>
  %c = df.select %m, %nones, %b : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %e0 = df.gather %t, %c {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %w = df.lookup @words, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %e1 = df.gather %t, %w {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.softmax_cross_entropy %x, %w : (tensor<?x9xf32>, tensor<?xi64>) -> tensor<?xf32>
  df.return %e0, %e1, %l : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xf32>
}

// Ids that are one for each row of the data are checked ahead of the step, where the row is known; the groups of their
// gradients are made of what was checked.
// CHECK-LABEL: df.function @data.features
// CHECK: %[[R:.*]] = df.check_ids %{{.*}} {feature = "i", high = 9 : i64, low = -9223372036854775808 : i64, what = "row of 't'"}
// CHECK: %[[C:.*]] = df.check_ids %[[R]] {feature = "i", high = 9 : i64, low = 0 : i64, what = "label"}
// CHECK: df.group_ids %[[C]]
// CHECK-LABEL: df.function @data.step
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds, skip_negative}
// CHECK: df.softmax_cross_entropy %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.update_rows {{.*}} {df.in_bounds}
df.function @data(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %x: tensor<?x9xf32> {df.binding = #df.binding<feature, "x">},
                  %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "c">}, tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) attributes {role = #df.role<train>} {
  %e = df.gather %t, %i {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.softmax_cross_entropy %x, %i : (tensor<?x9xf32>, tensor<?xi64>) -> tensor<?xf32>
  %u, %ends, %o, %n = df.group_ids %i : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %g = df.group_sum %e, %ends, %o, %n : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %t1 = df.update_rows tables(%t) ids(%u) rows(%g) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return %l, %t1 : tensor<?xf32>, tensor<9x2xf32>
}

// So are several for each row, wherever their elements went: all of them are read. Each is checked once, also of what
// gradients scatter.
// CHECK-LABEL: df.function @several.features
// CHECK: %[[S:.*]] = df.slice
// CHECK: df.check_ids %[[S]] {feature = "i", high = 9 : i64, low = 0 : i64, what = "row of 't'"} : (tensor<?x2xi64>) -> tensor<?x2xi64>
// CHECK-NOT: df.check_ids
// CHECK-LABEL: df.function @several.step
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
// CHECK: df.scatter add %{{.*}}, %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
df.function @several(%i: tensor<?x3xi64> {df.binding = #df.binding<feature, "i">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x4xf32> {df.binding = #df.binding<output, "b">}, tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) attributes {role = #df.role<train>} {
  %s = df.slice %i {sizes = array<i64: -1, 2>, starts = array<i64: 0, 1>} : (tensor<?x3xi64>) -> tensor<?x2xi64>
  %a = df.gather %t, %s {axes = array<i64: 0>} : (tensor<9x2xf32>, tensor<?x2xi64>) -> tensor<?x2x2xf32>
  %turned = df.transpose %s {permutation = array<i64: 1, 0>} : (tensor<?x2xi64>) -> tensor<2x?xi64>
  %flat = df.reshape %turned : (tensor<2x?xi64>) -> tensor<?xi64>
  %e = df.gather %t, %flat {axes = array<i64: 0>} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %b = df.reshape %e : (tensor<?x2xf32>) -> tensor<?x4xf32>
  %t1 = df.scatter add %t, %s, %a {axes = array<i64: 0>} : (tensor<9x2xf32>, tensor<?x2xi64>, tensor<?x2x2xf32>) -> tensor<9x2xf32>
  df.return %a, %b, %t1 : tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<9x2xf32>
}

// So are the values of multi-valued features, whose rows' ends are known.
// CHECK-LABEL: df.function @multi.features
// CHECK: df.check_ids %{{.*}} ends(%{{.*}}) {feature = "v", high = 9 : i64, low = -9223372036854775808 : i64, what = "row of 't'"}
// CHECK-LABEL: df.function @multi.step
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds, skip_negative}
df.function @multi(%v: tensor<?xi64> {df.binding = #df.binding<feature, "v">, df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.binding = #df.binding<feature, "v.ends">},
                   %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "a">}) attributes {role = #df.role<predict>} {
  %e = df.gather %t, %v {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %s = df.ragged_reduce sum %e, %ends : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %s : tensor<?x2xf32>
}

// Arithmetic on integers says what it makes, also of what only the step computes.
// CHECK-LABEL: df.function @arithmetic
// CHECK-NOT: df.check_ids
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>} :
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds}
df.function @arithmetic(%x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %t: tensor<16xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "a">}, tensor<?xf32> {df.binding = #df.binding<output, "b">}, tensor<?xf32> {df.binding = #df.binding<output, "c">}, tensor<?xf32> {df.binding = #df.binding<output, "d">}) attributes {role = #df.role<predict>} {
  %e = df.exp %x : tensor<?xf32>
  %bits = df.bitcast %e : (tensor<?xf32>) -> tensor<?xui32>
  %wide = df.cast %bits : (tensor<?xui32>) -> tensor<?xi64>
  %by = df.constant dense<28> : tensor<i64>
  %bys = df.broadcast %by like %wide dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %top = df.shift_right_logical %wide, %bys : tensor<?xi64>
  %a = df.gather %t, %top {axes = array<i64: 0>} : (tensor<16xf32>, tensor<?xi64>) -> tensor<?xf32>
  %three = df.constant dense<3> : tensor<i64>
  %threes = df.broadcast %three like %wide dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %low = df.bitwise_and %wide, %threes : tensor<?xi64>
  %many = df.mul %low, %threes : tensor<?xi64>
  %near = df.add %many, %low : tensor<?xi64>
  %b = df.gather %t, %near {axes = array<i64: 0>} : (tensor<16xf32>, tensor<?xi64>) -> tensor<?xf32>
  %less = df.sub %near, %threes : tensor<?xi64>
  %c = df.gather %t, %less {axes = array<i64: 0>} : (tensor<16xf32>, tensor<?xi64>) -> tensor<?xf32>
  %more = df.sub %threes, %low : tensor<?xi64>
  %d = df.gather %t, %more {axes = array<i64: 0>} : (tensor<16xf32>, tensor<?xi64>) -> tensor<?xf32>
  df.return %a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Others are checked when they are used: computed from floats, of rows that are not those of the data, indices of several
// components. What was said to be in bounds before says nothing.
// CHECK-LABEL: df.function @unknown
// CHECK-NOT: df.check_ids
// CHECK-NOT: df.in_bounds
// CHECK: df.return
df.function @unknown(%i: tensor<?x3xi64> {df.binding = #df.binding<feature, "i">}, %x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<3x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x2xf32> {df.binding = #df.binding<output, "b">}, tensor<?xf32> {df.binding = #df.binding<output, "c">}) attributes {role = #df.role<predict>} {
  %most = df.reduce_max %i {axes = array<i64: 0>} : (tensor<?x3xi64>) -> tensor<3xi64>
  %a = df.gather %t, %most {axes = array<i64: 0>, df.in_bounds, skip_negative} : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  %r = df.exp %x : tensor<?xf32>
  %c = df.cast %r : (tensor<?xf32>) -> tensor<?xi64>
  %e1 = df.gather %t, %c {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %two = df.slice %i {sizes = array<i64: -1, 2>, starts = array<i64: 0, 0>} : (tensor<?x3xi64>) -> tensor<?x2xi64>
  %e2 = df.gather %t, %two {axes = array<i64: 0, 1>} : (tensor<9x2xf32>, tensor<?x2xi64>) -> tensor<?xf32>
  df.return %a, %e1, %e2 : tensor<3x2xf32>, tensor<?x2xf32>, tensor<?xf32>
}

// Ends of a multi-valued feature are checked where the batch is taken in, those of pairs are made right; groups are
// those of df.group_ids, ids those of it or merged ones.
df.dimension product [1, 1] as 2
// CHECK-LABEL: df.function @values.step
// CHECK: df.ragged_reduce sum %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.ragged_reduce sum %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.ragged_repeat %{{.*}}, %{{.*}} like %{{.*}} {df.in_bounds}
// CHECK: df.group_sum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.group_sum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.merge_rows {{.*}} {df.in_bounds}
// CHECK: df.update_rows {{.*}} {df.in_bounds}
df.function @values(%v: tensor<?xi64> {df.binding = #df.binding<feature, "tags">, df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.binding = #df.binding<feature, "tags.ends">},
                    %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}, %number: tensor<i64> {df.binding = #df.binding<dimension, "2">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x2xf32> {df.binding = #df.binding<output, "b">}, tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) attributes {role = #df.role<train>} {
  %id = df.hash_bucket %v {buckets = 9 : i64} : tensor<?xi64>
  %e = df.gather %t, %id {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %s = df.ragged_reduce sum %e, %ends : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %i, %j, %pairs = df.ragged_product lhs_ends(%ends) rhs_ends(%ends) count(%number) {symbol = 2 : i64} : (tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %f = df.gather %e, %i {axes = array<i64: 0>, skip_negative} : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %p = df.ragged_reduce sum %f, %pairs : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %r = df.ragged_repeat %s, %ends like %e : (tensor<?x2xf32>, tensor<?xi64>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %u0, %e0, %o0, %n0 = df.group_ids %id : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %g0 = df.group_sum %r, %e0, %o0, %n0 : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %h = df.hash_bucket %ends {buckets = 7 : i64} : tensor<?xi64>
  %u1, %e1, %o1, %n1 = df.group_ids %h : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %g1 = df.group_sum %p, %e1, %o1, %n1 : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %u, %g, %n = df.merge_rows %u0, %g0, %n0, %u1, %g1, %n1 : (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>)
  %t1 = df.update_rows tables(%t) ids(%u) rows(%g) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return %s, %p, %t1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<9x2xf32>
}

// Others may be anything: ends of other values, a feature of one value for each row, groups of other rows, ids as they
// come.
// CHECK-LABEL: df.function @others
// CHECK-NOT: df.in_bounds
// CHECK: df.return
df.function @others(%v: tensor<?xi64> {df.binding = #df.binding<feature, "tags">, df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.binding = #df.binding<feature, "tags.ends">},
                    %x: tensor<?x2xf32> {df.binding = #df.binding<feature, "x">}, %k: tensor<?xi64> {df.binding = #df.binding<feature, "x.ends">},
                    %c: tensor<?xi64> {df.binding = #df.binding<feature, "k">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x2xf32> {df.binding = #df.binding<output, "b">}, tensor<?xf32> {df.binding = #df.binding<output, "c">}, tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) attributes {role = #df.role<train>} {
  %a = df.ragged_reduce sum %x, %ends : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %b = df.ragged_reduce sum %x, %k : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %w = df.cast %v : (tensor<?xi64>) -> tensor<?xf32>
  %s = df.ragged_reduce sum %w, %c : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %g = df.group_sum %x, %c, %k, %one : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %t1 = df.update_rows tables(%t) ids(%c) rows(%g) count(%zero) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%y: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return %a, %b, %s, %t1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xf32>, tensor<9x2xf32>
}

// Columns that were checked together have bounds of their own: each fits its table, of those that lie one after another,
// though the largest bound after the last first row does not.
// CHECK-LABEL: df.function @columns.features
// CHECK: df.check_ids %{{.*}} {columns = [#df.id_column<"i", 7>, #df.id_column<"j", 2>]
// CHECK-NOT: df.check_ids
// CHECK-LABEL: df.function @columns.step
// CHECK: df.gather %{{.*}}, %{{.*}} {axes = array<i64: 0>, df.in_bounds, skip_negative}
df.function @columns(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %j: tensor<?xi64> {df.binding = #df.binding<feature, "j">},
                     %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "a">}) attributes {role = #df.role<predict>} {
  %ic = df.reshape %i : (tensor<?xi64>) -> tensor<?x1xi64>
  %jc = df.reshape %j : (tensor<?xi64>) -> tensor<?x1xi64>
  %ids = df.concat %ic, %jc {axis = 1 : i64} : (tensor<?x1xi64>, tensor<?x1xi64>) -> tensor<?x2xi64>
  %ok = df.check_ids %ids {low = 0 : i64, high = 7 : i64, what = "column", columns = [#df.id_column<"i", 7>, #df.id_column<"j", 2>]} : (tensor<?x2xi64>) -> tensor<?x2xi64>
  %first = df.constant dense<[0, 7]> : tensor<2xi64>
  %firsts = df.broadcast %first like %ok dimensions = [1] : (tensor<2xi64>, tensor<?x2xi64>) -> tensor<?x2xi64>
  %rows = df.add %ok, %firsts : tensor<?x2xi64>
  %flat = df.reshape %rows : (tensor<?x2xi64>) -> tensor<?xi64>
  %e = df.gather %t, %flat {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %p = df.reshape %e : (tensor<?x2xf32>) -> tensor<?x4xf32>
  %s = df.slice %p {sizes = array<i64: -1, 2>, starts = array<i64: 0, 0>} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  df.return %s : tensor<?x2xf32>
}
