// RUN: mlc-opt %s --split-input-file --cuda-emit-kernels=chips=sm_80,sm_90a | FileCheck %s
// What a tensor map is made of stands beside the kernel, in code for chips that have such copies; other chips' code has neither parameters for it nor the memory that goes with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:      .target sm_80
// CHECK-NOT:  {{\[128\]|extern .shared}}
// CHECK-SAME: st.global.b32
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .extern .shared .align 128 .b8 copy$shared0[];
// CHECK-SAME: .visible .global .align 8 .b8 copy$needs[168] = {32, 1,
// CHECK-SAME: .visible .entry copy(
// CHECK-SAME: .param .align 64 .b8 copy_param_2[128]
// CHECK-SAME: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
func.func private @copy(%x: memref<?xf32, 1>, %n: index, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 32, shared_bytes = 0>} {
  %c64 = arith.constant 64 : index
  %c7 = arith.constant 7 : i32
  %zero = arith.constant 0.0 : f32
  %map, %exists = kern.tensor_map %x[%c64, %n] offset 0 strides [1, 64] box [8, 8] swizzle 32 : memref<?xf32, 1>
  scf.if %exists {
    %memory = memref.alloca() {alignment = 128 : i64, of_launch} : memref<72xf32, 3>
    %number = memref.extract_aligned_pointer_as_index %memory : memref<72xf32, 3> -> index
    %bits = arith.index_cast %number : index to i64
    %shared = llvm.inttoptr %bits : i64 to !llvm.ptr<3>
    %barrier = llvm.getelementptr %shared[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %to = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %descriptor = llvm.inttoptr %map : i64 to !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %descriptor, %barrier, box [%c7, %c7] : !llvm.ptr<7>, !llvm.ptr
  } else {
    memref.store %zero, %x[%thread] : memref<?xf32, 1>
  }
  return
}

// -----

// A kernel that computes a size has no map, and so the code of other chips alone.
// CHECK:      .target sm_80
// CHECK-NOT:  {{\[128\]|needs|sm_90a}}
// CHECK-SAME: st.global.b32
func.func private @computes(%x: memref<?xf32, 1>, %n: index, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 32, shared_bytes = 0>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = arith.addi %n, %n : index
  %map, %exists = kern.tensor_map %x[%m, %n] offset 0 strides [1, 64] box [8, 8] swizzle 32 : memref<?xf32, 1>
  %value = arith.select %exists, %zero, %one : f32
  memref.store %value, %x[%thread] : memref<?xf32, 1>
  return
}
