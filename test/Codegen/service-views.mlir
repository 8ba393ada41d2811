// A service takes elements that lie one after another: columns of a matrix are copied for it, rows are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --codegen-bufferize | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK: %[[VIEW:.*]] = memref.subview %{{.*}} : memref<?x7xf32> to memref<?x3xf32, strided<[7, 1], offset: 2>>
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) : memref<?x3xf32>
// CHECK: memref.copy %[[VIEW]], %[[COPY]]
// CHECK: kern.sort_positions keys(%[[COPY]] :
func.func @columns(%x: memref<?x7xf32>, %outer: memref<i64>, %n: memref<i64>, %inner: memref<i64>, %m: memref<i64>, %y: memref<?x3xi64>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x7xf32>
  %of = bufferization.to_tensor %outer restrict : memref<i64> to tensor<i64>
  %on = bufferization.to_tensor %n restrict : memref<i64> to tensor<i64>
  %oi = bufferization.to_tensor %inner restrict : memref<i64> to tensor<i64>
  %om = bufferization.to_tensor %m restrict : memref<i64> to tensor<i64>
  %matrix = bufferization.to_tensor %x restrict : memref<?x7xf32> to tensor<?x7xf32>
  %to = bufferization.to_tensor %y restrict writable : memref<?x3xi64> to tensor<?x3xi64>
  %keys = tensor.extract_slice %matrix[0, 2] [%rows, 3] [1, 1] : tensor<?x7xf32> to tensor<?x3xf32>
  %p = kern.sort_positions keys(%keys : tensor<?x3xf32>) dtype = 1 outer(%of : tensor<i64>) n(%on : tensor<i64>) inner(%oi : tensor<i64>) descending = 0 m(%om : tensor<i64>)
      outs(%to : tensor<?x3xi64>) -> tensor<?x3xi64>
  bufferization.materialize_in_destination %p in restrict writable %y : (tensor<?x3xi64>, memref<?x3xi64>) -> ()
  return
}

// CHECK-LABEL: func.func @rows
// CHECK: %[[VIEW:.*]] = memref.subview %{{.*}} : memref<9x7xf32> to memref<4x7xf32, strided<[7, 1], offset: 14>>
// CHECK-NOT: memref.copy
// CHECK: kern.sort_positions keys(%[[VIEW]] :
func.func @rows(%x: memref<9x7xf32>, %outer: memref<i64>, %n: memref<i64>, %inner: memref<i64>, %m: memref<i64>, %y: memref<4x7xi64>) {
  %of = bufferization.to_tensor %outer restrict : memref<i64> to tensor<i64>
  %on = bufferization.to_tensor %n restrict : memref<i64> to tensor<i64>
  %oi = bufferization.to_tensor %inner restrict : memref<i64> to tensor<i64>
  %om = bufferization.to_tensor %m restrict : memref<i64> to tensor<i64>
  %matrix = bufferization.to_tensor %x restrict : memref<9x7xf32> to tensor<9x7xf32>
  %to = bufferization.to_tensor %y restrict writable : memref<4x7xi64> to tensor<4x7xi64>
  %keys = tensor.extract_slice %matrix[2, 0] [4, 7] [1, 1] : tensor<9x7xf32> to tensor<4x7xf32>
  %p = kern.sort_positions keys(%keys : tensor<4x7xf32>) dtype = 1 outer(%of : tensor<i64>) n(%on : tensor<i64>) inner(%oi : tensor<i64>) descending = 0 m(%om : tensor<i64>)
      outs(%to : tensor<4x7xi64>) -> tensor<4x7xi64>
  bufferization.materialize_in_destination %p in restrict writable %y : (tensor<4x7xi64>, memref<4x7xi64>) -> ()
  return
}

// So are elements whose strides are none that a number holds.
// CHECK-LABEL: func.func @too_many
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<2x4611686018427387904x4xf32>
// CHECK: kern.sort_positions keys(%[[ALL]] :
func.func @too_many(%x: memref<2x4611686018427387904x4xf32, strided<[0, 4, 1]>>, %outer: memref<i64>, %n: memref<i64>, %inner: memref<i64>, %m: memref<i64>, %y: memref<2x3xi64>) {
  %of = bufferization.to_tensor %outer restrict : memref<i64> to tensor<i64>
  %on = bufferization.to_tensor %n restrict : memref<i64> to tensor<i64>
  %oi = bufferization.to_tensor %inner restrict : memref<i64> to tensor<i64>
  %om = bufferization.to_tensor %m restrict : memref<i64> to tensor<i64>
  %keys = bufferization.to_tensor %x restrict : memref<2x4611686018427387904x4xf32, strided<[0, 4, 1]>> to tensor<2x4611686018427387904x4xf32>
  %to = bufferization.to_tensor %y restrict writable : memref<2x3xi64> to tensor<2x3xi64>
  %p = kern.sort_positions keys(%keys : tensor<2x4611686018427387904x4xf32>) dtype = 1 outer(%of : tensor<i64>) n(%on : tensor<i64>) inner(%oi : tensor<i64>) descending = 0 m(%om : tensor<i64>)
      outs(%to : tensor<2x3xi64>) -> tensor<2x3xi64>
  bufferization.materialize_in_destination %p in restrict writable %y : (tensor<2x3xi64>, memref<2x3xi64>) -> ()
  return
}
