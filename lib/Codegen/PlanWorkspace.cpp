// codegen-plan-workspace: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

namespace mlc {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {

/// An upper bound perRow * rows + fixed.
struct Affine {
  double perRow = 0, fixed = 0;
};

/// A temporary: its size in bytes and the top-level ops it lives from and to.
struct Temporary {
  memref::AllocOp alloc;
  Affine bytes;
  int64_t first, last;
  int64_t slot = -1;
};

struct Slot {
  Affine bytes;
  int64_t last;
};

} // namespace

static std::optional<Affine> sizeOf(OpFoldResult size);

/// Size of a memref's dimension.
static std::optional<Affine> dimOf(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return Affine{0, static_cast<double>(type.getDimSize(d))};
  if (isa<BlockArgument>(memref))
    return isa<func::FuncOp>(memref.getParentBlock()->getParentOp()) ? std::optional<Affine>(Affine{1, 0})
                                                                     : std::nullopt;
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return sizeOf(alloc.getDynamicSizes()[type.getDynamicDimIndex(d)]);
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    auto dropped = view.getDroppedDims();
    int64_t source = -1;
    for (int64_t kept = -1; kept < d;)
      if (!dropped.test(++source))
        ++kept;
    return sizeOf(view.getMixedSizes()[source]);
  }
  if (auto castOp = dyn_cast<memref::CastOp>(op))
    return dimOf(castOp.getSource(), d);
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    Affine product{0, 1};
    for (int64_t source : collapse.getReassociationIndices()[d]) {
      auto factor = dimOf(collapse.getSrc(), source);
      if (!factor || (factor->perRow && product.perRow))
        return std::nullopt;
      product = {factor->perRow * product.fixed + factor->fixed * product.perRow, factor->fixed * product.fixed};
    }
    return product;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return sizeOf(expand.getMixedOutputShape()[d]);
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(op))
    return sizeOf(reinterpret.getMixedSizes()[d]);
  return std::nullopt;
}

/// An upper bound of an index.
static std::optional<Affine> sizeOf(OpFoldResult size) {
  if (auto constant = getConstantIntValue(size))
    return Affine{0, static_cast<double>(*constant)};
  auto value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto index = dim.getConstantIndex();
    return index ? dimOf(dim.getSource(), *index) : std::nullopt;
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    for (auto [d, result] : llvm::enumerate(metadata.getSizes()))
      if (result == value)
        return dimOf(metadata.getSource(), d);
    return std::nullopt;
  }
  if (isa<arith::IndexCastOp>(op))
    return sizeOf(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return std::nullopt;
  auto x = sizeOf(op->getOperand(0)), y = sizeOf(op->getOperand(1));
  if (isa<arith::MinUIOp>(op))
    return x ? x : y;
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::MaxUIOp>(op))
    return Affine{x->perRow + y->perRow, x->fixed + y->fixed};
  if (isa<arith::SubIOp>(op))
    return y->perRow ? std::nullopt : std::optional<Affine>(Affine{x->perRow, x->fixed - y->fixed});
  if (isa<arith::MulIOp>(op)) {
    if (x->perRow && y->perRow)
      return std::nullopt;
    return Affine{x->perRow * y->fixed + x->fixed * y->perRow, x->fixed * y->fixed};
  }
  if (y->perRow || y->fixed <= 0)
    return std::nullopt;
  return Affine{x->perRow / y->fixed, x->fixed / y->fixed};
}

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

