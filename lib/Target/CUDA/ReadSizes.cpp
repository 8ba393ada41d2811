// cuda-read-sizes: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataSizes.h"
#include "Grid.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "dialects/Kern/IR/KernLoops.h"
#include "dialects/Kern/IR/KernTensorMap.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAREADSIZES
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// The memory space that kernels work on.
static constexpr int64_t kDeviceSpace = 1;

static bool isInLaunch(Operation *op) { return op->getParentOfType<kern::LaunchOp>() != nullptr; }

/// Whether nobody asks a buffer, or a part of it, how large it is, so that it may be larger.
static bool isSizeUnused(Value buffer) {
  SmallVector<Value> buffers = {buffer};
  llvm::DenseSet<Value> seen;
  while (!buffers.empty()) {
    Value part = buffers.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    for (OpOperand &use : part.getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp, kern::TensorMapOp>(user))
        continue;
      if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(user)) {
        if (!llvm::all_of(llvm::concat<Value>(metadata.getSizes(), metadata.getStrides()),
                          [](Value number) { return number.use_empty(); }))
          return false;
        buffers.push_back(metadata.getBaseBuffer());
      } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        buffers.push_back(loop.getTiedLoopRegionIterArg(&use));
        buffers.push_back(loop.getTiedLoopResult(&use));
      } else if (isa<ViewLikeOpInterface>(user)) {
        buffers.push_back(user->getResult(0));
      } else if (!isa<scf::YieldOp>(user) || !isa<scf::ForOp>(user->getParentOp())) {
        return false;
      }
    }
  }
  return true;
}

/// Whether a number may be larger than it is: that of blocks, the size of memory, how often a loop goes round after
/// whose end nothing changes.
static bool mayBeLarger(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return loop->hasAttr(kern::kMayGoOnAttr) && use.get() == loop.getUpperBound() &&
           use.get() != loop.getLowerBound() && use.get() != loop.getStep();
  return isa<kern::LaunchOp>(user) || (isa<memref::AllocOp>(user) && isSizeUnused(user->getResult(0)));
}

namespace {
/// The numbers of a segment that are computed of elements which the host reads of the device.
class DataNumbers {
public:
  explicit DataNumbers(func::FuncOp segment) : segment(segment) {}

  /// Finds them. False: there is none.
  bool find() {
    loadsOf.clear();
    sources.clear();
    segment.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<kern::LaunchOp>(op))
        return WalkResult::skip();
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        // What counts to such a number may be one, too. Those that may go on have a number of iterations that is known.
        auto it = loadsOf.find(loop.getUpperBound());
        if (it != loadsOf.end() && !loadsOf.contains(loop.getLowerBound()) && !loadsOf.contains(loop.getStep()) &&
            !loop->hasAttr(kern::kMayGoOnAttr) && cuda::onlyLaunches(loop)) {
          llvm::SmallSetVector<Operation *, 2> loads = it->second;
          loads.insert(loop);
          loadsOf[loop.getInductionVar()] = loads;
          sources[loop] = kern::TransferOp();
        }
      } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
        if (kern::TransferOp transfer = cuda::transferOf(load); transfer && load.getType().isIntOrIndex()) {
          loadsOf[load.getResult()].insert(load);
          sources[load] = transfer;
        }
      } else if (cuda::isArithmetic(op)) {
        llvm::SmallSetVector<Operation *, 2> loads;
        for (Value operand : op->getOperands())
          if (auto it = loadsOf.find(operand); it != loadsOf.end())
            loads.insert_range(it->second);
        if (!loads.empty())
          for (Value result : op->getResults())
            loadsOf[result] = loads;
      }
      return WalkResult::advance();
    });
    return !sources.empty();
  }

  /// Takes out the elements that the host needs for something else than launches and memory, and those that nothing
  /// bounds where it does. False: no other one is left.
  bool keepThoseOfKernels() {
    // Without what was taken out others may have bounds that they had not, and none loses one.
    for (size_t before = 0; before != sources.size();) {
      before = sources.size();
      for (scf::ForOp loop : loops())
        if (!isData(loop.getUpperBound()))
          sources.erase(loop);
      for (auto &[number, loads] : loadsOf)
        for (OpOperand &use : number.getUses())
          if (isData(number) && !isForKernels(use))
            for (Operation *load : loads)
              sources.erase(load);
    }
    return !sources.empty();
  }

  bool isData(Value number) const {
    auto it = loadsOf.find(number);
    return it != loadsOf.end() && llvm::any_of(it->second, [&](Operation *load) { return sources.contains(load); });
  }

  /// The loops that go round as often as such a number says, and which the device can count.
  SmallVector<scf::ForOp> loops() const {
    SmallVector<scf::ForOp> found;
    for (auto [op, transfer] : sources)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        found.push_back(loop);
    return found;
  }

  llvm::MapVector<Operation *, kern::TransferOp> sources; ///< loads, and what brings what they read; loops

