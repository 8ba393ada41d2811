// RUN: mlc-opt %s --convert-df-to-linalg --mlc-fuse --mlc-bufferize --mlc-kernels | FileCheck %s

// The workspace is a formula of the rows; a segment takes a frame; equal kernels are one function.
// CHECK: func.func @a.workspace(%{{.*}}: !llvm.ptr, %{{.*}}: i64) -> i64
// CHECK: func.func @a(%{{.*}}: !llvm.ptr) -> i32
// CHECK-COUNT-2: constant @kernel_0 :
// CHECK: call @run_group(
// CHECK-NOT: memref.alloc
// CHECK-NOT: kern.launch
df.function @a(%x: tensor<?x64xf32> {df.binding = #df.binding<feature, "x">}, %y: tensor<?x64xf32> {df.binding = #df.binding<feature, "y">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "u">}, tensor<?xf32> {df.binding = #df.binding<output, "v">}, tensor<64x64xf32> {df.binding = #df.binding<output, "w">})
    attributes {role = #df.role<predict>} {
  %u = df.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x64xf32>) -> tensor<?xf32>
  %v = df.reduce_sum %y {axes = array<i64: 1>} : (tensor<?x64xf32>) -> tensor<?xf32>
  %w = df.matmul %x, %y {transpose_a} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<64x64xf32>
  df.return %u, %v, %w : tensor<?xf32>, tensor<?xf32>, tensor<64x64xf32>
}
