// kern.contract on the device's memory by tiles whose chunks copies bring to shared memory, several at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlockContract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Bytes of copies that go past the first cache, which has nothing to gain.
static constexpr uint32_t kPastCache = 16;

/// Starts the copies of what the thread brings of the chunk at `first` to the one at `place`.
void BlockContract::copy(const Factor &factor, Index first, Index place) {
  const FlatBuffer &buffer = factor.operand == 0 ? lhs : rhs;
  const auto bytes = static_cast<uint32_t>(factor.width * sharedType().getIntOrFloatBitWidth() / 8);
  auto word = [&](uint32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  for (auto [i, line, number, start] : llvm::enumerate(factor.lines, factor.numbers, factor.starts)) {
    Index k = math.add(first, number), to = math.add(place, sharedAt(factor, line, number));
    const Index from = start;
    // Of a line that is not there nothing is read, wherever it would lie, so that the lines of a thread stay constant
    // distances apart: addresses that were chosen for each took registers of their own.
    const Value isPresent = factor.present.empty() ? Value() : factor.present[i];
    auto emitCopy = [&] {
      Value read = isPresent ? Value(arith::SelectOp::create(b, loc, isPresent, word(bytes), word(0))) : Value();
      Index at = math.add(from, distance(innerLoops, indicesOf(innerLoops, k), factor.operand));
      NVVM::CpAsyncOp::create(b, loc, addressOf(b, loc, factor.shared, to), addressOf(b, loc, buffer.flat, at), bytes,
                              bytes == kPastCache ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA,
                              read);
    };
    if (hasWholeChunks()) {
      emitCopy();
      continue;
    }
    // What is not there must not be added; all that copies have instead are zeros.
    auto branch = scf::IfOp::create(b, loc, isBelow(k, inner), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    emitCopy();
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    storeShared(factor, math.value(to), absentOf(factor));
  }
}

/// Multiplies chunks of which `stages` - 1 more are on their way. A thread's copies are done in groups, one a chunk,
/// which may be of nothing.
SmallVector<Value> BlockContract::multiplyCopies(Factor left, Factor right, int64_t stages, Value thread) {
  const int64_t leftSize = sharedSize(left), stageSize = chunkSize(left, right);
  auto start = [&](Index first, Index stage) {
    auto copyBoth = [&] {
      copy(left, first, stage);
      copy(right, first, math.add(stage, math.constant(leftSize)));
    };
    if (known(first) && known(innerEnd)) {
      if (*known(first) < *known(innerEnd))
        copyBoth();
    } else {
      auto branch = scf::IfOp::create(b, loc, isBelow(first, innerEnd), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      copyBoth();
    }
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
  };
  SmallVector<Value> carried = beginSums();
  const size_t numSums = carried.size();
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    start(math.add(innerBegin, math.constant(stage * tile.depth)), math.constant(stage * stageSize));
  Index none = math.constant(0), last = math.constant((stages - 1) * stageSize);
  carried.push_back(math.value(none));
  SmallVector<Value> sums = makeReduction(
      b, loc, innerBegin, innerEnd, tile.depth, carried, [&](OpBuilder &, Index first, ValueRange values) {
        // Here all copies of the chunk are done, and all threads have multiplied the one before, whose place is free.
        NVVM::CpAsyncWaitGroupOp::create(b, loc, static_cast<uint32_t>(stages - 2));
        publish();
        waitForBlock(b, loc);
        Index stage = values.back();
        auto isAt = [&](Index place) {
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, values.back(), math.value(place));
        };
        Index free = choose(isAt(none), last, math.sub(stage, math.constant(stageSize)));
        start(math.add(first, math.constant((stages - 1) * tile.depth)), free);
        left.place = stage;
        right.place = math.add(stage, math.constant(leftSize));
        SmallVector<Value> next = multiply(left, right, thread, values.take_front(numSums));
        next.push_back(math.value(choose(isAt(last), none, math.add(stage, math.constant(stageSize)))));
        return next;
      });
  sums.resize(numSums);
  return sums;
}
