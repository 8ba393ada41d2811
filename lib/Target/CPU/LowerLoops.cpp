// Loops over single elements of a device's memory to launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "lib/Codegen/ElementLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlc;

/// The buffer that a memref is a view of.
static Value baseOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

namespace {
/// A nest of loops that has nothing else to say: each but the last one holds the next, and what has no effect. Its
/// loops are run by a thread in their order, but those of which each iteration has elements of its own: these are
/// points of a launch. Where data says which elements an iteration touches, those that it may be are shared out among
/// owners, if there are to be several: each goes through all iterations and does those of its elements, in their order.
class LoopNest {
public:
  LoopNest(OpBuilder &b, scf::ForOp outermost, int64_t maxPoints)
      : b(b), loc(outermost.getLoc()), outermost(outermost), maxPoints(maxPoints), math{b, loc} {}

  LogicalResult lower(RunPoints runPoints) {
    if (failed(flattenBuffers()))
      return failure();
    findNest();
    findAccesses();
    SmallVector<Index> sizes;
    for (scf::ForOp loop : nest)
      if (isParallel(loop)) {
        parallel.push_back(loop);
        sizes.push_back(numIterations(loop));
      }
    numOwners = findOwners(known(product(math, sizes)).value_or(kUsualPoints));
    sizes.insert(sizes.begin(), math.constant(numOwners));
    runPoints(b, loc, product(math, sizes), [&](Index number) {
      IRMapping mapping;
      SmallVector<Index> point = indicesOf(b, loc, sizes, number);
      owner = point.front();
      for (auto [loop, index] : llvm::zip_equal(parallel, ArrayRef(point).drop_front())) {
        Index distance = math.mul(index, Index(loop.getStep()));
        mapping.map(loop.getInductionVar(), math.value(math.add(Index(loop.getLowerBound()), distance)));
      }
      emit(outermost, mapping);
    });
    return success();
  }

private:
  /// Reads the buffers from outside as what a kernel takes.
  LogicalResult flattenBuffers() {
    WalkResult walked = outermost.walk([&](Operation *op) -> WalkResult {
      for (Value operand : op->getOperands()) {
        if (!isa<MemRefType>(operand.getType()))
          continue;
        if (auto dim = dyn_cast<memref::DimOp>(op); dim && !dim.getConstantIndex())
          return op->emitOpError("asks for a dimension that is not constant");
        if (flat.count(operand))
          continue;
        if (outermost->isAncestor(operand.getParentRegion()->getParentOp()))
          return op->emitOpError("touches a buffer that its loop makes; expected one that is there before it");
        flat.try_emplace(operand, flatten(b, loc, operand));
      }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  void findNest() {
    for (scf::ForOp loop = outermost; loop;) {
      nest.push_back(loop);
      scf::ForOp inner;
      for (Operation &op : loop.getBody()->without_terminator()) {
        if (auto found = dyn_cast<scf::ForOp>(op); found && !inner)
          inner = found;
        else if (!isMemoryEffectFree(&op))
          return;
      }
      if (!inner || !isFixed(inner))
        return;
      loop = inner;
    }
  }

  /// Whether the loop runs from and to the same numbers in each iteration of the outermost one, and carries none.
  bool isFixed(scf::ForOp loop) {
    auto isOutside = [&](Value bound) { return !outermost->isAncestor(bound.getParentRegion()->getParentOp()); };
    return loop.getNumResults() == 0 && isOutside(loop.getLowerBound()) && isOutside(loop.getUpperBound()) &&
           isOutside(loop.getStep());
  }

  void findAccesses() {
    outermost.walk([&](Operation *op) {
      if (auto store = dyn_cast<memref::StoreOp>(op)) {
        accesses[store.getMemref()].push_back(store.getIndices());
        written.insert(baseOf(store.getMemref()));
      } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
        accesses[load.getMemref()].push_back(load.getIndices());
      }
    });
  }

  /// Whether all accesses to each buffer that is written have one index in a dimension, which `fits`.
  bool eachWrittenHas(llvm::function_ref<bool(Value index)> fits) {
    llvm::DenseSet<Value> seen;
    for (auto &[memref, indices] : accesses) {
      Value base = baseOf(memref);
      if (!written.contains(base))
        continue;
      // Dimensions of two views of a buffer are not the same.
      if (!seen.insert(base).second)
        return false;
      bool hasOne = false;
      for (size_t d = 0; d < indices.front().size() && !hasOne; ++d) {
        Value index = indices.front()[d];
        hasOne = llvm::all_of(indices, [&](ValueRange at) { return at[d] == index; }) && fits(index);
      }
      if (!hasOne)
        return false;
    }
    return true;
  }

  /// Whether iterations of a loop of the nest touch elements of their own: what is written is read and written at the
  /// number of the iteration, in one dimension.
  bool isParallel(scf::ForOp loop) {
    return isFixed(loop) && eachWrittenHas([&](Value index) { return index == loop.getInductionVar(); });
  }

  /// The index, made in the innermost loop of the nest, at which everything written is read and written, in one
  /// dimension; null if there is none.
  Value findSharedIndex() {
    Value found;
    const bool isOne = eachWrittenHas([&](Value index) {
      if (found || index.getParentBlock() != nest.back().getBody() || !index.getDefiningOp())
        return index == found;
      found = index;
      return true;
    });
    return isOne ? found : Value();
  }

  /// Whether an op may run where its iteration is another owner's: it reads at most what nobody writes.
  bool isForAll(Operation &op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load ? !written.contains(baseOf(load.getMemref())) : isMemoryEffectFree(&op);
  }

  /// Among how many owners what is written is shared out, where there are `points` for each: a power of two.
  int64_t findOwners(int64_t points) {
    if (points < 1 || maxPoints / points < 2 || parallel.size() == nest.size() || !isFixed(outermost))
      return 1;
    Value index = findSharedIndex();
    if (!index)
      return 1;
    for (Operation &op : *nest.back().getBody()) {
      if (!isForAll(op))
        return 1;
      if (&op == index.getDefiningOp())
        break;
    }
    shared = index;
    return std::min(kMostOwners, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(maxPoints / points))));
  }

