// Iterations of a df.scan that may overlap, through conversion, fusion, bufferization, the lowering of kernels and grouping: the
// products of two rows are launched as one group, while a loop for the rest follows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(mlc-df-pipeline,convert-df-to-linalg,mlc-fuse,mlc-bufferize,cpu-attach-target,func.func(cpu-plan-contracts,cpu-pack-contracts,cpu-lower-kernels,codegen-group-launches))' | FileCheck %s

// No iteration writes the weights: they are packed once, before the loops. Then the first product of a row, beside its second one the first one
// of the next row, and that row's second one.
// CHECK: kern.launch %{{.*}} cost [[PACK:[0-9]+]] {
// CHECK: scf.for
// CHECK-NOT: cost [[PACK]] {
// CHECK: kern.launch %{{.*}} cost [[PRODUCT:6[0-9]]]
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost [[PRODUCT]]
// CHECK: kern.launch %{{.*}} cost [[PRODUCT]]
// CHECK: kern.launch %{{.*}} cost [[PRODUCT]]
// CHECK: scf.for %{{.*}} step %{{.*}} {

df.function @predict(%x: tensor<?x4x4xf32> {df.name = "x"}, %w: tensor<4x4xf32> {df.name = "w"}) -> (tensor<?x4x4xf32> {df.name = "y"}) attributes {role = #df.role<other>} {
  %y = df.scan () over (%x) parallel_iterations 2 : (tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  ^bb0(%row: tensor<4x4xf32>):
    %p = df.matmul %row, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = df.matmul %p, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    df.yield %q : tensor<4x4xf32>
  }
  df.return %y : tensor<?x4x4xf32>
}
