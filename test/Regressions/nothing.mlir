// Tensors of no elements: slices of nothing at an end did not compile, nor much of what takes or makes such tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @slice_at_end(%x: tensor<?x6xf32> {df.name = "slice_at_end/x0"}) -> (tensor<?x0xf32> {df.name = "y0"}) {
  %r = df.slice %x {starts = array<i64: 0, 6>, sizes = array<i64: -1, 0>} : (tensor<?x6xf32>) -> tensor<?x0xf32>
  df.return %r : tensor<?x0xf32>
}
df.function @slice_at_end_of_static(%y: tensor<4x6xf32> {df.name = "slice_at_end_of_static/x0"}) -> (tensor<0x6xf32> {df.name = "y0"}) {
  %r = df.slice %y {starts = array<i64: 4, 0>, sizes = array<i64: 0, 6>} : (tensor<4x6xf32>) -> tensor<0x6xf32>
  df.return %r : tensor<0x6xf32>
}
df.function @slice_of_nothing(%e: tensor<?x0xf32> {df.name = "slice_of_nothing/x0"}) -> (tensor<?x0xf32> {df.name = "y0"}) {
  %r = df.slice %e {starts = array<i64: 0, 0>, sizes = array<i64: -1, 0>} : (tensor<?x0xf32>) -> tensor<?x0xf32>
  df.return %r : tensor<?x0xf32>
}
df.function @concat(%x: tensor<?x6xf32> {df.name = "concat/x0"}, %y: tensor<4x6xf32> {df.name = "concat/x1"}, %e: tensor<?x0xf32> {df.name = "concat/x2"}, %z: tensor<0x6xf32> {df.name = "concat/x3"}) -> (tensor<?x6xf32> {df.name = "y0"}, tensor<4x6xf32> {df.name = "y1"}, tensor<?x6xf32> {df.name = "y2"}, tensor<?x0xf32> {df.name = "y3"}) {
  %r = df.concat %e, %x, %e {axis = 1 : i64} : (tensor<?x0xf32>, tensor<?x6xf32>, tensor<?x0xf32>) -> tensor<?x6xf32>
  %s = df.concat %y, %z {axis = 0 : i64} : (tensor<4x6xf32>, tensor<0x6xf32>) -> tensor<4x6xf32>
  %t = df.concat %z, %x, %z {axis = 0 : i64} : (tensor<0x6xf32>, tensor<?x6xf32>, tensor<0x6xf32>) -> tensor<?x6xf32>
  %u = df.concat %e, %e {axis = 1 : i64} : (tensor<?x0xf32>, tensor<?x0xf32>) -> tensor<?x0xf32>
  df.return %r, %s, %t, %u : tensor<?x6xf32>, tensor<4x6xf32>, tensor<?x6xf32>, tensor<?x0xf32>
}
df.function @pad(%e: tensor<?x0xf32> {df.name = "pad/x0"}) -> (tensor<?x3xf32> {df.name = "y0"}) {
  %r = df.pad %e {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<?x0xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}
df.function @pad_of_no_rows(%z: tensor<0x6xf32> {df.name = "pad_of_no_rows/x0"}) -> (tensor<2x6xf32> {df.name = "y0"}) {
  %r = df.pad %z {low = array<i64: 0, 0>, high = array<i64: 2, 0>} : (tensor<0x6xf32>) -> tensor<2x6xf32>
  df.return %r : tensor<2x6xf32>
}
df.function @pad_nd(%e: tensor<?x0xf32> {df.name = "pad_nd/x0"}, %c: tensor<f32> {df.name = "pad_nd/x1"}) -> (tensor<?x2xf32> {df.name = "y0"}, tensor<?x0xf32> {df.name = "y1"}) {
  %r = df.pad %e, %c {low = array<i64: 0, 2>, high = array<i64: 1, 0>, interior = array<i64: 0, 3>} : (tensor<?x0xf32>, tensor<f32>) -> tensor<?x2xf32>
  %s = df.pad %e, %c {low = array<i64: 1, 0>, high = array<i64: 0, 0>, interior = array<i64: 1, 1>} : (tensor<?x0xf32>, tensor<f32>) -> tensor<?x0xf32>
  df.return %r, %s : tensor<?x2xf32>, tensor<?x0xf32>
}
df.function @reduce_sum(%e: tensor<?x0xf32> {df.name = "reduce_sum/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_sum %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_sum_rows(%z: tensor<0x6xf32> {df.name = "reduce_sum_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_sum %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_sum_all(%e: tensor<?x0xf32> {df.name = "reduce_sum_all/x0"}) -> (tensor<f32> {df.name = "y0"}) {
  %r = df.reduce_sum %e {axes = array<i64: 0, 1>} : (tensor<?x0xf32>) -> tensor<f32>
  df.return %r : tensor<f32>
}
df.function @reduce_sum_others(%e: tensor<?x0xf32> {df.name = "reduce_sum_others/x0"}) -> (tensor<0xf32> {df.name = "y0"}) {
  %r = df.reduce_sum %e {axes = array<i64: 0>} : (tensor<?x0xf32>) -> tensor<0xf32>
  df.return %r : tensor<0xf32>
}
df.function @reduce_sum_inner(%q: tensor<?x0x3xf32> {df.name = "reduce_sum_inner/x0"}) -> (tensor<?x3xf32> {df.name = "y0"}) {
  %r = df.reduce_sum %q {axes = array<i64: 1>} : (tensor<?x0x3xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}
df.function @reduce_prod(%e: tensor<?x0xf32> {df.name = "reduce_prod/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_prod %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_prod_rows(%z: tensor<0x6xf32> {df.name = "reduce_prod_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_prod %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_prod_all(%e: tensor<?x0xf32> {df.name = "reduce_prod_all/x0"}) -> (tensor<f32> {df.name = "y0"}) {
  %r = df.reduce_prod %e {axes = array<i64: 0, 1>} : (tensor<?x0xf32>) -> tensor<f32>
  df.return %r : tensor<f32>
}
df.function @reduce_prod_others(%e: tensor<?x0xf32> {df.name = "reduce_prod_others/x0"}) -> (tensor<0xf32> {df.name = "y0"}) {
  %r = df.reduce_prod %e {axes = array<i64: 0>} : (tensor<?x0xf32>) -> tensor<0xf32>
  df.return %r : tensor<0xf32>
}
df.function @reduce_prod_inner(%q: tensor<?x0x3xf32> {df.name = "reduce_prod_inner/x0"}) -> (tensor<?x3xf32> {df.name = "y0"}) {
  %r = df.reduce_prod %q {axes = array<i64: 1>} : (tensor<?x0x3xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}
df.function @reduce_max(%e: tensor<?x0xf32> {df.name = "reduce_max/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_max %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_max_rows(%z: tensor<0x6xf32> {df.name = "reduce_max_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_max %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_max_all(%e: tensor<?x0xf32> {df.name = "reduce_max_all/x0"}) -> (tensor<f32> {df.name = "y0"}) {
  %r = df.reduce_max %e {axes = array<i64: 0, 1>} : (tensor<?x0xf32>) -> tensor<f32>
  df.return %r : tensor<f32>
}
df.function @reduce_max_others(%e: tensor<?x0xf32> {df.name = "reduce_max_others/x0"}) -> (tensor<0xf32> {df.name = "y0"}) {
  %r = df.reduce_max %e {axes = array<i64: 0>} : (tensor<?x0xf32>) -> tensor<0xf32>
  df.return %r : tensor<0xf32>
}
df.function @reduce_max_inner(%q: tensor<?x0x3xf32> {df.name = "reduce_max_inner/x0"}) -> (tensor<?x3xf32> {df.name = "y0"}) {
  %r = df.reduce_max %q {axes = array<i64: 1>} : (tensor<?x0x3xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}
df.function @reduce_min(%e: tensor<?x0xf32> {df.name = "reduce_min/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_min %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_min_rows(%z: tensor<0x6xf32> {df.name = "reduce_min_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_min %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_min_all(%e: tensor<?x0xf32> {df.name = "reduce_min_all/x0"}) -> (tensor<f32> {df.name = "y0"}) {
  %r = df.reduce_min %e {axes = array<i64: 0, 1>} : (tensor<?x0xf32>) -> tensor<f32>
  df.return %r : tensor<f32>
}
df.function @reduce_min_others(%e: tensor<?x0xf32> {df.name = "reduce_min_others/x0"}) -> (tensor<0xf32> {df.name = "y0"}) {
  %r = df.reduce_min %e {axes = array<i64: 0>} : (tensor<?x0xf32>) -> tensor<0xf32>
  df.return %r : tensor<0xf32>
}
df.function @reduce_min_inner(%q: tensor<?x0x3xf32> {df.name = "reduce_min_inner/x0"}) -> (tensor<?x3xf32> {df.name = "y0"}) {
  %r = df.reduce_min %q {axes = array<i64: 1>} : (tensor<?x0x3xf32>) -> tensor<?x3xf32>
  df.return %r : tensor<?x3xf32>
}
df.function @reduce_mean(%e: tensor<?x0xf32> {df.name = "reduce_mean/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_mean %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_mean_rows(%z: tensor<0x6xf32> {df.name = "reduce_mean_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_mean %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_logsumexp(%e: tensor<?x0xf32> {df.name = "reduce_logsumexp/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_logsumexp %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_logsumexp_rows(%z: tensor<0x6xf32> {df.name = "reduce_logsumexp_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_logsumexp %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @reduce_variance(%e: tensor<?x0xf32> {df.name = "reduce_variance/x0"}) -> (tensor<?xf32> {df.name = "y0"}) {
  %r = df.reduce_variance %e {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %r : tensor<?xf32>
}
df.function @reduce_variance_rows(%z: tensor<0x6xf32> {df.name = "reduce_variance_rows/x0"}) -> (tensor<6xf32> {df.name = "y0"}) {
  %r = df.reduce_variance %z {axes = array<i64: 0>} : (tensor<0x6xf32>) -> tensor<6xf32>
  df.return %r : tensor<6xf32>
}
df.function @matmul(%x: tensor<?x6xf32> {df.name = "matmul/x0"}, %y: tensor<4x6xf32> {df.name = "matmul/x1"}, %e: tensor<?x0xf32> {df.name = "matmul/x2"}, %z: tensor<0x6xf32> {df.name = "matmul/x3"}, %c: tensor<f32> {df.name = "matmul/x4"}, %w: tensor<0x5xf32> {df.name = "matmul/x5"}) -> (tensor<?x5xf32> {df.name = "y0"}, tensor<0x4xf32> {df.name = "y1"}, tensor<?x0xf32> {df.name = "y2"}, tensor<5x6xf32> {df.name = "y3"}, tensor<?x5xf32> {df.name = "y4"}, tensor<0x0xf32> {df.name = "y5"}) {
  %r = df.matmul %e, %w : (tensor<?x0xf32>, tensor<0x5xf32>) -> tensor<?x5xf32>
  %yt = df.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %s = df.matmul %z, %yt : (tensor<0x6xf32>, tensor<6x4xf32>) -> tensor<0x4xf32>
  %t = df.matmul %x, %z {transpose_b} : (tensor<?x6xf32>, tensor<0x6xf32>) -> tensor<?x0xf32>
  %u = df.matmul %w, %z {transpose_a} : (tensor<0x5xf32>, tensor<0x6xf32>) -> tensor<5x6xf32>
  %b = df.tanh %r : tensor<?x5xf32>
  %v0 = df.matmul %e, %e {transpose_a} : (tensor<?x0xf32>, tensor<?x0xf32>) -> tensor<0x0xf32>
  %k = df.neg %c : tensor<f32>
  df.return %r, %s, %t, %u, %b, %v0 : tensor<?x5xf32>, tensor<0x4xf32>, tensor<?x0xf32>, tensor<5x6xf32>, tensor<?x5xf32>, tensor<0x0xf32>
}
df.function @batch_matmul(%q: tensor<?x0x3xf32> {df.name = "batch_matmul/x0"}) -> (tensor<?x3x3xf32> {df.name = "y0"}, tensor<?x0x0xf32> {df.name = "y1"}) {
  %r = df.batch_matmul %q, %q {transpose_a} : (tensor<?x0x3xf32>, tensor<?x0x3xf32>) -> tensor<?x3x3xf32>
  %s = df.batch_matmul %q, %q {transpose_b} : (tensor<?x0x3xf32>, tensor<?x0x3xf32>) -> tensor<?x0x0xf32>
  df.return %r, %s : tensor<?x3x3xf32>, tensor<?x0x0xf32>
}
df.function @product_epilogue(%x: tensor<?x6xf32> {df.name = "product_epilogue/x0"}, %y: tensor<4x6xf32> {df.name = "product_epilogue/x1"}, %e: tensor<?x0xf32> {df.name = "product_epilogue/x2"}, %z: tensor<0x6xf32> {df.name = "product_epilogue/x3"}) -> (tensor<?x6xf32> {df.name = "y0"}, tensor<?x4xf32> {df.name = "y1"}, tensor<?xf32> {df.name = "y2"}) {
  %r = df.matmul %e, %z : (tensor<?x0xf32>, tensor<0x6xf32>) -> tensor<?x6xf32>
  %s = df.add %r, %x : tensor<?x6xf32>
  %t = df.matmul %s, %y {transpose_b} : (tensor<?x6xf32>, tensor<4x6xf32>) -> tensor<?x4xf32>
  %o = df.slice %t {starts = array<i64: 0, 4>, sizes = array<i64: -1, 0>} : (tensor<?x4xf32>) -> tensor<?x0xf32>
  %m = df.mul %o, %e : tensor<?x0xf32>
  %n = df.reduce_sum %m {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  df.return %s, %t, %n : tensor<?x6xf32>, tensor<?x4xf32>, tensor<?xf32>
}
df.function @take(%y: tensor<4x6xf32> {df.name = "take/x0"}, %ids: tensor<?xi64> {df.name = "take/x1"}, %none: tensor<0xi64> {df.name = "take/x2"}, %w: tensor<0x5xf32> {df.name = "take/x3"}) -> (tensor<0x6xf32> {df.name = "y0"}, tensor<0x6xf32> {df.name = "y1"}, tensor<?x0xf32> {df.name = "y2"}, tensor<?x0xf32> {df.name = "y3"}) {
  %r = df.gather %y, %none {axes = array<i64: 0>} : (tensor<4x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  %t = df.gather %y, %none {axes = array<i64: 0>, skip_negative} : (tensor<4x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  %z64 = df.constant dense<0> : tensor<i64>
  %zs = df.broadcast %z64 like %ids dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %wt = df.transpose %w {permutation = array<i64: 1, 0>} : (tensor<0x5xf32>) -> tensor<5x0xf32>
  %a = df.gather %wt, %zs {axes = array<i64: 0>} : (tensor<5x0xf32>, tensor<?xi64>) -> tensor<?x0xf32>
  %b = df.gather %wt, %zs {axes = array<i64: 0>, skip_negative} : (tensor<5x0xf32>, tensor<?xi64>) -> tensor<?x0xf32>
  df.return %r, %t, %a, %b : tensor<0x6xf32>, tensor<0x6xf32>, tensor<?x0xf32>, tensor<?x0xf32>
}
df.function @take_of_empty_table(%z: tensor<0x6xf32> {df.name = "take_of_empty_table/x0"}, %ids: tensor<?xi64> {df.name = "take_of_empty_table/x1"}) -> (tensor<?x6xf32> {df.name = "y0"}) {
  %m = df.constant dense<-1> : tensor<i64>
  %ms = df.broadcast %m like %ids dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %r = df.gather %z, %ms {axes = array<i64: 0>, skip_negative} : (tensor<0x6xf32>, tensor<?xi64>) -> tensor<?x6xf32>
  df.return %r : tensor<?x6xf32>
}
df.function @gather_scatter(%y: tensor<4x6xf32> {df.name = "gather_scatter/x0"}, %z: tensor<0x6xf32> {df.name = "gather_scatter/x1"}, %none: tensor<0xi64> {df.name = "gather_scatter/x2"}) -> (tensor<0x6xf32> {df.name = "y0"}, tensor<4x6xf32> {df.name = "y1"}, tensor<4x6xf32> {df.name = "y2"}) {
  %r = df.gather %y, %none {axes = array<i64: 0>} : (tensor<4x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  %s = df.scatter add %y, %none, %z {axes = array<i64: 0>} : (tensor<4x6xf32>, tensor<0xi64>, tensor<0x6xf32>) -> tensor<4x6xf32>
  %t = df.segment_reduce sum %z, %none : (tensor<0x6xf32>, tensor<0xi64>) -> tensor<4x6xf32>
  df.return %r, %s, %t : tensor<0x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
df.function @strided_slice(%x: tensor<?x6xf32> {df.name = "strided_slice/x0"}, %y: tensor<4x6xf32> {df.name = "strided_slice/x1"}, %e: tensor<?x0xf32> {df.name = "strided_slice/x2"}) -> (tensor<?x0xf32> {df.name = "y0"}, tensor<?x0xf32> {df.name = "y1"}, tensor<0x2xf32> {df.name = "y2"}) {
  %r = df.slice %x {starts = array<i64: 0, 6>, sizes = array<i64: -1, 0>, strides = array<i64: 1, 2>} : (tensor<?x6xf32>) -> tensor<?x0xf32>
  %s = df.slice %e {starts = array<i64: 0, 0>, sizes = array<i64: -1, -1>, strides = array<i64: 2, 1>} : (tensor<?x0xf32>) -> tensor<?x0xf32>
  %t = df.slice %y {starts = array<i64: 4, 1>, sizes = array<i64: 0, 2>, strides = array<i64: 1, 3>} : (tensor<4x6xf32>) -> tensor<0x2xf32>
  df.return %r, %s, %t : tensor<?x0xf32>, tensor<?x0xf32>, tensor<0x2xf32>
}
df.function @dynamic_slice(%x: tensor<?x6xf32> {df.name = "dynamic_slice/x0"}, %y: tensor<4x6xf32> {df.name = "dynamic_slice/x1"}, %e: tensor<?x0xf32> {df.name = "dynamic_slice/x2"}) -> (tensor<4x0xf32> {df.name = "y0"}, tensor<4x6xf32> {df.name = "y1"}, tensor<?x6xf32> {df.name = "y2"}) {
  %o = df.constant dense<[0, 6]> : tensor<2xi64>
  %r = df.dynamic_slice %y, %o : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<4x0xf32>
  %u = df.dynamic_update_slice %y, %r, %o : (tensor<4x6xf32>, tensor<4x0xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  %s = df.update_slice %x, %e {starts = array<i64: 0, 6>, strides = array<i64: 1, 1>} : (tensor<?x6xf32>, tensor<?x0xf32>) -> tensor<?x6xf32>
  df.return %r, %u, %s : tensor<4x0xf32>, tensor<4x6xf32>, tensor<?x6xf32>
}
df.function @order(%e: tensor<?x0xf32> {df.name = "order/x0"}, %z: tensor<0x6xf32> {df.name = "order/x1"}) -> (tensor<?x0xf32> {df.name = "y0"}, tensor<?x0xi64> {df.name = "y1"}, tensor<?x0xf32> {df.name = "y2"}, tensor<0x6xf32> {df.name = "y3"}, tensor<?x0xf32> {df.name = "y4"}) {
  %a = df.sort %e : (tensor<?x0xf32>) -> tensor<?x0xf32>
  %b = df.argsort %e : (tensor<?x0xf32>) -> tensor<?x0xi64>
  %k = df.cumsum %e : (tensor<?x0xf32>) -> tensor<?x0xf32>
  %d = df.cummax %z {axis = 0 : i64} : (tensor<0x6xf32>) -> tensor<0x6xf32>
  %g:2 = df.top_k %e {k = 0 : i64} : (tensor<?x0xf32>) -> (tensor<?x0xf32>, tensor<?x0xi64>)
  df.return %a, %b, %k, %d, %g#0 : tensor<?x0xf32>, tensor<?x0xi64>, tensor<?x0xf32>, tensor<0x6xf32>, tensor<?x0xf32>
}
df.function @layout(%e: tensor<?x0xf32> {df.name = "layout/x0"}, %z: tensor<0x6xf32> {df.name = "layout/x1"}, %v: tensor<6xf32> {df.name = "layout/x2"}, %none: tensor<0xi64> {df.name = "layout/x3"}) -> (tensor<0x?xf32> {df.name = "y0"}, tensor<?x0xf32> {df.name = "y1"}, tensor<?x0x2xf32> {df.name = "y2"}, tensor<0xf32> {df.name = "y3"}, tensor<?x0xf32> {df.name = "y4"}, tensor<?x0x0xf32> {df.name = "y5"}, tensor<0x6xf32> {df.name = "y6"}, tensor<0x3xf32> {df.name = "y7"}) {
  %a = df.transpose %e {permutation = array<i64: 1, 0>} : (tensor<?x0xf32>) -> tensor<0x?xf32>
  %b = df.reverse %e {axes = array<i64: 0, 1>} : tensor<?x0xf32>
  %k = df.reshape %e : (tensor<?x0xf32>) -> tensor<?x0x2xf32>
  %l = df.reshape %z : (tensor<0x6xf32>) -> tensor<0xf32>
  %d = df.roll %e {axis = 1 : i64, shift = 2 : i64} : tensor<?x0xf32>
  %g = df.diag %e : (tensor<?x0xf32>) -> tensor<?x0x0xf32>
  %h = df.broadcast %v like %z dimensions = [1] : (tensor<6xf32>, tensor<0x6xf32>) -> tensor<0x6xf32>
  %i = df.one_hot %none : (tensor<0xi64>) -> tensor<0x3xf32>
  df.return %a, %b, %k, %l, %d, %g, %h, %i : tensor<0x?xf32>, tensor<?x0xf32>, tensor<?x0x2xf32>, tensor<0xf32>, tensor<?x0xf32>, tensor<?x0x0xf32>, tensor<0x6xf32>, tensor<0x3xf32>
}
df.function @softmax(%e: tensor<?x0xf32> {df.name = "softmax/x0"}, %z: tensor<0x6xf32> {df.name = "softmax/x1"}, %none: tensor<0xi64> {df.name = "softmax/x2"}) -> (tensor<?x0xf32> {df.name = "y0"}, tensor<0x6xf32> {df.name = "y1"}, tensor<0xf32> {df.name = "y2"}) {
  %a = df.softmax %e : (tensor<?x0xf32>) -> tensor<?x0xf32>
  %b = df.log_softmax %z {axis = 0 : i64} : (tensor<0x6xf32>) -> tensor<0x6xf32>
  %k = df.softmax_cross_entropy %z, %none : (tensor<0x6xf32>, tensor<0xi64>) -> tensor<0xf32>
  df.return %a, %b, %k : tensor<?x0xf32>, tensor<0x6xf32>, tensor<0xf32>
}
df.function @scan(%e: tensor<?x0xf32> {df.name = "scan/x0"}, %z: tensor<0x6xf32> {df.name = "scan/x1"}, %v: tensor<6xf32> {df.name = "scan/x2"}, %c: tensor<f32> {df.name = "scan/x3"}) -> (tensor<6xf32> {df.name = "y0"}, tensor<0x6xf32> {df.name = "y1"}, tensor<f32> {df.name = "y2"}, tensor<?x0xf32> {df.name = "y3"}) {
  %l, %a = df.scan (%v) over (%z) : (tensor<6xf32>, tensor<0x6xf32>) -> (tensor<6xf32>, tensor<0x6xf32>) {
  ^bb0(%h: tensor<6xf32>, %r: tensor<6xf32>):
  %n = df.add %h, %r : tensor<6xf32>
  df.yield %n, %h : tensor<6xf32>, tensor<6xf32>
  }
  %o, %s = df.scan (%c) over (%e) : (tensor<f32>, tensor<?x0xf32>) -> (tensor<f32>, tensor<?x0xf32>) {
  ^bb0(%h: tensor<f32>, %r: tensor<0xf32>):
  %n = df.reduce_sum %r {axes = array<i64: 0>} : (tensor<0xf32>) -> tensor<f32>
  %m = df.add %h, %n : tensor<f32>
  %p = df.add %m, %c : tensor<f32>
  df.yield %p, %r : tensor<f32>, tensor<0xf32>
  }
  df.return %l, %a, %o, %s : tensor<6xf32>, tensor<0x6xf32>, tensor<f32>, tensor<?x0xf32>
}
df.function @loop(%x: tensor<?x6xf32> {df.name = "loop/x0"}, %e: tensor<?x0xf32> {df.name = "loop/x1"}) -> (tensor<?x0xf32> {df.name = "y0"}, tensor<?x6xf32> {df.name = "y1"}) {
  %a, %b = df.while (%e, %x) {max_iterations = 3 : i64} : (tensor<?x0xf32>, tensor<?x6xf32>) -> (tensor<?x0xf32>, tensor<?x6xf32>) {
  ^bb0(%p: tensor<?x0xf32>, %q0: tensor<?x6xf32>):
  %t = df.constant dense<true> : tensor<i1>
  df.condition %t : tensor<i1>
  } do {
  ^bb0(%p: tensor<?x0xf32>, %q0: tensor<?x6xf32>):
  %n = df.concat %p, %q0 {axis = 1 : i64} : (tensor<?x0xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %m = df.neg %n : tensor<?x6xf32>
  %o = df.slice %m {starts = array<i64: 0, 6>, sizes = array<i64: -1, 0>} : (tensor<?x6xf32>) -> tensor<?x0xf32>
  df.yield %o, %m : tensor<?x0xf32>, tensor<?x6xf32>
  }
  df.return %a, %b : tensor<?x0xf32>, tensor<?x6xf32>
}
df.function @segments(%z: tensor<0x6xf32> {df.name = "segments/x0"}, %ids: tensor<?xi64> {df.name = "segments/x1"}, %none: tensor<0xi64> {df.name = "segments/x2"}) -> (tensor<?x6xf32> {df.name = "y0"}, tensor<0x6xf32> {df.name = "y1"}, tensor<4x6xf32> {df.name = "y2"}) {
  %k = df.reduce_sum %none {axes = array<i64: 0>} : (tensor<0xi64>) -> tensor<i64>
  %ks = df.broadcast %k like %ids dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
  %r = df.ragged_reduce sum %z, %ks : (tensor<0x6xf32>, tensor<?xi64>) -> tensor<?x6xf32>
  %s = df.ragged_repeat %r, %ks like %z : (tensor<?x6xf32>, tensor<?xi64>, tensor<0x6xf32>) -> tensor<0x6xf32>
  %u, %n, %o, %count = df.group_ids %none : (tensor<0xi64>) -> (tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<i64>)
  %g = df.group_sum %z, %n, %o, %count : (tensor<0x6xf32>, tensor<0xi64>, tensor<0xi64>, tensor<i64>) -> tensor<0x6xf32>
  %p = df.pack_rows %u, %g, %count : (tensor<0xi64>, tensor<0x6xf32>, tensor<i64>) -> !df.rows<tensor<4x6xf32>>
  %d = df.densify_rows %p : (!df.rows<tensor<4x6xf32>>) -> tensor<4x6xf32>
  df.return %r, %s, %d : tensor<?x6xf32>, tensor<0x6xf32>, tensor<4x6xf32>
}
df.function @masked(%z: tensor<0x6xf32> {df.name = "masked/x0"}) -> (tensor<?x6xf32> {df.name = "y0"}, tensor<?x2xi64> {df.name = "y1"}, tensor<6xi1> {df.name = "y2"}) {
  %m = df.compare lt, %z, %z : (tensor<0x6xf32>, tensor<0x6xf32>) -> tensor<0x6xi1>
  %one = df.reduce_any %m {axes = array<i64: 1>} : (tensor<0x6xi1>) -> tensor<0xi1>
  %r = df.boolean_mask %z, %one : (tensor<0x6xf32>, tensor<0xi1>) -> tensor<?x6xf32>
  %i = df.nonzero %m : (tensor<0x6xi1>) -> tensor<?x2xi64>
  %a = df.reduce_all %m {axes = array<i64: 0>} : (tensor<0x6xi1>) -> tensor<6xi1>
  df.return %r, %i, %a : tensor<?x6xf32>, tensor<?x2xi64>, tensor<6xi1>
}
df.function @conv(%y: tensor<4x6xf32> {df.name = "conv/x0"}, %z: tensor<0x6xf32> {df.name = "conv/x1"}) -> (tensor<0x3x6xf32> {df.name = "y0"}, tensor<0x2x2xf32> {df.name = "y1"}) {
  %p = df.reshape %z : (tensor<0x6xf32>) -> tensor<0x3x2xf32>
  %k = df.reshape %y : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %r = df.conv %p, %k {strides = array<i64: 1>, padding = array<i64: 1, 0>, dilations = array<i64: 1>} : (tensor<0x3x2xf32>, tensor<2x2x6xf32>) -> tensor<0x3x6xf32>
  %m = df.max_pool %p {window = array<i64: 2>} : (tensor<0x3x2xf32>) -> tensor<0x2x2xf32>
  df.return %r, %m : tensor<0x3x6xf32>, tensor<0x2x2xf32>
}
df.function @shapes(%x: tensor<?x6xf32> {df.name = "shapes/x0"}, %e: tensor<?x0xf32> {df.name = "shapes/x1"}, %z: tensor<0x6xf32> {df.name = "shapes/x2"}, %c: tensor<f32> {df.name = "shapes/x3"}) -> (tensor<?x?xf32> {df.name = "y0"}, tensor<0x3xf32> {df.name = "y1"}, tensor<?x?xf32> {df.name = "y2"}, tensor<?x?xf32> {df.name = "y3"}, tensor<?x0xf32> {df.name = "y4"}, tensor<?x3xf32> {df.name = "y5"}) {
  %s = df.constant dense<[0, 3]> : tensor<2xi64>
  %k1 = df.size %x {dimensions = array<i64: 0>} : (tensor<?x6xf32>) -> tensor<i64>
  %k2 = df.reshape %k1 : (tensor<i64>) -> tensor<1xi64>
  %k3 = df.constant dense<0> : tensor<1xi64>
  %k4 = df.concat %k2, %k3 {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %k5 = df.dynamic_reshape %e, %k4 : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %k6 = df.dynamic_reshape %e, %k4 : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<?x0xf32>
  %k7 = df.dynamic_reshape %e, %s : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %r = df.dynamic_reshape %z, %s : (tensor<0x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %t = df.dynamic_reshape %z, %s : (tensor<0x6xf32>, tensor<2xi64>) -> tensor<0x3xf32>
  %b = df.dynamic_broadcast %c, %s {dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  df.return %r, %t, %b, %k5, %k6, %k7 : tensor<?x?xf32>, tensor<0x3xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x0xf32>, tensor<?x3xf32>
}
df.function @dot_general(%z: tensor<0x6xf32> {df.name = "dot_general/x0"}, %w: tensor<0x5xf32> {df.name = "dot_general/x1"}, %q: tensor<?x0x3xf32> {df.name = "dot_general/x2"}) -> (tensor<3x3xf32> {df.name = "y0"}, tensor<?x3x3xf32> {df.name = "y1"}, tensor<?x3x6xf32> {df.name = "y2"}, tensor<?x0x3x0x5xf32> {df.name = "y3"}) {
  %r = df.dot_general %q, %q {lhs_contracting = array<i64: 0, 1>, rhs_contracting = array<i64: 0, 1>} : (tensor<?x0x3xf32>, tensor<?x0x3xf32>) -> tensor<3x3xf32>
  %s = df.einsum %q, %q {equation = "abc,abd->acd"} : (tensor<?x0x3xf32>, tensor<?x0x3xf32>) -> tensor<?x3x3xf32>
  %t = df.dot_general %q, %z {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x0x3xf32>, tensor<0x6xf32>) -> tensor<?x3x6xf32>
  %u = df.dot_general %q, %w {lhs_contracting = array<i64>, rhs_contracting = array<i64>} : (tensor<?x0x3xf32>, tensor<0x5xf32>) -> tensor<?x0x3x0x5xf32>
  df.return %r, %s, %t, %u : tensor<3x3xf32>, tensor<?x3x3xf32>, tensor<?x3x6xf32>, tensor<?x0x3x0x5xf32>
}
df.function @gradients(%x: tensor<?x6xf32> {df.name = "gradients/x0"}, %e: tensor<?x0xf32> {df.name = "gradients/x1"}, %z: tensor<0x6xf32> {df.name = "gradients/x2"}) -> (tensor<f32> {df.name = "y0"}, tensor<?x6xf32> {df.name = "y1"}, tensor<?x0xf32> {df.name = "y2"}, tensor<0x6xf32> {df.name = "y3"}) {
  %a = df.slice %x {starts = array<i64: 0, 6>, sizes = array<i64: -1, 0>} : (tensor<?x6xf32>) -> tensor<?x0xf32>
  %b = df.mul %a, %e : tensor<?x0xf32>
  %k = df.matmul %b, %z : (tensor<?x0xf32>, tensor<0x6xf32>) -> tensor<?x6xf32>
  %d = df.mul %k, %x : tensor<?x6xf32>
  %g = df.concat %d, %b {axis = 1 : i64} : (tensor<?x6xf32>, tensor<?x0xf32>) -> tensor<?x6xf32>
  %h = df.pad %b {low = array<i64: 0, 3>, high = array<i64: 0, 3>} : (tensor<?x0xf32>) -> tensor<?x6xf32>
  %i = df.add %g, %h : tensor<?x6xf32>
  %j = df.tanh %i : tensor<?x6xf32>
  %s1 = df.reduce_sum %j {axes = array<i64: 0, 1>} : (tensor<?x6xf32>) -> tensor<f32>
  %m = df.reduce_sum %b {axes = array<i64: 1>} : (tensor<?x0xf32>) -> tensor<?xf32>
  %s2 = df.reduce_sum %m {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %l = df.add %s1, %s2 : tensor<f32>
  %gx, %ge, %gz = df.gradients %l wrt [] %x, %e, %z : (tensor<f32>, tensor<?x6xf32>, tensor<?x0xf32>, tensor<0x6xf32>) -> (tensor<?x6xf32>, tensor<?x0xf32>, tensor<0x6xf32>)
  df.return %l, %gx, %ge, %gz : tensor<f32>, tensor<?x6xf32>, tensor<?x0xf32>, tensor<0x6xf32>
}
df.function @gradients_of_rows(%y: tensor<4x6xf32> {df.name = "gradients_of_rows/x0"}, %v: tensor<6xf32> {df.name = "gradients_of_rows/x1"}, %none: tensor<0xi64> {df.name = "gradients_of_rows/x2"}) -> (tensor<f32> {df.name = "y0"}, tensor<4x6xf32> {df.name = "y1"}, tensor<6xf32> {df.name = "y2"}) {
  %t = df.gather %y, %none {axes = array<i64: 0>} : (tensor<4x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  %l0, %a = df.scan (%v) over (%t) : (tensor<6xf32>, tensor<0x6xf32>) -> (tensor<6xf32>, tensor<0x6xf32>) {
  ^bb0(%h: tensor<6xf32>, %r: tensor<6xf32>):
  %n = df.mul %h, %r : tensor<6xf32>
  df.yield %n, %h : tensor<6xf32>, tensor<6xf32>
  }
  %j = df.tanh %l0 : tensor<6xf32>
  %s1 = df.reduce_sum %j {axes = array<i64: 0>} : (tensor<6xf32>) -> tensor<f32>
  %s2 = df.reduce_sum %a {axes = array<i64: 0, 1>} : (tensor<0x6xf32>) -> tensor<f32>
  %l = df.add %s1, %s2 : tensor<f32>
  %gy, %gv = df.gradients %l wrt [] %y, %v : (tensor<f32>, tensor<4x6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
  df.return %l, %gy, %gv : tensor<f32>, tensor<4x6xf32>, tensor<6xf32>
}
