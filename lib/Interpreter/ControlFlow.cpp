// Rules of branches, loops and other ops with regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "llvm/ADT/ScopeExit.h"

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

using Shapes = SmallVector<SmallVector<int64_t>>;

static Shapes shapesOf(ArrayRef<RuntimeValue> values) {
  Shapes shapes;
  for (const RuntimeValue &value : values) {
    const auto *tensor = std::get_if<Tensor>(&value);
    shapes.emplace_back(tensor ? SmallVector<int64_t>(tensor->getShape()) : SmallVector<int64_t>());
  }
  return shapes;
}

/// Fails unless what a loop carries on, the first of `next`, has the shapes that it began with.
static LogicalResult checkCarried(Operation *op, const Shapes &carried, ArrayRef<RuntimeValue> next) {
  Shapes after = shapesOf(next.take_front(carried.size()));
  for (size_t k = 0; k < carried.size(); ++k)
    if (carried[k] != after[k])
      return op->emitOpError("carried value ")
             << k << " must keep its shape; found [" << ArrayRef(carried[k]) << "] and [" << ArrayRef(after[k]) << "]";
  return success();
}

namespace {
/// The rows that the iterations of a loop yield after its carried values, one tensor for each of the results from
/// `first` on.
class Stacks {
public:
  Stacks(Operation *loop, Operation *yield, unsigned first, size_t count, int64_t rows)
      : loop(loop), yield(yield), first(first), rows(rows), stacked(count) {}

  /// Puts what `yielded` has after the carried values to `row`, and leaves the carried ones.
  LogicalResult put(int64_t row, std::vector<RuntimeValue> &yielded);
  /// Appends the stacks to `values`.
  LogicalResult take(std::vector<RuntimeValue> &values, Frame &frame);

private:
  Operation *loop, *yield;
  unsigned first;
  int64_t rows;
  std::vector<std::optional<Tensor>> stacked;
};
} // namespace

LogicalResult Stacks::put(int64_t row, std::vector<RuntimeValue> &yielded) {
  for (auto [k, all] : llvm::enumerate(stacked)) {
    auto &made = std::get<Tensor>(yielded[first + k]);
    if (!all) {
      SmallVector<int64_t> shape = {rows};
      llvm::append_range(shape, made.getShape());
      all = Tensor(made.getKind(), shape);
    } else if (ArrayRef(made.getShape()) != ArrayRef(all->getShape()).drop_front()) {
      return loop->emitOpError("rows of stacked result ") << k << " change their shape";
    }
    all->copyElements(row * made.getNumElements(), made, 0, made.getNumElements());
  }
  yielded.resize(first);
  return success();
}

LogicalResult Stacks::take(std::vector<RuntimeValue> &values, Frame &frame) {
  for (auto [k, all] : llvm::enumerate(stacked)) {
    if (!all) {
      // No iteration tells the sizes of its rows.
      auto type = cast<RankedTensorType>(loop->getResult(first + k).getType());
      SmallVector<int64_t> shape = {rows};
      for (int64_t d = 1; d < type.getRank(); ++d) {
        shape.push_back(type.getDimSize(d));
        if (!type.isDynamicDim(d))
          continue;
        auto origin = df::traceSize(yield->getOperand(first + k), d - 1, *yield->getParentRegion());
        if (!origin)
          return loop->emitOpError("makes no row, and nothing outside of it tells dimension ")
                 << d << " of stacked result " << k;
        shape.back() = frame.tensor(origin->value).getDimSize(origin->index);
      }
      all = Tensor(*elementKindOf(type.getElementType()), shape);
    }
    values.push_back(std::move(*all));
  }
  return success();
}

