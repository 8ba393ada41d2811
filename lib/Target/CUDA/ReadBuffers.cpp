// Which buffers kernels only read, by the effects of their ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadBuffers.h"
#include "Grid.h"
#include "lib/Codegen/KernelAliases.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlc;

namespace {
/// Collects the arguments of a kernel that it may write.
class WrittenBuffers {
public:
  explicit WrittenBuffers(func::FuncOp kernel) : entry(kernel.getBody().front()), written(entry.getNumArguments()) {
    kernel.walk([&](Operation *op) { visit(op); });
  }

  llvm::BitVector take() { return std::move(written); }

private:
  static bool isAddress(Value value) { return isa<BaseMemRefType, LLVM::LLVMPointerType>(value.getType()); }

  void visit(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    // Copies to shared memory read their second operand.
    if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
      return write(copy.getDst());
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects)
        if (!isa<MemoryEffects::Read>(effect.getEffect()))
          writeAny(op, effect.getValue());
      return;
    }
    writeAny(op, Value());
  }

  /// Writes `value`, or, where it is not known which (null), any of the op's addresses.
  void writeAny(Operation *op, Value value) {
    if (value)
      return write(value);
    for (Value operand : op->getOperands())
      if (isAddress(operand))
        write(operand);
  }

  /// Notes all arguments that the address, or a number that one is made of, may come from.
  void write(Value address) {
    SmallVector<Value> left = {address};
    while (!left.empty()) {
      Value value = left.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() == &entry) {
          written.set(argument.getArgNumber());
          continue;
        }
        addSources(argument.getOwner()->getParentOp(), value, left);
        continue;
      }
      addSources(value.getDefiningOp(), value, left);
    }
  }

  /// What a value of `op`, a result or an argument of one of its regions, may be.
  static void addSources(Operation *op, Value value, SmallVectorImpl<Value> &sources) {
    auto add = [&](ValueRange values) {
      // Of numbers that were read none is an address.
      for (Value source : values)
        if (!isa<BaseMemRefType>(value.getType()) || isAddress(source))
          sources.push_back(source);
    };
    const bool isRead = op->getNumRegions() == 0 && !isAddress(value) && !isMemoryEffectFree(op);
    if (isRead)
      return;
    add(op->getOperands());
    auto result = dyn_cast<OpResult>(value);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        OperandRange yielded = block.getTerminator()->getOperands();
        // A branch gives several values at once: buffers that are read, and others.
        const bool isOwn = result && yielded.size() == op->getNumResults();
        add(isOwn ? ValueRange(yielded).slice(result.getResultNumber(), 1) : ValueRange(yielded));
      }
  }

  Block &entry;
  llvm::BitVector written;
  llvm::DenseSet<Value> seen;
};
} // namespace

llvm::BitVector cuda::findReadBuffers(func::FuncOp kernel) {
  // Block and thread come last.
  llvm::BitVector read(kernel.getNumArguments() - 2);
  auto aliases = kernel->getAttrOfType<DenseI64ArrayAttr>(kMayAliasAttr);
  if (!aliases)
    return read;
  const llvm::BitVector written = WrittenBuffers(kernel).take();
  for (BlockArgument argument : kernel.getArguments().drop_back(2))
    if (isa<MemRefType>(argument.getType()) && !written.test(argument.getArgNumber()))
      read.set(argument.getArgNumber());
  for (ArrayRef<int64_t> pairs = aliases; !pairs.empty(); pairs = pairs.drop_front(2))
    for (auto [one, other] : {std::pair(pairs[0], pairs[1]), std::pair(pairs[1], pairs[0])})
      if (written.test(one))
        read.reset(other);
  return read;
}

void cuda::describeBuffers(LLVM::LLVMFuncOp kernel, const llvm::BitVector &read) {
  Builder b(kernel.getContext());
  for (unsigned i = 0; i < read.size(); ++i) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(kernel.getArgument(i).getType());
    if (!pointer)
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(kMostAccessBytes));
    if (!read.test(i))
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
}
