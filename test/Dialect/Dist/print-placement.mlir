// Placement by cost: what is told of it, and that it follows speeds and links.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --dist-place='devices=/cpu:0,/gpu:0 operations-per-second=5e10 bytes-per-second=1e10' --dist-print-placement -o /dev/null | FileCheck %s --check-prefix=EQUAL
// RUN: mlc-opt %s --dist-place=devices=/cpu:0,/gpu:0 --dist-print-placement -o /dev/null | FileCheck %s --check-prefix=FAST
// RUN: mlc-opt %s --dist-place='devices=/cpu:0,/gpu:0 operations-per-second=1e9,1e13 bytes-per-second=1e10,1e12' --dist-print-placement -o /dev/null | FileCheck %s --check-prefix=FAST
// RUN: mlc-opt %s --dist-place='devices=/cpu:0,/gpu:0 operations-per-second=1e9,1e13 bytes-per-second=1e10,1e12 link-latency-seconds=1' --dist-print-placement -o /dev/null | FileCheck %s --check-prefix=SLOW
// RUN: mlc-opt %s --dist-place='devices=/cpu:0,/gpu:0,/gpu:1 operations-per-second=1e9,1e13,1e14 bytes-per-second=1e10,1e12,1e12' --dist-print-placement -o /dev/null | FileCheck %s --check-prefix=THREE

// Of two equal devices all is on the first: nothing crosses.
// EQUAL:      @products
// EQUAL-NEXT:   /device:CPU:0: 4 ops, 1.00762e+08 operations, 3.2768e+06 bytes
// EQUAL-NOT:    ->

// A device that is fast, as a GPU is where nothing is said, is worth two messages.
// FAST:      @products
// FAST-NEXT:   /device:CPU:0: 0 ops, 0 operations, 0 bytes
// FAST-NEXT:   /device:GPU:0: 4 ops, 1.00762e+08 operations, 3.2768e+06 bytes
// FAST-NEXT:   /device:CPU:0 -> /device:GPU:0: 1 messages, 3 values, 1.83501e+06 bytes
// FAST-NEXT:   /device:GPU:0 -> /device:CPU:0: 1 messages, 1 values, 131072 bytes

// No message is worth a second.
// SLOW:      @products
// SLOW-NEXT:   /device:CPU:0: 4 ops
// SLOW-NOT:    ->

// Three devices are placed by steps.
// THREE:      @products
// THREE:        /device:GPU:{{[01]}}: {{[34]}} ops
df.function @products(%x: tensor<128x512xf32>, %w: tensor<512x512xf32>, %v: tensor<512x256xf32>) -> tensor<128x256xf32> {
  %a = df.relu %x : tensor<128x512xf32>
  %b = df.matmul %a, %w : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %c = df.matmul %b, %v : (tensor<128x512xf32>, tensor<512x256xf32>) -> tensor<128x256xf32>
  %d = df.relu %c : tensor<128x256xf32>
  df.return %d : tensor<128x256xf32>
}