static LogicalResult evaluateWhile(df::WhileOp op, Frame &frame) {
  std::vector<RuntimeValue> carried;
  for (Value init : op.getInits())
    carried.push_back(frame.get(init));
  const Shapes shapes = shapesOf(carried);
  std::optional<uint64_t> bound = op.getMaxIterations();
  Stacks stacks(op, op.getYield(), op.getNumCarried(), op.getStacked().size(), static_cast<int64_t>(bound.value_or(0)));
  frame.getIterations().push_back(0);
  auto leave = llvm::scope_exit([&] { frame.getIterations().pop_back(); });
  uint64_t iteration = 0;
  for (; !bound || op.getMustEnd() || iteration < *bound; ++iteration) {
    frame.getIterations().back() = static_cast<int64_t>(iteration);
    std::vector<RuntimeValue> condition;
    if (failed(frame.run(op.getConditionRegion(), carried, condition)))
      return failure();
    if (!std::get<Tensor>(condition.front()).getInteger(0))
      break;
    if (bound && iteration == *bound)
      return op.emitOpError("did not end within ") << *bound << " iterations";
    std::vector<RuntimeValue> next;
    if (failed(frame.run(op.getBodyRegion(), std::move(carried), next)) || failed(checkCarried(op, shapes, next)) ||
        failed(stacks.put(static_cast<int64_t>(iteration), next)))
      return failure();
    carried = std::move(next);
  }
  if (op.hasStacked()) {
    if (failed(stacks.take(carried, frame)))
      return failure();
    carried.push_back(Tensor::scalar(static_cast<int64_t>(iteration)));
  }
  return setResults(op, frame, std::move(carried));
}

/// Row `i` of a tensor.
static Tensor rowOf(const Tensor &sequence, int64_t i) {
  Tensor row(sequence.getKind(), ArrayRef(sequence.getShape()).drop_front());
  int64_t size = row.getNumElements();
  row.copyElements(0, sequence, i * size, size);
  return row;
}

static LogicalResult evaluateScan(df::ScanOp op, Frame &frame) {
  std::optional<int64_t> rows;
  for (Value sequence : op.getSequences()) {
    int64_t size = frame.tensor(sequence).getDimSize(0);
    if (rows && *rows != size)
      return op.emitOpError("(C1) sequences must have one leading dimension; found ") << *rows << " and " << size;
    rows = size;
  }
  int64_t count = op.getCount() ? frame.integer(op.getCount()) : *rows;
  if (!rows)
    rows = count;
  if (count < 0 || count > *rows)
    return op.emitOpError("count must be between 0 and the number of rows, ") << *rows << "; found " << count;
  std::vector<RuntimeValue> values;
  for (Value init : op.getInits())
    values.push_back(frame.get(init));
  const Shapes shapes = shapesOf(values);
  Stacks stacks(op, op.getYield(), op.getNumCarried(), op.getStacked().size(), *rows);
  frame.getIterations().push_back(0);
  auto leave = llvm::scope_exit([&] { frame.getIterations().pop_back(); });
  for (int64_t i = 0; i < count; ++i) {
    frame.getIterations().back() = i;
    int64_t row = op.getReverse() ? count - 1 - i : i;
    for (Value sequence : op.getSequences())
      values.push_back(rowOf(frame.tensor(sequence), row));
    std::vector<RuntimeValue> yielded;
    if (failed(frame.run(op.getBody(), std::move(values), yielded)) || failed(checkCarried(op, shapes, yielded)))
      return failure();
    if (failed(stacks.put(row, yielded)))
      return failure();
    values = std::move(yielded);
  }
  if (failed(stacks.take(values, frame)))
    return failure();
  return setResults(op, frame, std::move(values));
}

static LogicalResult evaluateCheckpoint(df::RematOp op, Frame &frame) {
  std::vector<RuntimeValue> yielded;
  if (failed(frame.run(op.getBody(), {}, yielded)))
    return failure();
  return setResults(op, frame, std::move(yielded));
}

/// The forward function; its residuals are results.
static LogicalResult evaluateCustomGradient(df::CustomGradientOp op, Frame &frame) {
  std::vector<RuntimeValue> arguments, yielded;
  for (Value operand : op.getOperands())
    arguments.push_back(frame.get(operand));
  if (failed(frame.run(op.getForward(), std::move(arguments), yielded)))
    return failure();
  return setResults(op, frame, std::move(yielded));
}

void mlc::interp::addControlFlowRules(RuleTable &table) {
  table.add<df::OptimizationBarrierOp>(
      [](df::OptimizationBarrierOp op, Frame &frame) { return frame.set(op.getResult(), frame.get(op.getOperand())); });
  table.add<df::CustomGradientOp>(evaluateCustomGradient);
  table.add<df::RematOp>(evaluateCheckpoint);
  table.add<df::ScanOp>(evaluateScan);
  table.add<df::IfOp>(evaluateIf);
  table.add<df::WhileOp>(evaluateWhile);
}
