// kern.contract of halves and tf32 on the device's memory by products of warpgroups, on chips that have them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixContract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Threads of a warpgroup, and the rows that it multiplies: 16 for each of its warps. A block has two of them.
static constexpr int64_t kWarpgroup = 128, kRows = 64, kRowsOfWarp = 16;
static_assert(2 * kWarpgroup == kThreads);

/// Columns of a matrix of sums, of which a thread has 4 elements.
static constexpr int64_t kColumns = 8;

/// Bytes after which the order of pieces in rows of 128 bytes is the same again; in shorter rows after fewer.
static constexpr int64_t kSwizzled = 1024;

/// Whether each warpgroup has whole rows of shared memory of its own. Words are not transposed where they are read, as
/// halves are.
bool WarpgroupContract::fits() {
  auto isAlongInner = [&](unsigned operand) { return known(innerLoops.back().strides[operand]) == 1; };
  const bool isSquare = tile.rows == tile.columns; // others were never multiplied so
  return isSquare && tile.rows >= kRows && (!isWide() || (isAlongInner(0) && isAlongInner(1)));
}

int64_t WarpgroupContract::sharedAlignment() { return fits() ? kSwizzled : MatrixContract::sharedAlignment(); }

void WarpgroupContract::emitWays(llvm::function_ref<void()> emit) {
  if (!fits())
    return emit();
  auto choose = [&](Value condition, llvm::function_ref<void()> emitThen, llvm::function_ref<void()> emitElse) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitThen();
    b.setInsertionPointToStart(branch.elseBlock());
    emitElse();
  };
  auto emitWay = [&](bool warpgroups) {
    return [&, warpgroups] {
      isOfWarpgroups = warpgroups;
      emit();
    };
  };
  auto emitWithoutMaps = [&] {
    maps.reset();
    choose(hasWarpgroups(b, loc), emitWay(true), emitWay(false));
  };
  const Factor left = makeFactor(0), right = makeFactor(1);
  if (!hasMap(left) || !hasMap(right))
    return emitWithoutMaps();
  auto ofLeft = makeMap(left), ofRight = makeMap(right);
  maps = {ofLeft.getAddress(), ofRight.getAddress()};
  choose(arith::AndIOp::create(b, loc, ofLeft.getExists(), ofRight.getExists()), emitWay(true), emitWithoutMaps);
}

/// Products of warpgroups read shared memory past what orders the accesses of threads.
void WarpgroupContract::publish() {
  if (isOfWarpgroups)
    NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}

/// Whether each of the two warpgroups has rows of its own, else columns.
bool WarpgroupContract::sharesRows() const { return tile.rows > kRows; }
int64_t WarpgroupContract::columnsOf() const { return sharesRows() ? tile.columns : tile.columns / 2; }

Index WarpgroupContract::groupRow(Value thread) {
  return sharesRows() ? math.mul(quotient(thread, kWarpgroup), math.constant(kRows)) : math.constant(0);
}
Index WarpgroupContract::groupColumn(Value thread) {
  return sharesRows() ? math.constant(0) : math.mul(quotient(thread, kWarpgroup), math.constant(columnsOf()));
}

/// A thread's sums, as the instruction takes them.
Type WarpgroupContract::sumsType() {
  return LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(columnsOf() / 2, b.getF32Type()));
}

SmallVector<Value> WarpgroupContract::beginSums() {
  if (!isOfWarpgroups)
    return MatrixContract::beginSums();
  return {LLVM::ZeroOp::create(b, loc, sumsType())};
}

