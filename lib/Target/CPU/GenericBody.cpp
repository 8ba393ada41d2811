// The body of a linalg.generic, evaluated for one element or for a vector of neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenericLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include <functional>

using namespace mlir;
using namespace mlc;

//===-- what varies along a loop -----------------------------------------------------------===//

/// The values that an op and its regions read of what stands around it.
static SetVector<Value> readBy(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Whether a value of the body may differ between neighbours along a loop.
bool GenericLowering::varies(Value value, int64_t loop) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return false;
    return argument.getArgNumber() >= numInputs() || known(strides[argument.getArgNumber()][loop]) != 0;
  }
  Operation *maker = value.getDefiningOp();
  if (maker->getBlock() != op.getBody())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return static_cast<int64_t>(index.getDim()) == loop;
  auto found = varying.find({value, loop});
  if (found != varying.end())
    return found->second;
  bool result = llvm::any_of(readBy(maker), [&](Value operand) { return varies(operand, loop); });
  varying[{value, loop}] = result;
  return result;
}

/// Whether an index of the body grows by 1 from neighbour to neighbour along a loop.
bool GenericLowering::isCounted(Value value, int64_t loop) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != op.getBody())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return static_cast<int64_t>(index.getDim()) == loop;
  if (!isa<arith::AddIOp, arith::SubIOp>(maker))
    return false;
  Value x = maker->getOperand(0), y = maker->getOperand(1);
  return (isCounted(x, loop) && !varies(y, loop)) ||
         (isa<arith::AddIOp>(maker) && isCounted(y, loop) && !varies(x, loop));
}

/// Whether what the body reads at indices of its own lies side by side, or is one element, for neighbours along a loop.
bool GenericLowering::readsNeighbours(int64_t loop) {
  return llvm::all_of(op.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    ValueRange indices = load.getIndices();
    if (!llvm::any_of(indices, [&](Value index) { return varies(index, loop); }))
      return true;
    return known(read[load.getMemRef()].strides.back()) == 1 && isCounted(indices.back(), loop) &&
           !llvm::any_of(indices.drop_back(), [&](Value index) { return varies(index, loop); });
  });
}

//===-- one evaluation ---------------------------------------------------------------------===//

/// Once for a task: stores to the results might change them, for all that LLVM knows.
void GenericLowering::loadScalars() {
  scalars.assign(numInputs(), Value());
  for (unsigned i = 0; i < numInputs(); ++i)
    if (buffers[i].sizes.empty() && !op.getBody()->getArgument(i).use_empty())
      scalars[i] = Lanes().load(b, loc, buffers[i].flat, buffers[i].offset);
}

Index GenericLowering::address(unsigned operand, ArrayRef<Index> position) {
  Index sum = buffers[operand].offset;
  for (auto [p, stride] : llvm::zip(position, strides[operand]))
    sum = math.add(sum, math.mul(p, stride));
  return sum;
}

/// One evaluation of the body at `position` (whose vector loop holds the first of the lanes). Returns what it yields.
SmallVector<Value> GenericLowering::body(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                         ValueRange accumulators) {
  if (!read.empty())
    return bodyWithReads(nested, position, lanes, accumulators);
  Block *block = op.getBody();
  IRMapping mapping;
  for (unsigned i = 0; i < numInputs(); ++i) {
    if (block->getArgument(i).use_empty())
      continue;
    if (scalars[i]) {
      mapping.map(block->getArgument(i), lanes.splat(nested, loc, scalars[i]));
      continue;
    }
    Index at = address(i, position);
    bool vector = lanes.lanes > 1 && known(strides[i][vectorLoop]) == 1;
    Value element = vector ? lanes.load(nested, loc, buffers[i].flat, at)
                           : lanes.splat(nested, loc, Lanes().load(nested, loc, buffers[i].flat, at));
    mapping.map(block->getArgument(i), element);
  }
  for (auto [argument, accumulator] : llvm::zip(block->getArguments().drop_front(numInputs()), accumulators))
    mapping.map(argument, accumulator);
  return cloneBody(nested, *block, mapping, lanes, [&](int64_t d) {
    return d == vectorLoop ? lanes.count(nested, loc, position[d]) : lanes.splat(nested, loc, math.value(position[d]));
  });
}

/// The same for a body that reads at indices of its own: what is one for all lanes is computed once, so that an index
/// that data says is a scalar.
SmallVector<Value> GenericLowering::bodyWithReads(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                                  ValueRange accumulators) {
  Block *block = op.getBody();
  IRMapping uniform, vectors;
  auto differs = [&](Value value) { return lanes.lanes > 1 && varies(value, vectorLoop); };
  auto vectorOf = [&](Value value) {
    if (lanes.lanes == 1 || differs(value))
      return lanes.lanes == 1 ? uniform.lookupOrDefault(value) : vectors.lookup(value);
    if (!vectors.contains(value))
      vectors.map(value, lanes.splat(nested, loc, uniform.lookupOrDefault(value)));
    return vectors.lookup(value);
  };
  // What a loop of the body reads.
  auto loadFlat = [&](memref::LoadOp load) {
    OpBuilder before(load);
    IndexMath inLoop{before, loc};
    FlatBuffer &buffer = read[load.getMemRef()];
    Index at = buffer.at(inLoop, llvm::map_to_vector(load.getIndices(), [](Value i) { return Index(i); }));
    load.replaceAllUsesWith(Lanes().load(before, loc, buffer.flat, at));
    load.erase();
  };
  // An index that counts the lanes at the first of them.
  std::function<Value(Value)> firstOf = [&](Value value) -> Value {
    if (!differs(value))
      return uniform.lookupOrDefault(value);
    Operation *maker = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(maker))
      return math.value(position[index.getDim()]);
    Value x = firstOf(maker->getOperand(0)), y = firstOf(maker->getOperand(1));
    if (isa<arith::AddIOp>(maker))
      return arith::AddIOp::create(nested, loc, x, y);
    return arith::SubIOp::create(nested, loc, x, y);
  };
  for (auto [i, argument] : llvm::enumerate(block->getArguments())) {
    bool isVector = differs(argument);
    if (i >= numInputs())
      (lanes.lanes > 1 ? vectors : uniform).map(argument, accumulators[i - numInputs()]);
    else if (scalars[i])
      uniform.map(argument, scalars[i]);
    else if (!argument.use_empty())
      (isVector ? vectors : uniform)
          .map(argument, (isVector ? lanes : Lanes()).load(nested, loc, buffers[i].flat, address(i, position)));
  }
  for (Operation &inner : block->without_terminator()) {
    bool isVector = differs(inner.getResult(0));
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Index at = position[index.getDim()];
      (isVector ? vectors : uniform).map(index.getResult(), isVector ? lanes.count(nested, loc, at) : math.value(at));
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      FlatBuffer &buffer = read[load.getMemRef()];
      SmallVector<Index> indices;
      for (Value i : load.getIndices())
        indices.push_back(firstOf(i));
      Index at = buffer.at(math, indices);
      (isVector ? vectors : uniform)
          .map(load.getResult(), (isVector ? lanes : Lanes()).load(nested, loc, buffer.flat, at));
      continue;
    }
    if (!isVector) {
      nested.clone(inner, uniform)->walk([&](memref::LoadOp load) { loadFlat(load); });
      continue;
    }
    for (Value used : readBy(&inner))
      vectorOf(used);
    cloneOp(nested, inner, vectors, lanes);
  }
  SmallVector<Value> results;
  for (Value value : block->getTerminator()->getOperands())
    results.push_back(vectorOf(value));
  return results;
}
