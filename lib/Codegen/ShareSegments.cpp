// codegen-share-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSharedCode.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"

namespace mlc {
#define GEN_PASS_DEF_SHARESEGMENTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

static constexpr auto kIgnoreLocations = OperationEquivalence::IgnoreLocations;

/// What the code of a segment depends on beside its body: its role, its type, and its bindings with numbers for names,
/// as the same name is the same buffer.
static Attribute interfaceOf(func::FuncOp function) {
  Builder b(function.getContext());
  llvm::StringMap<int64_t> numbers;
  auto describe = [&](DictionaryAttr attributes) -> Attribute {
    SmallVector<NamedAttribute> described;
    for (NamedAttribute attribute : attributes ? attributes.getValue() : ArrayRef<NamedAttribute>()) {
      auto binding = dyn_cast<df::BindingAttr>(attribute.getValue());
      if (!binding) {
        described.push_back(attribute);
        continue;
      }
      // The number of a dimension symbol is no name: sizes of workspaces are made of it.
      Attribute name = b.getStringAttr(binding.getName());
      if (binding.getKind() != df::BindingKind::Dimension)
        name = b.getI64IntegerAttr(numbers.try_emplace(binding.getName(), numbers.size()).first->second);
      described.emplace_back(attribute.getName(),
                             b.getArrayAttr({b.getI64IntegerAttr(static_cast<int64_t>(binding.getKind())), name}));
    }
    return b.getDictionaryAttr(described);
  };
  SmallVector<Attribute> parts{TypeAttr::get(function.getFunctionType())};
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    parts.push_back(describe(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    parts.push_back(describe(function.getResultAttrDict(i)));
  for (NamedAttribute attribute : function->getDiscardableAttrs())
    if (attribute.getName() != df::DfDialect::kEntryAttr)
      parts.push_back(b.getDictionaryAttr(attribute));
  return b.getArrayAttr(parts);
}

/// A hash of all ops of the body; equal bodies have equal ones.
static llvm::hash_code hashOf(func::FuncOp function) {
  llvm::hash_code hash = 0;
  function.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      kIgnoreLocations));
  });
  return hash;
}

namespace {
struct ShareSegments : public mlc::impl::ShareSegmentsBase<ShareSegments> {
  void runOnOperation() override {
    DenseMap<std::pair<Attribute, size_t>, SmallVector<func::FuncOp, 1>> known;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto kind = function->getAttrOfType<df::SegmentKindAttr>(df::DfDialect::kSegmentAttr);
      // What programs call they call by name.
      if (function.isDeclaration() || !function->hasAttr(df::DfDialect::kRoleAttr) ||
          (kind && kind.getValue() == df::SegmentKind::Called))
        continue;
      auto &alike = known[{interfaceOf(function), hashOf(function)}];
      auto same = llvm::find_if(alike, [&](func::FuncOp other) {
        return OperationEquivalence::isRegionEquivalentTo(&function.getBody(), &other.getBody(), kIgnoreLocations);
      });
      if (same == alike.end()) {
        alike.push_back(function);
        continue;
      }
      function.eraseBody();
      function.setPrivate();
      function->setAttr(df::kCodeAttr, FlatSymbolRefAttr::get(*same));
      ++numShared;
    }
  }
};
} // namespace
