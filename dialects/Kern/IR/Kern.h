// The kern dialect: kernels between linalg and loops. Include this for its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERN_H
#define DIALECTS_KERN_IR_KERN_H

#include "dialects/Kern/IR/KernInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kern/IR/KernOpsDialect.h.inc"
#include "dialects/Kern/IR/KernOpsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Kern/IR/KernOpsAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernOps.h.inc"

namespace mlc::kern {
/// On the op of a reduction's body that adds (or multiplies) to the accumulator: elements are added as partials that
/// interleave (mlc/Support/SumOrder.h). Without it floats are added one after the other, row-major over the reduced
/// dimensions. It stands in the body because bodies are what passes keep when they fuse or rewrite a generic.
inline constexpr llvm::StringLiteral kInterleavedAttr = "kern.interleaved";

/// On a kern.contract of f32: each element of both factors is a number of tf32, whose 13 last bits are 0, so that
/// tensor cores may multiply them as they are. Who does not know of it may drop it.
inline constexpr llvm::StringLiteral kTf32Attr = "kern.tf32";

/// On the function of a kernel of a launch with a grid: that grid. Its last two arguments are the block and the thread.
inline constexpr llvm::StringLiteral kGridAttr = "kern.grid";

/// On a segment with buffers on a device: the space of each of its operands, workspaces aside.
inline constexpr llvm::StringLiteral kSpacesAttr = "kern.spaces";

/// On a segment of the host that asks a device for the same whatever the data are: for launches that follow from sizes
/// and addresses of buffers alone.
inline constexpr llvm::StringLiteral kCapturableAttr = "kern.capturable";

/// The name of the code of a kern.external_function among that of the model.
inline std::string externalSymbol(llvm::StringRef function) { return ("external." + function).str(); }

/// The number of the memory space that a memref lies in, or that the buffer of a tensor will; 0: the host's.
int64_t spaceOf(mlir::Type type);

/// The bytes of an element of a buffer: a bit takes one, an index eight.
int64_t elementBytes(mlir::MemRefType type);

/// Whether every number of type `from` is one of `to`: a float of a float, an integer, which zeros extend if it is
/// unsigned, of a signless one.
bool holds(mlir::Type to, mlir::Type from);

/// A map to panels (b.., n floordiv w, k.., n mod w), as `kern.pack` has them.
struct PanelMap {
  llvm::SmallVector<unsigned> batches, inner;
  unsigned column;
  int64_t width;

  static std::optional<PanelMap> of(mlir::AffineMap map);
  /// The map of these loops among `numLoops`.
  mlir::AffineMap get(unsigned numLoops, mlir::MLIRContext *context) const;
};

/// The stride of the dimension before one of `size` and `stride` where elements lie one after another; kDynamic if one
/// of them is, or no 64-bit number holds it.
int64_t strideBefore(int64_t stride, int64_t size);

/// Whether elements of the memref are known to lie one after another in row-major order.
bool isContiguous(mlir::MemRefType type);

/// Whether the kernel `op` can take `operand` as a buffer of `type`: of other layouts it takes a copy.
bool canTake(mlir::Operation *op, mlir::OpOperand &operand, mlir::MemRefType type);

/// Registers how kern ops become ops on memrefs.
void registerBufferization(mlir::DialectRegistry &registry);
} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERN_H
