// kern.contract by products of warpgroups whose chunks copies of boxes of tensors bring to shared memory (TMA).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixContract.h"
#include "TensorMaps.h"
#include "dialects/Kern/IR/KernTensorMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Chunks in shared memory at most, and bytes of these: two blocks fit a multiprocessor of the chips that have such
/// copies.
static constexpr int64_t kMostStages = 4, kMostShared = 96 << 10;

/// Bytes of an mbarrier.
static constexpr int64_t kBarrier = 8;

/// The longest time that a thread sleeps before it looks at a barrier again, in nanoseconds.
static constexpr int32_t kSleep = 1000000;

/// The strides of a factor: of neighbours of the inner dimension, and of lines.
static Index lineStride(const ContractLoops::Loop &rows, const ContractLoops::Loop &columns, unsigned operand) {
  return operand == 0 ? rows.strides[0] : columns.strides[1];
}

/// Whether the factor is a matrix of which a descriptor can be made: one dimension of neighbours, and one whose stride
/// is known, from a beginning that is known. Copies of 16 bytes do, too, so that memory begins where they need it.
bool WarpgroupContract::hasMap(const Factor &factor) {
  if (!batchLoops.empty() || rowLoops.size() != 1 || innerLoops.size() != 1 || !canCopy(factor))
    return false;
  const Index stride =
      factor.isAlongInner ? lineStride(rowLoops[0], columnLoop, factor.operand) : innerLoops[0].strides[factor.operand];
  auto isWhole = [&](Index elements) {
    return known(elements) && *known(elements) >= 0 && *known(elements) % perPiece() == 0;
  };
  return factor.width == perPiece() && isWhole(stride) && *known(stride) > 0 && isWhole(origins[factor.operand]);
}

/// The descriptor: boxes are the rows that wgmma knows, of all lines or numbers of a chunk that they have.
kern::TensorMapOp WarpgroupContract::makeMap(const Factor &factor) {
  const FlatBuffer &buffer = factor.operand == 0 ? lhs : rhs;
  Index along = inner, across = factor.size, stride = lineStride(rowLoops[0], columnLoop, factor.operand);
  if (!factor.isAlongInner) {
    std::swap(along, across);
    stride = innerLoops[0].strides[factor.operand];
  }
  const int64_t row = rowOf(factor);
  return kern::TensorMapOp::create(
      b, loc, b.getI64Type(), b.getI1Type(), buffer.flat, ValueRange{math.value(along), math.value(across)},
      *known(origins[factor.operand]), ArrayRef<int64_t>{1, *known(stride)},
      ArrayRef<int64_t>{row, factor.isAlongInner ? factor.extent : tile.depth}, row * elementBytes());
}

