// Lowerings ask the module which CPU code is for.
// RUN: mlc-opt %s --cpu-attach-target | FileCheck %s --check-prefix=FACTS
// RUN: mlc-opt %s --cpu-attach-target="cpu=x86-64-v4 vector-bits=512 vector-registers=32" | FileCheck %s --check-prefix=WIDE
// RUN: mlc-opt %s --cpu-attach-target --cpu-lower-kernels | FileCheck %s --check-prefix=EIGHT
// RUN: mlc-opt %s --cpu-attach-target="cpu=x86-64-v4 vector-bits=512 vector-registers=32" --cpu-lower-kernels | FileCheck %s --check-prefix=SIXTEEN
// RUN: %exit 1 mlc-opt %s --cpu-attach-target=vector-bits=128 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %exit 1 mlc-opt %s --cpu-lower-kernels 2>&1 | FileCheck %s --check-prefix=NONE
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FACTS: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"name" = "x86-64-v3", "vector_bits" = 256 : i64, "vector_registers" = 16 : i64>>}
// WIDE: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"name" = "x86-64-v4", "vector_bits" = 512 : i64, "vector_registers" = 32 : i64>>}
// EIGHT: vector<8xf32>
// SIXTEEN: vector<16xf32>
// NARROW: error: the module's CPU has no code: expected "name", "vector_bits" 256 or 512, and "vector_registers" of 16 at least
// NONE: attach-target.mlir:[[@LINE+1]]:1: error: the module names no CPU in 'dlti.target_system_spec'; expected cpu-attach-target to run before
func.func @negate(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}
