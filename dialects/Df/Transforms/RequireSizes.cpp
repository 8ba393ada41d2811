// df-require-sizes: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/SizeOrigin.h"
#include "dialects/Df/Utils/SymbolicSizes.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFREQUIRESIZESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {
/// What is known of the sizes of a function's values, by what made them and by the checks passed so far.
class KnownSizes {
public:
  explicit KnownSizes(FunctionOp function) : counts(function) {}

  bool areEqual(Dimension a, Dimension b) {
    SymbolicSize count = counts.get(a.value, a.index);
    if (count.isKnown() && count == counts.get(b.value, b.index))
      return true;
    Dimension first = leaderOf(a), second = leaderOf(b);
    if (first.isStatic() && second.isStatic())
      return sizeOf(first) == sizeOf(second);
    return first == second;
  }
  /// From here on, until the checks are taken back.
  void setEqual(Dimension a, Dimension b) {
    Dimension first = leaderOf(a), second = leaderOf(b);
    // A static size leads: it says most.
    if (second.isStatic())
      std::swap(first, second);
    checked.emplace_back(second, first);
  }
  size_t getNumChecks() const { return checked.size(); }
  void takeBack(size_t numChecks) { checked.resize(numChecks); }

private:
  static int64_t sizeOf(Dimension at) { return cast<RankedTensorType>(at.value.getType()).getDimSize(at.index); }
  Dimension leaderOf(Dimension at) {
    auto [it, isNew] = roots.try_emplace({at.value, at.index}, at);
    if (isNew)
      it->second = rootOfSize(at.value, at.index);
    Dimension leader = it->second;
    // In the order in which they were checked: each names leaders of its time.
    for (const auto &[from, to] : checked)
      if (leader == from)
        leader = to;
    return leader;
  }

  SymbolicSizes counts;
  llvm::DenseMap<std::pair<Value, int64_t>, Dimension> roots;
  SmallVector<std::pair<Dimension, Dimension>> checked;
};

/// The op that an error is to name and what it says of two dimensions.
std::pair<StringRef, std::string> errorOf(Operation *op, Dimension a, Dimension b) {
  if (isa<YieldOp>(op))
    return {op->getParentOp()->getName().getStringRef(),
            ("carried value " + Twine(cast<BlockArgument>(a.value).getArgNumber()) + " must keep its shape").str()};
  std::string text;
  llvm::raw_string_ostream(text) << "dimension " << a.index << " of " << a.value.getType() << " and dimension "
                                 << b.index << " of " << b.value.getType() << " must be equally large";
  return {op->getName().getStringRef(), text};
}

struct DfRequireSizesPass : mlc::df::impl::DfRequireSizesPassBase<DfRequireSizesPass> {
  using DfRequireSizesPassBase::DfRequireSizesPassBase;

  void runOnOperation() override {
    KnownSizes sizes(getOperation());
    visit(getOperation().getBody(), sizes);
  }

private:
  static void visit(Region &region, KnownSizes &sizes) {
    size_t numChecks = sizes.getNumChecks();
    for (Operation &op : region.getOps()) {
      if (auto known = dyn_cast<RequireSameSizeOp>(op))
        sizes.setEqual({known.getLhs(), static_cast<int64_t>(known.getLhsDimension())},
                       {known.getRhs(), static_cast<int64_t>(known.getRhsDimension())});
      forEachSameSize(&op, [&](Dimension a, Dimension b) {
        if (sizes.areEqual(a, b))
          return;
        OpBuilder builder(&op);
        auto [user, message] = errorOf(&op, a, b);
        RequireSameSizeOp::create(builder, op.getLoc(), a.value, a.index, b.value, b.index, user, message);
        sizes.setEqual(a, b);
      });
      for (Region &inner : op.getRegions())
        visit(inner, sizes);
    }
    // What a branch or an iteration has checked is not known behind it.
    sizes.takeBack(numChecks);
  }
};
} // namespace
