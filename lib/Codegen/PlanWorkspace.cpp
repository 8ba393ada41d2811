// codegen-plan-workspace: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <cmath>

namespace mlc {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {

/// An upper bound: fixed plus a multiple of each dimension symbol.
struct Affine {
  SmallVector<double, 2> perSymbol;
  double fixed = 0;

  static Affine constant(double value) { return {{}, value}; }
  static Affine symbol(int64_t k) {
    Affine a;
    a.perSymbol.resize(k + 1);
    a.perSymbol[k] = 1;
    return a;
  }
  double of(size_t k) const { return k < perSymbol.size() ? perSymbol[k] : 0; }
  bool isConstant() const {
    return llvm::all_of(perSymbol, [](double c) { return c == 0; });
  }
  Affine scaled(double factor) const {
    Affine a = *this;
    for (double &c : a.perSymbol)
      c *= factor;
    a.fixed *= factor;
    return a;
  }
  /// Combines coefficient by coefficient.
  template <typename Fn> Affine with(const Affine &other, Fn combine) const {
    Affine a;
    for (size_t k = 0, e = std::max(perSymbol.size(), other.perSymbol.size()); k < e; ++k)
      a.perSymbol.push_back(combine(of(k), other.of(k)));
    a.fixed = combine(fixed, other.fixed);
    return a;
  }
  Affine plus(const Affine &other) const {
    return with(other, [](double x, double y) { return x + y; });
  }
  /// Bounds both.
  Affine max(const Affine &other) const {
    return with(other, [](double x, double y) { return std::max(x, y); });
  }
  /// The value where each symbol is as large as usual: decides between slots, never a size.
  double typical() const {
    double sum = fixed;
    for (double c : perSymbol)
      sum += 128 * c;
    return sum;
  }
};

/// The product, if it is affine.
static std::optional<Affine> product(const Affine &x, const Affine &y) {
  if (x.isConstant())
    return y.scaled(x.fixed);
  return y.isConstant() ? std::optional<Affine>(x.scaled(y.fixed)) : std::nullopt;
}

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

/// A bound of both.
static std::optional<Affine> larger(std::optional<Affine> x, std::optional<Affine> y) {
  if (!x || !y)
    return std::nullopt;
  return x->max(*y);
}

static std::optional<Affine> sizeOf(OpFoldResult size);
static std::optional<Affine> dimOf(Value memref, int64_t d);

/// The dimension symbol of dimension `d` of an argument, or (d = 0) the one whose value a scalar holds.
static int64_t symbolOf(func::FuncOp function, BlockArgument argument, int64_t d) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!symbols)
    return kNoSymbol;
  ArrayRef<int64_t> ofArgument = cast<DenseI64ArrayAttr>(symbols[argument.getArgNumber()]);
  return d < static_cast<int64_t>(ofArgument.size()) ? ofArgument[d] : kNoSymbol;
}

/// Size of a dimension of an argument of a function or of what a loop carries, whose shape stays as it was.
static std::optional<Affine> dimOfArgument(BlockArgument argument, int64_t d) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    int64_t symbol = symbolOf(function, argument, d);
    return symbol < 0 ? std::nullopt : std::optional<Affine>(Affine::symbol(symbol));
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    bool isBefore = argument.getOwner() == loop.getBeforeBody();
    return dimOf(isBefore ? loop.getInits()[argument.getArgNumber()]
                          : loop.getConditionOp().getArgs()[argument.getArgNumber()],
                 d);
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument.getArgNumber() >= 1)
    return dimOf(loop.getInitArgs()[argument.getArgNumber() - 1], d);
  return std::nullopt;
}

/// Size of a memref's dimension.
static std::optional<Affine> dimOf(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return Affine::constant(type.getDimSize(d));
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return dimOfArgument(argument, d);
  Operation *op = memref.getDefiningOp();
  unsigned index = cast<OpResult>(memref).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return larger(dimOf(branch.thenYield().getOperand(index), d), dimOf(branch.elseYield().getOperand(index), d));
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return larger(dimOf(choice.getTrueValue(), d), dimOf(choice.getFalseValue(), d));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return dimOf(loop.getConditionOp().getArgs()[index], d);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return dimOf(loop.getInitArgs()[index], d);
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
    std::optional<Affine> size = Affine::constant(1);
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
    for (int64_t source : groups[d]) {
      auto factor = dimOf(collapse.getSrc(), source);
      size = factor ? product(*size, *factor) : std::nullopt;
      if (!size)
        return std::nullopt;
    }
    return size;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return sizeOf(expand.getMixedOutputShape()[d]);
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(op))
    return sizeOf(reinterpret.getMixedSizes()[d]);
  return std::nullopt;
}

