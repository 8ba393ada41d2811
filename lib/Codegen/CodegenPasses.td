// Passes of code generation that are the same for all targets, in the order they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CODEGEN_PASSES_TD
#define MLC_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ShareSegments : Pass<"codegen-share-segments", "::mlir::ModuleOp"> {
  let summary = "Segments that are alike but for names have one code";
  let description = [{
    Two segments of one role whose bodies, types and bindings are equal, but for the names of what they are bound to, become one: the later one keeps its declaration, with the symbol of the one that has
    the code as `df.code`. Segments that are called keep their own code, which calls name. Each variable has an update
    for ranges of its rows and an initializer, and most of those of a wide model are alike.
    Precondition: func.funcs of tensors with `df.binding`s. Postcondition: the same; declarations with `df.code`, which codegen-bufferize drops when the table of the artifact has been made from them.
  }];
  let statistics = [Statistic<"numShared", "shared", "Segments that have another one's code">];
}

def KeepOnHost : Pass<"codegen-keep-on-host", "::mlir::ModuleOp"> {
  let summary = "Has large tables, and all of some entries, stay with the host";
  let description = [{
    Where a program has a device, two kinds of things stay with the host, which codegen-assign-spaces leaves there; they get `df.on_host`, variables wherever a segment is bound to them:

    - variables that a segment reads by rows (`df.pulled_by`), and their slots, which have at least `bytes` bytes each; where no table is as large there is a warning;
    - the segments of `entries` altogether, and the variables that these are bound to: parts of a program that are placed on a CPU.

    Before segments share code, which works in one place.
    Precondition: func.funcs of tensors with `df.binding`s, and their `df.variable`s. Postcondition: the same.
  }];
  let options = [Option<"bytes", "bytes", "int64_t", "-1", "Bytes of the smallest table that stays; -1: none does">,
                 ListOption<"entries", "entries", "std::string", "Entries (`df.entry`) whose segments the host runs">];
  let statistics = [Statistic<"numKept", "kept", "Variables that stay in the host's memory">];
}

