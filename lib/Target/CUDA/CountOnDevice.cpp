// Loops that go round as often as data says, counted by the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataSizes.h"
#include "Grid.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlc;

bool cuda::onlyLaunches(scf::ForOp loop) {
  if (loop->getNumResults() > 0)
    return false;
  WalkResult walked = loop.getBody()->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    if (auto launch = dyn_cast<kern::LaunchOp>(op); launch && launch.getGrid())
      return WalkResult::skip();
    auto alloc = dyn_cast<memref::AllocOp>(op);
    const bool isOfDevice = isa<kern::GroupOp, kern::BranchOp, kern::LoopOp, kern::DeviceSideOp>(op) ||
                            (alloc && kern::spaceOf(alloc.getType()) != 0);
    const bool isOfHost = isa<kern::LaunchOp>(op) || (!isMemoryEffectFree(op) && !isa<RegionBranchOpInterface>(op) &&
                                                      !op->hasTrait<OpTrait::IsTerminator>());
    return isOfDevice || !isOfHost ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// Has the device do something with the one element of a buffer.
static void atElement(OpBuilder &b, Location loc, llvm::function_ref<void(IndexMath &)> body) {
  IndexMath math{b, loc};
  cuda::forEachPoint(b, loc, math.constant(1), 1, [&](Index) { body(math); });
}

void cuda::countOnDevice(scf::ForOp loop, Attribute space, int32_t number) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type i64 = b.getI64Type();
  auto make = [&](Type element, Attribute in) {
    return Value(
        memref::AllocOp::create(b, loc, MemRefType::get({}, element, MemRefLayoutAttrInterface(), in)).getResult());
  };
  auto as64 = [&](Value index) { return Value(arith::IndexCastOp::create(b, loc, i64, index)); };
  Value counter = make(i64, space), condition = make(b.getI8Type(), space);
  FlatBuffer ofCounter = flatten(b, loc, counter), ofCondition = flatten(b, loc, condition);
  auto load = [&](IndexMath &math) { return Lanes().load(b, loc, ofCounter.flat, ofCounter.at(math, {})); };
  auto store = [&](IndexMath &math, Value value, const FlatBuffer &to) {
    Lanes().store(b, loc, value, to.flat, to.at(math, {}));
  };
  Value first = loop.getLowerBound(), last = loop.getUpperBound(), step = loop.getStep();
  atElement(b, loc, [&](IndexMath &math) { store(math, as64(first), ofCounter); });
  auto made = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  b.createBlock(&made.getBefore());
  atElement(b, loc, [&](IndexMath &math) {
    Value isLess = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, load(math), as64(last));
    store(math, arith::ExtUIOp::create(b, loc, b.getI8Type(), isLess), ofCondition);
  });
  Value goes = kern::LoopOp::create(b, loc, b.getI1Type(), condition, b.getI32IntegerAttr(number));
  scf::ConditionOp::create(b, loc, goes, ValueRange());
  Block *body = b.createBlock(&made.getAfter());
  // What an iteration reads stays as it is in it.
  Value copy = make(i64, Attribute());
  kern::TransferOp::create(b, loc, TypeRange(), counter, copy);
  Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), memref::LoadOp::create(b, loc, copy));
  // That it is less is what bounds it.
  at = arith::MinUIOp::create(b, loc, at, last);
  loop.getInductionVar().replaceAllUsesWith(at);
  loop.getBody()->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  b.setInsertionPointToEnd(body);
  atElement(b, loc,
            [&](IndexMath &math) { store(math, arith::AddIOp::create(b, loc, load(math), as64(step)), ofCounter); });
  scf::YieldOp::create(b, loc);
  loop.erase();
}
