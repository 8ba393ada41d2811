// Type rules and verifiers of constants, broadcasts and shape ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getOperand().getType()), to = shapeOf(getType());
  ArrayRef<int64_t> dims = getDimensions();
  int64_t last = -1;
  bool c1 = dims.size() == from.size();
  for (int64_t d : dims) {
    c1 &= d > last && d < static_cast<int64_t>(to.size());
    last = d;
  }
  if (!c1)
    return emitOpError(
               "(C1) dimensions must be strictly ascending dimensions of the result, one for each of the operand's ")
           << from.size();
  for (auto [f, d] : llvm::zip(from, dims))
    if (f != 1 && !agree(f, to[d]))
      return verifyTypes(*this, false, "(C2) each dimension of the operand must be 1 or the result's",
                         getOperand().getType(), getType());
  if (getLike()) {
    if (!agreeInShape(getLike().getType(), getType()))
      return verifyTypes(*this, false, "(C3) 'like' must have the result's shape", getLike().getType(), getType());
  } else if (ShapedType::isDynamicShape(to)) {
    return emitOpError("(C3) a dynamic result needs 'like'; found ") << getType();
  }
  return verifyTypes(*this, elementType(getOperand().getType()) == elementType(getType()),
                     "(C4) element types must agree", getOperand().getType(), getType());
}

bool mlc::df::differInUnits(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto isLong = [](int64_t size) { return size != 1; };
  return llvm::equal(llvm::make_filter_range(from, isLong), llvm::make_filter_range(to, isLong));
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType()), to = getType();
  if (from.getElementType() != to.getElementType())
    return verifyTypes(*this, false, "(C1) element types must agree", from, to);
  if (from.hasStaticShape() && to.hasStaticShape())
    return verifyTypes(*this, from.getNumElements() == to.getNumElements(),
                       "(C2) shapes must hold equally many elements", from, to);
  if (differInUnits(from.getShape(), to.getShape()))
    return success();
  if (from.getNumDynamicDims() != 1 || to.getNumDynamicDims() != 1)
    return verifyTypes(*this, false,
                       "(C3) both shapes must have one dynamic dimension or none, or differ in dimensions of 1 alone",
                       from, to);
  auto product = [](ArrayRef<int64_t> shape) {
    int64_t p = 1;
    for (int64_t d : shape)
      p *= ShapedType::isDynamic(d) ? 1 : d;
    return p;
  };
  int64_t smaller = product(from.getShape()), larger = product(to.getShape());
  if (smaller > larger)
    std::swap(smaller, larger);
  return verifyTypes(*this, smaller == larger || (smaller != 0 && larger % smaller == 0),
                     "(C4) of the products of the static dimensions one must divide the other", from, to);
}

/// A number is called by its value, as those of arith are.
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  auto splat = dyn_cast<SplatElementsAttr>(getValue());
  auto number = splat && isa<IntegerType>(splat.getElementType()) ? splat.getSplatValue<Attribute>() : Attribute();
  std::string name = "cst";
  if (auto integer = dyn_cast_or_null<IntegerAttr>(number)) {
    llvm::SmallString<24> digits;
    integer.getValue().toString(digits, /*Radix=*/10, /*Signed=*/!integer.getType().isUnsignedInteger());
    name = ("c" + digits).str();
    if (integer.getType().isInteger(1))
      name = integer.getValue().isZero() ? "false" : "true";
  }
  setName(getResult(), name);
}

bool CastShapeOp::isRefining() { return joinTypes(getOperand().getType(), getType()) != getOperand().getType(); }

LogicalResult CastShapeOp::verify() {
  return verifyTypes(*this, agree(getOperand().getType(), Type(getType())), "(C1) types must agree",
                     getOperand().getType(), getType());
}

OpFoldResult CastShapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  // What was forgotten is known again.
  auto inner = getOperand().getDefiningOp<CastShapeOp>();
  if (inner && !inner.isRefining() && inner.getOperand().getType() == getType())
    return inner.getOperand();
  return {};
}

