// Bounds of sizes: intervals whose ends are affine in the dimension symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SizeBounds.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlc;

SizeFormula SizeFormula::symbol(int64_t k) {
  SizeFormula size;
  size.perSymbol.resize(k + 1);
  size.perSymbol[k] = 1;
  return size;
}

bool SizeFormula::isConstant() const {
  return llvm::all_of(perSymbol, [](double c) { return c == 0; });
}

SizeFormula SizeFormula::scaled(double factor) const {
  SizeFormula size = *this;
  for (double &c : size.perSymbol)
    c *= factor;
  size.fixed *= factor;
  return size;
}

/// Combines coefficient by coefficient.
template <typename Fn> static SizeFormula combine(const SizeFormula &x, const SizeFormula &y, Fn fn) {
  SizeFormula size;
  for (size_t k = 0, e = std::max(x.perSymbol.size(), y.perSymbol.size()); k < e; ++k)
    size.perSymbol.push_back(fn(x.of(k), y.of(k)));
  size.fixed = fn(x.fixed, y.fixed);
  return size;
}

SizeFormula SizeFormula::plus(const SizeFormula &other) const {
  return combine(*this, other, [](double x, double y) { return x + y; });
}
SizeFormula SizeFormula::max(const SizeFormula &other) const {
  return combine(*this, other, [](double x, double y) { return std::max(x, y); });
}
SizeFormula SizeFormula::min(const SizeFormula &other) const {
  return combine(*this, other, [](double x, double y) { return std::min(x, y); });
}

double SizeFormula::typical() const {
  double sum = fixed;
  for (double c : perSymbol)
    sum += 128 * c;
  return sum;
}

double SizeFormula::least() const {
  bool grows = llvm::all_of(perSymbol, [](double c) { return c >= 0; });
  return grows ? fixed : -std::numeric_limits<double>::infinity();
}

std::optional<SizeFormula> mlc::product(const SizeFormula &x, const SizeFormula &y) {
  if (x.isConstant())
    return y.scaled(x.fixed);
  return y.isConstant() ? std::optional<SizeFormula>(x.scaled(y.fixed)) : std::nullopt;
}

int64_t mlc::symbolOf(func::FuncOp function, BlockArgument argument, int64_t d) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!symbols)
    return kNoSymbol;
  ArrayRef<int64_t> ofArgument = cast<DenseI64ArrayAttr>(symbols[argument.getArgNumber()]);
  return d < static_cast<int64_t>(ofArgument.size()) ? ofArgument[d] : kNoSymbol;
}

static IndexBounds exactly(SizeFormula size) { return {size, size}; }

/// What holds of both.
static IndexBounds join(const IndexBounds &x, const IndexBounds &y) {
  IndexBounds bounds;
  if (x.lower && y.lower)
    bounds.lower = x.lower->min(*y.lower);
  if (x.upper && y.upper)
    bounds.upper = x.upper->max(*y.upper);
  return bounds;
}

/// The better one of two lower bounds of one index, and of two upper bounds.
static std::optional<SizeFormula> higher(std::optional<SizeFormula> x, std::optional<SizeFormula> y) {
  return !x || (y && y->least() > x->least()) ? y : x;
}
static std::optional<SizeFormula> tighter(std::optional<SizeFormula> x, std::optional<SizeFormula> y) {
  return !x || (y && y->typical() < x->typical()) ? y : x;
}

static IndexBounds sumOf(const IndexBounds &x, const IndexBounds &y) {
  IndexBounds bounds;
  if (x.lower && y.lower)
    bounds.lower = x.lower->plus(*y.lower);
  if (x.upper && y.upper)
    bounds.upper = x.upper->plus(*y.upper);
  return bounds;
}

/// A difference is largest where what is subtracted is least.
static IndexBounds negated(const IndexBounds &x) {
  IndexBounds bounds;
  if (x.upper)
    bounds.lower = x.upper->scaled(-1);
  if (x.lower)
    bounds.upper = x.lower->scaled(-1);
  return bounds;
}

