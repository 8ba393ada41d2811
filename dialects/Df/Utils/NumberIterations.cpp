// Gives the random ops in loops the numbers of their iterations: see NumberIterations.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/NumberIterations.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlc::df;

static Value constantId(OpBuilder &b, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, b.getI64IntegerAttr(value)));
}

/// Lets `block`, the body of a loop, yield the number of the next iteration at `position`.
static void countUp(Block &block, BlockArgument number, unsigned position) {
  Operation *yield = block.getTerminator();
  OpBuilder b(yield);
  Value next = AddOp::create(b, yield->getLoc(), number.getType(), number, constantId(b, yield->getLoc(), 1));
  yield->insertOperands(position, next);
}

/// Replaces the loop by one that counts; `numbers` gets the number of the iteration in each of its regions.
static void count(ScanOp op, llvm::DenseMap<Region *, Value> &numbers) {
  OpBuilder b(op);
  unsigned position = op.getNumCarried();
  SmallVector<Value> inits(op.getInits());
  inits.push_back(constantId(b, op.getLoc(), 0));
  SmallVector<Type> types(op.getResultTypes());
  types.insert(types.begin() + position, inits.back().getType());
  auto wider = ScanOp::create(b, op.getLoc(), types, inits, op.getSequences(), op.getCount(), op.getReverse(),
                              op.getParallelIterationsAttr());
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  wider.getBody().takeBody(op.getBody());
  Block &block = wider.getBody().front();
  BlockArgument number = block.insertArgument(position, inits.back().getType(), op.getLoc());
  countUp(block, number, position);
  numbers[&wider.getBody()] = number;
  SmallVector<Value> results(wider.getResults());
  results.erase(results.begin() + position);
  op->replaceAllUsesWith(results);
  op->erase();
}

static void count(WhileOp op, llvm::DenseMap<Region *, Value> &numbers) {
  OpBuilder b(op);
  SmallVector<Value> inits(op.getInits());
  inits.push_back(constantId(b, op.getLoc(), 0));
  auto wider = WhileOp::create(b, op.getLoc(), TypeRange(ValueRange(inits)), inits, op.getMaxIterationsAttr(),
                               op.getMustEndAttr());
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  wider.getConditionRegion().takeBody(op.getConditionRegion());
  wider.getBodyRegion().takeBody(op.getBodyRegion());
  for (Region *region : {&wider.getConditionRegion(), &wider.getBodyRegion()})
    numbers[region] = region->front().addArgument(inits.back().getType(), op.getLoc());
  Block &body = wider.getBodyRegion().front();
  countUp(body, body.getArguments().back(), body.getNumArguments() - 1);
  op->replaceAllUsesWith(wider.getResults().drop_back());
  op->erase();
}

void mlc::df::numberIterations(Operation *root) {
  SmallVector<RandomOp> unnumbered;
  llvm::SetVector<Operation *> loops;
  root->walk([&](RandomOp random) {
    if (!random.getIterations().empty())
      return;
    bool isInLoop = false;
    for (Operation *parent = random->getParentOp(); parent; parent = parent->getParentOp())
      if (isa<ScanOp, WhileOp>(parent)) {
        loops.insert(parent);
        isInLoop = true;
      }
    if (isInLoop)
      unnumbered.push_back(random);
  });
  llvm::DenseMap<Region *, Value> numbers;
  for (Operation *loop : loops) {
    if (auto scan = dyn_cast<ScanOp>(loop))
      count(scan, numbers);
    else
      count(cast<WhileOp>(loop), numbers);
  }
  for (RandomOp random : unnumbered) {
    SmallVector<Value> iterations;
    for (Region *region = random->getParentRegion(); region; region = region->getParentRegion())
      if (Value number = numbers.lookup(region))
        iterations.push_back(number);
    std::reverse(iterations.begin(), iterations.end());
    random.getIterationsMutable().assign(iterations);
  }
}
