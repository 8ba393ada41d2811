// Passes of the CUDA target, in the order they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CUDA_PASSES_TD
#define MLC_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def CudaExpandGroups : Pass<"cuda-expand-groups", "::mlir::func::FuncOp"> {
  let summary = "Makes kernels of groups of equal ids and of merges of rows";
  let description = [{
    `kern.unique_ids`, `kern.unique_values` and `kern.merge_rows_f32` of segments other than those of features become a stable `kern.sort_positions` or a merge, sums of the marks of first elements, and linalg ops whose points
    find what they take by binary searches, so that no service has to run and nothing is scattered. How many groups there are is a tensor like the others: who reads it in a kernel does not ask the host. Groups, their order and the sums of rows are those of the services; ids
    of groups that there are not are -1, and their ends and rows 0.
    Before that loops over elements become such groups: nests whose iterations each combine one element, where data says which (`df.scatter`), and nests that write a row for each iteration that data chooses (`df.nonzero`). Elements are combined in the order of the iterations. Nests that are known to be short stay loops: they are one launch.
    Precondition: on tensors. Postcondition: no such op in these segments; `cuda-expand-sorts` is to follow.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def CudaExpandSorts : Pass<"cuda-expand-sorts", "::mlir::func::FuncOp"> {
  let summary = "Makes kernels of sorts";
  let description = [{
    `kern.sort_positions`, and `kern.take_along` of numbers, of segments other than those of features become linalg ops that no service has to run. A sort merges runs of 1, 2, 4, .. elements in a loop whose iterations follow from the size of a line:
    each element of a merged run is found by a binary search, so that all are points of one kernel. It is stable, and orders zeros and NaNs as the service does.
    Precondition: on tensors. Postcondition: no such op in these segments.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def CudaFillConstants : Pass<"cuda-fill-constants", "::mlir::func::FuncOp"> {
  let summary = "Fills what loops start from";
  let description = [{
    A constant of one number again and again that a loop starts from, as a scatter to zeros does, is filled by a kernel where kernels write to it, and not copied from the host's memory. So is what a `scf.while` starts from in which the host has no work of its own: it
    stays on the device in all iterations. So is what a variable becomes that is set back or made.
    Precondition: on tensors. Postcondition: no such constant in segments other than those of features.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def CudaCheckOnDevice : Pass<"cuda-check-on-device", "::mlir::ModuleOp"> {
  let summary = "Has the device check the indices of a step";
  let description = [{
    Of segments of which the host reads no data but for checks of indices (`kern.check_indices`), these become kernels: one lowers the error slot of mlcrt/abi.h, a new operand of the segment, by the check's number where an index is wrong, one makes
    indices that are right of all, so that nothing is read out of bounds. What updates variables keeps them where the slot is lowered: element-wise kernels select the old element, updates of rows get no rows, loops over elements put back what they find, and all
    elements of other values are selected. It stands after all checks. Such a segment can be captured. A function beside it, of the same name with `.checks` after it, has the checks as they were, and what they need, for the runtime to run when the slot was lowered: it tells what is wrong, as the
    CPU would.
    The update of a step in parts (`train_apply`) gets the slot where its gradients or the sums of them have such checks, and holds back what it updates, though it may have none itself: it is asked for before the host knows of theirs.
    Segments that read data on the host, as conditions of loops or sizes, keep the checks there: the host must not decide by what follows from a wrong index.
    Precondition: on tensors; groups and sorts expanded. Postcondition: `kern.error_operand` and `kern.checks` on such segments, which have no check of indices.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def CudaDecideOnDevice : Pass<"cuda-decide-on-device", "::mlir::func::FuncOp"> {
  let summary = "Has the device decide on branches and loops by what it has computed";
  let description = [{
    A `scf.while` or `scf.if` of the host whose condition is one byte that a `kern.transfer` brings from the device is decided by `kern.loop` and `kern.branch`, whose services wait for the byte, or have a device that records take it as it is when it does what it recorded.
    Where the host chose one of two buffers by such a condition (`arith.select`), each side leaves its own in a third one. What a loop carries on the host and nobody needs, as the number of its iteration, is taken out.
    Left to the host are loops that carry something there (a bound of iterations), conditions that it needs for more than branches, and buffers whose sizes may differ.
    Precondition: bufferized, kernels not lowered. Postcondition: `kern.loop` ends the condition of a loop that carries nothing; a side of a `kern.branch` stands between two `kern.device_side`.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def CudaLowerKernels : Pass<"cuda-lower-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lowers kernels on the device's memory to launches of threads";
  let description = [{
    Each kernel (linalg and kern ops, copies of buffers, loops over single elements) on buffers in memory space 1 becomes a `kern.launch` with a grid. A thread computes an element of the result; a warp does a sum of interleaved
    partials, a thread for each of them; a block does a tile of a product, or sums of a stripe of columns, by shared memory. All keep to the order that the op says (mlc/Support/SumOrder.h), so that elements have the bits of the interpreter and of other targets, but tiles of products
    of f16 or bf16 in f32: tensor cores add these, in the order that the chip has. Kernels on the host's memory are left to the host's target.
    With `warpgroups` the larger tiles of those kernels have a second way, by products of warpgroups, which the code for chips that have these takes, and a third one, where `kern.tensor_map` says that there are descriptors of both factors, by which chunks are copied.
    Precondition: bufferized. Postcondition: no linalg and no kern op on buffers in space 1 but `kern.launch` and `kern.transfer`, and no loop over elements.
  }];
  let options = [Option<"warpgroups", "warpgroups", "bool", "false", "some chip that code is made for multiplies by warpgroups">];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect"];
}

def CudaReadSizes : Pass<"cuda-read-sizes", "::mlir::func::FuncOp"> {
  let summary = "Has kernels read sizes that follow from data";
  let description = [{
    How many elements there are that are not zero, or distinct, say, is an element of a buffer of the device, which the host reads by a copy and a wait to launch what works on so many. Where a size that no element decides on bounds such a number
    (as many as there are elements of the operand), and the host needs it for nothing but launches and memory, each launch loads the element and computes with it itself, the number of its blocks and memory are those of the bound, and the host
    asks for the same whatever the data are: for one graph. A loop of the host that goes round so often, and hands nothing on there, becomes one that the device counts and ends (`kern.loop`). A number that other loops of the host, its branches and services need stays with the host; the runtime records what stands between two such waits in pieces.
    Precondition: kernels lowered to launches. Postcondition: none of such copies is left whose elements launches alone needed.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect"];
}

def CudaEmbedConstants : Pass<"cuda-embed-constants", "::mlir::func::FuncOp"> {
  let summary = "Has kernels hold the constants that they read";
  let description = [{
    A constant tensor that a `kern.transfer` brings to the device for kernels alone, which read it, is read by these from a variable of their own module instead: the segment then asks for the same each time, whatever the host's memory.
    Constants of more than 64 KiB stay with the host.
    Precondition: kernels lowered to launches. Postcondition: kernels may read a `memref.get_global` through a `memref.memory_space_cast`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CudaJoinLaunches : Pass<"cuda-join-launches", "::mlir::func::FuncOp"> {
  let summary = "Makes one launch of those of a group";
  let description = [{
    Launches of a `kern.group` with equal grids become one, whose blocks are dealt to them by ranges: the first ones are those of the first launch, and so on, and a block finds its launch by a binary search for its number. So the updates of
    all variables, or the gathers of all columns, are one launch. Those that do the same but for buffers, scalars and bounds of loops have one code, for which a block first finds its arguments, as long as these are 64 at most: more find no room in registers, and the code is there again. Each launch keeps its blocks, and reads
    its own number of blocks instead of the grid's: no bit changes. Launches whose blocks share memory, wait for each other or have memory of their own threads stay alone: the others would take as many registers and as much of that memory. Sums of columns are joined: their memory is small, and one for all.
    What is joined takes 500 arguments at most (4 KB) and has 2048 ops at most; what is more is another launch.
    Precondition: workspaces planned, launches grouped. Postcondition: the same; a group of one launch is that launch.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numJoined", "joined", "Launches that became part of another one">];
}

def CudaUnrollLoops : Pass<"cuda-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Has loops of kernels wait for several loads at once";
  let description = [{
    A loop of a kernel that carries values and only reads the device's memory and computes, as the sum of a row or of a column, becomes one with up to 8 loads in its body, and 96 ops, and a loop of the iterations that are left. Values are combined one after another as before,
    so that no bit changes: but their loads do not depend on each other, and are on their way together. Kernels whose threads have memory of their own stay as they are.
    Precondition: bodies of kernels. Postcondition: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CudaEmitKernels : Pass<"cuda-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes PTX of kernels";
  let description = [{
    The functions with `kern.grid` become kernels of a module of their own, which is lowered to the LLVM dialect, translated, and emitted as PTX for each of `chips`: the elements of `mlc.images`. If an earlier one of `chips` runs where sm_90a does, the image for sm_90a has those kernels alone that ask whether there are warpgroups, or there is none. An image has a second text, of the kernels that functions of the role `predict` name, if there are such functions; it is empty where such an image has none of them. Kernels that share no constant are compiled apart, in parts of some thousand ops, which predict has of its own where it can, by the threads of the context; the text is that of one part after another, and depends on the module alone. A kernel takes the address of
    a buffer, or a number, for each argument of its function but the last two, which are its block and its thread. Additions and multiplications stay apart, denormal numbers stay, divisions and square roots are rounded
    as IEEE 754 says. A kernel that calls a function which nothing defines is an error.
    In code for chips that have tensor maps a `kern.tensor_map` of arguments and constants becomes a parameter, of which a variable of the kernels' module tells (mlcrt/kernel_needs.h); elsewhere there is none.
    Precondition: kernels outlined and launches bound. Postcondition: no function with `kern.grid`; `mlc.images`, if there was one.
  }];
  let options = [
    ListOption<"chips", "chips", "std::string", "LLVM's names of chips; none: sm_80 and sm_90a">,
    Option<"lineInfo", "line-info", "bool", "false", "Kernels say which lines of which files they are from">,
    Option<"form", "form", "std::string", "\"ptx\"", "What an image has: ptx, or nvvm, the text of the kernels' module in the LLVM dialect, of which the PTX of all chips is made: one image">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // MLC_CUDA_PASSES_TD
