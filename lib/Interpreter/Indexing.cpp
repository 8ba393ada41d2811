// Rules of gathers, scatters and what data says the shape of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndexSpace.h"
#include "Rules.h"
#include "dialects/Df/IR/DfIndexing.h"
#include "dialects/Df/IR/DfIndexingOps.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Fails with an error at the op if a component of an index is outside of its dimension of `operand`.
template <typename Op> static LogicalResult checkIndices(Op op, const Tensor &operand, const Tensor &indices) {
  ArrayRef<int64_t> axes = op.getAxes();
  for (auto [i, d] : llvm::enumerate(op.getBatch()))
    if (operand.getDimSize(d) != indices.getDimSize(i))
      return op.emitOpError("dimension ") << d << " of the operand is " << operand.getDimSize(d)
                                          << ", that of the indices " << indices.getDimSize(i);
  auto components = static_cast<int64_t>(axes.size());
  for (int64_t i = 0, n = indices.getNumElements(); i < n; ++i) {
    int64_t component = indices.getInteger(i), bound = operand.getDimSize(axes[i % components]);
    if (component >= bound || (component < 0 && !op.getSkipNegative()))
      return op.emitOpError("component ") << i % components << " of index " << i / components << " is " << component
                                          << ", not in [0, " << bound << ")";
  }
  return success();
}

/// The position in `operand` of element `at` of what is gathered; -1 where the index has a negative component.
template <typename Op>
static int64_t sourceOf(Op op, const Tensor &operand, const Tensor &indices, ArrayRef<int64_t> at) {
  ArrayRef<int64_t> axes = op.getAxes(), batch = op.getBatch();
  // Coordinates of the result by the operand's dimension; those of s.. stand at the first axis.
  SmallVector<int64_t> index(operand.getRank()), s;
  size_t next = 0, length = op.getNumPlaces();
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    if (d == axes.front()) {
      s.assign(at.begin() + next, at.begin() + next + length);
      next += length;
    } else if (!llvm::is_contained(axes, d)) {
      index[d] = at[next++];
    }
  }
  SmallVector<int64_t> place;
  for (int64_t d : batch)
    place.push_back(index[d]);
  llvm::append_range(place, s);
  if (axes.size() > 1)
    place.push_back(0);
  int64_t first = positionOf(place, indices.getShape());
  bool isNegative = false;
  for (auto [j, d] : llvm::enumerate(axes)) {
    index[d] = indices.getInteger(first + static_cast<int64_t>(j));
    isNegative |= index[d] < 0;
  }
  return isNegative ? -1 : positionOf(index, operand.getShape());
}

static LogicalResult evaluateGather(df::GatherOp op, Frame &frame) {
  const Tensor &operand = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  if (failed(checkIndices(op, operand, indices)))
    return failure();
  Tensor result(operand.getKind(),
                df::gatheredShape(operand.getShape(), indices.getShape(), op.getAxes(), op.getBatch()));
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    if (int64_t source = sourceOf(op, operand, indices, at); source >= 0)
      result.copyElements(i, operand, source, 1);
  });
  return frame.set(op.getResult(), std::move(result));
}

/// Element `i` of `to` combined with element `j` of `updates`.
static void combine(df::ScatterKind kind, Tensor &to, int64_t i, const Tensor &updates, int64_t j) {
  auto apply = [&](auto x, auto y) -> decltype(x) {
    switch (kind) {
    case df::ScatterKind::Mul:
      return x * y;
    case df::ScatterKind::Min:
      return minimumOf(x, y);
    case df::ScatterKind::Max:
      return maximumOf(x, y);
    default:
      return x + y;
    }
  };
  if (kind == df::ScatterKind::Set)
    to.copyElements(i, updates, j, 1);
  else if (!isFloatKind(to.getKind())) {
    int64_t x = to.getInteger(i), y = updates.getInteger(j);
    bool isOrder = kind == df::ScatterKind::Min || kind == df::ScatterKind::Max;
    // Sums and products wrap.
    to.setInteger(i, isOrder ? apply(x, y)
                             : static_cast<int64_t>(apply(static_cast<uint64_t>(x), static_cast<uint64_t>(y))));
  } else if (to.getKind() == ElementKind::F64) {
    to.setFloat(i, apply(to.getFloat(i), updates.getFloat(j)));
  } else {
    to.setFloat(i, apply(static_cast<float>(to.getFloat(i)), static_cast<float>(updates.getFloat(j))));
  }
}

