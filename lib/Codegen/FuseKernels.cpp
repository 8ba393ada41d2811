// codegen-fuse-kernels: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
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

/// Ops of a body that fusion makes at most. What registers hold of a body is a matter of tens of ops, and the time that
/// LLVM takes to schedule one block and to assign its registers grows faster than the block: a chain of thousands is
/// as fast in several kernels, each of which computes far longer than it reads.
static constexpr size_t kMostBodyOps = 1024;
/// The same of an epilogue, which is emitted for each vector of a register tile.
static constexpr size_t kMostEpilogueOps = 256;

namespace {
/// What fusion asks of a body again and again, kept so that it does not walk a body that grows.
struct BodySummary {
  size_t numOps = 0;
  bool usesIndex = false;
  /// Then elements are computed one by one, and so would be those of what it is fused with.
  bool hasLoop = false;

  void add(const BodySummary &other) {
    numOps += other.numOps;
    usesIndex |= other.usesIndex;
    hasLoop |= other.hasLoop;
  }
};

class BodySummaries {
public:
  BodySummary of(Operation *op) {
    auto [it, isNew] = summaries.try_emplace(op);
    if (isNew)
      op->getRegion(0).front().walk([&, &summary = it->second](Operation *inner) {
        summary.numOps += !inner->hasTrait<OpTrait::IsTerminator>();
        summary.usesIndex |= isa<linalg::IndexOp>(inner);
        summary.hasLoop |= isa<LoopLikeOpInterface>(inner);
      });
    return it->second;
  }
  void set(Operation *op, const BodySummary &summary) { summaries[op] = summary; }
  /// To be called before the op is erased: another one may get its address.
  void forget(Operation *op) { summaries.erase(op); }

private:
  DenseMap<Operation *, BodySummary> summaries;
};
} // namespace

/// Whether all readers of `op`'s results but `reader` stand after it, so that one fused op in the reader's place can
/// serve them. Its own body, which may pick any element of a result, is none of them.
static bool othersFollow(Operation *op, Operation *reader) {
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = reader->getBlock()->findAncestorOpInBlock(*user);
    if (user != reader && (!ancestor || ancestor == reader || !reader->isBeforeInBlock(ancestor)))
      return false;
  }
  return true;
}

/// Whether some reader of `producer` other than `reader` exists.
static bool hasOtherReaders(Operation *producer, Operation *reader) {
  return llvm::any_of(producer->getUsers(), [&](Operation *user) { return user != reader; });
}

/// Whether the generic only moves elements: repeating that in every reader costs nothing.
static bool onlyMoves(linalg::GenericOp op) {
  return op.getBody()->without_terminator().empty() &&
         llvm::all_of(op.getBody()->getTerminator()->getOperands(), [](Value v) { return isa<BlockArgument>(v); });
}

/// What a remark calls an op: a generic by the first ops of its body.
static std::string describe(Operation *op) {
  std::string text = ("'" + op->getName().getStringRef() + "'").str();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return text;
  constexpr int64_t kNamed = 3;
  int64_t size = 0;
  for (Operation &inner : generic.getBody()->without_terminator())
    if (size++ < kNamed)
      text += ((size == 1 ? " of " : ", ") + inner.getName().stripDialect()).str();
  return size > kNamed ? text + ", ... (" + std::to_string(size) + " ops)" : text;
}

/// Tells that `producer` is computed by the op that reads it.
static void remarkFused(Operation *producer, Operation *consumer) {
  remark::passed(consumer->getLoc(), remark::RemarkOpts::name("fuse").category("fused"))
      << remark::detail::LazyTextBuild{"Remark",
                                       [=] { return describe(consumer) + " computes " + describe(producer); }};
}

