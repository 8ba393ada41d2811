// df-require-sizes: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/SymbolicSizes.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFREQUIRESIZESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {
/// What is known of the sizes of a function's values, by what made them and by the checks passed so far: classes of
/// equal sizes, of which the last unions can be taken back.
class KnownSizes {
public:
  explicit KnownSizes(FunctionOp function) : function(function) {}

  bool areEqual(Dimension a, Dimension b) {
    unsigned first = find(a), second = find(b);
    if (first == second || (classes[first].size && classes[first].size == classes[second].size))
      return true;
    // Of a value of which the type knows a size that its origin does not, that is not known to be the origin's.
    if (a.isStatic() != b.isStatic())
      return false;
    if (auto symbol = symbolOf(roots.get(a)); symbol && symbol == symbolOf(roots.get(b)))
      return true;
    if (!counts)
      counts.emplace(function);
    SymbolicSize count = counts->get(a.value, a.index);
    return count.isKnown() && count == counts->get(b.value, b.index);
  }
  /// From here on, until the checks are taken back.
  void setEqual(Dimension a, Dimension b) {
    unsigned first = find(a), second = find(b);
    if (first == second)
      return;
    // The smaller class joins the larger one: no path is longer than the logarithm of the number of sizes.
    if (classes[first].numMembers < classes[second].numMembers)
      std::swap(first, second);
    unions.push_back({second, classes[first].size});
    classes[second].parent = first;
    classes[first].numMembers += classes[second].numMembers;
    if (!classes[first].size)
      classes[first].size = classes[second].size;
  }
  size_t getNumUnions() const { return unions.size(); }
  void takeBack(size_t numUnions) {
    while (unions.size() > numUnions) {
      auto [joined, sizeBefore] = unions.pop_back_val();
      Class &larger = classes[classes[joined].parent];
      larger.numMembers -= classes[joined].numMembers;
      larger.size = sizeBefore;
      classes[joined].parent = joined;
    }
  }

private:
  struct Class {
    unsigned parent; ///< itself: it leads
    unsigned numMembers;
    std::optional<int64_t> size; ///< if a static one is among them
  };
  /// Paths stay as they are: what is taken back has to be found again.
  unsigned find(Dimension at) {
    Dimension root = roots.get(at);
    auto [it, isNew] = numbers.try_emplace({root.value, root.index}, classes.size());
    unsigned number = it->second;
    if (isNew)
      classes.push_back({number, 1, root.isStatic() ? std::optional(sizeOf(root)) : std::nullopt});
    while (classes[number].parent != number)
      number = classes[number].parent;
    return number;
  }
  /// The symbol of a dimension of an argument.
  std::optional<int64_t> symbolOf(Dimension at) {
    auto argument = dyn_cast<BlockArgument>(at.value);
    if (!argument || argument.getOwner()->getParentOp() != function || at.isStatic())
      return std::nullopt;
    return function.getArgSymbols(argument.getArgNumber())[at.index];
  }
  static int64_t sizeOf(Dimension at) { return cast<RankedTensorType>(at.value.getType()).getDimSize(at.index); }

  FunctionOp function;
  /// Made when it is asked: it looks at all dimensions of the module, and few functions need it.
  std::optional<SymbolicSizes> counts;
  SizeRoots roots;
  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> numbers; ///< of roots
  std::vector<Class> classes;
  SmallVector<std::pair<unsigned, std::optional<int64_t>>> unions; ///< what joined, and the size of the other before
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
    size_t numUnions = sizes.getNumUnions();
    // Checks of what an op knows of its results come after it.
    for (Operation &op : llvm::make_early_inc_range(region.getOps())) {
      if (auto known = dyn_cast<RequireSameSizeOp>(op))
        sizes.setEqual({known.getLhs(), static_cast<int64_t>(known.getLhsDimension())},
                       {known.getRhs(), static_cast<int64_t>(known.getRhsDimension())});
      forEachSameSize(&op, [&](Dimension a, Dimension b) {
        if (sizes.areEqual(a, b))
          return;
        OpBuilder builder(&op);
        if (b.value.getDefiningOp() == &op)
          builder.setInsertionPointAfter(&op);
        auto [user, message] = errorOf(&op, a, b);
        RequireSameSizeOp::create(builder, op.getLoc(), a.value, a.index, b.value, b.index, user, message);
        sizes.setEqual(a, b);
      });
      for (Region &inner : op.getRegions())
        visit(inner, sizes);
    }
    // What a branch or an iteration has checked is not known after it.
    sizes.takeBack(numUnions);
  }
};
} // namespace
