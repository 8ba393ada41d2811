// Launches of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlc;

/// The largest power of two, up to the bytes of an access, that a number is known to be a multiple of.
static int64_t divisorOf(Index number) {
  int64_t divisor = 1;
  if (std::optional<int64_t> constant = known(number)) {
    divisor = *constant;
  } else if (auto product = cast<Value>(number).getDefiningOp<arith::MulIOp>()) {
    divisor = divisorOf(getAsOpFoldResult(product.getLhs())) * divisorOf(getAsOpFoldResult(product.getRhs()));
  } else if (auto buffer = cast<Value>(number).getDefiningOp<memref::ExtractStridedMetadataOp>()) {
    // The stride of a dimension of rows side by side is the product of the sizes after it.
    auto type = cast<MemRefType>(buffer.getSource().getType());
    auto strides = buffer.getStrides();
    auto stride = llvm::find(strides, cast<Value>(number));
    if (type.getLayout().isIdentity() && stride != strides.end())
      for (int64_t size : type.getShape().drop_front(stride - strides.begin() + 1))
        divisor = std::gcd(divisor * (ShapedType::isDynamic(size) ? 1 : size), cuda::kMostAccessBytes);
  }
  return std::gcd(divisor, cuda::kMostAccessBytes);
}

int64_t cuda::wholeWidth(int64_t width, Index number) { return std::gcd(width, divisorOf(number)); }

void cuda::forEachTask(OpBuilder &b, Location loc, Index count, int64_t threads, double cost,
                       llvm::function_ref<void(Index, Value)> body, llvm::function_ref<void()> enter) {
  IndexMath math{b, loc};
  const int64_t perBlock = kThreads / threads;
  const bool isOfBlocks = perBlock == 1;
  Index blocks = math.ceilDiv(count, math.constant(perBlock));
  if (!isOfBlocks)
    blocks = math.min(blocks, math.constant(kMostBlocks));
  blocks = math.max(blocks, math.constant(1));
  // What the body reads of constants may stand in front of the launch; the number is captured.
  Value end = math.value(count);
  const auto costOfBlock = std::max<int64_t>(1, static_cast<int64_t>(cost * static_cast<double>(perBlock)));
  auto launch = kern::LaunchOp::create(b, loc, math.value(blocks), b.getI64IntegerAttr(costOfBlock),
                                       kern::GridAttr::get(b.getContext(), kThreads, /*shared_bytes=*/0));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&launch.getBody(), {}, {b.getIndexType(), b.getIndexType()}, {loc, loc});
  Value thread = block->getArgument(1), lane = thread;
  Index first = math.mul(block->getArgument(0), math.constant(perBlock));
  if (threads == 1) {
    first = math.add(first, thread);
    lane = math.value(math.constant(0));
  } else if (perBlock > 1) {
    Value size = math.value(math.constant(threads));
    first = math.add(first, Value(arith::DivUIOp::create(b, loc, thread, size)));
    lane = arith::RemUIOp::create(b, loc, thread, size);
  }
  Value step;
  if (!isOfBlocks) {
    Value grid = NVVM::GridDimXOp::create(b, loc, b.getI32Type());
    step = math.value(
        math.mul(Value(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), grid)), math.constant(perBlock)));
  }
  // A thread without a number reads nothing: another one may be changing it in place.
  Value start = math.value(first);
  Value isNeeded = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, start, end);
  auto guarded = scf::IfOp::create(b, loc, isNeeded, /*withElseRegion=*/false);
  kern::YieldOp::create(b, loc);
  b.setInsertionPointToStart(&guarded.getThenRegion().front());
  if (enter)
    enter();
  if (isOfBlocks)
    return body(first, lane);
  auto loop = scf::ForOp::create(b, loc, start, end, step);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(Index(loop.getInductionVar()), lane);
}

void cuda::forEachPoint(OpBuilder &b, Location loc, Index count, double cost, llvm::function_ref<void(Index)> body,
                        llvm::function_ref<void()> enter) {
  forEachTask(b, loc, count, /*threads=*/1, cost, [&](Index number, Value) { body(number); }, enter);
}

void cuda::inFirstThread(OpBuilder &b, Location loc, Value thread, llvm::function_ref<void()> body) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, zero);
  auto guarded = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&guarded.getThenRegion().front());
  body();
}

Value cuda::addressOf(OpBuilder &b, Location loc, Value flat, Index element) {
  IndexMath math{b, loc};
  const int64_t bytes = cast<MemRefType>(flat.getType()).getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, flat);
  Index at = math.add(base, math.mul(element, math.constant(bytes)));
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(at));
  const auto space = static_cast<unsigned>(kern::spaceOf(flat.getType()));
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), space), number);
}

void cuda::waitForBlock(OpBuilder &b, Location loc) { NVVM::Barrier0Op::create(b, loc); }

/// No kernel has another use for this register: the code for a chip has a constant in its place (EmitKernels.cpp).
Value cuda::hasWarpgroups(OpBuilder &b, Location loc) {
  Value chip = NVVM::EnvReg0Op::create(b, loc, b.getI32Type());
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, chip, none);
}

/// The 32 bits that the thread `distance` after this one has; those of this one where there is none.
static Value shuffleDown(OpBuilder &b, Location loc, Value bits, int32_t distance) {
  auto number = [&](int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  // The last lane that is read is 31, whatever segment the thread is in.
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), number(-1), bits, number(distance), number(31),
                              NVVM::ShflKind::down, UnitAttr());
}

/// The same of a number of up to 64 bits.
static Value elementAfter(OpBuilder &b, Location loc, Value x, int32_t distance) {
  Type type = x.getType(), half = b.getI32Type();
  if (type.isIndex()) {
    Value bits = arith::IndexCastOp::create(b, loc, b.getI64Type(), x);
    return arith::IndexCastOp::create(b, loc, type, elementAfter(b, loc, bits, distance));
  }
  if (!type.isInteger()) {
    Value bits = arith::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), x);
    return arith::BitcastOp::create(b, loc, type, elementAfter(b, loc, bits, distance));
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return shuffleDown(b, loc, x, distance);
  if (width < 32)
    return arith::TruncIOp::create(b, loc, type,
                                   shuffleDown(b, loc, arith::ExtUIOp::create(b, loc, half, x), distance));
  Value shift = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 32));
  Value high = arith::TruncIOp::create(b, loc, half, arith::ShRUIOp::create(b, loc, x, shift));
  Value low = shuffleDown(b, loc, arith::TruncIOp::create(b, loc, half, x), distance);
  high = arith::ExtUIOp::create(b, loc, type, shuffleDown(b, loc, high, distance));
  return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, high, shift),
                              arith::ExtUIOp::create(b, loc, type, low));
}

Value cuda::combineWarp(OpBuilder &b, Location loc, vector::CombiningKind kind, Value partial) {
  for (int32_t width = kWarp / 2; width > 0; width /= 2)
    partial = vector::makeArithReduction(b, loc, kind, partial, elementAfter(b, loc, partial, width));
  return partial;
}
