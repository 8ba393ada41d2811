// Dependences of the ops of a block: what a buffer's accesses since it was last written as a whole say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchGraph.h"
#include "dialects/Kern/IR/KernInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <map>
#include <set>

using namespace mlir;
using namespace mlc;

static constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

/// The box of a subview in its source; all of a dimension where the part is not static.
static Box boxOf(memref::SubViewOp view) {
  Box box;
  for (auto [offset, size, stride] :
       llvm::zip(view.getStaticOffsets(), view.getStaticSizes(), view.getStaticStrides())) {
    bool isKnown = !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) && stride == 1;
    box.push_back(isKnown ? std::pair(offset, offset + size) : std::pair(int64_t(0), kNoEnd));
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
                   memref::ExpandShapeOp, memref::ViewOp>(op)) {
      // A box after another shape says nothing in the root's dimensions.
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

namespace {
/// Collects accesses, each once; a part of which nothing is known is all of the buffer.
class AccessCollector {
public:
  void add(Access access) {
    if (llvm::all_of(access.box, [](auto range) { return range == std::pair(int64_t(0), kNoEnd); }))
      access.box.clear();
    if (seen.insert({access.root.getAsOpaquePointer(), access.writes, access.box}).second)
      accesses.push_back(std::move(access));
  }

  SmallVector<Access> accesses;

private:
  std::set<std::tuple<const void *, bool, Box>> seen;
};
} // namespace

/// Collects what `op` and the ops in its regions touch.
static void collectAccesses(Operation *op, AccessCollector &accesses) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::PrefetchOp>(op) || op->hasAttr(kOfBlockAttr))
    return;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
      Value on = effect.getValue();
      accesses.add(on && isa<MemRefType>(on.getType()) ? accessOf(on, writes) : Access{Value(), {}, writes});
    }
  } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !op->hasTrait<OpTrait::IsTerminator>()) {
    accesses.add(Access{Value(), {}, true});
  }
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      collectAccesses(&inner, accesses);
}

namespace {

/// Nodes that are needed together, often by many: as one node from when they are.
class Crowd {
public:
  void add(int64_t node) {
    if (members.empty() || members.back() != node)
      members.push_back(node);
  }
  void clear() { members.clear(); }
  /// Calls `needs` with nodes that stand for all, which may become one more node. So n nodes that m others need are
  /// n + m edges and not n * m.
  void forEach(std::vector<LaunchNode> &nodes, llvm::function_ref<void(int64_t)> needs) {
    constexpr size_t kFew = 4;
    if (members.size() > kFew) {
      int64_t joined = nodes.size();
      nodes.push_back({nullptr, {}, {}});
      for (int64_t member : members)
        nodes[member].readers.push_back(joined);
      members.assign({joined});
    }
    llvm::for_each(members, needs);
  }

private:
  SmallVector<int64_t> members;
};

/// Accesses to parts of one buffer, sorted along the first dimension that says where they are: columns of a
/// concatenation are found without a look at all others.
class PartList {
public:
  void add(int64_t node, const Box &box) {
    if (dim < 0)
      dim = llvm::find_if(box, [](auto range) { return range.second != kNoEnd; }) - box.begin();
    if (dim >= static_cast<int64_t>(box.size()) || box[dim].second == kNoEnd) {
      unsorted.push_back({node, box});
      return;
    }
    auto [begin, end] = box[dim];
    widest = std::max(widest, end - begin);
    sorted.insert({begin, {node, box}});
  }
  void clear() { *this = PartList(); }

  /// Calls `needs` with the nodes of those that overlap `box`.
  void forEachOverlap(const Box &box, llvm::function_ref<void(int64_t)> needs) const {
    for (const Part &part : unsorted)
      if (overlap(part.box, box))
        needs(part.node);
    if (sorted.empty())
      return;
    const bool isSorted = !box.empty() && box[dim].second != kNoEnd;
    auto first = isSorted ? sorted.upper_bound(box[dim].first - widest) : sorted.begin();
    auto last = isSorted ? sorted.lower_bound(box[dim].second) : sorted.end();
    for (; first != last; ++first)
      if (overlap(first->second.box, box))
        needs(first->second.node);
  }

private:
  struct Part {
    int64_t node;
    Box box;
  };

  /// Boxes are of one root, hence of one rank, or all of it.
  static bool overlap(const Box &x, const Box &y) {
    for (auto [a, b] : llvm::zip(x, y))
      if (a.second <= b.first || b.second <= a.first)
        return false;
    return true;
  }

