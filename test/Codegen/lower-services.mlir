// Calls of a service that hand over a number each.
// RUN: mlc-opt %s --codegen-lower-services | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Four and more in a row are a loop over a table, which ends the segment at the first failure as they do.
// CHECK:       llvm.mlir.global private constant @[[$NUMBERS:.*]](dense<[0, 1, 5, 7]> : tensor<4xi64>)
// CHECK-LABEL: func.func @many(
// CHECK:         %[[TABLE:.*]] = llvm.mlir.addressof @[[$NUMBERS]]
// CHECK:         cf.br ^[[LOOP:.*]](%{{.*}} : i64)
// CHECK:       ^[[LOOP]](%[[I:.*]]: i64):
// CHECK:         %[[CELL:.*]] = llvm.getelementptr %[[TABLE]][%[[I]]]
// CHECK:         %[[NUMBER:.*]] = llvm.load %[[CELL]] : !llvm.ptr -> i64
// CHECK:         %[[CODE:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[NUMBER]])
// CHECK:         %[[FAILED:.*]] = arith.cmpi ne, %[[CODE]]
// CHECK:         cf.cond_br %[[FAILED]], ^{{.*}}, ^[[NEXT:.*]]
// CHECK:       ^[[NEXT]]:
// CHECK:         cf.cond_br %{{.*}}, ^[[LOOP]](%{{.*}} : i64), ^{{.*}}
// CHECK-NOT:     llvm.call
// CHECK:         llvm.call
// CHECK-NOT:     llvm.call
// CHECK:         return
func.func @many(%frame: !llvm.ptr) -> i32 {
  %ok = arith.constant 0 : i32
  kern.await_operand operand = 0
  kern.await_operand operand = 1
  kern.await_operand operand = 5
  kern.await_operand operand = 7
  kern.operand_done operand = 2
  return %ok : i32
}
