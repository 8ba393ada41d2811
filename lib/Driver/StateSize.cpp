// Sizes of variables, and workspace formulas evaluated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/StateSize.h"
#include "common/machine/MachineLimits.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;
using common::addSizes;
using common::multiplySizes;

static int64_t bytesOf(df::VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    bytes = multiplySizes(bytes, size);
  return bytes;
}

common::MemoryNeed mlc::stateNeed(ModuleOp module) {
  common::MemoryNeed need;
  for (auto variable : module.getOps<df::VariableOp>()) {
    const int64_t bytes = bytesOf(variable);
    need.state = addSizes(need.state, bytes);
    if (variable.getLifetime() == df::Lifetime::Train)
      need.checkpoint = addSizes(need.checkpoint, bytes);
  }
  return need;
}

LogicalResult mlc::checkStateSize(ModuleOp module) {
  LogicalResult result = success();
  for (auto variable : module.getOps<df::VariableOp>()) {
    // Slots have their variable's shape: one error is enough.
    if (bytesOf(variable) <= kMostVariableBytes || (failed(result) && variable.getSlotOf()))
      continue;
    result = variable.emitError() << "variable '" << variable.getSymName() << "', " << variable.getTensorType()
                                  << ", has more bytes than a process can address, "
                                  << common::bytesText(static_cast<double>(kMostVariableBytes));
  }
  return result;
}

/// As the function that makeWorkspaceFunction of BindFrames.cpp builds of the same formula.
static int64_t evaluate(ArrayRef<int64_t> formula, int64_t rows) {
  const int64_t numSymbols = formula.front();
  int64_t total = 0;
  for (ArrayRef<int64_t> slot = formula.drop_front(); !slot.empty(); slot = slot.drop_front(numSymbols + 1)) {
    int64_t bytes = addSizes(slot[numSymbols], 63);
    for (int64_t bytesOfSymbol : slot.take_front(numSymbols))
      bytes = addSizes(bytes, multiplySizes(bytesOfSymbol, rows));
    total = addSizes(total, bytes == INT64_MAX ? bytes : bytes & -64);
  }
  return total;
}

int64_t mlc::workspaceNeed(ModuleOp module, const ArtifactInfo &info, int64_t rows) {
  int64_t most = -1;
  for (const EntryInfo &entry : info.entries) {
    if (entry.role != MLCRT_ROLE_TRAIN)
      continue;
    most = std::max<int64_t>(most, 0);
    for (const SegmentInfo &segment : entry.segments)
      if (Operation *function = module.lookupSymbol(segment.function + ".workspace"))
        if (auto formula = function->getAttrOfType<DenseI64ArrayAttr>(kWorkspaceAttr))
          most = std::max(most, evaluate(formula.asArrayRef(), rows));
  }
  return most;
}
