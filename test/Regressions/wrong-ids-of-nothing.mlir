// Ids, starts and ends that data gets wrong fail a call also where there is no element to take or put: what has none was
// made without looking at them. An id is the number of rows of the call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @take_rows(%x: tensor<4x0xf32> {df.name = "take_rows/x0"}, %rows: tensor<?xf32> {df.name = "take_rows/x1"}) -> (tensor<6x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.gather %x, %i {axes = array<i64: 0>, skip_negative} : (tensor<4x0xf32>, tensor<6xi64>) -> tensor<6x0xf32>
  df.return %r : tensor<6x0xf32>
}
df.function @take(%x: tensor<4x0xf32> {df.name = "take/x0"}, %rows: tensor<?xf32> {df.name = "take/x1"}) -> (tensor<6x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.gather %x, %i {axes = array<i64: 0>} : (tensor<4x0xf32>, tensor<6xi64>) -> tensor<6x0xf32>
  df.return %r : tensor<6x0xf32>
}
df.function @gather_nd(%x: tensor<4x0xf32> {df.name = "gather_nd/x0"}, %rows: tensor<?xf32> {df.name = "gather_nd/x1"}) -> (tensor<6x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.gather %x, %i {axes = array<i64: 0>} : (tensor<4x0xf32>, tensor<6xi64>) -> tensor<6x0xf32>
  df.return %r : tensor<6x0xf32>
}
df.function @gather_skip(%x: tensor<4x0xf32> {df.name = "gather_skip/x0"}, %rows: tensor<?xf32> {df.name = "gather_skip/x1"}) -> (tensor<6x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.gather %x, %i {axes = array<i64: 0>, skip_negative} : (tensor<4x0xf32>, tensor<6xi64>) -> tensor<6x0xf32>
  df.return %r : tensor<6x0xf32>
}
df.function @gather_axis(%x: tensor<0x4xf32> {df.name = "gather_axis/x0"}, %rows: tensor<?xf32> {df.name = "gather_axis/x1"}) -> (tensor<0x6xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.gather %x, %i {axes = array<i64: 1>} : (tensor<0x4xf32>, tensor<6xi64>) -> tensor<0x6xf32>
  df.return %r : tensor<0x6xf32>
}
df.function @scatter_nd(%x: tensor<4x0xf32> {df.name = "scatter_nd/x0"}, %u: tensor<6x0xf32> {df.name = "scatter_nd/x1"}, %rows: tensor<?xf32> {df.name = "scatter_nd/x2"}) -> (tensor<4x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<4x0xf32>, tensor<6xi64>, tensor<6x0xf32>) -> tensor<4x0xf32>
  df.return %r : tensor<4x0xf32>
}
df.function @segment_reduce(%x: tensor<6x0xf32> {df.name = "segment_reduce/x0"}, %rows: tensor<?xf32> {df.name = "segment_reduce/x1"}) -> (tensor<2x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<6xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<6xi64>) -> tensor<6xi64>
  %r = df.segment_reduce sum %x, %i : (tensor<6x0xf32>, tensor<6xi64>) -> tensor<2x0xf32>
  df.return %r : tensor<2x0xf32>
}
df.function @dynamic_slice(%x: tensor<4x5xf32> {df.name = "dynamic_slice/x0"}, %rows: tensor<?xf32> {df.name = "dynamic_slice/x1"}) -> (tensor<2x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<2xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<2xi64>) -> tensor<2xi64>
  %r = df.dynamic_slice %x, %i : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<2x0xf32>
  df.return %r : tensor<2x0xf32>
}
df.function @dynamic_slice_of_unknown(%x: tensor<?x5xf32> {df.name = "dynamic_slice_of_unknown/x0"}, %rows: tensor<?xf32> {df.name = "dynamic_slice_of_unknown/x1"}) -> (tensor<0x5xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<2xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<2xi64>) -> tensor<2xi64>
  %r = df.dynamic_slice %x, %z : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<0x5xf32>
  df.return %r : tensor<0x5xf32>
}
df.function @dynamic_update_slice(%x: tensor<4x1xf32> {df.name = "dynamic_update_slice/x0"}, %u: tensor<2x0xf32> {df.name = "dynamic_update_slice/x1"}, %rows: tensor<?xf32> {df.name = "dynamic_update_slice/x2"}) -> (tensor<4x1xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<2xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<2xi64>) -> tensor<2xi64>
  %r = df.dynamic_update_slice %x, %u, %i : (tensor<4x1xf32>, tensor<2x0xf32>, tensor<2xi64>) -> tensor<4x1xf32>
  df.return %r : tensor<4x1xf32>
}
df.function @strided_slice(%x: tensor<?x0xf32> {df.name = "strided_slice/x0"}) -> (tensor<2x0xf32> {df.name = "y0"}) {
  %r = df.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 2, 0>, strides = array<i64: 2, 1>} : (tensor<?x0xf32>) -> tensor<2x0xf32>
  df.return %r : tensor<2x0xf32>
}
df.function @update_slice(%x: tensor<?x0xf32> {df.name = "update_slice/x0"}, %u: tensor<2x0xf32> {df.name = "update_slice/x1"}) -> (tensor<?x0xf32> {df.name = "y0"}) {
  %r = df.update_slice %x, %u {starts = array<i64: 1, 0>, strides = array<i64: 1, 1>} : (tensor<?x0xf32>, tensor<2x0xf32>) -> tensor<?x0xf32>
  df.return %r : tensor<?x0xf32>
}
df.function @ragged_reduce(%x: tensor<1x0xf32> {df.name = "ragged_reduce/x0"}, %rows: tensor<?xf32> {df.name = "ragged_reduce/x1"}) -> (tensor<1x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<1xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %r = df.ragged_reduce sum %x, %i : (tensor<1x0xf32>, tensor<1xi64>) -> tensor<1x0xf32>
  df.return %r : tensor<1x0xf32>
}
df.function @ragged_repeat(%x: tensor<1x0xf32> {df.name = "ragged_repeat/x0"}, %l: tensor<1xi64> {df.name = "ragged_repeat/x1"}, %rows: tensor<?xf32> {df.name = "ragged_repeat/x2"}) -> (tensor<1x0xf32> {df.name = "y0"}) {
  %n = df.size %rows {dimensions = array<i64: 0>} : (tensor<?xf32>) -> tensor<i64>
  %z = df.constant dense<0> : tensor<1xi64>
  %i = df.broadcast %n like %z dimensions = [] : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %r = df.ragged_repeat %x, %i like %l : (tensor<1x0xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x0xf32>
  df.return %r : tensor<1x0xf32>
}
