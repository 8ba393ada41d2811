// cuda-decide-on-device: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataSizes.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlc {
#define GEN_PASS_DEF_CUDADECIDEONDEVICE
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// The device of a segment, as the services of devices number them.
static constexpr int32_t kDevice = 0;
/// Sides of a branch (kern.branch).
static constexpr int32_t kThen = 1, kElse = 2;

/// The copy from the device's memory that brings the byte which a condition of the host is; null: it is none.
static kern::TransferOp transferOf(Value condition) {
  auto bit = condition.getDefiningOp<arith::TruncIOp>();
  auto load = bit ? bit.getIn().getDefiningOp<memref::LoadOp>() : memref::LoadOp();
  kern::TransferOp transfer = load ? cuda::transferOf(load) : kern::TransferOp();
  auto type = transfer ? cast<MemRefType>(transfer.getSource().getType()) : MemRefType();
  const bool isByte = type && type.getElementType().isInteger(8) && type.hasStaticShape() && type.getNumElements() == 1;
  return isByte && kern::spaceOf(type) != 0 ? transfer : kern::TransferOp();
}

/// Erases what brought a condition to the host, which needs it no more.
static void eraseUnused(Value condition, kern::TransferOp transfer) {
  Operation *bit = condition.getDefiningOp();
  Operation *load = bit->getOperand(0).getDefiningOp();
  for (Operation *op : {bit, load})
    if (op->use_empty())
      op->erase();
  Operation *copy = transfer.getOuts()[0].getDefiningOp();
  if (!copy->hasOneUse())
    return;
  transfer->erase();
  copy->erase();
}

namespace {
/// The loops of a segment.
class Loops {
public:
  explicit Loops(func::FuncOp segment) : segment(segment) {}

  void decide() {
    dropUnused();
    SmallVector<scf::WhileOp> loops;
    segment.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    int32_t number = 0;
    for (scf::WhileOp loop : loops) {
      scf::ConditionOp end = loop.getConditionOp();
      kern::TransferOp transfer = transferOf(end.getCondition());
      // What the host carries differs between iterations.
      if (!transfer || loop->getNumOperands() > 0 || loop->getNumResults() > 0 || !isRightBefore(transfer, end))
        continue;
      Value condition = end.getCondition();
      OpBuilder b(end);
      Value goes =
          kern::LoopOp::create(b, end.getLoc(), b.getI1Type(), transfer.getSource(), b.getI32IntegerAttr(number++));
      end.getConditionMutable().assign(goes);
      eraseUnused(condition, transfer);
    }
  }

private:
  /// Whether nothing happens between two ops of a block.
  static bool isRightBefore(Operation *first, Operation *last) {
    if (first->getBlock() != last->getBlock())
      return false;
    for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<memref::LoadOp, memref::AllocOp>(op))
        return false;
    return true;
  }

  /// Takes out what loops carry and nobody needs, as the number of an iteration.
  void dropUnused() {
    SmallVector<Operation *> loops;
    segment.walk([&](scf::WhileOp loop) {
      loops.push_back(loop);
      for (OpOperand &next : loop.getYieldOp()->getOpOperands()) {
        BlockArgument start = loop.getBeforeArguments()[next.getOperandNumber()];
        if (!start.hasOneUse() || start.use_begin()->getOwner() != loop.getConditionOp())
          continue;
        const unsigned at = start.use_begin()->getOperandNumber() - 1; // after the condition itself
        BlockArgument carried = loop.getAfterArguments()[at];
        Operation *made = next.get().getDefiningOp();
        // It makes its next value, and nothing else.
        if (loop.getResult(at).use_empty() && carried.hasOneUse() && carried.use_begin()->getOwner() == made &&
            cuda::isArithmetic(made) && made->hasOneUse()) {
          next.set(carried);
          made->erase();
        }
      }
    });
    RewritePatternSet patterns(segment.getContext());
    scf::WhileOp::getCanonicalizationPatterns(patterns, segment.getContext());
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(loops, std::move(patterns), config);
  }

  func::FuncOp segment;
};

/// The branches of a segment that one condition decides.
class Branches {
public:
  explicit Branches(Value condition) : condition(condition), transfer(transferOf(condition)) {}

  void decide() {
    if (!transfer || !cuda::isLastState(transfer) || !find())
      return;
    for (arith::SelectOp select : selects)
      merge(select);
    for (scf::IfOp branch : branches)
      lower(branch);
    eraseUnused(condition, transfer);
  }

private:
  /// Collects what the condition decides, in order. False: the host needs it for something else.
  bool find() {
    Block *block = condition.getParentBlock();
    for (Operation &op : *block) {
      if (!llvm::is_contained(op.getOperands(), condition))
        continue;
      auto branch = dyn_cast<scf::IfOp>(op);
      auto select = dyn_cast<arith::SelectOp>(op);
      if (branch && branch->getNumResults() == 0)
        branches.push_back(branch);
      else if (select && isa<MemRefType>(select.getType()) && canMerge(select))
        selects.push_back(select);
      else
        return false;
    }
    return llvm::range_size(condition.getUses()) == branches.size() + selects.size();
  }

