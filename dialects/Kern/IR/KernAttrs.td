// Attributes and enums of the kern dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_ATTRS_TD
#define KERN_ATTRS_TD

include "dialects/Kern/IR/KernBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Kern_Attr<string attrName, string attrMnemonic> : AttrDef<Kern_Dialect, attrName> {
  let mnemonic = attrMnemonic;
}

def Kern_ContractForm : I32EnumAttr<"ContractForm", "what the lanes of a product are", [
  I32EnumAttrCase<"Panels", 0, "panels">, I32EnumAttrCase<"Dots", 1, "dots">, I32EnumAttrCase<"Rows", 2, "rows">]> {
  let cppNamespace = "::mlc::kern";
  let genSpecializedAttr = 0;
}

def Kern_TilingAttr : Kern_Attr<"Tiling", "tiling"> {
  let summary = "how a target runs a product";
  let description = [{
    `form` says what lies beside each other in vectors. `panels`: columns of the right side, which is packed (`kern.pack`) into panels of
    `columns`. `dots`: of a product with one column, the inner dimension; products are summed as along neighbours. `rows`: of a
    product with one column, rows.

    `rows` x `columns` accumulators are computed at once, a tile; `inner` steps of the inner dimension make a block, after which
    sums wait in the first out (0: there is one block); `task_rows` x `task_columns` tiles are one task. All are chosen from types and shapes, by
    the pass of a target that plans.

    Example: `#kern.tiling<panels, rows = 6, columns = 16, inner = 0, task_rows = 8, task_columns = 2>`. Constraints: (C1) all numbers are at least 1,
    `inner` at least 0; (C2) `dots` and `rows` have one column and one block.
  }];
  let parameters = (ins EnumParameter<Kern_ContractForm>:$form, "int64_t":$rows, "int64_t":$columns, "int64_t":$inner,
                        "int64_t":$task_rows, "int64_t":$task_columns);
  let assemblyFormat = "`<` $form `,` struct($rows, $columns, $inner, $task_rows, $task_columns) `>`";
  let genVerifyDecl = 1;
}

def Kern_GridAttr : Kern_Attr<"Grid", "grid"> {
  let summary = "how tasks of a launch run on a device of many threads";
  let description = [{
    Each task is a block of `threads` threads, which share `shared_bytes` of memory.

    Example: `#kern.grid<threads = 256, shared_bytes = 49152>`. Constraints: (C1) a block has at least one thread; (C2) shared memory is at
    least 0 bytes.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$shared_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // KERN_ATTRS_TD