private:
  bool isForKernels(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (isInLaunch(user) || cuda::isArithmetic(user))
      return true;
    auto loop = dyn_cast<scf::ForOp>(user);
    const bool isCount = loop && sources.contains(loop) && use.getOperandNumber() == 1;
    return (isCount || mayBeLarger(use)) &&
           cuda::boundOf(nullptr, use.get(), [&](Value number) { return isData(number); });
  }

  func::FuncOp segment;
  llvm::MapVector<Value, llvm::SmallSetVector<Operation *, 2>> loadsOf;
};

/// Has launches compute these numbers themselves.
class SizeReading {
public:
  SizeReading(func::FuncOp segment, DataNumbers &numbers) : segment(segment), numbers(numbers) {}

  void run() {
    for (auto [load, transfer] : numbers.sources)
      if (!elements.contains(transfer))
        elements.insert({transfer, elementsOf(transfer)});
    SmallVector<Operation *> bounded;
    SmallVector<kern::LaunchOp> launches;
    segment.walk([&](Operation *op) {
      if (auto launch = dyn_cast<kern::LaunchOp>(op))
        launches.push_back(launch);
      if (isa<memref::AllocOp, kern::LaunchOp, scf::ForOp>(op) && !isInLaunch(op))
        bounded.push_back(op);
    });
    for (kern::LaunchOp launch : launches)
      readIn(launch);
    auto isData = [&](Value number) { return numbers.isData(number); };
    for (Operation *op : bounded)
      for (OpOperand &operand : op->getOpOperands())
        if (isData(operand.get())) {
          OpBuilder b(op);
          operand.set(cuda::boundOf(&b, operand.get(), isData));
        }
    eraseTransfers();
  }

private:
  /// What a transfer copies, as kernels will find it later.
  FlatBuffer elementsOf(kern::TransferOp transfer) {
    OpBuilder b(transfer);
    Location loc = transfer.getLoc();
    FlatBuffer from = flatten(b, loc, transfer.getSource());
    if (cuda::isLastState(transfer))
      return from;
    auto type = cast<MemRefType>(transfer.getOuts()[0].getType());
    Attribute space = cast<MemRefType>(transfer.getSource().getType()).getMemorySpace();
    Value copy = memref::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), space));
    FlatBuffer to = flatten(b, loc, copy);
    IndexMath math{b, loc};
    SmallVector<Index> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(math.constant(size));
    cuda::forEachPoint(b, loc, product(math, sizes), 1, [&](Index number) {
      SmallVector<Index> at = indicesOf(b, loc, sizes, number);
      Value element = Lanes().load(b, loc, from.flat, from.at(math, at));
      Lanes().store(b, loc, element, to.flat, to.at(math, at));
    });
    return to;
  }

  void readIn(kern::LaunchOp launch) {
    Block &body = launch.getBody().front();
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(launch.getBody(), used);
    OpBuilder b(&body, body.begin());
    IRMapping mapping;
    for (Value number : used)
      if (numbers.isData(number)) {
        Value own = compute(b, number, mapping);
        number.replaceUsesWithIf(own, [&](OpOperand &use) {
          return launch->isProperAncestor(use.getOwner()) && !made.contains(use.getOwner());
        });
      }
  }

  /// The number, computed where `b` stands.
  Value compute(OpBuilder &b, Value number, IRMapping &mapping) {
    if (!numbers.isData(number))
      return number;
    if (Value known = mapping.lookupOrNull(number))
      return known;
    Operation *op = number.getDefiningOp();
    if (auto load = dyn_cast<memref::LoadOp>(op); load && numbers.sources.contains(op)) {
      const FlatBuffer &buffer = elements.find(numbers.sources.lookup(op))->second;
      IndexMath math{b, op->getLoc()};
      SmallVector<Index> at;
      for (Value index : load.getIndices())
        at.push_back(compute(b, index, mapping));
      Value element = Lanes().load(b, op->getLoc(), buffer.flat, buffer.at(math, at));
      mapping.map(number, element);
      return element;
    }
    for (Value operand : op->getOperands())
      mapping.map(operand, compute(b, operand, mapping));
    made.insert(b.clone(*op, mapping));
    return mapping.lookup(number);
  }

  /// Erases what the host read, where it needs nothing of it any more.
  void eraseTransfers() {
    SmallVector<Operation *> all;
    segment.walk([&](Operation *op) {
      if ((cuda::isArithmetic(op) || isa<memref::LoadOp>(op)) && !isInLaunch(op))
        all.push_back(op);
    });
    for (Operation *op : llvm::reverse(all))
      if (isOpTriviallyDead(op))
        op->erase();
    for (auto &[transfer, buffer] : elements) {
      Value copy = kern::TransferOp(transfer).getOuts()[0];
      if (!copy.hasOneUse())
        continue;
      transfer->erase();
      copy.getDefiningOp()->erase();
    }
  }

  func::FuncOp segment;
  DataNumbers &numbers;
  llvm::DenseSet<Operation *> made;
  llvm::MapVector<Operation *, FlatBuffer> elements;
};

