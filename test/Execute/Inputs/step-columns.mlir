// Sums, extrema and moments of columns over the rows of a batch: of few columns and of many, of f32, f64, f16, bf16 and
// integers, of rows that are computed where they are read, and of the rows that a mask leaves, which may be none. Results
// are sums of columns by their numbers, in f64, which show a bit of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "step_columns", mlc.settings = {train.batch_size = 32 : i64, train.epochs = 1 : i64}} {
  df.variable @bias : tensor<28xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @table : tensor<64x28xf32> = #df.uniform<-0.5, 0.5>
  df.variable @narrow : tensor<64x3xf32> = #df.uniform<-0.5, 0.5>
  df.variable @sum : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @squares : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @most : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @wide : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @halves : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @brain : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @counts : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @few : tensor<3xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.variable @kept : tensor<28xf64> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
  df.function @train(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %i = df.hash_bucket %id {buckets = 64 : i64} : tensor<?xi64>
    %table = df.read @table : tensor<64x28xf32>
    %x = df.gather %table, %i {axes = array<i64: 0>} : (tensor<64x28xf32>, tensor<?xi64>) -> tensor<?x28xf32>
    %bias = df.read @bias : tensor<28xf32>
    %b = df.broadcast %bias like %x dimensions = [1] : (tensor<28xf32>, tensor<?x28xf32>) -> tensor<?x28xf32>
    %xb = df.add %x, %b : tensor<?x28xf32>
    %y = df.relu %xb : tensor<?x28xf32>
    %yy = df.square %y : tensor<?x28xf32>
    %p = df.reduce_sum %yy {axes = array<i64: 1>} : (tensor<?x28xf32>) -> tensor<?xf32>
    %d = df.sub %p, %label : tensor<?xf32>
    %each = df.square %d : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %g = df.gradients %loss wrt [@bias] : (tensor<f32>) -> tensor<28xf32>
    %n = df.sub %bias, %g : tensor<28xf32>
    df.assign @bias, %n : tensor<28xf32>
    df.return %loss : tensor<f32>
  }

  df.function @eval_update(%id: tensor<?xi64> {df.name = "id"}, %label: tensor<?xf32> {df.name = "label"}) attributes {role = #df.role<eval_update>} {
    %i = df.hash_bucket %id {buckets = 64 : i64} : tensor<?xi64>
    %table = df.read @table : tensor<64x28xf32>
    %x = df.gather %table, %i {axes = array<i64: 0>} : (tensor<64x28xf32>, tensor<?xi64>) -> tensor<?x28xf32>
    %labels = df.broadcast %label like %x dimensions = [0] : (tensor<?xf32>, tensor<?x28xf32>) -> tensor<?x28xf32>
    %xl = df.mul %x, %labels : tensor<?x28xf32>
    %xx = df.square %xl : tensor<?x28xf32>
    %x64 = df.cast %x : (tensor<?x28xf32>) -> tensor<?x28xf64>
    %x16 = df.cast %x : (tensor<?x28xf32>) -> tensor<?x28xf16>
    %xb = df.cast %xl : (tensor<?x28xf32>) -> tensor<?x28xbf16>
    %zero = df.constant dense<0.0> : tensor<f32>
    %zeros = df.broadcast %zero like %x dimensions = [] : (tensor<f32>, tensor<?x28xf32>) -> tensor<?x28xf32>
    %above = df.compare gt, %x, %zeros : (tensor<?x28xf32>, tensor<?x28xf32>) -> tensor<?x28xi1>
    %ones = df.cast %above : (tensor<?x28xi1>) -> tensor<?x28xi64>
    %narrow = df.read @narrow : tensor<64x3xf32>
    %y = df.gather %narrow, %i {axes = array<i64: 0>} : (tensor<64x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
    %none = df.broadcast %zero like %label dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %mask = df.compare gt, %label, %none : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %ids = df.boolean_mask %i, %mask : (tensor<?xi64>, tensor<?xi1>) -> tensor<?xi64>
    %left = df.gather %table, %ids {axes = array<i64: 0>} : (tensor<64x28xf32>, tensor<?xi64>) -> tensor<?x28xf32>
    %sum = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x28xf32>) -> tensor<28xf32>
    %sum64 = df.cast %sum : (tensor<28xf32>) -> tensor<28xf64>
    df.assign_add @sum, %sum64 : tensor<28xf64>
    %squares = df.reduce_sum %xx {axes = array<i64: 0>} : (tensor<?x28xf32>) -> tensor<28xf32>
    %squares64 = df.cast %squares : (tensor<28xf32>) -> tensor<28xf64>
    df.assign_add @squares, %squares64 : tensor<28xf64>
    %most = df.reduce_max %xl {axes = array<i64: 0>} : (tensor<?x28xf32>) -> tensor<28xf32>
    %most64 = df.cast %most : (tensor<28xf32>) -> tensor<28xf64>
    df.assign_add @most, %most64 : tensor<28xf64>
    %wide = df.reduce_mean %x64 {axes = array<i64: 0>} : (tensor<?x28xf64>) -> tensor<28xf64>
    df.assign_add @wide, %wide : tensor<28xf64>
    %halves = df.reduce_sum %x16 {axes = array<i64: 0>} : (tensor<?x28xf16>) -> tensor<28xf16>
    %halves64 = df.cast %halves : (tensor<28xf16>) -> tensor<28xf64>
    df.assign_add @halves, %halves64 : tensor<28xf64>
    %brain = df.reduce_sum %xb {axes = array<i64: 0>} : (tensor<?x28xbf16>) -> tensor<28xbf16>
    %brain64 = df.cast %brain : (tensor<28xbf16>) -> tensor<28xf64>
    df.assign_add @brain, %brain64 : tensor<28xf64>
    %counts = df.reduce_sum %ones {axes = array<i64: 0>} : (tensor<?x28xi64>) -> tensor<28xi64>
    %counts64 = df.cast %counts : (tensor<28xi64>) -> tensor<28xf64>
    df.assign_add @counts, %counts64 : tensor<28xf64>
    %few = df.reduce_sum %y {axes = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<3xf32>
    %few64 = df.cast %few : (tensor<3xf32>) -> tensor<3xf64>
    df.assign_add @few, %few64 : tensor<3xf64>
    %kept = df.reduce_sum %left {axes = array<i64: 0>} : (tensor<?x28xf32>) -> tensor<28xf32>
    %kept64 = df.cast %kept : (tensor<28xf32>) -> tensor<28xf64>
    df.assign_add @kept, %kept64 : tensor<28xf64>
    df.return
  }

  df.function @eval_result() -> (tensor<f64> {df.name = "sum"}, tensor<f64> {df.name = "squares"}, tensor<f64> {df.name = "most"}, tensor<f64> {df.name = "wide"}, tensor<f64> {df.name = "halves"}, tensor<f64> {df.name = "brain"}, tensor<f64> {df.name = "counts"}, tensor<f64> {df.name = "few"}, tensor<f64> {df.name = "kept"}) attributes {role = #df.role<eval_result>} {
    %numbers = df.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0]> : tensor<28xf64>
    %three = df.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
    %sum = df.read @sum : tensor<28xf64>
    %sum_by = df.mul %sum, %numbers : tensor<28xf64>
    %sum_all = df.reduce_sum %sum_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %squares = df.read @squares : tensor<28xf64>
    %squares_by = df.mul %squares, %numbers : tensor<28xf64>
    %squares_all = df.reduce_sum %squares_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %most = df.read @most : tensor<28xf64>
    %most_by = df.mul %most, %numbers : tensor<28xf64>
    %most_all = df.reduce_sum %most_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %wide = df.read @wide : tensor<28xf64>
    %wide_by = df.mul %wide, %numbers : tensor<28xf64>
    %wide_all = df.reduce_sum %wide_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %halves = df.read @halves : tensor<28xf64>
    %halves_by = df.mul %halves, %numbers : tensor<28xf64>
    %halves_all = df.reduce_sum %halves_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %brain = df.read @brain : tensor<28xf64>
    %brain_by = df.mul %brain, %numbers : tensor<28xf64>
    %brain_all = df.reduce_sum %brain_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %counts = df.read @counts : tensor<28xf64>
    %counts_by = df.mul %counts, %numbers : tensor<28xf64>
    %counts_all = df.reduce_sum %counts_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    %few = df.read @few : tensor<3xf64>
    %few_by = df.mul %few, %three : tensor<3xf64>
    %few_all = df.reduce_sum %few_by {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %kept = df.read @kept : tensor<28xf64>
    %kept_by = df.mul %kept, %numbers : tensor<28xf64>
    %kept_all = df.reduce_sum %kept_by {axes = array<i64: 0>} : (tensor<28xf64>) -> tensor<f64>
    df.return %sum_all, %squares_all, %most_all, %wide_all, %halves_all, %brain_all, %counts_all, %few_all, %kept_all : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}