  /// What tells the size of a dimension of a buffer; null: nothing does.
  static Value sizeOf(Value buffer, int64_t d) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    return alloc ? alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(d)] : Value();
  }

  /// Whether both sides have the same size, which is known before.
  static bool canMerge(arith::SelectOp select) {
    auto type = cast<MemRefType>(select.getType());
    if (!type.getLayout().isIdentity() || kern::spaceOf(type) == 0)
      return false;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d) &&
          (!sizeOf(select.getTrueValue(), d) || sizeOf(select.getTrueValue(), d) != sizeOf(select.getFalseValue(), d)))
        return false;
    return true;
  }

  /// Whether `op` stands in the region, or before it in the block of its op.
  static bool isInOrBefore(Operation *op, scf::IfOp branch) {
    Operation *beside = branch->getBlock()->findAncestorOpInBlock(*op);
    return beside == branch || (beside && beside->isBeforeInBlock(branch));
  }

  /// The branch after which a buffer that is selected is whole.
  scf::IfOp branchOf(arith::SelectOp select) {
    for (scf::IfOp branch : branches)
      if (select->isBeforeInBlock(branch) &&
          llvm::none_of(select->getUsers(), [&](Operation *user) { return isInOrBefore(user, branch); }))
        return branch;
    OpBuilder b(select);
    auto made = scf::IfOp::create(b, select.getLoc(), condition, /*withElseRegion=*/true);
    branches.insert(llvm::find_if(branches, [&](scf::IfOp other) { return select->isBeforeInBlock(other); }), made);
    return made;
  }

  /// Has each side leave what the host would choose in one buffer.
  void merge(arith::SelectOp select) {
    scf::IfOp branch = branchOf(select);
    OpBuilder b(select);
    auto type = cast<MemRefType>(select.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(sizeOf(select.getTrueValue(), d));
    b.setInsertionPoint(branch->isBeforeInBlock(select) ? branch.getOperation() : select.getOperation());
    Value merged = memref::AllocOp::create(b, select.getLoc(), type, sizes);
    Value sides[] = {select.getTrueValue(), select.getFalseValue()};
    select.replaceAllUsesWith(merged);
    select.erase();
    if (branch.getElseRegion().empty())
      b.createBlock(&branch.getElseRegion());
    for (auto [side, region] : llvm::zip_equal(sides, branch->getRegions())) {
      Block &block = region.front();
      if (!block.mightHaveTerminator())
        scf::YieldOp::create(b = OpBuilder::atBlockEnd(&block), branch.getLoc());
      // What is of this side alone is made there.
      auto alloc = side.getDefiningOp<memref::AllocOp>();
      if (alloc && llvm::all_of(alloc->getUsers(), [&, &region = region](Operation *user) {
            return region.isAncestor(user->getParentRegion());
          })) {
        alloc.replaceAllUsesWith(merged);
        alloc.erase();
        continue;
      }
      b.setInsertionPoint(block.getTerminator());
      memref::CopyOp::create(b, branch.getLoc(), side, merged);
    }
  }

  void lower(scf::IfOp branch) {
    Location loc = branch.getLoc();
    OpBuilder b(branch);
    int32_t sides = 0;
    for (auto [side, region] : llvm::zip_equal(ArrayRef({kThen, kElse}), branch->getRegions()))
      if (!region.empty() && !region.front().without_terminator().empty())
        sides |= side;
    if (sides == 0)
      return branch.erase();
    Value taken = kern::BranchOp::create(b, loc, b.getI32Type(), transfer.getSource(), b.getI32IntegerAttr(sides));
    Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
    for (auto [side, region] : llvm::zip_equal(ArrayRef({kThen, kElse}), branch->getRegions())) {
      if (!(sides & side))
        continue;
      Value bit = arith::AndIOp::create(b, loc, taken, arith::ConstantIntOp::create(b, loc, side, 32));
      Value isTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, none);
      auto made = scf::IfOp::create(b, loc, isTaken, /*withElseRegion=*/false);
      made.getThenRegion().takeBody(region);
      Block &block = made.getThenRegion().front();
      OpBuilder inside = OpBuilder::atBlockBegin(&block);
      kern::DeviceSideOp::create(inside, loc, kDevice, side);
      inside.setInsertionPoint(block.getTerminator());
      kern::DeviceSideOp::create(inside, loc, kDevice, 0);
    }
    branch.erase();
  }

  Value condition;
  kern::TransferOp transfer;
  SmallVector<scf::IfOp> branches;
  SmallVector<arith::SelectOp> selects;
};

struct CudaDecideOnDevice : public mlc::impl::CudaDecideOnDeviceBase<CudaDecideOnDevice> {
  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (segment.isDeclaration() || !segment->hasAttr(df::DfDialect::kRoleAttr))
      return;
    Loops(segment).decide();
    llvm::SetVector<Value> conditions;
    segment.walk([&](Operation *op) {
      auto select = dyn_cast<arith::SelectOp>(op);
      if (auto branch = dyn_cast<scf::IfOp>(op))
        conditions.insert(branch.getCondition());
      else if (select && isa<MemRefType>(select.getType()))
        conditions.insert(select.getCondition());
    });
    for (Value condition : conditions)
      Branches(condition).decide();
  }
};
} // namespace
