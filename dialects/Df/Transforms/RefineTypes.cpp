// df-refine-types: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFREFINETYPESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

static int64_t sizeOf(Dimension at) { return cast<RankedTensorType>(at.value.getType()).getDimSize(at.index); }

/// `type` with one size that it did not know.
static RankedTensorType withSize(RankedTensorType type, int64_t d, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[d] = size;
  return type.clone(shape);
}

/// Whether the op that uses a value tells dimension `d` of it to be as large as another one of its own.
static bool isMapped(OpOperand &use, ArrayRef<int64_t> dimensions) {
  DimensionMapping map = getDimensions(use.getOwner());
  return llvm::all_of(dimensions, [&](int64_t d) { return map.get({use.get(), d}).size() > 1; });
}

/// Gives a result a type that knows more; uses that cannot have it keep the old one.
static void refineResult(OpResult result, RankedTensorType type) {
  auto before = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> refined;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (before.isDynamicDim(d) && !type.isDynamicDim(d))
      refined.push_back(d);
  SmallVector<OpOperand *> others;
  for (OpOperand &use : result.getUses())
    if (!isMapped(use, refined))
      others.push_back(&use);
  result.setType(type);
  if (others.empty())
    return;
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  Value relaxed = CastShapeOp::create(builder, result.getLoc(), before, result);
  for (OpOperand *use : others)
    use->set(relaxed);
}

static LogicalResult refine(DimensionsOpInterface op) {
  DimensionMapping map = getDimensions(op);
  llvm::SmallMapVector<Value, RankedTensorType, 4> types;
  for (ArrayRef<Dimension> set : map.getSets()) {
    const Dimension *known = llvm::find_if(set, [](const Dimension &each) { return each.isStatic(); });
    if (known == set.end())
      continue;
    for (const Dimension &each : set) {
      auto type = dyn_cast<RankedTensorType>(each.value.getType());
      if (!type)
        continue;
      if (!agree(sizeOf(each), sizeOf(*known)))
        return op->emitOpError("needs equal sizes of dimension ")
               << each.index << " of " << type << " and dimension " << known->index << " of " << known->value.getType();
      if (type.isDynamicDim(each.index)) {
        RankedTensorType &better = types.try_emplace(each.value, type).first->second;
        better = withSize(better, each.index, sizeOf(*known));
      }
    }
  }
  OpBuilder builder(op);
  for (auto &[value, type] : types) {
    if (auto result = dyn_cast<OpResult>(value); result && result.getOwner() == op.getOperation()) {
      refineResult(result, type);
      continue;
    }
    Value refined = CastShapeOp::create(builder, op.getLoc(), type, value);
    op->replaceUsesOfWith(value, refined);
  }
  return success();
}

namespace {
struct DfRefineTypesPass : mlc::df::impl::DfRefineTypesPassBase<DfRefineTypesPass> {
  using DfRefineTypesPassBase::DfRefineTypesPassBase;

  void runOnOperation() override {
    // In the order of the program: what an op finds of its operands stays.
    WalkResult walked = getOperation().walk<WalkOrder::PreOrder>([](DimensionsOpInterface op) {
      // A cast is where two types of one value meet.
      if (isa<CastShapeOp>(op.getOperation()))
        return WalkResult::advance();
      return failed(refine(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
