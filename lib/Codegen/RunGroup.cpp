// Running a group of launches: one dispatcher for all groups of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunGroup.h"
#include "Frame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

namespace {
struct RunGroupBuilder {
  OpBuilder &b;
  Location loc;
  Type i64 = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());

  Value constant(int64_t v) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v)); }
  Value address(Value cells, int64_t i) {
    return LLVM::GEPOp::create(b, loc, pointer, i64, cells, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
  }
  Value cell(Value cells, int64_t i, Type type) { return LLVM::LoadOp::create(b, loc, type, address(cells, i)); }

  func::FuncOp declare(StringRef name, ArrayRef<Type> arguments, TypeRange results) {
    auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, results));
    function.setPrivate();
    return function;
  }
  Block *begin(func::FuncOp function) {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    return entry;
  }

  /// Calls `body` with each part's cells and a carried value; returns the last one.
  Value forEachPart(Value parts, Value count, Value init, llvm::function_ref<Value(Value part, Value carried)> body) {
    auto loop = scf::ForOp::create(b, loc, constant(0), count, constant(1), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value at = arith::MulIOp::create(b, loc, loop.getInductionVar(), constant(GroupPart::cells));
    Value part = LLVM::GEPOp::create(b, loc, pointer, i64, parts, ArrayRef<LLVM::GEPArg>{at});
    scf::YieldOp::create(b, loc, body(part, loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }

  void callKernel(Value part, Value first, Value last, Value worker) {
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, i64, i64, i64});
    // Kernels cannot fail.
    LLVM::CallOp::create(b, loc, type,
                         ValueRange{cell(part, GroupPart::kernel, pointer), cell(part, GroupPart::arguments, pointer),
                                    first, last, worker});
  }

  /// (cells {parts, count}, first, last, worker) -> 0: the tasks [first, last) of the parts' common range.
  void makeTasks(func::FuncOp function) {
    Block *entry = begin(function);
    Value first = entry->getArgument(1), last = entry->getArgument(2);
    forEachPart(cell(entry->getArgument(0), 0, pointer), cell(entry->getArgument(0), 1, i64), constant(0),
                [&](Value part, Value offset) -> Value {
                  Value end = arith::AddIOp::create(b, loc, offset, cell(part, GroupPart::tasks, i64));
                  Value low = arith::MaxSIOp::create(b, loc, first, offset);
                  Value high = arith::MinSIOp::create(b, loc, last, end);
                  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, high);
                  auto guard = scf::IfOp::create(b, loc, any, false);
                  OpBuilder::InsertionGuard insertion(b);
                  b.setInsertionPointToStart(&guard.getThenRegion().front());
                  callKernel(part, arith::SubIOp::create(b, loc, low, offset),
                             arith::SubIOp::create(b, loc, high, offset), entry->getArgument(3));
                  return end;
                });
    func::ReturnOp::create(b, loc, Value(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0))));
  }

  /// (frame, parts, count) -> code of parallel_for.
  void makeRun(func::FuncOp function, func::FuncOp tasksFunction, int64_t threshold) {
    Block *entry = begin(function);
    Value frame = entry->getArgument(0), parts = entry->getArgument(1), count = entry->getArgument(2);
    Value block =
        LLVM::AllocaOp::create(b, loc, pointer, i64, LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(2)), 8);
    LLVM::StoreOp::create(b, loc, parts, block);
    LLVM::StoreOp::create(b, loc, count, address(block, 1));
    Value cost = forEachPart(parts, count, constant(0), [&](Value part, Value sum) -> Value {
      Value own = arith::MulIOp::create(b, loc, cell(part, GroupPart::tasks, i64), cell(part, GroupPart::cost, i64));
      return arith::AddIOp::create(b, loc, sum, own);
    });
    Value tasks = forEachPart(parts, count, constant(0), [&](Value part, Value sum) -> Value {
      return arith::AddIOp::create(b, loc, sum, cell(part, GroupPart::tasks, i64));
    });
    Value pays = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, cost, constant(threshold));
    Value address =
        func::ConstantOp::create(b, loc, tasksFunction.getFunctionType(), FlatSymbolRefAttr::get(tasksFunction));
    address = UnrealizedConversionCastOp::create(b, loc, pointer, address).getResult(0);
    auto choice = scf::IfOp::create(b, loc, TypeRange(b.getI32Type()), pays, true);
    b.setInsertionPointToStart(&choice.getThenRegion().front());
    Value services = loadField(b, loc, frame, FrameLayout::services, pointer);
    Value parallelFor = loadField(b, loc, services, FrameLayout::serviceOffset("parallel_for"), pointer);
    Value env = loadField(b, loc, frame, FrameLayout::env, pointer);
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer, pointer, i64});
    // Kernels cannot fail, but the service that runs them may.
    scf::YieldOp::create(
        b, loc, LLVM::CallOp::create(b, loc, type, ValueRange{parallelFor, env, address, block, tasks}).getResult());
    b.setInsertionPointToStart(&choice.getElseRegion().front());
    scf::YieldOp::create(
        b, loc,
        func::CallOp::create(b, loc, tasksFunction, ValueRange{block, constant(0), tasks, constant(0)}).getResults());
    b.setInsertionPointAfter(choice);
    func::ReturnOp::create(b, loc, choice.getResults());
  }
};
} // namespace

func::FuncOp mlc::makeRunGroup(OpBuilder &b, Location loc, StringRef name, int64_t threshold) {
  RunGroupBuilder builder{b, loc};
  Type i64 = builder.i64, pointer = builder.pointer;
  func::FuncOp tasks = builder.declare((name + "_tasks").str(), {pointer, i64, i64, i64}, b.getI32Type());
  func::FuncOp run = builder.declare(("run_" + name).str(), {pointer, pointer, i64}, b.getI32Type());
  OpBuilder::InsertionGuard guard(b);
  builder.makeTasks(tasks);
  builder.makeRun(run, tasks, threshold);
  return run;
}