static IndexBounds productOf(const IndexBounds &x, const IndexBounds &y) {
  if (!x.isNonNegative() || !y.isNonNegative())
    return {};
  IndexBounds bounds = exactly(SizeFormula::constant(0));
  bounds.upper = x.upper && y.upper ? product(*x.upper, *y.upper) : std::nullopt;
  if (std::optional<SizeFormula> lower = product(*x.lower, *y.lower))
    bounds.lower = lower;
  return bounds;
}

static IndexBounds minimumOf(const IndexBounds &x, const IndexBounds &y) {
  return {join(x, y).lower, tighter(x.upper, y.upper)};
}
static IndexBounds maximumOf(const IndexBounds &x, const IndexBounds &y) {
  return {higher(x.lower, y.lower), join(x, y).upper};
}

/// A negative index is larger than all others as an unsigned number.
static IndexBounds unsignedMinimumOf(const IndexBounds &x, const IndexBounds &y) {
  if (x.isNonNegative() && y.isNonNegative())
    return minimumOf(x, y);
  if (x.isNonNegative() || y.isNonNegative())
    return {SizeFormula::constant(0), x.isNonNegative() ? x.upper : y.upper};
  return {};
}

/// A quotient, rounded up or not: it is largest where the divisor is least, and no divisor is 0. What is negative as a
/// signed number is a large divisor of unsigned ones, and none that gives a positive quotient of signed ones.
static IndexBounds quotientOf(const IndexBounds &x, const IndexBounds &y, bool isSigned, bool up) {
  if (!x.isNonNegative())
    return {};
  double divisor = y.lower ? std::max(1.0, y.lower->least()) : 1.0;
  IndexBounds bounds;
  if (!isSigned || y.isNonNegative())
    bounds.lower = SizeFormula::constant(0);
  if (x.upper)
    bounds.upper = x.upper->scaled(1 / divisor).plus(SizeFormula::constant(up ? (divisor - 1) / divisor : 0));
  return bounds;
}

/// x mod y of unsigned numbers.
static IndexBounds remainderOf(const IndexBounds &x, const IndexBounds &y) {
  IndexBounds bounds;
  if (x.isNonNegative() || y.isNonNegative())
    bounds.lower = SizeFormula::constant(0);
  if (y.isNonNegative() && y.upper)
    bounds.upper = y.upper->plus(SizeFormula::constant(-1));
  if (x.isNonNegative())
    bounds.upper = tighter(bounds.upper, x.upper);
  return bounds;
}

/// Bounds of dimension `d` of an argument of a function, or of what a loop carries, whose shape stays as it was: df's
/// loops carry no other (DfToLinalg refuses them).
IndexBounds SizeBounds::ofArgument(BlockArgument argument, int64_t d) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    int64_t symbol = symbolOf(function, argument, d);
    return symbol < 0 ? IndexBounds() : exactly(SizeFormula::symbol(symbol));
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    bool isBefore = argument.getOwner() == loop.getBeforeBody();
    return ofDimension(isBefore ? loop.getInits()[argument.getArgNumber()]
                                : loop.getConditionOp().getArgs()[argument.getArgNumber()],
                       d);
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument.getArgNumber() >= 1)
    return ofDimension(loop.getInitArgs()[argument.getArgNumber() - 1], d);
  return {};
}

IndexBounds SizeBounds::ofDimension(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return exactly(SizeFormula::constant(type.getDimSize(d)));
  auto found = dimensions.find({memref, d});
  if (found != dimensions.end())
    return found->second;
  IndexBounds bounds = computeDimension(memref, d);
  bounds.lower = higher(bounds.lower, SizeFormula::constant(0));
  dimensions[{memref, d}] = bounds;
  return bounds;
}

