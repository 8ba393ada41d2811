// codegen-plan-workspace: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SizeBounds.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <cmath>
#include <map>

namespace mlc {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

std::string mlc::workspaceAttr(int64_t space) {
  return space == 0 ? kWorkspaceAttr.str() : (kWorkspaceAttr + "." + Twine(space)).str();
}

MemRefType mlc::workspaceType(MLIRContext *context, int64_t space) {
  Builder b(context);
  return MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), MemRefLayoutAttrInterface(),
                         space == 0 ? Attribute() : b.getI64IntegerAttr(space));
}

namespace {

/// A temporary: its size in bytes and the top-level ops it lives from and to.
struct Temporary {
  memref::AllocOp alloc;
  SizeFormula bytes;
  int64_t first, last;
  int64_t slot = -1;
};

struct Slot {
  SizeFormula bytes;
};

} // namespace

/// The first and the last top-level op that can touch the buffer, through views and what control flow yields.
static std::pair<int64_t, int64_t> lifetime(memref::AllocOp alloc, Block &body,
                                            const DenseMap<Operation *, int64_t> &positions) {
  int64_t last = positions.lookup(body.findAncestorOpInBlock(*alloc));
  std::optional<int64_t> first;
  SmallVector<Value> worklist = {alloc.getResult()};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      int64_t position = positions.lookup(body.findAncestorOpInBlock(*user));
      last = std::max(last, position);
      // A view touches nothing yet.
      if (!isPure(user))
        first = std::min(first.value_or(position), position);
      auto follow = [&](ValueRange values) {
        for (Value v : values)
          if (isa<MemRefType>(v.getType()))
            worklist.push_back(v);
      };
      follow(user->getResults());
      if (!user->hasTrait<OpTrait::IsTerminator>() && !isa<scf::WhileOp, scf::ForOp>(user))
        continue;
      // Values that go round a loop or leave a branch.
      Operation *parent = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      follow(parent->getResults());
      for (Region &region : parent->getRegions())
        for (Block &block : region)
          follow(block.getArguments());
    }
  }
  return {first.value_or(last), last};
}

/// Gives each temporary a slot, in order of birth: of the free ones that which has to grow least, then that which
/// wastes least, of those that are about as large.
static std::vector<Slot> assignSlots(SmallVector<Temporary> &temporaries) {
  llvm::stable_sort(temporaries, [](const Temporary &a, const Temporary &b) { return a.first < b.first; });
  // Slots by their size, of which so many on either side are looked at, and slots in use by when they are free again.
  constexpr int kNeighbours = 64;
  std::vector<Slot> slots;
  std::multimap<double, int64_t> unused;
  std::multimap<int64_t, int64_t> used;
  for (Temporary &temporary : temporaries) {
    for (auto it = used.begin(); it != used.end() && it->first < temporary.first; it = used.erase(it))
      unused.insert({slots[it->second].bytes.typical(), it->second});
    const double wanted = temporary.bytes.typical();
    auto best = unused.end();
    double leastScore = 0;
    auto consider = [&](std::multimap<double, int64_t>::iterator it) {
      const SizeFormula &bytes = slots[it->second].bytes;
      double growth = bytes.max(temporary.bytes).typical() - it->first;
      double score = growth * 4 + std::abs(it->first - wanted);
      if (best == unused.end() || score < leastScore || (score == leastScore && it->second < best->second)) {
        best = it;
        leastScore = score;
      }
    };
    auto middle = unused.lower_bound(wanted);
    auto up = middle;
    for (int i = 0; i < kNeighbours && up != unused.end(); ++i, ++up)
      consider(up);
    auto down = middle;
    for (int i = 0; i < kNeighbours && down != unused.begin(); ++i)
      consider(--down);
    if (best == unused.end()) {
      temporary.slot = slots.size();
      slots.emplace_back();
    } else {
      temporary.slot = best->second;
      unused.erase(best);
    }
    slots[temporary.slot].bytes = slots[temporary.slot].bytes.max(temporary.bytes);
    used.insert({temporary.last, temporary.slot});
  }
  return slots;
}

/// Whether the buffer becomes an output: it must outlive the workspace, however well its size is bounded.
static bool isPublished(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return isa<kern::PublishOp>(user) || (isa<ViewLikeOpInterface>(user) && isPublished(user->getResult(0)));
  });
}

namespace {
struct PlanWorkspace : public mlc::impl::PlanWorkspaceBase<PlanWorkspace> {
  SmallVector<Temporary> collect(Block &body) {
    DenseMap<Operation *, int64_t> positions;
    int64_t position = 0;
    for (Operation &op : body)
      positions[&op] = position++;
    SmallVector<Temporary> temporaries;
    SizeBounds bounds;
    getOperation()->walk([&](memref::AllocOp alloc) {
      auto type = alloc.getType();
      if (isPublished(alloc.getResult()))
        return markLoop(alloc);
      std::optional<SizeFormula> bytes = SizeFormula::constant(static_cast<double>(kern::elementBytes(type)));
      for (int64_t d = 0; d < type.getRank(); ++d) {
        auto size = bounds.ofDimension(alloc, d).upper;
        bytes = size ? product(*bytes, *size) : std::nullopt;
        if (!bytes)
          return markLoop(alloc);
      }
      auto [first, last] = lifetime(alloc, body, positions);
      temporaries.push_back({alloc, *bytes, first, last});
    });
    return temporaries;
  }