namespace {
struct PlanWorkspace : public mlc::impl::PlanWorkspaceBase<PlanWorkspace> {
  FailureOr<SmallVector<Temporary>> collect(Block &body) {
    DenseMap<Operation *, int64_t> positions;
    int64_t position = 0;
    for (Operation &op : body)
      positions[&op] = position++;
    SmallVector<Temporary> temporaries;
    bool ok = true;
    getOperation()->walk([&](memref::AllocOp alloc) {
      auto type = alloc.getType();
      unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
      Affine bytes{0, std::ceil(bits / 8.0)};
      for (int64_t d = 0; d < type.getRank() && ok; ++d) {
        auto size = dimOf(alloc, d);
        if (!size || (size->perRow && bytes.perRow)) {
          alloc.emitError("size of a temporary is not affine in the number of rows");
          ok = false;
          return;
        }
        bytes = {size->perRow * bytes.fixed + size->fixed * bytes.perRow, size->fixed * bytes.fixed};
      }
      auto [first, last] = lifetime(alloc, body, positions);
      temporaries.push_back({alloc, bytes, first, last});
    });
    if (!ok)
      return failure();
    return temporaries;
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr("df.role"))
      return;
    Block &body = function.getBody().front();
    auto collected = collect(body);
    if (failed(collected))
      return signalPassFailure();
    if (collected->empty())
      return;
    // First fit in order of birth; among the free slots the one that has to grow least.
    llvm::stable_sort(*collected, [](const Temporary &a, const Temporary &b) { return a.first < b.first; });
    SmallVector<Slot> slots;
    constexpr double typicalRows = 128;
    for (Temporary &temporary : *collected) {
      double best = 0;
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (slot.last >= temporary.first)
          continue;
        double growth = std::max(0.0, temporary.bytes.perRow - slot.bytes.perRow) * typicalRows +
                        std::max(0.0, temporary.bytes.fixed - slot.bytes.fixed);
        double waste =
            (slot.bytes.perRow - temporary.bytes.perRow) * typicalRows + slot.bytes.fixed - temporary.bytes.fixed;
        double score = growth * 4 + std::abs(waste);
        if (temporary.slot < 0 || score < best) {
          temporary.slot = i;
          best = score;
        }
      }
      if (temporary.slot < 0) {
        temporary.slot = slots.size();
        slots.push_back({});
      }
      Slot &slot = slots[temporary.slot];
      slot.bytes = {std::max(slot.bytes.perRow, temporary.bytes.perRow),
                    std::max(slot.bytes.fixed, temporary.bytes.fixed)};
      slot.last = temporary.last;
    }

    OpBuilder b(&body, body.begin());
    Location loc = function.getLoc();
    Value workspace = body.addArgument(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()), loc);
    SmallVector<int64_t> formula;
    for (Slot &slot : slots)
      formula.append(
          {static_cast<int64_t>(std::ceil(slot.bytes.perRow)), static_cast<int64_t>(std::ceil(slot.bytes.fixed))});
    function->setAttr("mlc.workspace", b.getDenseI64ArrayAttr(formula));
    function.setFunctionType(b.getFunctionType(SmallVector<Type>(body.getArgumentTypes()), {}));

    // Number of rows: any dynamic dimension of an argument.
    Value rows;
    for (BlockArgument argument : body.getArguments().drop_back()) {
      auto type = cast<MemRefType>(argument.getType());
      for (int64_t d = 0; d < type.getRank() && !rows; ++d)
        if (type.isDynamicDim(d))
          rows = memref::DimOp::create(b, loc, argument, d);
    }
    auto constant = [&](int64_t v) { return Value(arith::ConstantIndexOp::create(b, loc, v)); };
    SmallVector<Value> offsets;
    Value offset = constant(0);
    for (size_t i = 0; i < slots.size(); ++i) {
      offsets.push_back(offset);
      Value size = constant(formula[2 * i + 1] + 63);
      if (formula[2 * i])
        size = arith::AddIOp::create(b, loc, size, arith::MulIOp::create(b, loc, rows, constant(formula[2 * i])));
      size = arith::AndIOp::create(b, loc, size, constant(-64));
      offset = arith::AddIOp::create(b, loc, offset, size);
    }
    for (Temporary &temporary : *collected) {
      b.setInsertionPoint(temporary.alloc);
      Value view = memref::ViewOp::create(b, temporary.alloc.getLoc(), temporary.alloc.getType(), workspace,
                                          offsets[temporary.slot], temporary.alloc.getDynamicSizes());
      temporary.alloc.replaceAllUsesWith(view);
      temporary.alloc.erase();
    }
  }
};
} // namespace
