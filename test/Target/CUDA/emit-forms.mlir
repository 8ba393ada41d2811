// What an image has besides PTX, and that there is no other form.
// RUN: mlc-opt %s --cuda-emit-kernels="chips=sm_80 form=nvvm" | FileCheck %s
// RUN: not mlc-opt %s --cuda-emit-kernels=form=sass 2>&1 | FileCheck %s --check-prefix=OTHER
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:      module attributes {mlc.images = [{chip = "sm_80", data =
// CHECK-SAME: llvm.func @zero({{.*}}nvvm.kernel
// CHECK-SAME: kind = "nvvm"}]}
// CHECK-NOT:  @zero
// OTHER: error: the form of an image is 'sass'; expected ptx or nvvm
func.func @zero(%x: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 256, shared_bytes = 0>} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%thread] : memref<?xf32, 1>
  return
}
