// The loops of a contraction: extents and strides, and index arithmetic over them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

void ContractLoops::addOperand(MutableArrayRef<Loop> loops, const FlatBuffer &buffer, AffineMap map, bool isSized) {
  for (Loop &loop : loops)
    loop.strides.push_back(math.constant(0));
  Index origin = buffer.offset;
  for (auto [d, e] : llvm::enumerate(map.getResults())) {
    LinearExpr linear(e, static_cast<unsigned>(loops.size()));
    origin = math.add(origin, math.mul(buffer.strides[d], math.constant(linear.constant)));
    for (auto [loop, factor] : llvm::zip(loops, linear.factors))
      if (factor)
        loop.strides.back() = math.add(loop.strides.back(), math.mul(buffer.strides[d], math.constant(factor)));
    auto dim = dyn_cast<AffineDimExpr>(e);
    if (isSized && dim && (!loops[dim.getPosition()].size || known(buffer.sizes[d])))
      loops[dim.getPosition()].size = buffer.sizes[d];
  }
  origins.push_back(origin);
}

void ContractLoops::finishLoops() {
  Loop once{math.constant(1), SmallVector<Index>(origins.size(), math.constant(0))};
  if (rowLoops.empty())
    rowLoops.push_back(once);
  if (innerLoops.empty())
    innerLoops.push_back(once);
  auto product = [&](ArrayRef<Loop> some) {
    Index size = math.constant(1);
    for (const Loop &loop : some)
      size = math.mul(size, loop.size);
    return size;
  };
  batches = product(batchLoops);
  rows = product(rowLoops);
  columns = columnLoop.size;
  inner = product(innerLoops);
  runs = product(ArrayRef(innerLoops).drop_back());
  run = innerLoops.back().size;
}

void ContractLowering::collect() {
  lhs = flatten(b, loc, op.getLhs());
  rhs = flatten(b, loc, op.getRhs());
  for (Value extra : op.getExtras())
    extras.push_back(flatten(b, loc, extra));
  for (Value out : op.getOuts())
    outs.push_back(flatten(b, loc, out));
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  unsigned numLoops = maps[0].getNumDims();
  SmallVector<Loop> loops(numLoops);
  SmallVector<int64_t> loopOfOut;
  for (AffineExpr e : maps[2].getResults())
    loopOfOut.push_back(cast<AffineDimExpr>(e).getPosition());
  addOperand(loops, lhs, maps[0], false);
  addOperand(loops, rhs, maps[1], true);
  for (auto [extra, map] : llvm::zip(extras, op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    SmallVector<AffineExpr> dims;
    for (int64_t loop : loopOfOut)
      dims.push_back(b.getAffineDimExpr(loop));
    addOperand(loops, extra, map.replaceDimsAndSymbols(dims, {}, numLoops, 0), false);
  }
  for (FlatBuffer &out : outs)
    addOperand(loops, out, maps[2], true);
  // An inner dimension that is unknown in rhs may be static in lhs; a window's dimension may be longer than its loop.
  for (auto [d, e] : llvm::enumerate(maps[0].getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(e); dim && known(lhs.sizes[d]) && !op.getMaps())
      loops[dim.getPosition()].size = lhs.sizes[d];

  auto has = [&](unsigned operand, unsigned loop) { return maps[operand].isFunctionOfDim(loop); };
  for (int64_t loop : loopOfOut) {
    if (has(0, loop) && has(1, loop))
      batchLoops.push_back(loops[loop]);
    else if (has(0, loop))
      rowLoops.push_back(loops[loop]);
    else
      columnLoop = loops[loop];
  }
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (!has(2, loop))
      innerLoops.push_back(loops[loop]);
  SmallVector<unsigned> everything, factors = {0, 1};
  for (unsigned i = 0; i < origins.size(); ++i)
    everything.push_back(i);
  merge(batchLoops, everything);
  merge(rowLoops, everything);
  merge(innerLoops, factors);
  finishLoops();
  panelWidth = op.getPanelWidth().value_or(0);
}

/// Drops loops of one step, and makes one loop of neighbours of which the outer one goes on where the inner one ends,
/// in all of `operands`.
void ContractLoops::merge(SmallVector<Loop> &loops, ArrayRef<unsigned> operands) {
  llvm::erase_if(loops, [](const Loop &loop) { return known(loop.size) == 1; });
  for (size_t i = loops.size(); i-- > 1;) {
    auto size = known(loops[i].size);
    bool merges = llvm::all_of(operands, [&](unsigned operand) {
      auto outer = known(loops[i - 1].strides[operand]), inside = known(loops[i].strides[operand]);
      return size && outer && inside && *outer == *inside * *size;
    });
    if (!merges)
      continue;
    loops[i - 1] = {math.mul(loops[i - 1].size, loops[i].size), loops[i].strides};
    loops.erase(loops.begin() + i);
  }
}

/// The index of each loop at the row-major `number`.
SmallVector<Index> ContractLoops::indicesOf(ArrayRef<Loop> loops, Index number) {
  SmallVector<Index> indices(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    if (i == 0) {
      indices[0] = number;
    } else if (known(loops[i].size) == 1) {
      indices[i] = math.constant(0);
    } else {
      Value size = math.value(loops[i].size), at = math.value(number);
      indices[i] = Value(arith::RemUIOp::create(b, loc, at, size));
      number = Value(arith::DivUIOp::create(b, loc, at, size));
    }
  }
  return indices;
}

Index ContractLoops::distance(ArrayRef<Loop> loops, ArrayRef<Index> indices, unsigned operand) {
  Index sum = math.constant(0);
  for (auto [loop, index] : llvm::zip(loops, indices))
    sum = math.add(sum, math.mul(index, loop.strides[operand]));
  return sum;
}

/// Reduces over the inner dimension from `begin` to `end`: numbers of its elements if it is one loop, else of runs of
/// the last one. `body` gets the number of the element and its distance in lhs.
SmallVector<Value>
ContractLowering::reduceInner(Index begin, Index end, ValueRange init,
                              llvm::function_ref<SmallVector<Value>(Index, Index, ValueRange)> body) {
  Index step = innerLoops.back().strides[0];
  if (innerLoops.size() == 1)
    return makeReduction(b, loc, begin, end, 1, init,
                         [&](OpBuilder &, Index k, ValueRange carried) { return body(k, math.mul(k, step), carried); });
  ArrayRef<Loop> outer = ArrayRef(innerLoops).drop_back();
  return makeReduction(b, loc, begin, end, 1, init, [&](OpBuilder &, Index q, ValueRange carried) {
    Index start = distance(outer, indicesOf(outer, q), 0), first = math.mul(q, run);
    return makeReduction(b, loc, math.constant(0), run, 1, carried, [&](OpBuilder &, Index k, ValueRange values) {
      return body(math.add(first, k), math.add(start, math.mul(k, step)), values);
    });
  });
}

Value ContractLoops::maskFor(Index remaining) {
  return vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), math.value(remaining));
}