/// The descriptor of a matrix of the chunk that begins at `line`, which begins a block of rows, and `number`: its
/// address, the distance of blocks of rows (where neighbours are lines), that of eight rows, and the length of rows.
Value WarpgroupContract::describe(const Factor &factor, Index line, int64_t number) {
  constexpr int64_t kUnit = 16, kAddresses = int64_t(1) << 18;
  const int64_t row = rowOf(factor) * elementBytes();
  const int64_t ofNumber = factor.isAlongInner ? number * elementBytes() : number * row;
  Index offset = math.add(math.mul(factor.place, math.constant(elementBytes())),
                          math.mul(line, math.constant(tile.depth * elementBytes())));
  Index address = Value(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, factor.shared));
  address = remainder(math.value(math.add(math.add(address, offset), math.constant(ofNumber))), kAddresses);
  Value bits = arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(quotient(math.value(address), kUnit)));
  // Rows of 128, 64 and 32 bytes are of kinds 1, 2 and 3.
  const int64_t kind = row == 128 ? 1 : row == 64 ? 2 : 3;
  const int64_t blocks = factor.isAlongInner ? kUnit : tile.depth * row;
  const int64_t layout = kind << 62 | (kMatrix * row / kUnit) << 32 | (blocks / kUnit) << 16;
  return arith::OrIOp::create(b, loc, bits, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(layout)));
}

SmallVector<Value> WarpgroupContract::multiply(const Factor &left, const Factor &right, Value thread, ValueRange sums) {
  if (!isOfWarpgroups)
    return MatrixContract::multiply(left, right, thread, sums);
  const NVVM::WGMMATypes type = sharedType().isF16()    ? NVVM::WGMMATypes::f16
                                : sharedType().isBF16() ? NVVM::WGMMATypes::bf16
                                                        : NVVM::WGMMATypes::tf32;
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), static_cast<int>(kRows), static_cast<int>(columnsOf()),
                                       static_cast<int>(2 * perPiece()));
  auto layoutOf = [](bool isRow) { return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col; };
  Index row = groupRow(thread), column = groupColumn(thread);
  Value sum = sums.front();
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  for (int64_t number = 0; number < tile.depth; number += 2 * perPiece())
    sum = NVVM::WgmmaMmaAsyncOp::create(
        b, loc, sumsType(), sum, describe(left, row, number), describe(right, column, number), shape,
        NVVM::WGMMATypesAttr::get(b.getContext(), type), NVVM::WGMMATypesAttr::get(b.getContext(), type),
        NVVM::WGMMATypesAttr::get(b.getContext(), NVVM::WGMMATypes::f32),
        NVVM::WGMMAScaleOutAttr::get(b.getContext(), NVVM::WGMMAScaleOut::one),
        NVVM::WGMMAScaleInAttr::get(b.getContext(), NVVM::WGMMAScaleIn::one),
        NVVM::WGMMAScaleInAttr::get(b.getContext(), NVVM::WGMMAScaleIn::one),
        NVVM::MMALayoutAttr::get(b.getContext(), layoutOf(left.isAlongInner)),
        NVVM::MMALayoutAttr::get(b.getContext(), layoutOf(!right.isAlongInner)), NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  // The other block of the multiprocessor multiplies meanwhile.
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, /*group=*/uint64_t(0));
  return {sum};
}

/// A thread has two neighbours of a row of each matrix, and those eight rows below.
void WarpgroupContract::finish(const Factor &left, const Factor &right, Value thread, ValueRange sums) {
  if (!isOfWarpgroups)
    return MatrixContract::finish(left, right, thread, sums);
  Value lane = math.value(remainder(thread, kWarp));
  Index warp = remainder(math.value(quotient(thread, kWarp)), kWarpgroup / kWarp);
  Index row = math.add(math.add(left.begin, groupRow(thread)), math.mul(warp, math.constant(kRowsOfWarp)));
  row = math.add(row, quotient(lane, 4));
  Index column = math.add(math.add(right.begin, groupColumn(thread)), math.mul(remainder(lane, 4), math.constant(2)));
  for (int64_t half = 0; half < 2; ++half) {
    Index m = math.add(row, math.constant(half * kMatrix));
    SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, m);
    for (int64_t j = 0; j < columnsOf() / kColumns; ++j)
      for (int64_t k = 0; k < 2; ++k)
        finishElement(m, at, math.add(column, math.constant(j * kColumns + k)),
                      LLVM::ExtractValueOp::create(b, loc, sums.front(), j * 4 + half * 2 + k));
  }
}