/// A number that is read: the value of a dimension symbol.
static std::optional<Affine> valueOf(memref::LoadOp load) {
  auto argument = dyn_cast<BlockArgument>(load.getMemRef());
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  int64_t symbol = function && load.getMemRefType().getRank() == 0 ? symbolOf(function, argument, 0) : kNoSymbol;
  return symbol >= 0 ? std::optional<Affine>(Affine::symbol(symbol)) : std::nullopt;
}

/// An upper bound of an index.
static std::optional<Affine> sizeOf(OpFoldResult size) {
  if (auto constant = getConstantIntValue(size))
    return Affine::constant(*constant);
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
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return valueOf(load);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::MinUIOp, arith::MaxUIOp, arith::MaxSIOp>(
          op))
    return std::nullopt;
  auto x = sizeOf(op->getOperand(0)), y = sizeOf(op->getOperand(1));
  if (isa<arith::MinUIOp>(op))
    return x ? x : y;
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return x->plus(*y);
  if (isa<arith::MaxUIOp, arith::MaxSIOp>(op))
    return x->max(*y);
  if (isa<arith::SubIOp>(op))
    return y->isConstant() ? std::optional<Affine>(x->plus(y->scaled(-1))) : std::nullopt;
  if (isa<arith::MulIOp>(op))
    return product(*x, *y);
  if (!y->isConstant() || y->fixed <= 0)
    return std::nullopt;
  return x->scaled(1 / y->fixed);
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

/// Whether the buffer becomes an output: it must outlive the workspace, however well its size is bounded.
static bool isPublished(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto service = dyn_cast<kern::ServiceOp>(user))
      return service.getName() == kern::kPublish;
    return isa<ViewLikeOpInterface>(user) && isPublished(user->getResult(0));
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
    getOperation()->walk([&](memref::AllocOp alloc) {
      auto type = alloc.getType();
      if (isPublished(alloc.getResult()))
        return markLoop(alloc);
      unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
      std::optional<Affine> bytes = Affine::constant(std::ceil(bits / 8.0));
      for (int64_t d = 0; d < type.getRank(); ++d) {
        auto size = dimOf(alloc, d);
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
    auto call = [&](StringRef service, StringRef signature, ValueRange ins, ValueRange outs) {
      kern::ServiceOp::create(b, loc, TypeRange(), b.getStringAttr(service), b.getStringAttr(signature), ins, outs,
                              b.getDenseI64ArrayAttr({}), b.getStrArrayAttr({}));
    };
    b.setInsertionPointToStart(block);
    call("arena_mark", "b", {}, mark);
    b.setInsertionPoint(block->getTerminator());
    call("arena_release", "v", mark, {});
  }

  llvm::DenseSet<Block *> marked;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr(df::DfDialect::kRoleAttr))
      return;
    Block &body = function.getBody().front();
    marked.clear();
    SmallVector<Temporary> collected = collect(body);
    if (collected.empty())
      return;
    // First fit in order of birth; among the free slots the one that has to grow least.
    llvm::stable_sort(collected, [](const Temporary &a, const Temporary &b) { return a.first < b.first; });
    SmallVector<Slot> slots;
    for (Temporary &temporary : collected) {
      double best = 0;
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (slot.last >= temporary.first)
          continue;
        double growth = slot.bytes.max(temporary.bytes).typical() - slot.bytes.typical();
        double waste = slot.bytes.typical() - temporary.bytes.typical();
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
      slot.bytes = slot.bytes.max(temporary.bytes);
      slot.last = temporary.last;
    }

    OpBuilder b(&body, body.begin());
    Location loc = function.getLoc();
    Value workspace = body.addArgument(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()), loc);
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
    function->setAttr("mlc.workspace", b.getDenseI64ArrayAttr(formula));
    function.setFunctionType(b.getFunctionType(SmallVector<Type>(body.getArgumentTypes()), {}));

    // The symbols' values: any argument's dynamic dimension, or an argument that holds it.
    SmallVector<Value> symbols(numSymbols);
    for (BlockArgument argument : body.getArguments().drop_back()) {
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
    for (Temporary &temporary : collected) {
      b.setInsertionPoint(temporary.alloc);
      Value view = memref::ViewOp::create(b, temporary.alloc.getLoc(), temporary.alloc.getType(), workspace,
                                          offsets[temporary.slot], temporary.alloc.getDynamicSizes());
      temporary.alloc.replaceAllUsesWith(view);
      temporary.alloc.erase();
    }
  }
};
} // namespace
