// RUN: mlc-opt %s --df-outline-features | FileCheck %s

// What bounds its ids needs no check where they are used.
df.table @words ["a", "b", "c"] {num_oov = 2 : i64, default_value = -1 : i64}

// CHECK-LABEL: df.function @bounded.features
// CHECK-NOT: df.check_ids
// CHECK-LABEL: df.function @bounded.step
// CHECK: df.take_rows %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.take_rows %{{.*}}, %{{.*}} {df.in_bounds}
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
  %e0 = df.take_rows %t, %c : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %w = df.lookup @words, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %e1 = df.take_rows %t, %w : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.softmax_cross_entropy %x, %w : (tensor<?x9xf32>, tensor<?xi64>) -> tensor<?xf32>
  df.return %e0, %e1, %l : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xf32>
}

// Ids that are one for each row of the data are checked ahead of the step, where the row is known; the groups of their
// gradients are made of what was checked.
// CHECK-LABEL: df.function @data.features
// CHECK: %[[C:.*]] = df.check_ids %{{.*}} {feature = "i", high = 9 : i64, low = -9223372036854775808 : i64, what = "row of 't'"}
// CHECK: df.check_ids %{{.*}} {feature = "i", high = 9 : i64, low = 0 : i64, what = "label"}
// CHECK: df.unique %[[C]]
// CHECK-LABEL: df.function @data.step
// CHECK: df.take_rows %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.softmax_cross_entropy %{{.*}}, %{{.*}} {df.in_bounds}
// CHECK: df.update_rows {{.*}} {df.in_bounds}
df.function @data(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %x: tensor<?x9xf32> {df.binding = #df.binding<feature, "x">},
                  %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "c">}, tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) attributes {role = #df.role<train>} {
  %e = df.take_rows %t, %i : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %l = df.softmax_cross_entropy %x, %i : (tensor<?x9xf32>, tensor<?xi64>) -> tensor<?xf32>
  %u, %ends, %o, %n = df.unique %i : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %g = df.group_sum %e, %ends, %o, %n : (tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x2xf32>
  %t1 = df.update_rows tables(%t) ids(%u) rows(%g) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    df.yield %d : tensor<2xf32>
  }
  df.return %l, %t1 : tensor<?xf32>, tensor<9x2xf32>
}

// Others are checked when they are used: several for each row, computed from floats, of too large a range. What was said
// to be in bounds before says nothing.
// CHECK-LABEL: df.function @unknown
// CHECK-NOT: df.check_ids
// CHECK-NOT: df.in_bounds
// CHECK: df.return
df.function @unknown(%i: tensor<?x3xi64> {df.binding = #df.binding<feature, "i">}, %x: tensor<?xf32> {df.binding = #df.binding<feature, "x">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x3x2xf32> {df.binding = #df.binding<output, "a">}, tensor<?x2xf32> {df.binding = #df.binding<output, "b">}) attributes {role = #df.role<predict>} {
  %flat = df.reshape %i : (tensor<?x3xi64>) -> tensor<?xi64>
  %e0 = df.take_rows %t, %flat {df.in_bounds} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %a = df.reshape %e0 : (tensor<?x2xf32>) -> tensor<?x3x2xf32>
  %r = df.exp %x : tensor<?xf32>
  %c = df.cast %r : (tensor<?xf32>) -> tensor<?xi64>
  %e1 = df.take_rows %t, %c : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %a, %e1 : tensor<?x3x2xf32>, tensor<?x2xf32>
}
