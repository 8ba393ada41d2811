// df-cut-at-queues: functions that use both queues and variables as segments that use one of the two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/CrossingValues.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFCUTATQUEUESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {

/// Cuts one function in program order: wherever it goes over from queues to variables or back.
class QueueCutter {
public:
  explicit QueueCutter(FunctionOp function) : function(function), builder(function.getContext()), counts(function) {}
  LogicalResult run();

private:
  LogicalResult number();
  LogicalResult collectCrossing();
  void makeSegment(unsigned number);
  unsigned segmentOf(Value value) const { return value.getDefiningOp() ? segments.lookup(value.getDefiningOp()) : 0; }

  FunctionOp function;
  OpBuilder builder;
  SymbolicSizes counts;
  llvm::DenseMap<Operation *, unsigned> segments; ///< of ops at the top level
  unsigned last = 0;
  /// Values that later segments use, and the last that does.
  llvm::MapVector<Value, unsigned> crossing;
  llvm::DenseMap<Value, SmallVector<Type>> buffers; ///< of those, the types of what each crosses in
};

struct DfCutAtQueuesPass : mlc::df::impl::DfCutAtQueuesPassBase<DfCutAtQueuesPass> {
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FunctionOp>()))
      if (failed(QueueCutter(function).run()))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult QueueCutter::number() {
  std::optional<bool> onQueues; // what the segment uses, if anything
  for (Operation &op : function.getBody().front()) {
    Operation *queueOp = findQueueOp(&op);
    StateAccess access = getStateAccess(&op);
    const bool onVariables = !access.reads.empty() || !access.writes.empty();
    if (queueOp && onVariables)
      return queueOp->emitOpError("may wait in a region that also uses variable '")
             << (access.reads.empty() ? access.writes : access.reads).front().getValue()
             << "', whose lock it would hold meanwhile; run df-outline-called first";
    if (queueOp || onVariables) {
      if (onQueues && *onQueues != (queueOp != nullptr))
        ++last;
      onQueues = queueOp != nullptr;
    }
    segments[&op] = last;
  }
  return success();
}

LogicalResult QueueCutter::collectCrossing() {
  for (Operation &op : function.getBody().front())
    if (!isa<ReturnOp>(op))
      forEachUsedValue(&op, [&](Value value) {
        if (value.getDefiningOp() && !isa<ConstantOp>(value.getDefiningOp()) && segmentOf(value) < segments[&op])
          crossing[value] = segments[&op];
      });
  for (auto [value, user] : crossing) {
    std::optional<SmallVector<Type>> types = crossingTypes(value, counts);
    if (!types)
      return value.getDefiningOp()->emitOpError("makes a value of type ")
             << value.getType()
             << " that is used after a queue op or an access to a variable; of its shape, which only "
             << "the call knows, no buffer can be planned between the two";
    buffers[value] = *types;
  }
  return success();
}

void QueueCutter::makeSegment(unsigned number) {
  builder.setInsertionPoint(function);
  auto segment = FunctionOp::create(builder, function.getLoc(), (function.getSymName() + "." + Twine(number)).str(),
                                    builder.getFunctionType(function.getArgumentTypes(), {}), function.getRole());
  segment.setSegment(SegmentKind::Step);
  segment.setEntry(function.getSymName());
  segment.setArgAttrsAttr(function.getArgAttrsAttr());
  IRMapping mapping;
  mapping.map(function.getArguments(), segment.getArguments());
  Block &body = segment.getBody().front();
  std::vector<FunctionResult> results;
  builder.setInsertionPointToEnd(&body);
  ReturnOp::create(builder, function.getLoc(), ValueRange());
  auto nameOf = [](size_t i, size_t part) {
    return "q" + std::to_string(i) + (part == 0 ? "" : "." + std::to_string(part));
  };
  AppendedArguments appended(segment);
  for (auto [i, entry] : llvm::enumerate(crossing)) {
    auto [value, user] = entry;
    if (segmentOf(value) >= number || user < number)
      continue;
    SmallVector<Value> arguments;
    for (auto [part, type] : llvm::enumerate(buffers[value]))
      arguments.push_back(appended.append(type, BindingKind::Intermediate, nameOf(i, part), value.getLoc(),
                                          crossingSymbols(value, type, counts)));
    builder.setInsertionPoint(getReturn(segment));
    mapping.map(value, putTogether(value.getLoc(), value.getType(), arguments, builder));
  }
  appended.finish();
  builder.setInsertionPoint(getReturn(segment));
  for (Operation &op : function.getBody().front())
    if (!isa<ReturnOp>(op) && (segments[&op] == number || (isa<ConstantOp>(op) && segments[&op] < number)))
      builder.clone(op, mapping);
  for (FunctionResult result : getFunctionResults(function)) {
    const bool isConstant = !result.value.getDefiningOp() || isa<ConstantOp>(result.value.getDefiningOp());
    if ((isConstant ? last : segmentOf(result.value)) == number)
      results.push_back({mapping.lookup(result.value), result.attributes});
  }
  for (auto [i, entry] : llvm::enumerate(crossing))
    if (Value value = entry.first; segmentOf(value) == number)
      for (auto [part, buffer] : llvm::enumerate(takeApart(mapping.lookup(value), buffers[value], builder)))
        results.push_back(boundResult(buffer, BindingKind::Intermediate, nameOf(i, part),
                                      crossingSymbols(value, buffer.getType(), counts)));
  setFunctionResults(segment, results);
  eraseDeadOps(body);
  eraseUnusedArguments(segment);
}

LogicalResult QueueCutter::run() {
  Operation *queueOp = findQueueOp(function);
  if (!queueOp || function.getSegment())
    return success();
  const bool anyQueues =
      function.getRole() == Role::Other || function.getRole() == Role::Init || function.getRole() == Role::Train;
  if (Operation *own = anyQueues ? nullptr : findQueueOp(function, /*channels=*/false))
    return own->emitOpError("stands in a function of role ")
           << stringifyRole(function.getRole()) << "; only functions of role train, init and other use queues";
  if (failed(number()))
    return failure();
  if (last == 0)
    return success();
  if (failed(collectCrossing()))
    return failure();
  for (unsigned i = 0; i <= last; ++i)
    makeSegment(i);
  function.erase();
  return success();
}