  Index numIterations(scf::ForOp loop) {
    Index low = getAsOpFoldResult(loop.getLowerBound()), high = getAsOpFoldResult(loop.getUpperBound());
    Index extent = math.sub(high, low);
    if (auto size = known(extent))
      extent = math.constant(std::max<int64_t>(*size, 0));
    else
      extent = Value(arith::MaxSIOp::create(b, loc, math.value(extent), math.value(math.constant(0))));
    return math.ceilDiv(extent, getAsOpFoldResult(loop.getStep()));
  }

  /// The loop, from one of the nest on, with those that are points where they are.
  void emit(scf::ForOp loop, IRMapping &mapping) {
    if (!llvm::is_contained(nest, loop))
      return emitOp(loop, mapping);
    auto emitBody = [&] {
      for (Operation &op : loop.getBody()->without_terminator()) {
        if (auto inner = dyn_cast<scf::ForOp>(op))
          emit(inner, mapping);
        else
          emitOp(&op, mapping);
        if (shared && &op == shared.getDefiningOp())
          enterIfOwned(mapping.lookup(shared));
      }
    };
    if (llvm::is_contained(parallel, loop))
      return emitBody();
    SmallVector<Value> starts;
    for (Value start : loop.getInitArgs())
      starts.push_back(mapping.lookupOrDefault(start));
    auto copy = scf::ForOp::create(b, loc, mapping.lookupOrDefault(loop.getLowerBound()),
                                   mapping.lookupOrDefault(loop.getUpperBound()),
                                   mapping.lookupOrDefault(loop.getStep()), starts);
    mapping.map(loop.getInductionVar(), copy.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), copy.getRegionIterArgs());
    mapping.map(loop.getResults(), copy.getResults());
    OpBuilder::InsertionGuard guard(b);
    if (starts.empty()) {
      b.setInsertionPoint(copy.getBody()->getTerminator());
      return emitBody();
    }
    b.setInsertionPointToEnd(copy.getBody());
    emitBody();
    b.clone(*loop.getBody()->getTerminator(), mapping);
  }

  /// What follows is the owner's of `index` alone.
  void enterIfOwned(Value index) {
    Value mask = arith::ConstantIndexOp::create(b, loc, numOwners - 1);
    Value isOwned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, arith::AndIOp::create(b, loc, index, mask),
                                          math.value(owner));
    auto guarded = scf::IfOp::create(b, loc, isOwned, /*withElseRegion=*/false);
    b.setInsertionPoint(guarded.thenBlock()->getTerminator());
  }

  /// A copy of the op, which reads and writes flat buffers.
  void emitOp(Operation *op, IRMapping &mapping) {
    Operation *copy = b.clone(*op, mapping);
    SmallVector<Operation *> touching;
    copy->walk([&](Operation *inner) {
      if (isa<memref::LoadOp, memref::StoreOp, memref::DimOp>(inner))
        touching.push_back(inner);
    });
    OpBuilder::InsertionGuard guard(b);
    for (Operation *inner : touching) {
      b.setInsertionPoint(inner);
      if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        const FlatBuffer &buffer = flat.find(load.getMemref())->second;
        Value element = Lanes().load(b, loc, buffer.flat, buffer.at(math, asIndices(load.getIndices())));
        load.getResult().replaceAllUsesWith(element);
        if (inner == copy)
          mapping.map(op->getResult(0), element);
      } else if (auto store = dyn_cast<memref::StoreOp>(inner)) {
        const FlatBuffer &buffer = flat.find(store.getMemref())->second;
        Lanes().store(b, loc, store.getValue(), buffer.flat, buffer.at(math, asIndices(store.getIndices())));
      } else {
        auto dim = cast<memref::DimOp>(inner);
        const FlatBuffer &buffer = flat.find(dim.getSource())->second;
        Value size = math.value(buffer.sizes[*dim.getConstantIndex()]);
        dim.getResult().replaceAllUsesWith(size);
        if (inner == copy)
          mapping.map(op->getResult(0), size);
      }
      inner->erase();
    }
  }

  static SmallVector<Index> asIndices(ValueRange values) { return SmallVector<Index>(values.begin(), values.end()); }

  /// Points that a launch has where the compiler does not know how many; owners at most: each costs all of them a look
  /// at every iteration.
  static constexpr int64_t kUsualPoints = 256, kMostOwners = 1024;

  OpBuilder &b;
  Location loc;
  scf::ForOp outermost;
  int64_t maxPoints;
  IndexMath math;
  int64_t numOwners = 1;
  Value shared; ///< the index that says whose an iteration is; null: every iteration is everyone's
  Index owner;
  SmallVector<scf::ForOp> nest, parallel;
  llvm::DenseMap<Value, FlatBuffer> flat;
  llvm::MapVector<Value, SmallVector<ValueRange>> accesses;
  llvm::DenseSet<Value> written;
};
} // namespace

LogicalResult mlc::lowerElementLoops(func::FuncOp function, RunPoints runPoints, int64_t maxPoints) {
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isDeviceLoop(op))
      return WalkResult::advance();
    loops.push_back(cast<scf::ForOp>(op));
    return WalkResult::skip();
  });
  for (scf::ForOp loop : loops) {
    OpBuilder b(loop);
    if (failed(LoopNest(b, loop, maxPoints).lower(runPoints)))
      return failure();
    loop.erase();
  }
  return success();
}
