// cpu-plan-contracts: see CpuPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "mlc/Target/CPU/CpuMachine.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlc {
#define GEN_PASS_DEF_PLANCONTRACTS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using kern::ContractForm;
using kern::TilingAttr;

/// Longest inner dimension that is not cut into blocks, and the length of a block.
static constexpr int64_t kMaxUnblockedK = 1024, kBlockK = 256;
/// Rows of a task, in tiles.
static constexpr int64_t kTilesOfTask = 8;
/// Nanoseconds that make a task of tiles, and one of dots.
static constexpr double kTileGrain = 8000, kDotGrain = 4000;

/// Whether rows are neighbours in the outs, and neighbours or all the same in the extras, as emitColumns needs.
bool ContractLowering::hasUnitRows() {
  return llvm::all_of(llvm::enumerate(rowLoops[0].strides), [&](auto stride) {
    auto step = known(stride.value());
    bool isExtra = stride.index() >= 2 && stride.index() < outOperand(0);
    return stride.index() == 1 || step == 1 || (isExtra && step == 0);
  });
}

/// A product with one column needs no panels if its rows, or its inner dimension, lie beside each other.
ContractForm ContractLowering::form() {
  if (known(columns) != 1 || !isPlain())
    return ContractForm::Panels;
  auto step = [&](const Loop &loop, unsigned operand) { return known(loop.strides[operand]); };
  if (step(innerLoops[0], 0) == 1 && step(innerLoops[0], 1) == 1)
    return ContractForm::Dots;
  return hasUnitRows() ? ContractForm::Rows : ContractForm::Panels;
}

double ContractLowering::dotCost() { return kFmaCost * known(inner).value_or(128) * 2; }

TilingAttr ContractLowering::plan() {
  MLIRContext *context = op.getContext();
  switch (form()) {
  case ContractForm::Panels:
    return planPanels();
  case ContractForm::Dots: {
    auto chunk = static_cast<int64_t>(kDotGrain / std::max(dotCost(), 1.0));
    if (auto count = known(rows))
      chunk = std::min(chunk, *count);
    return TilingAttr::get(context, ContractForm::Dots, 1, 1, 0, std::max<int64_t>(1, chunk), 1);
  }
  case ContractForm::Rows:
    return TilingAttr::get(context, ContractForm::Rows, lanes, 1, 0, 4, 1);
  }
  llvm_unreachable("an unknown form");
}

TilingAttr ContractLowering::planPanels() {
  bool isWide = element().getIntOrFloatBitWidth() == 64;
  // Accumulators, one row of the panel and a broadcast fit the register file: 16 of 8 lanes, 32 of 16.
  int64_t tileRows = lanes == 16 ? 8 : isWide ? 3 : 6;
  int64_t vectors = lanes == 16 ? (isWide ? 1 : 3) : (isWide ? 1 : 2);
  // A last panel of one vector is the slowest: two vectors each where that leaves none and panels are few.
  int64_t count = cast<MemRefType>(op.getOuts()[0].getType()).getShape().back();
  int64_t rest = ShapedType::isDynamic(count) ? 0 : count % (3 * lanes);
  if (vectors == 3 && count <= 8 * lanes && rest > 0 && rest <= lanes && count % (2 * lanes) == 0)
    vectors = 2;
  // Sums of blocks wait in the first out, if it can hold them.
  bool isLong = !known(inner) || *known(inner) > kMaxUnblockedK;
  int64_t block = isLong && outs.front().element == element() ? kBlockK : 0;
  auto with = [&](int64_t group) {
    return TilingAttr::get(op.getContext(), ContractForm::Panels, tileRows, vectors * lanes, block, kTilesOfTask,
                           group);
  };
  panelWidth = vectors * lanes;
  tiling = with(1);
  auto group = static_cast<int64_t>(kTileGrain / std::max(panelCost(), 1.0));
  if (auto panels = known(numPanels()))
    group = std::min(group, *panels);
  return with(std::max<int64_t>(1, group));
}

/// Whether the CPU has code for elements of this type.
static bool isSupported(Type element) {
  if (element.isF16() || element.isBF16() || element.isF32() || element.isF64())
    return true;
  return isa<IntegerType>(element) && llvm::is_contained({8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth());
}

namespace {
struct PlanContracts : public mlc::impl::PlanContractsBase<PlanContracts> {
  void runOnOperation() override {
    FailureOr<CpuMachine> machine = CpuMachine::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](kern::ContractOp op) -> WalkResult {
      if (op.getTilingAttr())
        return WalkResult::advance();
      Type lhs = getElementTypeOrSelf(op.getLhs().getType()), rhs = getElementTypeOrSelf(op.getRhs().getType());
      Type accumulator = op.getAccumulatorType();
      if (!isSupported(lhs) || !isSupported(rhs) || !isSupported(accumulator) ||
          accumulator.getIntOrFloatBitWidth() < 32)
        return op.emitOpError("has no code on the CPU: it adds products of f16, bf16, f32, f64 and integers of 8 to 64 "
                              "bits in numbers of 32 and 64 bits; found ")
               << lhs << " by " << rhs << " in " << accumulator;
      // The loops are taken apart as the lowering does it, in a block that goes.
      Block scratch;
      OpBuilder builder(op.getContext());
      builder.setInsertionPointToEnd(&scratch);
      ContractLowering lowering(builder, op, machine->getLanes());
      lowering.collect();
      op.setTilingAttr(lowering.plan());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