/// The vectors of a panel of which `remaining` columns exist: static counts drop vectors and masks, dynamic ones mask
/// all.
SmallVector<Lanes> ContractLoops::panelLanes(Index remaining) {
  SmallVector<Lanes> vectors;
  for (int64_t v = 0; v < panelVectors(); ++v) {
    if (auto left = known(remaining)) {
      if (*left <= v * lanes)
        break;
      vectors.push_back(*left >= (v + 1) * lanes ? all() : Lanes{lanes, maskFor(math.constant(*left - v * lanes))});
      continue;
    }
    // create_mask of a negative count selects nothing.
    vectors.push_back(Lanes{lanes, maskFor(math.sub(remaining, math.constant(v * lanes)))});
  }
  return vectors;
}
/// The origins of batch number `batch` instead of the first one's, for what `body` emits.
void ContractLoops::withBatch(Index batch, llvm::function_ref<void()> body) {
  if (batchLoops.empty())
    return body();
  SmallVector<Index> first = origins;
  SmallVector<Index> indices = indicesOf(batchLoops, batch);
  for (auto [operand, origin] : llvm::enumerate(origins))
    origin = math.add(origin, distance(batchLoops, indices, static_cast<unsigned>(operand)));
  body();
  origins = first;
}

void ContractLoops::withTask(Index task, Index each, llvm::function_ref<void(Index, Index)> body) {
  if (batchLoops.empty())
    return body(math.constant(0), task);
  Value number = math.value(task), size = math.value(each);
  body(Value(arith::DivUIOp::create(b, loc, number, size)), Value(arith::RemUIOp::create(b, loc, number, size)));
}

Index ContractLoops::panelStart(Index panel, unsigned operand) {
  return math.add(origins[operand], math.mul(math.mul(panel, inner), math.constant(panelWidth)));
}

void ContractLoops::forPanel(Index panel, llvm::function_ref<void(Index)> body) {
  auto count = known(columns);
  Index width = math.constant(panelWidth);
  if (count && *count % panelWidth == 0)
    return body(width);
  Index remaining = count ? math.constant(*count % panelWidth) : math.sub(columns, math.mul(panel, width));
  if (count && *count < panelWidth)
    return body(remaining);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                        math.value(math.add(math.mul(panel, width), width)), math.value(columns));
  auto either = scf::IfOp::create(b, loc, isWhole, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&either.getThenRegion().front());
  body(width);
  b.setInsertionPointToStart(&either.getElseRegion().front());
  body(remaining);
}
