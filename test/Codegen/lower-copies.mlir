// Copies of one kind are a launch over constant tables: buffers of the frame by number, parts of one buffer by offset.
// RUN: mlc-opt %s --split-input-file --codegen-bind-frames | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of one buffer from buffers 0, 2, 1 of the frame: no pointer of a source is in the code. The offsets are steps of 4 bytes.
// CHECK:       llvm.mlir.global private constant @[[$NUMBERS:.*]](dense<[0, 2, 1]> : tensor<3xi64>)
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     llvm.alloca %{{.*}} x !llvm.ptr
// CHECK:         call @run_group(
// CHECK-LABEL: func.func private @copies_0(
// CHECK:         llvm.mlir.addressof @[[$NUMBERS]]
// CHECK-NOT:     llvm.intr.memcpy
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr
func.func @columns(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %x: memref<?x3xf32>) attributes {df.role = #df.role<predict>, df.type = () -> ()} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %0 = memref.expand_shape %a [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %1 = memref.expand_shape %b [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %2 = memref.expand_shape %c [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %x0 = memref.subview %x[0, 0] [%n, 1] [1, 1] : memref<?x3xf32> to memref<?x1xf32, strided<[3, 1]>>
  %x1 = memref.subview %x[0, 1] [%n, 1] [1, 1] : memref<?x3xf32> to memref<?x1xf32, strided<[3, 1], offset: 1>>
  %x2 = memref.subview %x[0, 2] [%n, 1] [1, 1] : memref<?x3xf32> to memref<?x1xf32, strided<[3, 1], offset: 2>>
  kern.copies %0, %2, %1 to %x0, %x1, %x2 : memref<?x1xf32>, memref<?x1xf32>, memref<?x1xf32>
    to memref<?x1xf32, strided<[3, 1]>>, memref<?x1xf32, strided<[3, 1], offset: 1>>, memref<?x1xf32, strided<[3, 1], offset: 2>>
  return
}

// -----

// Rows of 12 bytes of two temporaries, whose pointers go to a table on the stack; irregular offsets are a table, too.
// CHECK-DAG:   llvm.mlir.global private constant @{{.*}}(dense<[0, 1, 0]> : tensor<3xi64>)
// CHECK-DAG:   llvm.mlir.global private constant @{{.*}}(dense<[0, 12, 36]> : tensor<3xi64>)
// CHECK-DAG:   llvm.mlir.global private constant @{{.*}}(dense<[0, 1, 2]> : tensor<3xi64>)
// CHECK-LABEL: func.func @temporaries(
// CHECK:         memref.alloca() : memref<2xi64>
// CHECK-LABEL: func.func private @copies_0(
// CHECK:         "llvm.intr.memcpy"
func.func @temporaries(%a: memref<1x3xf32>, %b: memref<1x3xf32>, %c: memref<1x3xf32>, %workspace: memref<?xi8>)
    attributes {df.role = #df.role<predict>, df.type = () -> (), mlc.workspace = array<i64: 1, 4, 0>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = memref.view %workspace[%c0][] : memref<?xi8> to memref<4x3xf32>
  %y = memref.view %workspace[%c64][] : memref<?xi8> to memref<4x3xf32>
  %0 = memref.subview %x[0, 0] [1, 3] [1, 1] : memref<4x3xf32> to memref<1x3xf32, strided<[3, 1]>>
  %1 = memref.subview %y[1, 0] [1, 3] [1, 1] : memref<4x3xf32> to memref<1x3xf32, strided<[3, 1], offset: 3>>
  %2 = memref.subview %x[3, 0] [1, 3] [1, 1] : memref<4x3xf32> to memref<1x3xf32, strided<[3, 1], offset: 9>>
  kern.copies %0, %1, %2 to %a, %b, %c : memref<1x3xf32, strided<[3, 1]>>, memref<1x3xf32, strided<[3, 1], offset: 3>>, memref<1x3xf32, strided<[3, 1], offset: 9>>
    to memref<1x3xf32>, memref<1x3xf32>, memref<1x3xf32>
  return
}

// -----

// Copies that nothing stands before.
// CHECK-LABEL: func.func @first(
// CHECK:         call @run_group(
func.func @first(%a: memref<3xf32>, %b: memref<3xf32>, %x: memref<3xf32>, %y: memref<3xf32>) attributes {df.role = #df.role<predict>, df.type = () -> ()} {
  kern.copies %a, %b to %x, %y : memref<3xf32>, memref<3xf32> to memref<3xf32>, memref<3xf32>
  return
}
