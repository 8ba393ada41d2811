// codegen-split-results: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace mlc {
#define GEN_PASS_DEF_SPLITRESULTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Parts of a split at least.
static constexpr size_t kFewest = 4;

/// The dimension along which the slice is a part of its source, if there is one, and the slice has all of the others.
static std::optional<int64_t> axisOf(tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType(), type = slice.getType();
  if (type.getRank() != source.getRank() || !type.hasStaticShape() || type.getNumElements() == 0 ||
      !slice.hasUnitStride())
    return std::nullopt;
  std::optional<int64_t> axis;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (type.getDimSize(d) == source.getDimSize(d) && slice.getStaticOffset(d) == 0)
      continue;
    if (axis || slice.isDynamicOffset(d))
      return std::nullopt;
    axis = d;
  }
  return axis;
}

namespace {
struct SplitResults : public mlc::impl::SplitResultsBase<SplitResults> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto returnOp = cast<func::ReturnOp>(getOperation().getBody().front().getTerminator());
    llvm::MapVector<std::pair<Value, int64_t>, SmallVector<OpOperand *>> parts;
    for (OpOperand &result : returnOp->getOpOperands())
      if (auto slice = result.get().getDefiningOp<tensor::ExtractSliceOp>())
        if (std::optional<int64_t> axis = axisOf(slice))
          parts[{slice.getSource(), *axis}].push_back(&result);
    OpBuilder b(returnOp);
    for (auto &[of, results] : parts) {
      if (results.size() < kFewest)
        continue;
      SmallVector<Value> places;
      SmallVector<int64_t> offsets;
      for (OpOperand *result : results) {
        auto slice = result->get().getDefiningOp<tensor::ExtractSliceOp>();
        offsets.push_back(slice.getStaticOffset(of.second));
        places.push_back(tensor::EmptyOp::create(b, slice.getLoc(), slice.getType(), ValueRange()));
      }
      auto split = kern::SplitOp::create(b, returnOp.getLoc(), ValueRange(places).getTypes(), of.first, places,
                                         static_cast<uint64_t>(of.second), offsets);
      for (auto [result, part] : llvm::zip(results, split.getResults())) {
        Operation *slice = result->get().getDefiningOp();
        result->set(part);
        if (slice->use_empty())
          slice->erase();
      }
    }
  }
};
} // namespace
