// Which buffers of a kernel's launches may be the same memory, by what they are parts of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelAliases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlc;

namespace {
/// Where a buffer lies: in an allocation or an argument of the segment, from `shift` on in a workspace.
struct Home {
  Value memory; ///< null: it could be any
  Value shift;  ///< null: anywhere in the memory
};
} // namespace

static Home homeOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return {buffer, {}};
    if (auto part = dyn_cast<memref::ViewOp>(op)) {
      Home home = homeOf(part.getSource());
      return {home.memory, home.shift ? Value() : part.getByteShift()};
    }
    // Metadata have numbers, too, which are no buffers.
    if (!isa<ViewLikeOpInterface>(op) || !isa<BaseMemRefType>(buffer.getType()))
      return {};
    buffer = op->getOperand(0);
  }
  // What loops carry may be any of several buffers.
  return isa<func::FuncOp>(cast<BlockArgument>(buffer).getOwner()->getParentOp()) ? Home{buffer, {}} : Home();
}

static bool mayAlias(const Home &x, const Home &y) {
  if (!x.memory || !y.memory)
    return true;
  // Parts of a workspace that are there at the same time begin in different places, and end before the next one.
  return x.memory == y.memory && (!x.shift || !y.shift || x.shift == y.shift);
}

void KernelAliases::note(func::FuncOp kernel, ValueRange values) {
  Pairs &known = pairs[kernel];
  SmallVector<std::pair<int64_t, Home>> homes;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    const Home home = homeOf(value);
    for (const auto &[other, its] : homes)
      if (mayAlias(home, its))
        known.insert({other, i});
    homes.push_back({static_cast<int64_t>(i), home});
  }
}

void KernelAliases::mark() {
  for (const auto &[kernel, known] : pairs) {
    SmallVector<int64_t> numbers;
    for (const auto &[first, second] : known)
      numbers.append({first, second});
    kernel->setAttr(kMayAliasAttr, Builder(kernel->getContext()).getDenseI64ArrayAttr(numbers));
  }
}