/// Why `producer`, read by `operand` of `consumer`, cannot be computed inside of it; empty: it can.
static StringRef whyNotFused(linalg::GenericOp producer, linalg::GenericOp consumer, OpOperand *operand,
                             BodySummaries &bodies) {
  if (!onlyMoves(producer) && bodies.of(producer).numOps + bodies.of(consumer).numOps > kMostBodyOps)
    return "both together are longer than one kernel";
  if (!onlyMoves(producer) && (bodies.of(producer).hasLoop || bodies.of(consumer).hasLoop))
    return "a loop runs for each element of one of them";
  // The body must not look at what its destinations held; nor may the consumer build upon a result.
  for (OpOperand &init : producer.getDpsInitsMutable())
    if (!producer.getMatchingBlockArgument(&init).use_empty())
      return "it adds to what its result holds";
  for (OpOperand &init : consumer.getDpsInitsMutable())
    if (init.get().getDefiningOp() == producer)
      return "its reader adds to it";
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  const bool usesIndex = bodies.of(producer).usesIndex;
  if (usesIndex && !map.isProjectedPermutation())
    return "it depends on the position of its elements, which its reader moves";
  // Windows overlap: an element would be computed once for each that it is in.
  if (!onlyMoves(producer) && llvm::any_of(map.getResults(), [](AffineExpr e) { return !isa<AffineDimExpr>(e); }))
    return "its reader reads windows that overlap";
  // Read in two ways by one consumer, it would be computed twice.
  if (!onlyMoves(producer) && llvm::any_of(consumer.getDpsInputOperands(), [&](OpOperand *other) {
        return other->get().getDefiningOp() == producer && consumer.getMatchingIndexingMap(other) != map;
      }))
    return "its reader reads it in two ways";
  if (!onlyMoves(producer) && hasOtherReaders(producer, consumer)) {
    // One op for all results needs one iteration space.
    if (!isElementwise(consumer) || consumer.getNumLoops() != producer.getNumLoops() || !map.isIdentity() ||
        !othersFollow(producer, consumer))
      return "others read it, too, and one loop cannot serve them all";
  } else if (usesIndex && consumer.getNumReductionLoops()) {
    return "it depends on the position of its elements, which its reader sums";
  }
  // Some operand that stays must bound each loop.
  llvm::SmallBitVector bounded(consumer.getNumLoops());
  auto bound = [&](AffineMap m) {
    for (AffineExpr expr : m.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounded.set(dim.getPosition());
  };
  for (OpOperand &other : consumer->getOpOperands())
    if (other.get().getDefiningOp() != producer || consumer.getMatchingIndexingMap(&other) != map)
      bound(consumer.getMatchingIndexingMap(&other));
  for (OpOperand *input : producer.getDpsInputOperands())
    bound(producer.getMatchingIndexingMap(input).compose(map));
  return bounded.all() ? "" : "nothing else tells how often its reader runs";
}

/// Computes `producer` inside of `consumer`, for all operands that read it as `operand` does. Operands that are read
/// alike are read once: what fuses next would be computed twice otherwise, and what fuses into that four times.
static linalg::GenericOp fuse(RewriterBase &rewriter, linalg::GenericOp producer, linalg::GenericOp consumer,
                              OpOperand *operand, BodySummaries &bodies) {
  remarkFused(producer, consumer);
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::SmallDenseMap<std::pair<Value, AffineMap>, size_t> places;
  auto input = [&](Value value, AffineMap m) -> size_t {
    auto [it, isNew] = places.try_emplace({value, m}, inputs.size());
    if (isNew) {
      inputs.push_back(value);
      maps.push_back(m);
    }
    return it->second;
  };
  auto isFused = [&](OpOperand *o) {
    return o->get().getDefiningOp() == producer && consumer.getMatchingIndexingMap(o) == map;
  };
  SmallVector<size_t> ofProducer, ofConsumer;
  for (OpOperand *o : producer.getDpsInputOperands())
    ofProducer.push_back(input(o->get(), producer.getMatchingIndexingMap(o).compose(map)));
  for (OpOperand *o : consumer.getDpsInputOperands())
    ofConsumer.push_back(isFused(o) ? 0 : input(o->get(), consumer.getMatchingIndexingMap(o)));

  // The consumer's results, then those of the producer that others read.
  SmallVector<Value> inits(consumer.getOutputs());
  SmallVector<unsigned> kept;
  for (OpOperand &o : consumer.getDpsInitsMutable())
    maps.push_back(consumer.getMatchingIndexingMap(&o));
  for (OpResult result : producer->getResults())
    if (!onlyMoves(producer) && llvm::any_of(result.getUsers(), [&](Operation *user) { return user != consumer; })) {
      kept.push_back(result.getResultNumber());
      inits.push_back(producer.getOutputs()[result.getResultNumber()]);
      maps.push_back(producer.getIndexingMapsArray()[producer.getNumDpsInputs() + result.getResultNumber()]);
    }
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value v) { return v.getType(); });
  rewriter.setInsertionPoint(consumer);
  auto fused = linalg::GenericOp::create(rewriter, consumer.getLoc(), types, inputs, inits, maps,
                                         consumer.getIteratorTypesArray());
  // A producer that goes is taken apart and not copied, so that a chain, whose producer is all of it so far, is fused
  // in linear time. Its arguments must keep their places, and the dimensions that it asks for their numbers.
  const bool goes = !onlyMoves(producer), isInPlace = llvm::equal(ofProducer, llvm::seq<size_t>(0, ofProducer.size()));
  BodySummary summary = bodies.of(producer);
  const bool takesBody = goes && isInPlace && (!summary.usesIndex || map.isIdentity());
  summary.add(bodies.of(consumer));
  SmallVector<Value> yielded; // by the producer
  Block *body;
  IRMapping mapping;
  auto addArguments = [&](ValueRange values) {
    for (Value value : values)
      body->addArgument(getElementTypeOrSelf(value.getType()), consumer.getLoc());
  };
  if (takesBody) {
    fused.getRegion().takeBody(producer.getRegion());
    body = fused.getBody();
    // Nothing reads what its destinations held (canFuse).
    body->eraseArguments(ofProducer.size(), body->getNumArguments() - ofProducer.size());
    addArguments(ArrayRef(inputs).drop_front(ofProducer.size()));
    addArguments(inits);
    llvm::append_range(yielded, body->getTerminator()->getOperands());
    body->getTerminator()->erase();
  } else {
    body = rewriter.createBlock(&fused.getRegion());
    addArguments(inputs);
    addArguments(inits);
    for (auto [argument, i] : llvm::zip(producer.getBody()->getArguments(), ofProducer))
      mapping.map(argument, body->getArgument(i));
    for (Operation &op : producer.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op)) {
        auto dim = cast<AffineDimExpr>(map.getResult(index.getDim()));
        mapping.map(index.getResult(), linalg::IndexOp::create(rewriter, op.getLoc(), dim.getPosition()).getResult());
      } else {
        rewriter.clone(op, mapping);
      }
    }
    for (Value value : producer.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
  }
  rewriter.setInsertionPointToEnd(body);
  for (auto [i, o] : llvm::enumerate(consumer.getDpsInputOperands()))
    mapping.map(consumer.getMatchingBlockArgument(o),
                isFused(o) ? yielded[cast<OpResult>(o->get()).getResultNumber()] : body->getArgument(ofConsumer[i]));
  for (auto [i, o] : llvm::enumerate(consumer.getDpsInitsMutable()))
    mapping.map(consumer.getMatchingBlockArgument(&o), body->getArgument(inputs.size() + i));
  for (Operation &op : consumer.getBody()->without_terminator())
    rewriter.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : consumer.getBody()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  for (unsigned result : kept)
    results.push_back(yielded[result]);
  linalg::YieldOp::create(rewriter, consumer.getLoc(), results);

  unsigned own = consumer->getNumResults();
  for (auto [i, result] : llvm::enumerate(kept))
    rewriter.replaceAllUsesExcept(producer->getResult(result), fused->getResult(own + i), fused);
  bodies.forget(consumer);
  rewriter.replaceOp(consumer, fused->getResults().take_front(own));
  if (producer->use_empty()) {
    bodies.forget(producer);
    rewriter.eraseOp(producer);
  }
  bodies.set(fused, summary);
  return fused;
}