IndexBounds SizeBounds::computeDimension(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return ofArgument(argument, d);
  Operation *op = memref.getDefiningOp();
  unsigned index = cast<OpResult>(memref).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return join(ofDimension(branch.thenYield().getOperand(index), d),
                ofDimension(branch.elseYield().getOperand(index), d));
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return join(ofDimension(choice.getTrueValue(), d), ofDimension(choice.getFalseValue(), d));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return ofDimension(loop.getConditionOp().getArgs()[index], d);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return ofDimension(loop.getInitArgs()[index], d);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return ofIndex(alloc.getDynamicSizes()[type.getDynamicDimIndex(d)]);
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    auto dropped = view.getDroppedDims();
    int64_t source = -1;
    for (int64_t kept = -1; kept < d;)
      if (!dropped.test(++source))
        ++kept;
    return ofIndex(view.getMixedSizes()[source]);
  }
  if (auto castOp = dyn_cast<memref::CastOp>(op))
    return isa<MemRefType>(castOp.getSource().getType()) ? ofDimension(castOp.getSource(), d) : IndexBounds();
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    IndexBounds bounds = exactly(SizeFormula::constant(1));
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
    for (int64_t source : groups[d])
      bounds = productOf(bounds, ofDimension(collapse.getSrc(), source));
    return bounds;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return ofIndex(expand.getMixedOutputShape()[d]);
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(op))
    return ofIndex(reinterpret.getMixedSizes()[d]);
  return {};
}

IndexBounds SizeBounds::ofIndex(OpFoldResult index) {
  if (auto constant = getConstantIntValue(index))
    return exactly(SizeFormula::constant(*constant));
  auto value = cast<Value>(index);
  auto found = indices.find(value);
  if (found != indices.end())
    return found->second;
  IndexBounds bounds = compute(value);
  indices[value] = bounds;
  return bounds;
}

/// A number that is read: the value of a dimension symbol.
static IndexBounds ofLoad(memref::LoadOp load) {
  auto argument = dyn_cast<BlockArgument>(load.getMemRef());
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  int64_t symbol = function && load.getMemRefType().getRank() == 0 ? symbolOf(function, argument, 0) : kNoSymbol;
  return symbol >= 0 ? exactly(SizeFormula::symbol(symbol)) : IndexBounds();
}

IndexBounds SizeBounds::compute(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op)
    return {};
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto d = dim.getConstantIndex();
    return d && isa<MemRefType>(dim.getSource().getType()) ? ofDimension(dim.getSource(), *d) : IndexBounds();
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    for (auto [d, result] : llvm::enumerate(metadata.getSizes()))
      if (result == index)
        return ofDimension(metadata.getSource(), d);
    return {};
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return ofLoad(load);
  // Narrower integers wrap.
  if (!index.getType().isIndex() && !index.getType().isInteger(64))
    return {};
  if (auto castOp = dyn_cast<arith::IndexCastOp>(op)) {
    Type from = castOp.getIn().getType();
    return from.isIndex() || from.isInteger(64) ? ofIndex(castOp.getIn()) : IndexBounds();
  }
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return join(ofIndex(choice.getTrueValue()), ofIndex(choice.getFalseValue()));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
           arith::DivUIOp, arith::CeilDivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemUIOp>(
          op))
    return {};
  IndexBounds x = ofIndex(op->getOperand(0)), y = ofIndex(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return sumOf(x, y);
  if (isa<arith::SubIOp>(op))
    return sumOf(x, negated(y));
  if (isa<arith::MulIOp>(op))
    return productOf(x, y);
  if (isa<arith::MinSIOp>(op))
    return minimumOf(x, y);
  if (isa<arith::MaxSIOp>(op))
    return maximumOf(x, y);
  if (isa<arith::MinUIOp>(op))
    return unsignedMinimumOf(x, y);
  if (isa<arith::MaxUIOp>(op))
    return x.isNonNegative() && y.isNonNegative() ? maximumOf(x, y) : IndexBounds();
  if (isa<arith::RemUIOp>(op))
    return remainderOf(x, y);
  return quotientOf(x, y, /*isSigned=*/!isa<arith::DivUIOp, arith::CeilDivUIOp>(op),
                    /*up=*/isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op));
}