static LogicalResult evaluateScatter(df::ScatterOp op, Frame &frame) {
  const Tensor &operand = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices()),
               &updates = frame.tensor(op.getUpdates());
  if (failed(checkIndices(op, operand, indices)))
    return failure();
  if (updates.getShape() !=
      ArrayRef(df::gatheredShape(operand.getShape(), indices.getShape(), op.getAxes(), op.getBatch())))
    return op.emitOpError("updates do not have the shape of what the indices name");
  Tensor result = operand;
  forEachIndex(updates.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    if (int64_t place = sourceOf(op, operand, indices, at); place >= 0)
      combine(op.getKind(), result, place, updates, i);
  });
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateNonzero(df::NonzeroOp op, Frame &frame) {
  const Tensor &mask = frame.tensor(op.getOperand());
  std::vector<int64_t> coordinates;
  forEachIndex(mask.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    if (mask.getInteger(i))
      coordinates.insert(coordinates.end(), at.begin(), at.end());
  });
  auto count = static_cast<int64_t>(coordinates.size()) / mask.getRank();
  return frame.set(op.getResult(), Tensor::ofIntegers(ElementKind::I64, {count, mask.getRank()}, coordinates));
}

static LogicalResult evaluateUnique(df::UniqueOp op, Frame &frame) {
  std::vector<int64_t> all = frame.tensor(op.getOperand()).to<int64_t>(), values, counts, inverse;
  if (op.getSorted()) {
    values = all;
    llvm::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  } else {
    for (int64_t value : all)
      if (!llvm::is_contained(values, value))
        values.push_back(value);
  }
  std::map<int64_t, int64_t> places;
  for (auto [i, value] : llvm::enumerate(values))
    places[value] = static_cast<int64_t>(i);
  counts.resize(values.size());
  for (int64_t value : all) {
    inverse.push_back(places[value]);
    ++counts[places[value]];
  }
  auto vector = [](ArrayRef<int64_t> elements) {
    return Tensor::ofIntegers(ElementKind::I64, {static_cast<int64_t>(elements.size())}, elements);
  };
  return success(succeeded(frame.set(op.getValues(), vector(values))) &&
                 succeeded(frame.set(op.getInverse(), vector(inverse))) &&
                 succeeded(frame.set(op.getCounts(), vector(counts))));
}

void mlc::interp::addIndexingRules(RuleTable &table) {
  table.add<df::GatherOp>(evaluateGather);
  table.add<df::ScatterOp>(evaluateScatter);
  table.add<df::NonzeroOp>(evaluateNonzero);
  table.add<df::UniqueOp>(evaluateUnique);
  table.add<df::RequireSameSizeOp>([](df::RequireSameSizeOp op, Frame &frame) -> LogicalResult {
    int64_t lhs = frame.tensor(op.getLhs()).getDimSize(op.getLhsDimension()),
            rhs = frame.tensor(op.getRhs()).getDimSize(op.getRhsDimension());
    if (lhs == rhs)
      return success();
    return op.emitError("'") << op.getUser() << "': " << op.getMessage() << "; found " << lhs << " and " << rhs;
  });
  table.add<df::RequireOp>([](df::RequireOp op, Frame &frame) -> LogicalResult {
    if (frame.tensor(op.getCondition()).getInteger(0))
      return success();
    return op.emitOpError("the condition does not hold: ") << op.getMessage();
  });
}
