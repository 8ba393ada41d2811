// cpu-pack-contracts: see CpuPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VectorBody.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlc {
#define GEN_PASS_DEF_PACKCONTRACTS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

//===-- what writes what ------------------------------------------------------------===//

/// The allocation or argument of a function that `memref` is a view of; null if it could be any.
static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  if (Operation *op = memref.getDefiningOp())
    return isa<memref::AllocOp, memref::AllocaOp>(op) ? memref : Value();
  return isa<func::FuncOp>(cast<BlockArgument>(memref).getOwner()->getParentOp()) ? memref : Value();
}

/// Whether `op`, its regions included, may write what `root` holds.
static bool mayWrite(Operation *op, Value root) {
  if (isMemoryEffectFree(op))
    return false;
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &effect) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      return false;
    Value written = effect.getValue() ? rootOf(effect.getValue()) : Value();
    return !root || !written || written == root;
  });
}

//===-- packing ---------------------------------------------------------------------===//

/// The map of the panels of a product's right side, over the loops of the product.
static kern::PanelMap panelsOf(kern::ContractOp op) {
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  kern::PanelMap panels;
  for (AffineExpr e : maps[2].getResults()) {
    unsigned loop = cast<AffineDimExpr>(e).getPosition();
    if (!maps[1].isFunctionOfDim(loop))
      continue;
    if (maps[0].isFunctionOfDim(loop))
      panels.batches.push_back(loop);
    else
      panels.column = loop;
  }
  for (unsigned loop = 0; loop < maps[0].getNumDims(); ++loop)
    if (!maps[2].isFunctionOfDim(loop))
      panels.inner.push_back(loop);
  panels.width = op.getTilingAttr().getColumns();
  return panels;
}

/// Where a loop of a product has its size: a dimension of an operand, a static one if there is one, of the right side
/// if it has the loop.
static std::pair<Value, int64_t> sizeOf(kern::ContractOp op, unsigned loop) {
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  SmallVector<std::pair<Value, AffineMap>> operands = {{op.getRhs(), maps[1]}, {op.getOuts()[0], maps[2]}};
  // A window's dimension may be longer than its loop, but a matrix has no window.
  if (!op.getMaps())
    operands.push_back({op.getLhs(), maps[0]});
  std::pair<Value, int64_t> best;
  for (auto &[operand, map] : operands)
    for (auto [d, e] : llvm::enumerate(map.getResults())) {
      if (e != getAffineDimExpr(loop, op.getContext()))
        continue;
      auto dimension = static_cast<int64_t>(d);
      if (!best.first || !cast<MemRefType>(operand.getType()).isDynamicDim(d))
        best = {operand, dimension};
      if (!cast<MemRefType>(operand.getType()).isDynamicDim(d))
        return best;
    }
  return best;
}

/// The loops around `op` that leave the right side and what tells its sizes alone, from the inside.
static Operation *hoistingPoint(kern::ContractOp op, ArrayRef<Value> needed) {
  Operation *at = op;
  Value root = rootOf(op.getRhs());
  while (auto loop = dyn_cast_if_present<LoopLikeOpInterface>(at->getParentOp())) {
    if (!llvm::all_of(needed, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); }) || mayWrite(loop, root))
      break;
    at = loop;
  }
  return at;
}

