// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file | FileCheck %s
// Descriptors of tensors in the memory of a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @map
func.func @map(%x: memref<?xbf16, 1>, %rows: index, %n: index) -> i1 {
  // CHECK: kern.tensor_map %{{.*}}[%{{.*}}, %{{.*}}] offset 8 strides [1, 96] box [32, 128] swizzle 64 : memref<?xbf16, 1>
  %map, %exists = kern.tensor_map %x[%n, %rows] offset 8 strides [1, 96] box [32, 128] swizzle 64 : memref<?xbf16, 1>
  return %exists : i1
}

// -----

func.func @flat(%x: memref<?x8xbf16, 1>, %n: index) {
  // expected-error@+1 {{(C1) the buffer must be flat, of f32, f16 or bf16; found 'memref<?x8xbf16, 1>'}}
  %map, %exists = kern.tensor_map %x[%n] offset 0 strides [1] box [32] swizzle 64 : memref<?x8xbf16, 1>
  return
}

// -----

func.func @rank(%x: memref<?xbf16, 1>, %n: index) {
  // expected-error@+1 {{(C2) there must be 1 to 5 sizes, and as many strides and extents of the box; found 1, 2 and 1}}
  %map, %exists = kern.tensor_map %x[%n] offset 0 strides [1, 8] box [32] swizzle 64 : memref<?xbf16, 1>
  return
}

// -----

func.func @stride(%x: memref<?xbf16, 1>, %n: index) {
  // expected-error@+1 {{(C2) the first stride must be 1, others, and the offset, multiples of 16 bytes}}
  %map, %exists = kern.tensor_map %x[%n, %n] offset 0 strides [1, 12] box [32, 8] swizzle 64 : memref<?xbf16, 1>
  return
}

// -----

func.func @box(%x: memref<?xbf16, 1>, %n: index) {
  // expected-error@+1 {{(C3) a box must have 1 to 256 elements in each dimension}}
  %map, %exists = kern.tensor_map %x[%n, %n] offset 0 strides [1, 16] box [32, 257] swizzle 64 : memref<?xbf16, 1>
  return
}

// -----

func.func @swizzle(%x: memref<?xbf16, 1>, %n: index) {
  // expected-error@+1 {{(C3) the swizzle must be 32, 64 or 128 bytes, as long as a row of the box; found 128 and rows of 64}}
  %map, %exists = kern.tensor_map %x[%n, %n] offset 0 strides [1, 16] box [32, 8] swizzle 128 : memref<?xbf16, 1>
  return
}