LogicalResult TransposeOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<bool> seen(from.getRank(), false);
  if (permutation.size() != seen.size())
    return infer.error("(C1) permutation must have ") << seen.size() << " entries; found " << permutation.size();
  SmallVector<int64_t> shape;
  for (int64_t p : permutation) {
    if (p < 0 || p >= from.getRank() || seen[p])
      return infer.error("(C1) not a permutation: found ") << p << " out of place";
    seen[p] = true;
    shape.push_back(from.getDimSize(p));
  }
  return infer.result(from.clone(shape), "(C2) the result's shape must be the permuted one");
}

LogicalResult ConcatOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (op.getOperands().empty())
    return infer.error("(C1) needs at least one operand");
  auto first = cast<RankedTensorType>(op.getOperands().front().getType());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis >= first.getRank())
    return infer.error("(C1) axis ") << axis << " is no dimension of " << first;
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : op.getOperands().drop_front()) {
    auto from = cast<RankedTensorType>(operand.getType());
    if (from.getRank() != first.getRank() || from.getElementType() != first.getElementType())
      return infer.require(false, "(C1) ranks and element types must agree", first, from);
    for (auto [d, size, other] : llvm::enumerate(shape, from.getShape())) {
      if (static_cast<int64_t>(d) == axis) {
        if (ShapedType::isDynamic(size) || ShapedType::isDynamic(other))
          size = ShapedType::kDynamic;
        else if (llvm::AddOverflow(size, other, size))
          return infer.error("(C2) sizes along 'axis' add up to more than 64 bits hold");
        continue;
      }
      if (!agree(size, other))
        return infer.require(false, "(C2) dimensions other than 'axis' must agree", first.clone(shape), from);
      size = joinSizes(size, other);
    }
  }
  return infer.result(first.clone(shape),
                      "(C3) the result must have the operands' dimensions, which add up along 'axis'");
}

LogicalResult SizeOp::verify() { return verifyAxes(*this, getOperand().getType(), getDimensions()); }

//===-- dimensions ------------------------------------------------------------------------===//

void BroadcastOp::mapDimensions(DimensionMapping &map) {
  map.all(getLike(), getResult());
  for (auto [d, to] : llvm::enumerate(getDimensions()))
    if (shapeOf(getOperand().getType())[d] != 1)
      map.same(getResult(), to, getOperand(), static_cast<int64_t>(d));
}

void ConcatOp::mapDimensions(DimensionMapping &map) {
  Value first = getOperands().front();
  SmallVector<int64_t, 1> joined;
  if (getOperands().size() > 1)
    joined.push_back(static_cast<int64_t>(getAxis()));
  map.all(first, getResult(), joined);
  for (int64_t d = 0, e = rankOf(first); d < e; ++d)
    if (!llvm::is_contained(joined, d))
      map.parallel(getResult(), d);
  for (Value part : getOperands().drop_front())
    map.all(first, part, joined);
  for (int64_t axis : joined)
    map.sum(llvm::map_to_vector<4>(getOperands(), [&](Value part) { return Dimension{part, axis}; }), getResult(),
            axis);
}

void ReshapeOp::mapDimensions(DimensionMapping &map) {
  ArrayRef<int64_t> from = shapeOf(getOperand().getType()), to = shapeOf(getType());
  if (differInUnits(from, to)) {
    for (int64_t d = 0, next = 0, e = static_cast<int64_t>(to.size()); d < e; ++d) {
      if (to[d] == 1)
        continue;
      while (from[next] == 1)
        ++next;
      map.same(getOperand(), next++, getResult(), d);
    }
    return;
  }
  // The one dynamic dimension of each, where the static ones hold equally many.
  auto staticProduct = [](ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= ShapedType::isDynamic(size) ? 1 : size;
    return product;
  };
  const auto *dynamic = llvm::find_if(from, ShapedType::isDynamic), *kept = llvm::find_if(to, ShapedType::isDynamic);
  int64_t elements = staticProduct(from), ofResult = staticProduct(to);
  if (dynamic == from.end() || kept == to.end() || elements == 0 || ofResult == 0)
    return;
  if (elements == ofResult)
    map.same(getOperand(), dynamic - from.begin(), getResult(), kept - to.begin());
  else
    map.scaled({getOperand(), dynamic - from.begin()}, elements, ofResult, getResult(), kept - to.begin());
}
