// cuda-join-launches: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ColumnSums.h"
#include "Grid.h"
#include "lib/Codegen/KernelFunctions.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlc {
#define GEN_PASS_DEF_CUDAJOINLAUNCHES
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Arguments of a kernel at most, of 8 bytes each: drivers give it 4 KB of them, of which some stay free.
static constexpr size_t kMostArguments = 500;

/// Values at most that differ among launches of one code, of 8 bytes each: all of them are in registers while a thread
/// finds its own. With 200 of them threads spilled 2,872 bytes.
static constexpr size_t kMostChosen = 64;

/// Ops of a kernel that is joined at most: LLVM and ptxas take more than linear time.
static constexpr int64_t kMostOps = 2048;

namespace {
/// A launch, which is to be a range of the blocks of another one.
struct Part {
  kern::LaunchOp launch;
  SmallVector<Value> captured;
  KernelFunctions::Numbers bounds;
  /// Of the joined launch's blocks, the first one and the one after the last.
  Index begin, end;
};

/// Launches that do the same with other values.
struct Alike {
  SmallVector<Part> parts;
  int64_t numOps = 0;
};
} // namespace

/// Whether a block needs nothing but registers, and no thread but those of its warp. Sums of columns are of a block,
/// whose memory is small and serves all of them.
static bool isJoinable(kern::LaunchOp launch) {
  if (!launch.getGrid() || launch.getGrid()->getSharedBytes() != 0)
    return false;
  WalkResult walked = launch.getBody().walk([&](Operation *op) {
    const bool isOfDevice = isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect());
    // The number of blocks is that of the part, which stands in its body alone.
    const bool isKnown =
        isa<NVVM::ShflOp, NVVM::Barrier0Op>(op) || (isa<NVVM::GridDimXOp>(op) && op->getParentOp() == launch);
    const bool isOwn = isa<memref::AllocaOp>(op) && !cuda::isMemoryOfColumnSums(op);
    return isOwn || (isOfDevice && !isKnown) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

static int64_t countOps(kern::LaunchOp launch) {
  int64_t count = 0;
  launch.getBody().walk([&](Operation *) { ++count; });
  return count;
}

/// Constants that say where a loop ends: a kernel may as well get them.
static KernelFunctions::Numbers findBounds(kern::LaunchOp launch) {
  KernelFunctions::Numbers bounds;
  llvm::SmallDenseSet<Value> known;
  auto add = [&](OpOperand &use) {
    auto constant = use.get().getDefiningOp<arith::ConstantOp>();
    if (!constant || !use.get().getType().isIndex() || launch->isProperAncestor(constant))
      return;
    if (known.insert(use.get()).second)
      bounds.values.push_back(use.get());
    bounds.uses.push_back(&use);
  };
  // Those of the loop over what the threads of all blocks stride over: others are unrolled.
  for (auto guard : launch.getBody().getOps<scf::IfOp>())
    for (auto loop : guard.getThenRegion().getOps<scf::ForOp>()) {
      add(loop.getUpperBoundMutable());
      if (auto compare = guard.getCondition().getDefiningOp<arith::CmpIOp>())
        add(compare.getRhsMutable());
    }
  return bounds;
}

namespace {
/// Makes a launch of several, which stand at the builder's insertion point or before.
class Joiner {
public:
  Joiner(OpBuilder &b, Location loc, MutableArrayRef<Alike *> kinds) : b(b), math{b, loc}, loc(loc), kinds(kinds) {}

  kern::LaunchOp join() {
    Index end = math.constant(0);
    int64_t cost = 1;
    for (Alike *kind : kinds)
      for (Part &part : kind->parts) {
        part.begin = end;
        end = math.add(end, getAsOpFoldResult(part.launch.getTasks()));
        part.end = end;
        // Values that the launch captures stand in front of it.
        math.value(end);
        cost = std::max<int64_t>(cost, part.launch.getCost());
      }
    kern::LaunchOp first = kinds.front()->parts.front().launch;
    auto joined = kern::LaunchOp::create(b, loc, math.value(end), b.getI64IntegerAttr(cost), first.getGridAttr());
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&joined.getBody(), {}, {b.getIndexType(), b.getIndexType()}, {loc, loc});
    block = body->getArgument(0);
    thread = body->getArgument(1);
    emitKinds(kinds);
    kern::YieldOp::create(b, loc);
    return joined;
  }

private:
  Value isBefore(Index end) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, block, math.value(end)); }

  /// The code of the launches that the block may be of.
  void emitKinds(ArrayRef<Alike *> some) {
    if (some.size() == 1)
      return emitKind(*some.front());
    const size_t half = some.size() / 2;
    auto either = scf::IfOp::create(b, loc, isBefore(some[half - 1]->parts.back().end), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&either.getThenRegion().front());
    emitKinds(some.take_front(half));
    b.setInsertionPointToStart(&either.getElseRegion().front());
    emitKinds(some.drop_front(half));
  }

  /// The values, of those that `valuesOf` gives for each part, of the part that the block is of.
  SmallVector<Value> choose(ArrayRef<Part> parts, llvm::function_ref<SmallVector<Value>(const Part &)> valuesOf) {
    if (parts.size() == 1)
      return valuesOf(parts.front());
    const size_t half = parts.size() / 2;
    Value condition = isBefore(parts[half - 1].end);
    SmallVector<Type> types = llvm::map_to_vector(valuesOf(parts.front()), [](Value value) { return value.getType(); });
    auto either = scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    auto yield = [&](Region &region, ArrayRef<Part> some) {
      b.setInsertionPointToStart(&region.front());
      scf::YieldOp::create(b, loc, choose(some, valuesOf));
    };
    yield(either.getThenRegion(), parts.take_front(half));
    yield(either.getElseRegion(), parts.drop_front(half));
    return llvm::to_vector_of<Value>(either.getResults());
  }

  void emitKind(const Alike &kind) {
    const Part &first = kind.parts.front();
    // What differs, and where.
    SmallVector<size_t> captured, bounds;
    auto differs = [&](auto valueOf) {
      return llvm::any_of(kind.parts, [&](const Part &part) { return valueOf(part) != valueOf(first); });
    };
    for (size_t i = 0; i < first.captured.size(); ++i)
      if (differs([&](const Part &part) { return part.captured[i]; }))
        captured.push_back(i);
    auto boundOf = [](const Part &part, size_t i) {
      return part.bounds.values[i].getDefiningOp<arith::ConstantOp>().getValue();
    };
    for (size_t i = 0; i < first.bounds.values.size(); ++i)
      if (differs([&](const Part &part) { return boundOf(part, i); }))
        bounds.push_back(i);
    SmallVector<Value> chosen = choose(kind.parts, [&](const Part &part) {
      kern::LaunchOp launch = part.launch;
      SmallVector<Value> values = {math.value(part.begin), launch.getTasks()};
      for (size_t i : captured)
        values.push_back(part.captured[i]);
      for (size_t i : bounds)
        values.push_back(part.bounds.values[i]);
      return values;
    });
    IRMapping mapping;
    kern::LaunchOp launch = first.launch;
    Block &body = launch.getBody().front();
    mapping.map(body.getArgument(0), math.value(math.sub(Index(block), getAsOpFoldResult(chosen[0]))));
    mapping.map(body.getArgument(1), thread);
    ArrayRef<Value> rest = ArrayRef(chosen).drop_front(2);
    for (auto [i, value] : llvm::zip_equal(captured, rest.take_front(captured.size())))
      mapping.map(first.captured[i], value);
    rest = rest.drop_front(captured.size());
    for (Operation &op : body.without_terminator()) {
      if (isa<NVVM::GridDimXOp>(op))
        mapping.map(op.getResult(0), Value(arith::IndexCastUIOp::create(b, loc, b.getI32Type(), chosen[1])));
      else if (isa<memref::AllocaOp>(op))
        mapping.map(op.getResult(0), memoryLike(op));
      else
        b.clone(op, mapping);
    }
    for (OpOperand *use : first.bounds.uses)
      for (auto [i, value] : llvm::zip_equal(bounds, rest))
        if (use->get() == first.bounds.values[i])
          mapping.lookup(use->getOwner())->setOperand(use->getOperandNumber(), value);
  }

  /// The memory that blocks of all launches share who have such.
  Value memoryLike(Operation &cells) {
    if (!memory) {
      OpBuilder first = OpBuilder::atBlockBegin(block.getParentBlock());
      memory = first.clone(cells)->getResult(0);
    }
    return memory;
  }

  OpBuilder &b;
  IndexMath math;
  Location loc;
  MutableArrayRef<Alike *> kinds;
  Value block, thread, memory;
};

