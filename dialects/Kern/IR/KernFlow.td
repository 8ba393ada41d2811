// Control flow by what a device has computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_FLOW_TD
#define KERN_FLOW_TD

include "dialects/Kern/IR/KernBase.td"

// What the host asks a device for around them stays in its order: they read the byte as all before them leaves it.
class Kern_FlowOp<string mnemonic> : Kern_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def Kern_BranchOp : Kern_FlowOp<"branch"> {
  let summary = "begins a branch by what a device has computed";
  let description = [{
    Which of `sides` (1: where the byte of `condition` is not 0, 2: where it is 0; 3: both) the host is to ask the device for: by the runtime's service device_branch, which waits for the byte, or has a device that records take both. Each side that is
    taken stands between a `kern.device_side` of its number and one of 0.

    Constraints: (C1) the condition is one i8 of a device's memory; (C2) sides are in [1, 3].

    Example: `%taken = kern.branch %c sides = 3 : memref<i8, 1>`
  }];
  let arguments = (ins AnyMemRef:$condition, I32Attr:$sides);
  let results = (outs I32:$taken);
  let assemblyFormat = "$condition `sides` `=` $sides attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Kern_LoopOp : Kern_FlowOp<"loop"> {
  let summary = "whether a loop goes round by what a device has computed";
  let description = [{
    Ends the condition of a loop that goes round while the byte of `condition` is not 0: by the runtime's service device_loop, which waits for the byte, or has a device that records take the body once. So the loop carries nothing on the host, and the host
    asks for the same in each iteration. `number` is that of no other loop of the function.

    Constraints: (C1) the condition is one i8 of a device's memory.

    Example: `%goes = kern.loop 0 while %c : memref<i8, 1>`
  }];
  let arguments = (ins AnyMemRef:$condition, I32Attr:$number);
  let results = (outs I1:$goes);
  let assemblyFormat = "$number `while` $condition attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

#endif // KERN_FLOW_TD