/// Fuses the producer of one operand of `consumer` into it. Returns the fused op or null.
static linalg::GenericOp fuseOneProducer(RewriterBase &rewriter, linalg::GenericOp consumer, BodySummaries &bodies) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (producer && producer->getBlock() == consumer->getBlock() && isElementwise(producer) &&
        consumer.hasPureTensorSemantics() && whyNotFused(producer, consumer, operand, bodies).empty())
      return fuse(rewriter, producer, consumer, operand, bodies);
  }
  return {};
}

/// Moves an element-wise generic into the epilogue of the contraction it reads. Returns whether it did.
static bool fuseEpilogue(RewriterBase &rewriter, linalg::GenericOp consumer, BodySummaries &bodies) {
  if (!isElementwise(consumer) || bodies.of(consumer).usesIndex || bodies.of(consumer).hasLoop)
    return false;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto contract = operand->get().getDefiningOp<kern::ContractOp>();
    if (!contract || contract->getBlock() != consumer->getBlock() || contract->getNumResults() != 1 ||
        !contract->hasOneUse() || !consumer.getMatchingIndexingMap(operand).isIdentity() ||
        bodies.of(contract).numOps + bodies.of(consumer).numOps > kMostEpilogueOps)
      continue;
    unsigned column = consumer.getNumLoops() - 1;
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
      // What moves along the columns must be able to lie after one another.
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        projections &= isa<AffineDimExpr>(expr) &&
                       (cast<AffineDimExpr>(expr).getPosition() != column || i + 1 == map.getNumResults());
      extras.push_back(input->get());
      maps.push_back(AffineMapAttr::get(map));
      arguments.push_back(getElementTypeOrSelf(input->get().getType()));
    }
    if (!projections)
      continue;
    remarkFused(contract, consumer);
    auto fused = kern::ContractOp::create(
        rewriter, loc, consumer.getResultTypes(), contract.getLhs(), contract.getRhs(), extras, consumer.getOutputs(),
        rewriter.getArrayAttr(maps), contract.getTransposeAAttr(), contract.getTransposeBAttr(), contract.getMapsAttr(),
        contract.getUnsignedLhsAttr(), contract.getUnsignedRhsAttr(), contract.getTilingAttr());
    fused->setDiscardableAttrs(contract->getDiscardableAttrDictionary());
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
    bodies.forget(consumer);
    rewriter.replaceOp(consumer, fused.getResults());
    bodies.forget(contract);
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