/// Copies the factor's part of the chunk at `first` to the one at `place`; by one thread.
void WarpgroupContract::copyBoxes(const Factor &factor, Value map, Index first, Index place, Value barrier) {
  auto coordinate = [&](Index at) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), math.value(at));
  };
  // Where neighbours are lines there is a box for each row of them.
  const int64_t lines = factor.isAlongInner ? factor.extent : rowOf(factor);
  auto space = LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t line = 0; line < factor.extent; line += lines) {
    Index begin = math.add(factor.begin, math.constant(line));
    SmallVector<Value> at = {coordinate(factor.isAlongInner ? first : begin),
                             coordinate(factor.isAlongInner ? begin : first)};
    Value to = addressOf(b, loc, factor.shared, math.add(place, math.constant(line * tile.depth)));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, loc, LLVM::AddrSpaceCastOp::create(b, loc, space, to), map, at, barrier, /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/Value(), /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
        /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

/// As copies of threads bring them (BlockContract), but the first thread asks for each chunk at once, and an mbarrier
/// tells all when its bytes are there. What lies outside of the factors comes as zeros.
SmallVector<Value> WarpgroupContract::multiplyCopies(Factor left, Factor right, int64_t stages, Value thread) {
  if (!maps)
    return MatrixContract::multiplyCopies(left, right, stages, thread);
  const int64_t leftSize = sharedSize(left), stageSize = leftSize + sharedSize(right);
  const int64_t chunkBytes = stageSize * elementBytes();
  stages = std::min(kMostStages, kMostShared / chunkBytes);
  if (known(inner))
    stages = std::min(stages, (*known(inner) + tile.depth - 1) / tile.depth + 1);
  auto type = MemRefType::get({stages * (stageSize + kBarrier / elementBytes())}, sharedType(),
                              MemRefLayoutAttrInterface(), b.getI64IntegerAttr(kSharedSpace));
  Value memory = memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(sharedAlignment()));
  memory.getDefiningOp()->setAttr(kOfLaunchAttr, b.getUnitAttr());
  left.shared = right.shared = memory;
  auto number = [&](int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  auto barrierOf = [&](Index stage) {
    return addressOf(
        b, loc, memory,
        math.add(math.constant(stages * stageSize), math.mul(stage, math.constant(kBarrier / elementBytes()))));
  };
  auto inOneThread = [&](llvm::function_ref<void()> body) { inFirstThread(b, loc, thread, body); };
  auto addressOfMap = [&](Value map) {
    return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), map);
  };
  auto ask = [&](Index first, Index stage) {
    inOneThread([&] {
      Value barrier = barrierOf(stage);
      NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), barrier, number(static_cast<int32_t>(chunkBytes)),
                                             NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
      Index place = math.mul(stage, math.constant(stageSize));
      copyBoxes(left, addressOfMap(maps->first), first, place, barrier);
      copyBoxes(right, addressOfMap(maps->second), first, math.add(place, math.constant(leftSize)), barrier);
    });
  };
  auto start = [&](Index first, Index stage) {
    if (known(first) && known(innerEnd)) {
      if (*known(first) < *known(innerEnd))
        ask(first, stage);
      return;
    }
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(first), math.value(innerEnd));
    auto branch = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    ask(first, stage);
  };
  auto choose = [&](Value condition, Value x, Value y) {
    return Value(arith::SelectOp::create(b, loc, condition, x, y));
  };

  inOneThread([&] {
    for (int64_t stage = 0; stage < stages; ++stage)
      NVVM::MBarrierInitOp::create(b, loc, barrierOf(math.constant(stage)), number(1), /*predicate=*/Value());
    publish();
  });
  waitForBlock(b, loc);
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    start(math.add(innerBegin, math.constant(stage * tile.depth)), math.constant(stage));
  SmallVector<Value> carried = beginSums();
  const size_t numSums = carried.size();
  // The chunk's stage, and which time of the stage it is: even or odd.
  carried.push_back(math.value(math.constant(0)));
  carried.push_back(number(0));
  SmallVector<Value> sums = makeReduction(
      b, loc, innerBegin, innerEnd, tile.depth, carried, [&](OpBuilder &, Index first, ValueRange values) {
        Value stage = values[numSums], time = values[numSums + 1];
        NVVM::MBarrierTryWaitParityOp::create(b, loc, barrierOf(stage), time, number(kSleep));
        // All threads have multiplied the chunk before, whose place is free.
        waitForBlock(b, loc);
        auto isAt = [&](int64_t place) {
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, math.value(math.constant(place)));
        };
        Value last = math.value(math.constant(stages - 1)), none = math.value(math.constant(0));
        start(math.add(first, math.constant((stages - 1) * tile.depth)),
              choose(isAt(0), last, math.value(math.sub(stage, math.constant(1)))));
        left.place = math.mul(stage, math.constant(stageSize));
        right.place = math.add(left.place, math.constant(leftSize));
        SmallVector<Value> next = multiply(left, right, thread, values.take_front(numSums));
        Value wraps = isAt(stages - 1);
        next.push_back(choose(wraps, none, math.value(math.add(stage, math.constant(1)))));
        next.push_back(choose(wraps, arith::XOrIOp::create(b, loc, time, number(1)), time));
        return next;
      });
  sums.resize(numSums);
  return sums;
}