  /// Makes the innermost loop around an allocation of the arena give back, at the end of each iteration, what the
  /// iteration took. What loops carry lies elsewhere: it was allocated before them.
  void markLoop(memref::AllocOp alloc) {
    Block *block = alloc->getBlock();
    while (!isa<scf::ForOp, scf::WhileOp, func::FuncOp>(block->getParentOp()))
      block = block->getParentOp()->getBlock();
    if (isa<func::FuncOp>(block->getParentOp()) || !marked.insert(block).second)
      return;
    Location loc = alloc.getLoc();
    OpBuilder b(&getOperation().getBody().front(), getOperation().getBody().front().begin());
    Value mark = memref::AllocaOp::create(b, loc, MemRefType::get({}, b.getI64Type()));
    b.setInsertionPointToStart(block);
    kern::ArenaMarkOp::create(b, loc, mark);
    b.setInsertionPoint(block->getTerminator());
    kern::ArenaReleaseOp::create(b, loc, mark);
  }

  llvm::DenseSet<Block *> marked;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr(df::DfDialect::kRoleAttr))
      return;
    marked.clear();
    SmallVector<Temporary> collected = collect(function.getBody().front());
    // A workspace for each memory space, by number.
    std::map<int64_t, SmallVector<Temporary>> ofSpaces;
    for (Temporary &temporary : collected)
      ofSpaces[kern::spaceOf(temporary.alloc.getType())].push_back(temporary);
    SmallVector<BlockArgument> operands(function.getArguments());
    for (auto &[space, temporaries] : ofSpaces)
      plan(function, operands, space, temporaries);
  }

  /// Adds the workspace of a space, and has its temporaries lie there. `operands`: arguments that are no workspaces.
  static void plan(func::FuncOp function, ArrayRef<BlockArgument> operands, int64_t space,
                   SmallVector<Temporary> &temporaries) {
    std::vector<Slot> slots = assignSlots(temporaries);
    Block &body = function.getBody().front();
    OpBuilder b(&body, body.begin());
    Location loc = function.getLoc();
    Value workspace = body.addArgument(workspaceType(function.getContext(), space), loc);
    // For each slot the bytes of each symbol, then those that are always there.
    size_t numSymbols = 1;
    for (Slot &slot : slots)
      numSymbols = std::max(numSymbols, slot.bytes.perSymbol.size());
    SmallVector<int64_t> formula{static_cast<int64_t>(numSymbols)};
    for (Slot &slot : slots) {
      for (size_t k = 0; k < numSymbols; ++k)
        formula.push_back(static_cast<int64_t>(std::ceil(slot.bytes.of(k))));
      formula.push_back(static_cast<int64_t>(std::ceil(slot.bytes.fixed)));
    }
    function->setAttr(workspaceAttr(space), b.getDenseI64ArrayAttr(formula));
    function.setFunctionType(b.getFunctionType(SmallVector<Type>(body.getArgumentTypes()), {}));

    // The symbols' values: any argument's dynamic dimension, or an argument that holds it.
    SmallVector<Value> symbols(numSymbols);
    for (BlockArgument argument : operands) {
      auto type = cast<MemRefType>(argument.getType());
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (size_t k = symbolOf(function, argument, d); type.isDynamicDim(d) && k < numSymbols && !symbols[k])
          symbols[k] = memref::DimOp::create(b, loc, argument, d);
      if (size_t k = symbolOf(function, argument, 0); type.getRank() == 0 && k < numSymbols && !symbols[k])
        symbols[k] = arith::IndexCastOp::create(b, loc, b.getIndexType(), memref::LoadOp::create(b, loc, argument));
    }
    auto constant = [&](int64_t v) { return Value(arith::ConstantIndexOp::create(b, loc, v)); };
    SmallVector<Value> offsets;
    Value offset = constant(0);
    ArrayRef<int64_t> coefficients = ArrayRef(formula).drop_front();
    for (size_t i = 0; i < slots.size(); ++i, coefficients = coefficients.drop_front(numSymbols + 1)) {
      offsets.push_back(offset);
      Value size = constant(coefficients[numSymbols] + 63);
      for (size_t k = 0; k < numSymbols; ++k)
        if (coefficients[k])
          size =
              arith::AddIOp::create(b, loc, size, arith::MulIOp::create(b, loc, symbols[k], constant(coefficients[k])));
      size = arith::AndIOp::create(b, loc, size, constant(-64));
      offset = arith::AddIOp::create(b, loc, offset, size);
    }
    for (Temporary &temporary : temporaries) {
      b.setInsertionPoint(temporary.alloc);
      Value view = memref::ViewOp::create(b, temporary.alloc.getLoc(), temporary.alloc.getType(), workspace,
                                          offsets[temporary.slot], temporary.alloc.getDynamicSizes());
      temporary.alloc.replaceAllUsesWith(view);
      temporary.alloc.erase();
    }
  }
};
} // namespace
