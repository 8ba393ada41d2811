// Rules of df.if and df.while.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static LogicalResult setResults(Operation *op, Frame &frame, std::vector<RuntimeValue> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    if (failed(frame.set(result, std::move(value))))
      return failure();
  return success();
}

static LogicalResult evaluateIf(df::IfOp op, Frame &frame) {
  Region &region = frame.integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  std::vector<RuntimeValue> yielded;
  if (failed(frame.run(region, {}, yielded)))
    return failure();
  return setResults(op, frame, std::move(yielded));
}

static LogicalResult evaluateWhile(df::WhileOp op, Frame &frame) {
  std::vector<RuntimeValue> carried;
  for (Value init : op.getInits())
    carried.push_back(frame.get(init));
  std::optional<uint64_t> bound = op.getMaxIterations();
  for (uint64_t iteration = 0; !bound || iteration < *bound; ++iteration) {
    std::vector<RuntimeValue> condition;
    if (failed(frame.run(op.getConditionRegion(), carried, condition)))
      return failure();
    if (!std::get<Tensor>(condition.front()).getInteger(0))
      break;
    std::vector<RuntimeValue> next;
    if (failed(frame.run(op.getBodyRegion(), std::move(carried), next)))
      return failure();
    carried = std::move(next);
  }
  return setResults(op, frame, std::move(carried));
}

void mlc::interp::addControlFlowRules(RuleTable &table) {
  table.add<df::IfOp>(evaluateIf);
  table.add<df::WhileOp>(evaluateWhile);
}