  int64_t dim = -1, widest = 0;
  std::multimap<int64_t, Part> sorted;
  std::vector<Part> unsorted;
};

/// What was done to one buffer since it was last written as a whole, by that write first: what comes later needs the
/// write, which needs all before.
struct BufferHistory {
  Crowd writes;     ///< of all and of parts
  Crowd wholeReads; ///< of all of it
  Crowd reads;      ///< of all and of parts
  PartList partWrites, partReads;
  int64_t wholeWrite = -1;
};

class GraphBuilder {
public:
  explicit GraphBuilder(Block &block) : block(block) {}

  std::vector<LaunchNode> build() {
    for (Operation &op : block.without_terminator())
      add(&op);
    return std::move(nodes);
  }

private:
  /// Adds edges from what the access needs; `needs` is told nodes.
  void findNeeded(const Access &access, llvm::function_ref<void(int64_t)> needs) {
    if (barrier >= 0)
      needs(barrier);
    if (access.writes)
      readsOfAny.forEach(nodes, needs);
    if (!access.root) {
      (access.writes ? touching : writing).forEach(nodes, needs);
      return;
    }
    auto found = buffers.find(access.root);
    if (found == buffers.end())
      return;
    BufferHistory &history = found->second;
    if (access.box.empty()) {
      history.writes.forEach(nodes, needs);
      if (access.writes)
        history.reads.forEach(nodes, needs);
      return;
    }
    if (history.wholeWrite >= 0)
      needs(history.wholeWrite);
    history.partWrites.forEachOverlap(access.box, needs);
    if (!access.writes)
      return;
    history.wholeReads.forEach(nodes, needs);
    history.partReads.forEachOverlap(access.box, needs);
  }

  /// Notes the access of a node, all of whose edges are there.
  void note(const Access &access, int64_t node) {
    if (!access.root && access.writes) {
      // All that comes later needs it, and it needs all before.
      barrier = node;
      buffers.clear();
      touching.clear();
      writing.clear();
      readsOfAny.clear();
      return;
    }
    touching.add(node);
    if (access.writes)
      writing.add(node);
    if (!access.root) {
      readsOfAny.add(node);
      return;
    }
    BufferHistory &history = buffers[access.root];
    const bool isWhole = access.box.empty();
    if (access.writes && isWhole)
      history = BufferHistory();
    (access.writes ? history.writes : history.reads).add(node);
    if (access.writes && isWhole)
      history.wholeWrite = node;
    else if (isWhole)
      history.wholeReads.add(node);
    else
      (access.writes ? history.partWrites : history.partReads).add(node, access.box);
  }

  void add(Operation *op) {
    AccessCollector collector;
    collectAccesses(op, collector);
    SmallVector<Access> accesses = std::move(collector.accesses);
    llvm::SetVector<int64_t> needed;
    auto needs = [&](int64_t earlier) { needed.insert(earlier); };
    bool isService = false;
    op->walk([&](Operation *inner) {
      isService |= isa<kern::ServiceOpInterface, kern::ExternalCallOp, kern::TransferOp, kern::PublishOp>(inner);
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (Operation *earlier = block.findAncestorOpInBlock(*definition); earlier && earlier != op)
            needs(positions.lookup(earlier));
    });
    // Services and functions of the model report errors: they keep their order, and what leaves the segment is written
    // after those that could have stopped it.
    bool leaves = llvm::any_of(accesses, [](const Access &a) {
      return a.writes && !isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(a.root ? a.root.getDefiningOp() : nullptr);
    });
    if (lastService >= 0 && (isService || leaves))
      needs(lastService);
    for (const Access &access : accesses)
      findNeeded(access, needs);

    int64_t node = nodes.size();
    for (int64_t earlier : needed)
      nodes[earlier].readers.push_back(node);
    for (const Access &access : accesses)
      note(access, node);
    if (isService)
      lastService = node;
    positions[op] = node;
    nodes.push_back({op, std::move(accesses), {}});
  }

  Block &block;
  std::vector<LaunchNode> nodes;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, BufferHistory> buffers;
  int64_t lastService = -1;
  /// The last write of what could be any buffer. Since then: the nodes that touch memory, those that write it, those
  /// that read what could be any.
  int64_t barrier = -1;
  Crowd touching, writing, readsOfAny;
};

} // namespace

std::vector<LaunchNode> mlc::buildLaunchGraph(Block &block) { return GraphBuilder(block).build(); }
