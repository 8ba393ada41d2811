// codegen-fuse-kernels: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlc {
#define GEN_PASS_DEF_FUSEKERNELS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether the generic computes each element of its results from elements of its inputs alone.
static bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) { return op.getMatchingIndexingMap(&init).isIdentity(); });
}

static bool usesIndex(linalg::GenericOp op) { return !op.getBody()->getOps<linalg::IndexOp>().empty(); }

/// Whether all readers of `op`'s results but `reader` stand behind it, so that one fused op in the reader's place can
/// serve them.
static bool othersFollow(Operation *op, Operation *reader) {
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = reader->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || (ancestor != reader && !reader->isBeforeInBlock(ancestor)))
      return false;
  }
  return true;
}

/// Whether some reader of `producer` other than `reader` exists.
static bool hasOtherReaders(Operation *producer, Operation *reader) {
  return llvm::any_of(producer->getUsers(), [&](Operation *user) { return user != reader; });
}

/// Fuses the producer of one operand of `consumer` into it. Returns the fused op or null.
static linalg::GenericOp fuseOneProducer(RewriterBase &rewriter, linalg::GenericOp consumer) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != consumer->getBlock() || !isElementwise(producer) ||
        !linalg::areElementwiseOpsFusable(operand))
      continue;
    bool shared = hasOtherReaders(producer, consumer) || producer->getNumResults() > 1;
    if (shared) {
      // One op for all results needs one iteration space.
      bool sameSpace = isElementwise(consumer) && consumer.getNumLoops() == producer.getNumLoops() &&
                       consumer.getMatchingIndexingMap(operand).isIdentity();
      if (!sameSpace || !othersFollow(producer, consumer))
        continue;
    } else if (usesIndex(producer) && consumer.getNumReductionLoops()) {
      continue;
    }
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    for (Operation *old : {producer.getOperation(), consumer.getOperation()})
      for (Value result : old->getResults())
        if (Value replacement = fused->replacements.lookup(result))
          rewriter.replaceAllUsesExcept(result, replacement, fused->fusedOp);
    rewriter.eraseOp(consumer);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    return cast<linalg::GenericOp>(fused->fusedOp);
  }
  return {};
}

/// Moves an element-wise generic into the epilogue of the contraction it reads. Returns whether it did.
static bool fuseEpilogue(RewriterBase &rewriter, linalg::GenericOp consumer) {
  if (!isElementwise(consumer) || consumer.getNumLoops() != 2 || usesIndex(consumer))
    return false;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto contract = operand->get().getDefiningOp<kern::ContractOp>();
    if (!contract || contract->getBlock() != consumer->getBlock() || contract->getNumResults() != 1 ||
        !contract->hasOneUse() || !consumer.getMatchingIndexingMap(operand).isIdentity())
      continue;
    // The body sees the accumulator where it read the contraction, and the other inputs as extras.
    Location loc = consumer.getLoc();
    rewriter.setInsertionPoint(consumer);
    SmallVector<Value> extras(contract.getExtras());
    SmallVector<Attribute> maps(contract.getExtraMaps().getValue());
    SmallVector<Type> arguments(contract.getBody().front().getArgumentTypes());
    bool projections = true;
    for (OpOperand *input : consumer.getDpsInputOperands()) {
      if (input == operand)
        continue;
      AffineMap map = consumer.getMatchingIndexingMap(input);
      // What moves along the columns must be neighbours in memory.
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        projections &=
            isa<AffineDimExpr>(expr) && (cast<AffineDimExpr>(expr).getPosition() == 0 || i + 1 == map.getNumResults());
      extras.push_back(input->get());
      maps.push_back(AffineMapAttr::get(map));
      arguments.push_back(getElementTypeOrSelf(input->get().getType()));
    }
    if (!projections)
      continue;
    auto fused = kern::ContractOp::create(rewriter, loc, consumer.getResultTypes(), contract.getLhs(),
                                          contract.getRhs(), extras, consumer.getOutputs(), rewriter.getArrayAttr(maps),
                                          contract.getTransposeAAttr(), contract.getTransposeBAttr());
    SmallVector<Location> locations(arguments.size(), loc);
    Block *body = rewriter.createBlock(&fused.getBody(), {}, arguments, locations);
    IRMapping mapping;
    Block &first = contract.getBody().front();
    mapping.map(first.getArguments(), body->getArguments().take_front(first.getNumArguments()));
    for (Operation &op : first.without_terminator())
      rewriter.clone(op, mapping);
    Value accumulated = mapping.lookupOrDefault(first.getTerminator()->getOperand(0));
    unsigned next = first.getNumArguments();
    for (OpOperand *input : consumer.getDpsInputOperands())
      mapping.map(consumer.getMatchingBlockArgument(input), input == operand ? accumulated : body->getArgument(next++));
    for (Operation &op : consumer.getBody()->without_terminator())
      rewriter.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : consumer.getBody()->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    kern::YieldOp::create(rewriter, loc, results);
    rewriter.replaceOp(consumer, fused.getResults());
    rewriter.eraseOp(contract);
    return true;
  }
  return false;
}

/// Sums groups where their rows are updated.
static bool fuseGroupSum(RewriterBase &rewriter, kern::UpdateRowsOp update) {
  auto sum = update.getValues().getDefiningOp<kern::GroupSumOp>();
  if (!sum || !sum->hasOneUse() || !update.getGrouping().empty())
    return false;
  rewriter.modifyOpInPlace(update, [&] {
    update.getValuesMutable().assign(sum.getValues());
    update.getGroupingMutable().assign({sum.getEnds(), sum.getOrder()});
  });
  rewriter.eraseOp(sum);
  return true;
}

/// Gives each computation a destination of its own: a shared one would have to be copied.
static void unshareDestinations(RewriterBase &rewriter, func::FuncOp function) {
  SmallVector<Operation *> destinations;
  // Fills first: cloning one adds a reader to its empty tensor.
  function.walk([&](linalg::FillOp op) { destinations.push_back(op); });
  function.walk([&](tensor::EmptyOp op) { destinations.push_back(op); });
  for (Operation *op : destinations) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    for (OpOperand *use : llvm::drop_begin(uses, uses.empty() ? 0 : 1)) {
      rewriter.setInsertionPoint(op);
      use->set(rewriter.clone(*op)->getResult(0));
    }
  }
}

namespace {
struct FuseKernels : public mlc::impl::FuseKernelsBase<FuseKernels> {
  void runOnOperation() override {
    // Constants into bodies and unused operands away first: fusion looks at who reads a value.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return false; });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // To a fixed point: epilogues first, so that what reads a product ends in it and not in its neighbour.
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<linalg::LinalgOp, kern::ContractOp, kern::UpdateRowsOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      bool changed = true;
      while (changed) {
        changed = false;
        for (Operation &op : llvm::make_early_inc_range(*block)) {
          if (auto update = dyn_cast<kern::UpdateRowsOp>(op)) {
            changed |= fuseGroupSum(rewriter, update);
          } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
            if (isOpTriviallyDead(&op)) {
              rewriter.eraseOp(&op);
              continue;
            }
            while (linalg::GenericOp fused = fuseOneProducer(rewriter, generic)) {
              generic = fused;
              changed = true;
            }
            changed |= fuseEpilogue(rewriter, generic);
          }
        }
      }
    }
    unshareDestinations(rewriter, getOperation());
  }
};
} // namespace
