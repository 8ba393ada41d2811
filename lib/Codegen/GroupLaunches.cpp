// codegen-group-launches: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_GROUPLAUNCHES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {

/// Part of a buffer that an op reads or writes.
struct Access {
  /// The allocation (a task's own on the stack is one) or function argument; null if it could be any.
  Value root;
  /// [begin, end) along each dimension of the root; empty: all of it.
  SmallVector<std::pair<int64_t, int64_t>> box;
  bool writes;

  bool conflicts(const Access &other) const {
    if (!writes && !other.writes)
      return false;
    if (!root || !other.root)
      return true;
    if (root != other.root)
      return false;
    // Boxes are of one root, hence of one rank.
    for (auto [a, b] : llvm::zip(box, other.box))
      if (a.second <= b.first || b.second <= a.first)
        return false;
    return true;
  }
};

struct Node {
  Operation *op;
  SmallVector<Access> accesses;
  /// Positions of the ops that need this one to be done.
  SmallVector<int64_t> readers;
  bool dependsOnNothing = true;
  int64_t level = 0;

  bool isLaunch() const { return isa<kern::LaunchOp>(op); }
};

} // namespace

/// The box of a subview in its source; all of a dimension where the part is not static.
static SmallVector<std::pair<int64_t, int64_t>> boxOf(memref::SubViewOp view) {
  SmallVector<std::pair<int64_t, int64_t>> box;
  for (auto [offset, size, stride] :
       llvm::zip(view.getStaticOffsets(), view.getStaticSizes(), view.getStaticStrides())) {
    bool isKnown = !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) && stride == 1;
    box.push_back(isKnown ? std::pair(offset, offset + size)
                          : std::pair(int64_t(0), std::numeric_limits<int64_t>::max()));
  }
  return box;
}

/// What an access to `memref` touches.
static Access accessOf(Value memref, bool writes) {
  Access access{memref, {}, writes};
  while (Operation *op = access.root.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return access;
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      // Only a box in the root itself counts.
      access.box = boxOf(view);
      access.root = view.getSource();
    } else if (isa<memref::CastOp>(op)) {
      access.root = op->getOperand(0);
    } else if (isa<memref::ReinterpretCastOp, memref::ExtractStridedMetadataOp, memref::CollapseShapeOp,
                   memref::ExpandShapeOp>(op)) {
      // A box behind another shape says nothing in the root's dimensions.
      access.box.clear();
      access.root = op->getOperand(0);
    } else {
      return Access{Value(), {}, writes};
    }
  }
  auto argument = cast<BlockArgument>(access.root);
  if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return Access{Value(), {}, writes};
  return access;
}

/// Collects what `op` and the ops in its regions touch.
static void collectAccesses(Operation *op, SmallVector<Access> &accesses) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::PrefetchOp>(op))
    return;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
      Value on = effect.getValue();
      accesses.push_back(on && isa<MemRefType>(on.getType()) ? accessOf(on, writes) : Access{Value(), {}, writes});
    }
  } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !op->hasTrait<OpTrait::IsTerminator>()) {
    accesses.push_back(Access{Value(), {}, true});
  }
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      collectAccesses(&inner, accesses);
}

/// The ops of the block and who needs whom; readers stand behind.
static SmallVector<Node> buildGraph(Block &block) {
  SmallVector<Node> nodes;
  DenseMap<Operation *, int64_t> positions;
  for (Operation &op : block.without_terminator()) {
    positions[&op] = nodes.size();
    nodes.push_back({&op, {}, {}});
    collectAccesses(&op, nodes.back().accesses);
  }
  // Services report errors: they keep their order, and what leaves the segment is written behind those that could have
  // stopped it.
  int64_t lastService = -1;
  SmallVector<int64_t> touching;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node &node = nodes[i];
    auto needs = [&](int64_t earlier) { nodes[earlier].readers.push_back(i); };
    node.op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (auto found = positions.find(block.findAncestorOpInBlock(*definition));
              found != positions.end() && found->second != static_cast<int64_t>(i))
            needs(found->second);
    });
    bool isService = node.op->walk([](kern::ServiceOp) { return WalkResult::interrupt(); }).wasInterrupted();
    bool leaves = llvm::any_of(node.accesses, [](const Access &a) {
      return a.writes && !isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(a.root ? a.root.getDefiningOp() : nullptr);
    });
    if (lastService >= 0 && (isService || leaves))
      needs(lastService);
    if (isService)
      lastService = i;
    if (node.accesses.empty())
      continue;
    for (int64_t earlier : touching)
      if (llvm::any_of(nodes[earlier].accesses, [&](const Access &a) {
            return llvm::any_of(node.accesses, [&](const Access &b) { return a.conflicts(b); });
          }))
        needs(earlier);
    touching.push_back(i);
  }
  return nodes;
}

