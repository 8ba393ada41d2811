// Which dimensions of an op's operands and results are one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/Df.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlc::df;

int64_t mlc::df::rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 1;
}

bool Dimension::isStatic() const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.isDynamicDim(index);
}

unsigned DimensionMapping::setOf(Value value, int64_t index) {
  auto [it, isNew] = setOfDimension.try_emplace({value, index}, sets.size());
  if (isNew)
    sets.push_back({Dimension{value, index}});
  return it->second;
}

void DimensionMapping::same(Value a, int64_t i, Value b, int64_t j) {
  if (!a || !b)
    return;
  unsigned first = setOf(a, i), second = setOf(b, j);
  if (first == second)
    return;
  // The smaller set moves. What was named first stays first.
  unsigned into = first, from = second;
  if (sets[from].size() > sets[into].size())
    std::swap(into, from);
  for (const Dimension &moved : sets[from])
    setOfDimension[{moved.value, moved.index}] = into;
  if (into == first)
    llvm::append_range(sets[into], sets[from]);
  else
    sets[into].insert(sets[into].begin(), sets[from].begin(), sets[from].end());
  sets[from].clear();
}

void DimensionMapping::all(Value a, Value b, ArrayRef<int64_t> axes) {
  if (!a || !b)
    return;
  for (int64_t d = 0, e = std::min(rankOf(a), rankOf(b)); d < e; ++d)
    if (!llvm::is_contained(axes, d))
      same(a, d, b, d);
}

void DimensionMapping::without(Value from, ArrayRef<int64_t> axes, Value to) {
  if (!to)
    return;
  int64_t next = 0, rank = rankOf(to);
  for (int64_t d = 0, e = rankOf(from); d < e && next < rank; ++d)
    if (!llvm::is_contained(axes, d))
      same(from, d, to, next++);
}

void DimensionMapping::at(Value from, ArrayRef<int64_t> dimensions, Value to) {
  for (auto [i, d] : llvm::enumerate(dimensions))
    same(from, d, to, static_cast<int64_t>(i));
}

void DimensionMapping::elementwise(Operation *op) {
  if (op->getNumOperands() == 0)
    return;
  Value first = op->getOperand(0);
  for (Value result : op->getResults())
    all(first, result);
  for (Value operand : op->getOperands().drop_front())
    if (rankOf(operand) == rankOf(first))
      all(first, operand);
  if (op->hasTrait<OpTrait::Elementwise>())
    for (Value result : op->getResults())
      parallel(result);
}

void DimensionMapping::reduced(Value from, ArrayRef<int64_t> axes, Value to) {
  without(from, axes, to);
  int64_t last = axes.empty() ? rankOf(from) : *llvm::max_element(axes);
  for (int64_t d = 0, next = 0; d < last; ++d)
    if (!llvm::is_contained(axes, d))
      parallel(to, next++);
}

void DimensionMapping::along(Value from, ArrayRef<int64_t> axes, Value to) {
  all(from, to);
  for (int64_t d = 0, e = axes.empty() ? rankOf(from) : *llvm::max_element(axes); d < e; ++d)
    if (!llvm::is_contained(axes, d))
      parallel(to, d);
}

void DimensionMapping::parallel(Value result) {
  for (int64_t d = 0, e = rankOf(result); d < e; ++d)
    parallel(result, d);
}

void DimensionMapping::sum(ArrayRef<Dimension> terms, Value result, int64_t d) {
  made.push_back({{result, d}, llvm::to_vector<2>(terms)});
}

void DimensionMapping::scaled(Dimension term, int64_t numerator, int64_t denominator, Value result, int64_t d) {
  made.push_back({{result, d}, {term}, numerator, denominator});
}

void DimensionMapping::symbol(int64_t symbol, Value result, int64_t d) {
  made.push_back({{result, d}, {}, 1, 1, symbol});
}

const MadeSize *DimensionMapping::getMade(Dimension ofResult) const {
  const auto *it = llvm::find_if(made, [&](const MadeSize &size) { return size.of == ofResult; });
  return it == made.end() ? nullptr : it;
}

ArrayRef<Dimension> DimensionMapping::get(Dimension dimension) const {
  auto it = setOfDimension.find({dimension.value, dimension.index});
  return it == setOfDimension.end() ? ArrayRef<Dimension>() : ArrayRef<Dimension>(sets[it->second]);
}

DimensionMapping mlc::df::getDimensions(Operation *op) {
  DimensionMapping map;
  if (auto mapped = dyn_cast<DimensionsOpInterface>(op))
    mapped.mapDimensions(map);
  return map;
}

/// The dimension of an operand that a result's dimension is as large as; one whose type says the size if there is one.
static const Dimension *originOf(Operation *op, const DimensionMapping &map, Dimension of) {
  const Dimension *kept = nullptr;
  for (const Dimension &each : map.get(of)) {
    if (each.isStatic())
      return &each;
    if (!kept && each.value.getDefiningOp() != op && isa<RankedTensorType>(each.value.getType()))
      kept = &each;
  }
  return kept;
}

/// Whether the terms of a size are there as values.
static bool isOfOperands(const MadeSize *size) {
  return size && !size->terms.empty() && size->denominator != 0 &&
         llvm::all_of(size->terms, [](const Dimension &term) { return isa<RankedTensorType>(term.value.getType()); });
}

static OpFoldResult sizeAsValue(OpBuilder &builder, Location loc, const MadeSize &size) {
  auto constant = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, loc, number); };
  Value sum;
  for (const Dimension &term : size.terms) {
    Value each =
        getValueOrCreateConstantIndexOp(builder, loc, tensor::getMixedSize(builder, loc, term.value, term.index));
    sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, each)) : each;
  }
  if (size.numerator != 1)
    sum = arith::MulIOp::create(builder, loc, sum, constant(size.numerator));
  if (size.denominator != 1)
    sum = arith::DivUIOp::create(builder, loc, sum, constant(size.denominator));
  return sum;
}

LogicalResult mlc::df::detail::reifyShapes(Operation *op, OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  DimensionMapping map = getDimensions(op);
  // Who asks for values has the tensor dialect loaded, and has tensor.dim of results of this op.
  // Nothing is built for an op that makes a size and does not tell which: upstream's patterns would try again because
  // of it, without end.
  SmallVector<SmallVector<const Dimension *>> origins;
  for (Value result : op->getResults()) {
    auto &ofResult = origins.emplace_back();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t d = 0, e = type ? type.getRank() : 0; d < e; ++d) {
      ofResult.push_back(originOf(op, map, {result, d}));
      if (type.isDynamicDim(d) && !ofResult.back() && !isOfOperands(map.getMade({result, d})))
        return failure();
    }
  }
  for (auto [result, ofResult] : llvm::zip_equal(op->getResults(), origins)) {
    SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
    for (auto [d, origin] : llvm::enumerate(ofResult)) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!type.isDynamicDim(d))
        sizes.push_back(builder.getIndexAttr(type.getDimSize(d)));
      else if (origin)
        sizes.push_back(tensor::getMixedSize(builder, op->getLoc(), origin->value, origin->index));
      else
        sizes.push_back(sizeAsValue(builder, op->getLoc(), *map.getMade({result, static_cast<int64_t>(d)})));
    }
  }
  return success();
}
