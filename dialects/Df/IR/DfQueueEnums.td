// Kinds of queues of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_QUEUE_ENUMS_TD
#define DF_QUEUE_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Df_QueueKind : I32EnumAttr<"QueueKind", "which element of a queue leaves first", [
  I32EnumAttrCase<"Fifo", 0, "fifo">, I32EnumAttrCase<"RandomShuffle", 1, "random_shuffle">,
  I32EnumAttrCase<"PaddingFifo", 2, "padding_fifo">, I32EnumAttrCase<"Priority", 3, "priority">]> {
  let cppNamespace = "::mlc::df";
}

#endif // DF_QUEUE_ENUMS_TD
