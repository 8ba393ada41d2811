// Reads at indices of their own: neighbours in memory are read as vectors, an index that data says is a scalar.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-df-to-linalg --mlc-fuse --mlc-bufferize --mlc-kernels | FileCheck %s

// Behind the copy that is checked: whole rows, and what is computed of them in one pass: the index is read once for each row.
// CHECK-LABEL: func.func private @kernel_1
// CHECK:         %[[I:.*]] = memref.load %{{.*}} : memref<{{.*}}xi64
// CHECK:         arith.index_cast %[[I]] : i64 to index
// CHECK-NOT:     arith.index_cast {{.*}} : vector
// CHECK:         %[[X:.*]] = vector.load %{{.*}} : memref<{{.*}}>, vector<8xf32>
// CHECK:         %[[N:.*]] = arith.negf %[[X]] : vector<8xf32>
// CHECK:         vector.store %[[N]], %{{.*}} : memref<{{.*}}>, vector<8xf32>
df.function @rows(%x: tensor<7x16xf32> {df.binding = #df.binding<feature, "x">}, %i: tensor<?xi64> {df.binding = #df.binding<feature, "i">})
    -> (tensor<?x16xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>, segment = #df.segment<step>, entry = "rows"} {
  %r = df.gather %x, %i {axes = array<i64: 0>} : (tensor<7x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>
  %y = df.neg %r : tensor<?x16xf32>
  df.return %y : tensor<?x16xf32>
}