def FuseKernels : Pass<"codegen-fuse-kernels", "::mlir::func::FuncOp"> {
  let summary = "Fuses element-wise chains, epilogues of contractions and sums of groups";
  let description = [{
    An element-wise generic that is the only reader of a `kern.contract` over the same rows and columns becomes its epilogue. An element-wise generic fuses into its
    reader; if it has several, only where one fused op can give all results (an optimizer's slot and its variable). `kern.group_sum` with one reader becomes the grouping of its
    `kern.update_rows`, and so does what is computed between them from scalars. What only moves elements (a broadcast) is repeated in each reader. No computation is repeated and none reordered: values keep their bits.
    A body has 1024 ops at most, an epilogue 256: longer chains become several kernels.
    Precondition: func.funcs of tensors. Postcondition: the same.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect"];
}

def EliminateEmptyTensors : Pass<"codegen-eliminate-empty-tensors", "::mlir::func::FuncOp"> {
  let summary = "Parts that are inserted are computed in place";
  let description = [{
    Upstream's elimination of empty tensors, where a function inserts anything: its analysis costs as much as that of the bufferization itself.
    Precondition: func.funcs of tensors, not bound yet: a state buffer would be read as a second tensor. Postcondition: the same.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def SplitResults : Pass<"codegen-split-results", "::mlir::func::FuncOp"> {
  let summary = "Results that are parts of one tensor become values of their own";
  let description = [{
    Results that are slices of one tensor along one dimension, four at least, are made by one `kern.split`: variables whose update was computed as one, gradients of what was concatenated.
    Precondition: func.funcs of tensors. Postcondition: the same.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::tensor::TensorDialect"];
}

def AssignSpaces : Pass<"codegen-assign-spaces", "::mlir::func::FuncOp"> {
  let summary = "Gives every tensor a memory space";
  let description = [{
    Operands of a segment whose `df.binding` is of a kind in `device` lie in space 1; of a step others do, too, where kernels alone touch them, and lie in the host's memory else. Kernels of a step, and loops that do nothing but write single elements, work in
    space 1; kernels of a segment of features, calls of services and of C functions, and what else reads or writes single elements (conditions of loops, sizes, numbers of tasks without `counts`) in the host's memory. Views and carried values stay where they come from. A value
    that is wanted elsewhere is copied by a `kern.transfer`, once for each space, where it is made. The space is the encoding of the tensor's type, which bufferization makes the memory space of
    the buffer's. Variables with `df.on_host` lie in the host's memory in spite of `device`, and ops on them, and on what has their shape, work there: rows of a table go to the device and come back, the table does not. A segment that makes nothing but such variables works there. Without `device` there is one space, and nothing to do.
    Precondition: func.funcs of tensors, not bound yet. Postcondition: each op works in one space, but for `kern.transfer`.
  }];
  let options = [ListOption<"device", "device", "std::string", "Kinds of df.binding whose operands lie on the device whatever is done with them; none: there is no device">,
                 Option<"counts", "counts", "bool", "false", "Kernels read the number of their tasks on the device, where it is an operand">];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::tensor::TensorDialect"];
}

def BindSegments : Pass<"codegen-bind-segments", "::mlir::func::FuncOp"> {
  let summary = "Makes segments take buffers";
  let description = [{
    Precondition: a func.func of tensors with `df.binding`s. Postcondition: it takes a memref for each argument, then one for each result that is not bound to a variable that is also an argument;
    it returns nothing. Each memref is read as a tensor once (`to_tensor restrict`) and written once (`materialize_in_destination`): the rule that makes one-shot bufferization update state in place.
    A computation that ends in a buffer is given it as destination.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def Bufferize : Pass<"codegen-bufferize", "::mlir::ModuleOp"> {
  let summary = "One-shot bufferization of segments";
  let description = [{
    Upstream's one-shot analysis and rewrite, function by function. A pass on the module and not on functions: constants become globals of the module, which functions in parallel
    would make at once. A carried value that a loop's body ends in copying to its place is read before another place changes, as each must end in its own.
    Precondition: segments bound. Postcondition: no tensors; state updated in place; no declarations of segments that have another one's code.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def PlaceParts : Pass<"codegen-place-parts", "::mlir::func::FuncOp"> {
  let summary = "Takes concatenations and splits apart; parts are computed where they end";
  let description = [{
    A part of a `kern.concat` that has a buffer of its own, in which nothing but the part is ever, is made in its place in the out, which then exists from the first of its parts on. Other parts are
    copied there: arguments, what is read again after the concatenation, what has a kernel that needs its rows without gaps. Parts that a `kern.split` makes are copied. Takes time linear in the parts.
    Precondition: func.funcs of memrefs. Postcondition: no `kern.concat` and no `kern.split`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def BatchCopies : Pass<"codegen-batch-copies", "::mlir::func::FuncOp"> {
  let summary = "Copies of one kind become one op";
  let description = [{
    Copies that follow each other, do not touch what others of them write, and agree in all but the buffers and their offsets, four at least, become one `kern.copies`: columns that go into a matrix, parts of a result
    that go into variables. Takes time linear in the copies.
    Precondition: func.funcs of memrefs. Postcondition: the same.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect"];
}

def GroupLaunches : Pass<"codegen-group-launches", "::mlir::func::FuncOp"> {
  let summary = "Runs launches that do not depend on each other as one parallel loop";
  let description = [{
    Orders each block by levels: a launch stands one level above the launches it depends on, by SSA values or by memory. Memory is told apart by buffer (function arguments and
    allocations are distinct) and, within one buffer, by static subviews. Launches of one level become one `kern.group` (of 128 at most), so that many small ones (gathers, updates of rows, packings) cost one
    wake-up of the threads and not one each. A launch that depends on nothing runs as late as its readers allow: what it writes is then still in the cache. One that reads a large variable which is signalled
    (`mlc.signals`: it may have to be waited for) runs after the others of its level. With `last-bytes` launches of a device that nothing waits for (updates of variables) run at the last level, where the temporaries
    that they read have at most so many bytes, which live until then: so they are together.
    Precondition: kernels lowered, views not folded into index arithmetic yet. Postcondition: the same, in another order; values keep their bits.
  }];
  let options = [Option<"lastBytes", "last-bytes", "int64_t", "0", "Bytes that a launch of a device which runs last reads of temporaries at most; 0: none runs last for that">];
  let dependentDialects = ["::mlc::kern::KernDialect"];
}

def SimplifyHosts : Pass<"codegen-simplify-hosts", "::mlir::func::FuncOp"> {
  let summary = "Canonicalizes what is not in launches";
  let description = [{
    Upstream's canonicalizations and folding of the ops outside of launches, whose uses in launches follow. Launches are most of a function and many of them are equal: they are simplified as kernels, each once. Sizes of
    dimensions that were taken apart are those that they were given.
    Precondition: func.funcs of memrefs. Postcondition: the same; the ops in launches are those that were there.
  }];
}

def DescribeSegments : Pass<"codegen-describe-segments", "::mlir::func::FuncOp"> {
  let summary = "Tells where a segment's buffers lie, and whether it can be captured";
  let description = [{
    A segment with a buffer that lies on a device gets `kern.spaces`: the memory space of each of its operands; and `kern.capturable` where the host asks the device for the same whatever the data are: for launches alone, which
    follow from sizes and addresses. A segment that reads an element, copies between spaces, takes memory, or calls a service, but to report an error about sizes, is none.
    Precondition: workspaces planned, no launch bound. Postcondition: the attributes, which the description of the artifact is made of.
  }];
}

def PlanWorkspace : Pass<"codegen-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Places temporaries in one workspace";
  let description = [{
    Every `memref.alloc` becomes a view of the workspace argument; temporaries that do not live at once share a slot. A slot's size is a*rows + b bytes. A temporary whose size is no such
    function of the numbers of rows and of multi-valued features' values stays an allocation, which `codegen-lower-services` makes one of the call's arena; a loop gives back what an iteration took. Postcondition: no other allocation; a last argument memref<?xi8> if there was one, and attribute `mlc.workspace` = [number of symbols S, then for each slot in order
    the bytes of each of the S dimension symbols and those that are always there]. Memory spaces have a workspace each: that of space k > 0 is an argument memref<?xi8, k> after it, with the attribute `mlc.workspace.k`.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def SignalOperands : Pass<"codegen-signal-operands", "::mlir::func::FuncOp"> {
  let summary = "Waits for operands before they are read, tells when they are final";
  let description = [{
    A segment of train_grad may run while its variables still arrive and while its sums are sent. Before the first op that reads a variable goes `kern.await_operand`, after the last one that touches a
    sum `kern.operand_done`: `mlc.signals`, which codegen-bind-segments sets, says which buffers are which. Precondition: the order of launches is final. Postcondition: no `mlc.signals`.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect"];
}

def OutlineKernels : Pass<"codegen-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes the bodies of launches private functions";
  let description = [{
    The body of each `kern.launch` becomes a private function (arguments, task), or (arguments, block, thread) with `kern.grid` where there is a grid, equal ones once, which the launch calls. What a launch captures are the
    arguments, but for constants, of which each function makes its own. Kernels that differ in offsets, or in keys of random numbers, alone are one from the fifth on, which
    gets these numbers. Those with `kern.grid` are named by the field of a spec, or the line, that they are first made of, too. They have `may_alias`: pairs of arguments that some launch passes one piece of memory for, or may; all others are buffers of their own. How a function is run is the target's matter. Postcondition: each launch is a call of a kernel with the arguments of its region as the last ones, and nothing else.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::arith::ArithDialect"];
}

def BindFrames : Pass<"codegen-bind-frames", "::mlir::ModuleOp"> {
  let summary = "Makes segments functions of a frame, which run kernels on the host's threads";
  let description = [{
    Each segment becomes `@name(frame) -> code` over the frame of mlcrt/abi.h, with `@name.workspace(symbols, threads) -> bytes` if it needs a workspace.
    A kernel of the host becomes a function (cells, first task, last task, worker) -> code: what a launch hands it goes to cells on the segment's stack. A function of the module runs the
    launches of a group, or one that stands alone: through the service parallel_for or, where the work is small, by itself. A launch with a grid is asked of the device (`device_launch`), by the name of its kernel, which stays as it is. A `kern.copies` becomes a launch over the frame's buffers.
    Precondition: workspace planned, kernels outlined, which take flat buffers, scalars and constants. Postcondition: no `kern.launch`, `kern.group` and `kern.copies`; functions take pointers and integers only.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def LowerToBlocks : Pass<"codegen-lower-to-blocks", "::mlir::func::FuncOp"> {
  let summary = "Loops, branches and views become blocks and arithmetic";
  let description = [{
    Views of memrefs are expanded into arithmetic (expand-strided-metadata), and ops of affine and scf become branches between blocks, by one conversion. A function that has none of them is left as it is: most that hosts run.
    Precondition: func.funcs of memrefs. Postcondition: no op of affine or scf, no view that arithmetic can stand for.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerServices : Pass<"codegen-lower-services", "::mlir::ModuleOp"> {
  let summary = "Lowers services to calls through the table";
  let description = [{
    Allocations become pieces of the call's arena; C functions that come with the model are called directly. Precondition: control flow is cf. Postcondition: no call of a service, no `kern.external_call`, no `kern.publish`, no `memref.alloc`; a service that fails, parallel_for included, ends the segment with its code.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def ConvertBodies : Pass<"codegen-convert-bodies", "::mlir::func::FuncOp"> {
  let summary = "Bodies of functions to the LLVM dialect";
  let description = [{
    Vectors first, where a function has them (convert-vector-to-llvm), else blocks that are equal become one; then all ops of arith, cf, index, math and memref by one conversion, function by function and so in parallel. Each conversion has a fixed cost for a function, and looks at all ops.
    Nothing is folded: LLVM does it.
    Precondition: blocks (codegen-lower-to-blocks), services lowered. Postcondition: what is left beside the LLVM dialect are ops of func, what needs a symbol of the module (`memref.get_global`, copies of memrefs), and casts between types.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertFunctions : Pass<"codegen-convert-functions", "::mlir::ModuleOp"> {
  let summary = "Functions and constants to the LLVM dialect";
  let description = [{
    Signatures, returns and calls of functions, variables of the module (`memref.global`), and what codegen-convert-bodies left are converted; casts between what was converted apart cancel.
    Precondition: bodies converted. Postcondition: the LLVM dialect, df.variable and df.vocabulary ops.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyNoTensors : Pass<"codegen-verify-no-tensors", "::mlir::func::FuncOp"> {
  let summary = "Fails if a tensor or an allocation outside of the function's own is left";
  let description = [{ The postcondition of bufferization: no op has a tensor operand or result. Changes nothing. }];
}

def VerifyLowered : Pass<"codegen-verify-lowered", "::mlir::func::FuncOp"> {
  let summary = "Fails if a kernel is left that the target has not made a launch of";
  let description = [{ The postcondition of a target's lowering: no linalg op, no copy of a buffer, and no op of `KernelOpInterface`. Changes nothing. }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "What the error calls the target">];
}

def VerifySpaces : Pass<"codegen-verify-spaces", "::mlir::func::FuncOp"> {
  let summary = "Fails if code of the host touches another memory space, or a kernel touches two";
  let description = [{
    What the host runs, everything that is not in a kernel, may name buffers of other spaces, and look at their sizes, but not read or write them; a kernel or launch reads and writes one space, but for operands that
    the host reads to launch it. `kern.transfer` alone goes between spaces. Changes nothing.
  }];
}

def VerifyLLVM : Pass<"codegen-verify-llvm", "::mlir::ModuleOp"> {
  let summary = "Fails if an op is not in the LLVM dialect";
  let description = [{ The postcondition of code generation: LLVM ops, df.variable and df.vocabulary only, no unrealized cast. Changes nothing. }];
}

#endif // MLC_CODEGEN_PASSES_TD
