// Entries that run at once wait for room and for elements; what one op puts in stays together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret='together functions=consume,first,second' -o /dev/null | FileCheck %s
// RUN: mlc-opt %s --df-interpret='together functions=second,first,consume' -o /dev/null | FileCheck %s --check-prefix=OTHER
// RUN: not mlc-opt %s --df-interpret='functions=first' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not mlc-opt %s --df-interpret='functions=nobody' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOBODY

// CHECK:      @consume
// CHECK-NEXT:   0: tensor<8xi64> [1, 2, 3, 4, 5, 6, 7, 8]
// OTHER:      @consume
// OTHER-NEXT:   0: tensor<8xi64> [5, 6, 7, 8, 1, 2, 3, 4]
// ALONE: error: 'df.enqueue_many' op would wait for ever: queue @q is full with 2 elements
// NOBODY: error: no program has a df.function @nobody
dist.program @cpu_0 on "/device:CPU:0" {
  df.queue fifo @q capacity 2 : [tensor<i64>]
  df.function @consume() -> tensor<8xi64> {
    %n = df.constant dense<8> : tensor<i64>
    %all = df.scan () count %n : (tensor<i64>) -> tensor<?xi64> {
      %x = df.dequeue @q : tensor<i64>
      df.yield %x : tensor<i64>
    }
    %shape = df.constant dense<8> : tensor<1xi64>
    %eight = df.dynamic_reshape %all, %shape : (tensor<?xi64>, tensor<1xi64>) -> tensor<8xi64>
    df.return %eight : tensor<8xi64>
  }
  df.function @first() {
    %x = df.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    df.enqueue_many @q, %x : tensor<4xi64>
    df.return
  }
  df.function @second() {
    %x = df.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    df.enqueue_many @q, %x : tensor<4xi64>
    df.return
  }
}
