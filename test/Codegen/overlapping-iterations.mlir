// Iterations of a df.scan that may overlap, through conversion, fusion, bufferization, the lowering of kernels and grouping: the
// second products of two rows are launched as one group with each other, while a loop for the rest follows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(mlc-df-pipeline,convert-df-to-linalg,mlc-fuse,mlc-bufferize,cpu-attach-target,func.func(cpu-lower-kernels,codegen-group-launches))' | FileCheck %s

// The packing of the first product of both rows, then both first products.
// CHECK: scf.for
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost [[PACK:[0-9]+]]
// CHECK: kern.launch %{{.*}} cost [[PACK]]
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost [[PRODUCT:[0-9]+]]
// CHECK: kern.launch %{{.*}} cost [[PACK]]
// CHECK: kern.launch %{{.*}} cost [[PRODUCT]]
// CHECK: kern.group
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