/// A launch at level k runs before everything of level k + 1; other ops of level k run before the launches of level k.
static int64_t assignLevels(SmallVector<Node> &nodes) {
  int64_t levels = 0;
  for (Node &node : nodes) {
    levels = std::max(levels, node.level + 1);
    for (int64_t reader : node.readers) {
      nodes[reader].level = std::max(nodes[reader].level, node.level + (node.isLaunch() ? 1 : 0));
      nodes[reader].dependsOnNothing &= !node.isLaunch() && node.dependsOnNothing;
    }
  }
  for (Node &node : nodes) {
    if (!node.isLaunch() || !node.dependsOnNothing || node.readers.empty())
      continue;
    int64_t latest = levels;
    for (int64_t reader : node.readers)
      latest = std::min(latest, nodes[reader].level - 1);
    node.level = latest;
  }
  return levels;
}

/// Whether a launch that depends on nothing reads a variable that may still be on its way, and is so large that waiting
/// for it costs more than another wake-up: a packing of weights.
static bool mayWait(const Node &node, ArrayRef<int64_t> signals) {
  constexpr int64_t kLargeBytes = 256 << 10;
  return node.isLaunch() && node.dependsOnNothing && llvm::any_of(node.accesses, [&](const Access &access) {
           auto argument = dyn_cast_if_present<BlockArgument>(access.root);
           if (!argument || argument.getArgNumber() >= signals.size() || signals[argument.getArgNumber()] != kAwait)
             return false;
           auto type = cast<MemRefType>(argument.getType());
           return type.hasStaticShape() && type.getNumElements() * type.getElementTypeBitWidth() / 8 >= kLargeBytes;
         });
}

static void groupLaunches(Block &block) {
  SmallVector<Node> nodes = buildGraph(block);
  int64_t levels = assignLevels(nodes);
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  auto signals = function ? function->getAttrOfType<DenseI64ArrayAttr>(kSignalsAttr) : DenseI64ArrayAttr();
  // Those of a level that wait run behind the others, in a group of their own.
  SmallVector<SmallVector<Operation *>> launches(levels), waiting(levels), others(levels);
  for (Node &node : nodes)
    (!node.isLaunch()                                 ? others
     : signals && mayWait(node, signals.asArrayRef()) ? waiting
                                                      : launches)[node.level]
        .push_back(node.op);
  // Everything goes behind what it needs by going to the end in the new order.
  auto moveToEnd = [&](Operation *op) {
    if (block.mightHaveTerminator())
      op->moveBefore(block.getTerminator());
    else
      op->moveBefore(&block, block.end());
  };
  for (int64_t level = 0; level < levels; ++level) {
    for (Operation *op : others[level])
      moveToEnd(op);
    for (ArrayRef<Operation *> together : {ArrayRef(launches[level]), ArrayRef(waiting[level])}) {
      if (together.size() == 1)
        moveToEnd(together.front());
      if (together.size() <= 1)
        continue;
      OpBuilder b(together.front());
      auto group = kern::GroupOp::create(b, together.front()->getLoc());
      Block &body = group.getBody().emplaceBlock();
      for (Operation *op : together)
        op->moveBefore(&body, body.end());
      moveToEnd(group);
    }
  }
}

namespace {
struct GroupLaunches : public mlc::impl::GroupLaunchesBase<GroupLaunches> {
  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation()->walk([&](kern::LaunchOp launch) { blocks.insert(launch->getBlock()); });
    for (Block *block : blocks)
      groupLaunches(*block);
  }
};
} // namespace
