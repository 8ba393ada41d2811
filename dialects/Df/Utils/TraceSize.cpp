// Where the size of a value that a region makes is known outside of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/TraceSize.h"
#include "dialects/Df/IR/DfVerify.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

using Origin = std::optional<SizeOrigin>;

/// One step back: where a block argument's size comes from.
static Origin originOf(BlockArgument argument, int64_t d) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<WhileOp>(parent))
    return SizeOrigin{loop.getInits()[argument.getArgNumber()], d};
  if (auto scan = dyn_cast<ScanOp>(parent)) {
    unsigned k = argument.getArgNumber(), numCarried = scan.getNumCarried();
    if (k < numCarried)
      return SizeOrigin{scan.getInits()[k], d};
    return SizeOrigin{scan.getSequences()[k - numCarried], d + 1};
  }
  return std::nullopt;
}

/// One step back: an operand of the op, or a value in one of its regions.
static Origin originOf(OpResult result, int64_t d) {
  Operation *op = result.getOwner();
  unsigned k = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, Origin>(op)
      .Case<BroadcastOp, RandomOp>([&](auto shaped) -> Origin {
        if (!shaped.getLike())
          return std::nullopt;
        return SizeOrigin{shaped.getLike(), d};
      })
      .Case<TakeRowsOp, GatherOp>([&](auto rows) -> Origin {
        int64_t rank = shapeOf(rows.getIds().getType()).size();
        if (d >= rank)
          return std::nullopt;
        return SizeOrigin{rows.getIds(), d};
      })
      .Case([&](MatmulOp matmul) -> Origin {
        if (d == 0)
          return SizeOrigin{matmul.getLhs(), matmul.getTransposeA() ? 1 : 0};
        return SizeOrigin{matmul.getRhs(), matmul.getTransposeB() ? 0 : 1};
      })
      .Case([&](TransposeOp transpose) -> Origin {
        return SizeOrigin{transpose.getOperand(), transpose.getPermutation()[d]};
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp>([&](auto reduce) -> Origin {
        int64_t kept = 0;
        for (int64_t of = 0, e = shapeOf(reduce.getOperand().getType()).size(); of < e; ++of)
          if (!llvm::is_contained(reduce.getAxes(), of) && kept++ == d)
            return SizeOrigin{reduce.getOperand(), of};
        return std::nullopt;
      })
      .Case([&](ReshapeOp reshape) -> Origin {
        // The one dynamic dimension of each, where the static ones hold equally many.
        int64_t from = 1, to = 1, dynamic = -1;
        for (auto [of, size] : llvm::enumerate(shapeOf(reshape.getOperand().getType())))
          if (ShapedType::isDynamic(size))
            dynamic = of;
          else
            from *= size;
        for (int64_t size : shapeOf(reshape.getType()))
          to *= ShapedType::isDynamic(size) ? 1 : size;
        if (dynamic < 0 || from != to)
          return std::nullopt;
        return SizeOrigin{reshape.getOperand(), dynamic};
      })
      .Case<SliceOp, PadOp>([&](auto part) -> Origin { return SizeOrigin{part.getOperand(), d}; })
      .Case([&](ConcatOp concat) -> Origin {
        if (d == static_cast<int64_t>(concat.getAxis()))
          return std::nullopt;
        return SizeOrigin{concat.getOperands().front(), d};
      })
      .Case([&](OneHotOp hot) -> Origin { return SizeOrigin{hot.getIds(), d}; })
      .Case<ArgmaxOp>([&](auto argmax) -> Origin { return SizeOrigin{argmax.getOperand(), d}; })
      .Case([&](SoftmaxCrossEntropyOp loss) -> Origin { return SizeOrigin{loss.getLabels(), d}; })
      .Case([&](IfOp branch) -> Origin {
        return SizeOrigin{branch.getThenRegion().front().getTerminator()->getOperand(k), d};
      })
      .Case([&](CheckpointOp region) -> Origin {
        return SizeOrigin{region.getBody().front().getTerminator()->getOperand(k), d};
      })
      .Case([&](WhileOp loop) -> Origin { return SizeOrigin{loop.getInits()[k], d}; })
      .Case([&](ScanOp scan) -> Origin {
        if (k < scan.getNumCarried())
          return SizeOrigin{scan.getInits()[k], d};
        if (d > 0)
          return SizeOrigin{scan.getYield().getOperand(k), d - 1};
        if (scan.getSequences().empty())
          return std::nullopt;
        return SizeOrigin{scan.getSequences().front(), 0};
      })
      .Default([&](Operation *other) -> Origin {
        if (!other->hasTrait<OpTrait::Elementwise>() && !isa<AfterOp, SoftmaxOp>(other))
          return std::nullopt;
        return SizeOrigin{other->getOperand(0), d};
      });
}

Origin mlc::df::traceSize(Value value, int64_t d, Region &region) {
  // The arguments of a block that a conversion has replaced have no region.
  auto isInside = [&](Value v) { return v.getParentRegion() && region.isAncestor(v.getParentRegion()); };
  Origin at = SizeOrigin{value, d};
  while (at && isInside(at->value)) {
    auto argument = dyn_cast<BlockArgument>(at->value);
    at = argument ? originOf(argument, at->dimension) : originOf(cast<OpResult>(at->value), at->dimension);
    // A static size needs no origin; a type that says more than another one is one.
    if (at && !cast<RankedTensorType>(at->value.getType()).isDynamicDim(at->dimension) && isInside(at->value))
      return std::nullopt;
  }
  return at;
}
