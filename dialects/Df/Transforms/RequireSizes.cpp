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

  bool areEqual(SizeOrigin a, SizeOrigin b) {
    SymbolicSize count = counts.get(a.value, a.dimension);
    if (count.isKnown() && count == counts.get(b.value, b.dimension))
      return true;
    SizeOrigin first = leaderOf(a), second = leaderOf(b);
    if (first.isStatic() && second.isStatic())
      return sizeOf(first) == sizeOf(second);
    return first == second;
  }
  /// From here on, until the checks are taken back.
  void setEqual(SizeOrigin a, SizeOrigin b) {
    SizeOrigin first = leaderOf(a), second = leaderOf(b);
    // A static size leads: it says most.
    if (second.isStatic())
      std::swap(first, second);
    checked.emplace_back(second, first);
  }
  size_t getNumChecks() const { return checked.size(); }
  void takeBack(size_t numChecks) { checked.resize(numChecks); }

private:
  static int64_t sizeOf(SizeOrigin at) { return cast<RankedTensorType>(at.value.getType()).getDimSize(at.dimension); }
  SizeOrigin leaderOf(SizeOrigin at) {
    auto [it, isNew] = roots.try_emplace({at.value, at.dimension}, at);
    if (isNew)
      it->second = rootOfSize(at.value, at.dimension);
    SizeOrigin leader = it->second;
    // In the order in which they were checked: each names leaders of its time.
    for (const auto &[from, to] : checked)
      if (leader == from)
        leader = to;
    return leader;
  }

  SymbolicSizes counts;
  llvm::DenseMap<std::pair<Value, int64_t>, SizeOrigin> roots;
  SmallVector<std::pair<SizeOrigin, SizeOrigin>> checked;
};

/// The op that an error is to name and what it says of two dimensions.
std::pair<StringRef, std::string> errorOf(Operation *op, SizeOrigin a, SizeOrigin b) {
  if (isa<YieldOp>(op))
    return {op->getParentOp()->getName().getStringRef(),
            ("carried value " + Twine(cast<BlockArgument>(a.value).getArgNumber()) + " must keep its shape").str()};
  std::string text;
  llvm::raw_string_ostream(text) << "dimension " << a.dimension << " of " << a.value.getType() << " and dimension "
                                 << b.dimension << " of " << b.value.getType() << " must be equally large";
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
      forEachSameSize(&op, [&](SizeOrigin a, SizeOrigin b) {
        if (sizes.areEqual(a, b))
          return;
        OpBuilder builder(&op);
        auto [user, message] = errorOf(&op, a, b);
        RequireSameSizeOp::create(builder, op.getLoc(), a.value, a.dimension, b.value, b.dimension, user, message);
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