/// Packs the right side of a product whose tiling wants panels.
static LogicalResult pack(kern::ContractOp op) {
  kern::PanelMap panels = panelsOf(op);
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  if (!llvm::is_contained(maps[1].getResults(), getAffineDimExpr(panels.column, context)))
    return op.emitOpError("has columns that are no dimension of its right side, which the CPU does not pack");
  auto loops =
      llvm::to_vector(llvm::concat<const unsigned>(panels.batches, ArrayRef<unsigned>(panels.column), panels.inner));
  SmallVector<Value> needed = {op.getRhs()};
  SmallVector<std::pair<Value, int64_t>> places;
  for (unsigned loop : loops) {
    places.push_back(sizeOf(op, loop));
    needed.push_back(places.back().first);
  }
  OpBuilder b(hoistingPoint(op, needed));
  IndexMath math{b, loc};
  SmallVector<Index> sizes;
  for (auto [operand, d] : places) {
    auto type = cast<MemRefType>(operand.getType());
    sizes.push_back(type.isDynamicDim(d) ? Index(memref::DimOp::create(b, loc, operand, d).getResult())
                                         : math.constant(type.getDimSize(d)));
  }
  Index &columns = sizes[panels.batches.size()];
  columns = math.ceilDiv(columns, math.constant(panels.width));
  sizes.push_back(math.constant(panels.width));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  auto type = MemRefType::get(shape, op.getAccumulatorType(), MemRefLayoutAttrInterface(),
                              cast<MemRefType>(op.getRhs().getType()).getMemorySpace());
  Value buffer = memref::AllocOp::create(b, loc, type, dynamic, b.getI64IntegerAttr(MLCRT_ALIGNMENT));

  // The same of the loops of the packing alone.
  auto numLoops = static_cast<unsigned>(loops.size());
  SmallVector<AffineExpr> renumbered(maps[1].getNumDims(), b.getAffineConstantExpr(0));
  for (auto [i, loop] : llvm::enumerate(loops))
    renumbered[loop] = b.getAffineDimExpr(static_cast<unsigned>(i));
  AffineMap from = maps[1].replaceDimsAndSymbols(renumbered, {}, numLoops, 0);
  kern::PanelMap to;
  for (unsigned i = 0; i < numLoops; ++i)
    if (i != panels.batches.size())
      (i < panels.batches.size() ? to.batches : to.inner).push_back(i);
  to.column = static_cast<unsigned>(panels.batches.size());
  to.width = panels.width;
  kern::PackOp::create(b, loc, TypeRange(), op.getRhs(), ValueRange(buffer),
                       b.getAffineMapArrayAttr({from, to.get(numLoops, context)}), op.getUnsignedRhsAttr());
  op.getRhsMutable().assign(buffer);
  op.setMapsAttr(b.getAffineMapArrayAttr({maps[0], panels.get(maps[0].getNumDims(), context), maps[2]}));
  op.removeTransposeAAttr();
  op.removeTransposeBAttr();
  op.removeUnsignedRhsAttr();
  return success();
}

/// Packs of a block that are equal, of a right side that is not written between them, are one.
static void sharePacks(Block &block) {
  SmallVector<std::pair<kern::PackOp, Value>> available;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto pack = dyn_cast<kern::PackOp>(op)) {
      auto equal = llvm::find_if(available, [&](auto &entry) {
        kern::PackOp other = entry.first;
        return other.getSource() == pack.getSource() && other.getMaps() == pack.getMaps() &&
               other.getIsUnsigned() == pack.getIsUnsigned() &&
               other.getPanels().getType() == pack.getPanels().getType();
      });
      if (equal == available.end()) {
        available.push_back({pack, rootOf(pack.getSource())});
        continue;
      }
      Operation *buffer = pack.getPanels().getDefiningOp();
      buffer->getResult(0).replaceAllUsesWith(equal->first.getPanels());
      pack.erase();
      buffer->erase();
      continue;
    }
    llvm::erase_if(available, [&](auto &entry) { return mayWrite(&op, entry.second); });
  }
}

namespace {
struct PackContracts : public mlc::impl::PackContractsBase<PackContracts> {
  void runOnOperation() override {
    SmallVector<kern::ContractOp> contracts;
    getOperation()->walk([&](kern::ContractOp op) {
      kern::TilingAttr tiling = op.getTilingAttr();
      if (tiling && tiling.getForm() == kern::ContractForm::Panels && !op.getPanelWidth())
        contracts.push_back(op);
    });
    for (kern::ContractOp op : contracts)
      if (failed(pack(op)))
        return signalPassFailure();
    llvm::SetVector<Block *> blocks;
    getOperation()->walk([&](kern::PackOp op) { blocks.insert(op->getBlock()); });
    for (Block *block : blocks)
      sharePacks(*block);
  }
};
} // namespace