/// Moves an element-wise generic of scalars and the rows' values into the update of the rows: the division of a sparse
/// gradient by the batch's weight.
static bool fuseRowValues(RewriterBase &rewriter, kern::UpdateRowsOp update, BodySummaries &bodies) {
  // What stands before a sum of groups that is already part of the update is not of the rows' sums.
  if (!update.getGrouping().empty())
    return false;
  auto generic = update.getValues().getDefiningOp<linalg::GenericOp>();
  if (!generic || !generic->hasOneUse() || generic->getNumResults() != 1 || !isElementwise(generic) ||
      bodies.of(generic).hasLoop || !generic.getBody()->getOps<linalg::IndexOp>().empty() ||
      !generic.getMatchingBlockArgument(&generic.getDpsInitsMutable()[0]).use_empty())
    return false;
  OpOperand *rows = nullptr;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0)
      continue;
    if (rows || !map.isIdentity() || input->get().getType() != update.getValues().getType())
      return false;
    rows = input;
  }
  if (!rows)
    return false;
  Block &body = update.getBody().front();
  BlockArgument gradient = body.getArgument(update.getOuts().size());
  rewriter.modifyOpInPlace(update, [&] {
    IRMapping mapping;
    mapping.map(generic.getMatchingBlockArgument(rows), gradient);
    for (OpOperand *input : generic.getDpsInputOperands()) {
      if (input == rows)
        continue;
      update.getScalarsMutable().append(input->get());
      mapping.map(generic.getMatchingBlockArgument(input),
                  body.addArgument(getElementTypeOrSelf(input->get().getType()), generic.getLoc()));
    }
    rewriter.setInsertionPointToStart(&body);
    SmallPtrSet<Operation *, 8> made;
    for (Operation &op : generic.getBody()->without_terminator())
      made.insert(rewriter.clone(op, mapping));
    Value value = mapping.lookup(generic.getBody()->getTerminator()->getOperand(0));
    if (update.getEveryRow()) {
      // Rows without an id have zeros, not what the generic would make of them.
      Value zero =
          arith::ConstantOp::create(rewriter, generic.getLoc(), cast<TypedAttr>(rewriter.getZeroAttr(value.getType())));
      value = arith::SelectOp::create(rewriter, generic.getLoc(), body.getArgument(gradient.getArgNumber() + 1), value,
                                      zero);
      made.insert(value.getDefiningOp());
    }
    gradient.replaceUsesWithIf(value, [&](OpOperand &use) { return !made.contains(use.getOwner()); });
    update.getValuesMutable().assign(rows->get());
  });
  bodies.forget(generic);
  rewriter.eraseOp(generic);
  return true;
}

/// Tells which element-wise computations stay apart from what reads them.
static void remarkMissed(func::FuncOp function, BodySummaries &bodies) {
  if (!function.getContext()->getRemarkEngine())
    return;
  function.walk([&](linalg::GenericOp consumer) {
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || !isElementwise(producer) || !consumer.hasPureTensorSemantics())
        continue;
      StringRef why = producer->getBlock() != consumer->getBlock() ? "they are in different blocks"
                                                                   : whyNotFused(producer, consumer, operand, bodies);
      remark::missed(producer.getLoc(), remark::RemarkOpts::name("fuse").category("fused"))
          << describe(producer) + " is not computed in " + describe(consumer) + ": " + why.str();
    }
  });
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
    BodySummaries bodies;
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
            changed |= fuseRowValues(rewriter, update, bodies);
            changed |= fuseGroupSum(rewriter, update);
          } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
            if (isOpTriviallyDead(&op)) {
              bodies.forget(&op);
              rewriter.eraseOp(&op);
              continue;
            }
            while (linalg::GenericOp fused = fuseOneProducer(rewriter, generic, bodies)) {
              generic = fused;
              changed = true;
            }
            changed |= fuseEpilogue(rewriter, generic, bodies);
          }
        }
      }
    }
    remarkMissed(getOperation(), bodies);
    unshareDestinations(rewriter, getOperation());
  }
};
} // namespace
