// codegen-group-launches: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchGraph.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

namespace mlc {
#define GEN_PASS_DEF_GROUPLAUNCHES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// A launch at level k runs before everything of level k + 1; other ops of level k run before the launches of level k.
static int64_t assignLevels(std::vector<LaunchNode> &nodes) {
  int64_t levels = 0;
  for (LaunchNode &node : nodes) {
    levels = std::max(levels, node.level + 1);
    for (int64_t reader : node.readers) {
      nodes[reader].level = std::max(nodes[reader].level, node.level + (node.isLaunch() ? 1 : 0));
      nodes[reader].dependsOnNothing &= !node.isLaunch() && node.dependsOnNothing;
    }
  }
  // What only stands for several ops is needed where the first of its readers is.
  for (LaunchNode &node : llvm::reverse(nodes))
    if (!node.op)
      node.level =
          nodes[*llvm::min_element(node.readers, [&](int64_t x, int64_t y) { return nodes[x].level < nodes[y].level; })]
              .level;
  for (LaunchNode &node : nodes) {
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
static bool mayWait(const LaunchNode &node, ArrayRef<int64_t> signals) {
  constexpr int64_t kLargeBytes = 256 << 10;
  return node.isLaunch() && node.dependsOnNothing && llvm::any_of(node.accesses, [&](const Access &access) {
           auto argument = dyn_cast_if_present<BlockArgument>(access.root);
           if (!argument || argument.getArgNumber() >= signals.size() || signals[argument.getArgNumber()] != kAwait)
             return false;
           auto type = cast<MemRefType>(argument.getType());
           return type.hasStaticShape() && type.getNumElements() * kern::elementBytes(type) >= kLargeBytes;
         });
}

/// Launches of one group at most: each is some stores of what it captures, all groups' stands in one block of the
/// segment up to the call that runs it, and LLVM takes more than linear time to schedule a block. One more wake-up of
/// the threads is nothing beside so many launches.
static constexpr size_t kMostLaunches = 128;

/// The memory space that a launch works in, but for memory of its own.
static int64_t spaceOf(const LaunchNode &node) {
  for (const Access &access : node.accesses)
    if (access.root && !access.root.getDefiningOp<memref::AllocaOp>() && kern::spaceOf(access.root.getType()) != 0)
      return kern::spaceOf(access.root.getType());
  return 0;
}

/// Whether nothing waits for the launch of a device, and the temporaries that it reads, which then live until the end
/// of the block, have at most `mostBytes` bytes: an update of a variable.
static bool mayBeLast(const LaunchNode &node, int64_t mostBytes) {
  if (!node.isLaunch() || !node.readers.empty() || spaceOf(node) == 0)
    return false;
  int64_t bytes = 0;
  for (const Access &access : node.accesses) {
    if (access.writes || isa_and_nonnull<BlockArgument>(access.root))
      continue;
    auto type = access.root ? cast<MemRefType>(access.root.getType()) : MemRefType();
    if (!type || !type.hasStaticShape())
      return false;
    bytes += type.getNumElements() * kern::elementBytes(type);
  }
  return bytes <= mostBytes;
}

static void groupLaunches(Block &block, int64_t lastBytes) {
  std::vector<LaunchNode> nodes = buildLaunchGraph(block);
  int64_t levels = assignLevels(nodes);
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  auto signals = function ? function->getAttrOfType<DenseI64ArrayAttr>(kSignalsAttr) : DenseI64ArrayAttr();
  // What is signalled is sent while the rest runs.
  if (lastBytes > 0 && !signals)
    for (LaunchNode &node : nodes)
      if (mayBeLast(node, lastBytes))
        node.level = levels - 1;
  // Those of a level that wait run after the others, in a group of their own, and so do those of each memory space.
  SmallVector<SmallVector<Operation *>> waiting(levels), others(levels);
  SmallVector<std::map<int64_t, SmallVector<Operation *>>> launches(levels);
  for (LaunchNode &node : nodes) {
    if (!node.op)
      continue;
    if (!node.isLaunch())
      others[node.level].push_back(node.op);
    else if (signals && mayWait(node, signals.asArrayRef()))
      waiting[node.level].push_back(node.op);
    else
      launches[node.level][spaceOf(node)].push_back(node.op);
  }
  // Everything goes after what it needs by going to the end in the new order.
  auto moveToEnd = [&](Operation *op) {
    if (block.mightHaveTerminator())
      op->moveBefore(block.getTerminator());
    else
      op->moveBefore(&block, block.end());
  };
  for (int64_t level = 0; level < levels; ++level) {
    for (Operation *op : others[level])
      moveToEnd(op);
    SmallVector<ArrayRef<Operation *>> kinds, groups;
    for (auto &[space, ofSpace] : launches[level])
      kinds.push_back(ofSpace);
    kinds.push_back(waiting[level]);
    for (ArrayRef<Operation *> rest : kinds)
      for (; !rest.empty(); rest = rest.drop_front(groups.back().size()))
        groups.push_back(rest.take_front(kMostLaunches));
    for (ArrayRef<Operation *> together : groups) {
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
  using GroupLaunchesBase::GroupLaunchesBase;

  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation()->walk([&](kern::LaunchOp launch) { blocks.insert(launch->getBlock()); });
    for (Block *block : blocks)
      groupLaunches(*block, lastBytes);
  }
};
} // namespace
