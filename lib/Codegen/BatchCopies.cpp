// codegen-batch-copies: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlc {
#define GEN_PASS_DEF_BATCHCOPIES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Copies of a batch at least.
static constexpr size_t kFewest = 4;

/// The buffer that `memref` is a view of; null if it may be one of several.
static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  if (memref.getDefiningOp())
    return memref.getDefiningOp<memref::AllocOp>() ? memref : Value();
  return isa<func::FuncOp>(cast<BlockArgument>(memref).getOwner()->getParentOp()) ? memref : Value();
}

namespace {
/// Copies that may run in any order.
class Run {
public:
  /// Adds the copy; false if it touches what another one writes, or the other way round.
  bool add(memref::CopyOp copy) {
    Value source = rootOf(copy.getSource()), target = rootOf(copy.getTarget());
    if (!source || !target || source == target || read.contains(target) || written.contains(source) ||
        !writeApart(copy.getTarget(), target))
      return false;
    read.insert(source);
    copies.push_back(copy);
    return true;
  }

  /// Makes of the copies of one kind one op each, in the place of the last of them.
  void batch() {
    SmallVector<SmallVector<memref::CopyOp>> kinds;
    std::map<std::tuple<const void *, const void *, int64_t, int64_t, int64_t, int64_t>, size_t> numbers;
    for (memref::CopyOp copy : copies) {
      auto source = cast<MemRefType>(copy.getSource().getType()), target = cast<MemRefType>(copy.getTarget().getType());
      auto pattern = kern::CopiesOp::getPattern(source, target);
      if (!pattern)
        continue;
      auto [it, isNew] = numbers.try_emplace({source.getElementType().getAsOpaquePointer(),
                                              source.getMemorySpace().getAsOpaquePointer(), pattern->rows,
                                              pattern->width, pattern->sourceStride, pattern->targetStride},
                                             kinds.size());
      if (isNew)
        kinds.emplace_back();
      kinds[it->second].push_back(copy);
    }
    for (ArrayRef<memref::CopyOp> alike : kinds) {
      if (alike.size() < kFewest)
        continue;
      memref::CopyOp last = alike.back();
      OpBuilder b(last);
      SmallVector<Value> sources, targets;
      for (memref::CopyOp copy : alike) {
        sources.push_back(copy.getSource());
        targets.push_back(copy.getTarget());
      }
      kern::CopiesOp::create(b, last.getLoc(), sources, targets);
      for (memref::CopyOp copy : alike)
        copy.erase();
    }
    *this = Run();
  }

private:
  /// Notes that `target` is written; false if it may overlap what was written of the same buffer before: then parts of
  /// it come one after another along a dimension.
  bool writeApart(Value target, Value root) {
    auto [it, isNew] = written.try_emplace(root);
    SmallVector<int64_t> &ends = it->second;
    auto part = target.getDefiningOp<memref::SubViewOp>();
    if (!part || part.getSource() != root || !llvm::all_of(part.getStaticStrides(), [](int64_t s) { return s == 1; }))
      return isNew;
    bool isApart = isNew;
    if (isNew)
      ends.assign(part.getStaticOffsets().size(), 0);
    if (ends.empty())
      return false;
    for (auto [end, offset, size] : llvm::zip(ends, part.getStaticOffsets(), part.getStaticSizes())) {
      const bool isKnown = !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size);
      isApart |= isKnown && !ShapedType::isDynamic(end) && offset >= end;
      end = isKnown && !ShapedType::isDynamic(end) ? std::max(end, offset + size) : ShapedType::kDynamic;
    }
    return isApart;
  }

  SmallVector<memref::CopyOp> copies;
  llvm::DenseSet<Value> read;
  /// Of each buffer that is written how far along each dimension; empty: all of it.
  DenseMap<Value, SmallVector<int64_t>> written;
};

struct BatchCopies : public mlc::impl::BatchCopiesBase<BatchCopies> {
  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation()->walk([&](memref::CopyOp copy) { blocks.insert(copy->getBlock()); });
    for (Block *block : blocks) {
      Run run;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        auto copy = dyn_cast<memref::CopyOp>(op);
        if (copy && run.add(copy))
          continue;
        if (!copy && (isMemoryEffectFree(&op) || isa<memref::AllocOp>(op)))
          continue;
        run.batch();
        if (copy)
          run.add(copy);
      }
      run.batch();
    }
  }
};
} // namespace