struct CudaReadSizes : public mlc::impl::CudaReadSizesBase<CudaReadSizes> {
  /// Has sizes and strides be those that what made a buffer tells: of what a loop carries, whose shape stays as it was,
  /// of that which it starts with.
  void resolveMetadata() {
    getOperation().walk([](memref::DimOp dim) {
      std::optional<int64_t> d = dim.getConstantIndex();
      if (!d || !isa<MemRefType>(dim.getSource().getType()))
        return;
      OpBuilder b(dim);
      auto metadata = memref::ExtractStridedMetadataOp::create(b, dim.getLoc(), dim.getSource());
      dim.getResult().replaceAllUsesWith(metadata.getSizes()[*d]);
      dim.erase();
    });
    getOperation().walk([&](memref::ExtractStridedMetadataOp metadata) {
      Value source = metadata.getSource();
      while (true) {
        Operation *loop = source.getDefiningOp();
        auto argument = dyn_cast<BlockArgument>(source);
        if (argument)
          loop = argument.getOwner()->getParentOp();
        auto carrying = dyn_cast_if_present<scf::ForOp>(loop);
        if (!carrying || (argument && argument.getArgNumber() == 0))
          break;
        source = argument ? carrying.getInitArgs()[argument.getArgNumber() - 1]
                          : carrying.getInitArgs()[cast<OpResult>(source).getResultNumber()];
      }
      if (source == metadata.getSource() || source.getType() != metadata.getSource().getType())
        return;
      OpBuilder b(metadata);
      auto start = memref::ExtractStridedMetadataOp::create(b, metadata.getLoc(), source);
      for (auto [mine, its] : llvm::zip_equal(metadata.getSizes(), start.getSizes()))
        mine.replaceAllUsesWith(its);
      for (auto [mine, its] : llvm::zip_equal(metadata.getStrides(), start.getStrides()))
        mine.replaceAllUsesWith(its);
    });
    RewritePatternSet patterns(&getContext());
    memref::populateResolveExtractStridedMetadataPatterns(patterns);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
    getOperation().walk([](affine::AffineApplyOp apply) {
      OpBuilder b(apply);
      std::optional<SmallVector<Value, 8>> values =
          affine::expandAffineMap(b, apply.getLoc(), apply.getAffineMap(), apply.getOperands());
      if (!values)
        return;
      apply.getResult().replaceAllUsesWith(values->front());
      apply.erase();
    });
  }

  void runOnOperation() override {
    readSizes();
    // Nobody asks for it any more.
    getOperation().walk([](scf::ForOp loop) { loop->removeAttr(kern::kMayGoOnAttr); });
  }

  void readSizes() {
    DataNumbers numbers(getOperation());
    if (!numbers.find())
      return;
    resolveMetadata();
    if (!numbers.find() || !numbers.keepThoseOfKernels())
      return;
    while (!numbers.loops().empty()) {
      countLoops(numbers.loops());
      if (!numbers.find() || !numbers.keepThoseOfKernels())
        return;
    }
    SizeReading(getOperation(), numbers).run();
  }

  void countLoops(ArrayRef<scf::ForOp> loops) {
    int32_t number = 0;
    getOperation().walk(
        [&](kern::LoopOp other) { number = std::max(number, static_cast<int32_t>(other.getNumber()) + 1); });
    auto space = IntegerAttr::get(IntegerType::get(&getContext(), 64), kDeviceSpace);
    for (scf::ForOp loop : loops)
      cuda::countOnDevice(loop, space, number++);
  }
};
} // namespace