struct CudaJoinLaunches : public mlc::impl::CudaJoinLaunchesBase<CudaJoinLaunches> {
  /// Joins launches of one grid.
  void join(MutableArrayRef<Alike *> kinds) {
    size_t numParts = 0;
    SmallVector<Location> places;
    for (Alike *kind : kinds)
      for (Part &part : kind->parts) {
        ++numParts;
        places.push_back(part.launch.getLoc());
      }
    if (numParts < 2)
      return;
    Operation *group = kinds.front()->parts.front().launch->getParentOp();
    OpBuilder b(group);
    kern::LaunchOp joined = Joiner(b, FusedLoc::get(&getContext(), places), kinds).join();
    Block &body = group->getRegion(0).front();
    joined->moveBefore(&body, body.end());
    for (Alike *kind : kinds)
      for (Part &part : kind->parts)
        part.launch.erase();
    numJoined += numParts - 1;
    remark::passed(places.front(), remark::RemarkOpts::name("join").category("fused")) << remark::detail::LazyTextBuild{
        "Remark", [=] { return "one launch runs " + std::to_string(numParts) + " that do not depend on each other"; }};
  }

  void joinGroup(kern::GroupOp group) {
    // By grid; within it in the order in which kinds come first.
    struct Kinds {
      llvm::StringMap<size_t> positions;
      std::vector<Alike> kinds;
    };
    llvm::MapVector<Attribute, Kinds> grids;
    for (auto launch : group.getBody().getOps<kern::LaunchOp>()) {
      if (!isJoinable(launch))
        continue;
      Part part{launch, capturedBy(launch), findBounds(launch), {}, {}};
      std::string key = KernelFunctions::keyOf(launch, part.captured, part.bounds);
      Kinds &ofGrid = grids[launch.getGridAttr()];
      auto [position, isNew] = ofGrid.positions.try_emplace(key, ofGrid.kinds.size());
      if (isNew)
        ofGrid.kinds.emplace_back();
      Alike &kind = ofGrid.kinds[position->second];
      kind.numOps = countOps(launch);
      kind.parts.push_back(std::move(part));
    }
    for (auto &[grid, ofGrid] : grids) {
      // Pieces of kinds, as many as one kernel may be of.
      std::vector<std::unique_ptr<Alike>> pieces;
      SmallVector<Alike *> together;
      llvm::SmallDenseSet<Value> arguments;
      int64_t numOps = 0;
      size_t numEnds = 0;
      auto finish = [&] {
        join(together);
        together.clear();
        arguments.clear();
        numOps = 0;
      };
      for (Alike &kind : ofGrid.kinds) {
        Alike *piece = nullptr;
        for (Part &part : kind.parts) {
          SmallVector<Value> added(part.captured);
          if (!isConstantOfKernels(part.launch.getTasks()))
            added.push_back(part.launch.getTasks());
          // Each may have an end.
          ++numEnds;
          const size_t numValues = 2 + part.captured.size() + part.bounds.values.size();
          if (piece && (piece->parts.size() + 1) * numValues > kMostChosen)
            piece = nullptr; // the same code again
          const bool isFull =
              arguments.size() + added.size() + numEnds > kMostArguments || (!piece && numOps + kind.numOps > kMostOps);
          if (isFull && !together.empty()) {
            finish();
            piece = nullptr;
            numEnds = 1;
          }
          if (!piece) {
            pieces.push_back(std::make_unique<Alike>());
            together.push_back(piece = pieces.back().get());
            numOps += kind.numOps;
          }
          arguments.insert(added.begin(), added.end());
          piece->parts.push_back(std::move(part));
        }
      }
      finish();
    }
  }

  void runOnOperation() override {
    SmallVector<kern::GroupOp> groups;
    getOperation().walk([&](kern::GroupOp group) { groups.push_back(group); });
    for (kern::GroupOp group : groups) {
      joinGroup(group);
      Block &body = group.getBody().front();
      if (!llvm::hasSingleElement(body))
        continue;
      body.front().moveBefore(group);
      group.erase();
    }
  }
};
} // namespace
