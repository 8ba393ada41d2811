// Rules of queues. A function that runs alone waits for nobody: what would wait would wait for ever, and is an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "common/data/ShufflePosition.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static df::QueueOp queueOf(Operation *op, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<df::QueueOp>(op, symbol);
}

static int64_t priorityOf(const QueueState::Element &element) { return element.front().getInteger(0); }

/// Puts one element where it belongs.
static LogicalResult put(Operation *op, df::QueueOp queue, Frame &frame, QueueState::Element element) {
  QueueState &state = frame.state.queue(queue.getSymName());
  auto isReady = [&] { return state.closed || state.elements.size() < queue.getCapacity(); };
  if (frame.waitUntil(isReady) == Exchange::Wait::Stopped)
    return failure();
  if (state.closed)
    return op->emitOpError("queue @") << queue.getSymName() << " is closed";
  if (state.elements.size() >= queue.getCapacity())
    return op->emitOpError("would wait for ever: queue @")
           << queue.getSymName() << " is full with " << state.elements.size() << " elements";
  auto at = state.elements.end();
  if (queue.getKind() == df::QueueKind::Priority)
    at = std::upper_bound(
        state.elements.begin(), state.elements.end(), priorityOf(element),
        [](int64_t priority, const QueueState::Element &other) { return priority < priorityOf(other); });
  state.elements.insert(at, std::move(element));
  return success();
}

/// Waits for the end of a batch that goes in.
static LogicalResult awaitFilling(Frame &frame, QueueState &state) {
  return success(frame.waitUntil([&] { return !state.isBeingFilled; }) == Exchange::Wait::Ready);
}

/// Takes `count` elements out, or the rest of a closed queue.
static FailureOr<std::vector<QueueState::Element>> take(Operation *op, df::QueueOp queue, Frame &frame, uint64_t count,
                                                        bool orRest) {
  QueueState &state = frame.state.queue(queue.getSymName());
  auto isReady = [&] { return state.closed || state.elements.size() >= count + queue.getMinAfterDequeue(); };
  if (frame.waitUntil(isReady) == Exchange::Wait::Stopped)
    return failure();
  uint64_t held = state.elements.size(), behind = state.closed ? 0 : queue.getMinAfterDequeue();
  if (!state.closed && held < count + behind)
    return op->emitOpError("would wait for ever: queue @") << queue.getSymName() << " has " << held << " elements";
  if (held == 0 || (held < count && !orRest))
    return op->emitOpError("queue @") << queue.getSymName() << " is closed with " << held << " elements, " << count
                                      << " asked for";
  std::vector<QueueState::Element> taken(std::min(count, held));
  for (QueueState::Element &element : taken) {
    if (queue.getKind() == df::QueueKind::RandomShuffle)
      std::swap(state.elements[common::shufflePosition(queue.getSeed(), state.draws++, state.elements.size())],
                state.elements.front());
    element = std::move(state.elements.front());
    state.elements.pop_front();
  }
  return taken;
}

/// Element `i` of the leading dimension.
static Tensor rowOf(const Tensor &rows, int64_t i) {
  Tensor row(rows.getKind(), rows.getShape().drop_front());
  row.copyElements(0, rows, i * row.getNumElements(), row.getNumElements());
  return row;
}

/// Copies `from` into row `row` of `to`, of whose other dimensions it may have a part.
static void copyCorner(const Tensor &from, int64_t row, Tensor &to) {
  for (int64_t i = 0, e = from.getNumElements(); i < e; ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (int64_t d = from.getRank() - 1; d >= 0; --d) {
      place += rest % from.getDimSize(d) * stride;
      rest /= from.getDimSize(d);
      stride *= to.getDimSize(d + 1);
    }
    to.copyElements(row * stride + place, from, i, 1);
  }
}

template <typename Op> static LogicalResult dequeueRows(Op op, Frame &frame, bool orRest) {
  df::QueueOp queue = queueOf(op, op.getQueueAttr());
  auto taken = take(op, queue, frame, op.getCount(), orRest);
  if (failed(taken))
    return failure();
  for (auto [c, result] : llvm::enumerate(op.getComponents())) {
    SmallVector<int64_t> shape((*taken)[0][c].getRank() + 1, 0);
    shape[0] = static_cast<int64_t>(taken->size());
    for (const QueueState::Element &element : *taken)
      for (auto [d, size] : llvm::enumerate(element[c].getShape()))
        shape[d + 1] = std::max(shape[d + 1], size);
    Tensor rows((*taken)[0][c].getKind(), shape);
    for (auto [i, element] : llvm::enumerate(*taken))
      copyCorner(element[c], static_cast<int64_t>(i), rows);
    if (failed(frame.set(result, std::move(rows))))
      return failure();
  }
  return success();
}

void mlc::interp::addQueueRules(RuleTable &table) {
  table.add<df::EnqueueOp>([](df::EnqueueOp op, Frame &frame) -> LogicalResult {
    QueueState::Element element;
    df::QueueOp queue = queueOf(op, op.getQueueAttr());
    for (auto [value, type] : llvm::zip(op.getComponents(), queue.getTypes().getAsValueRange<TypeAttr>())) {
      element.push_back(frame.tensor(value));
      if (!isOfType(element.back(), type))
        return op.emitOpError("a component has another shape than ") << type << " of queue " << op.getQueueAttr();
    }
    if (failed(awaitFilling(frame, frame.state.queue(op.getQueue()))))
      return failure();
    return put(op, queue, frame, std::move(element));
  });
  table.add<df::EnqueueManyOp>([](df::EnqueueManyOp op, Frame &frame) -> LogicalResult {
    df::QueueOp queue = queueOf(op, op.getQueueAttr());
    QueueState &state = frame.state.queue(op.getQueue());
    if (failed(awaitFilling(frame, state)))
      return failure();
    if (state.closed)
      return op.emitOpError("queue ") << op.getQueueAttr() << " is closed";
    int64_t rows = frame.tensor(op.getComponents()[0]).getDimSize(0);
    for (Value value : op.getComponents())
      if (frame.tensor(value).getDimSize(0) != rows)
        return op.emitOpError("components have ") << rows << " and " << frame.tensor(value).getDimSize(0) << " rows";
    state.isBeingFilled = true;
    auto done = llvm::scope_exit([&] { state.isBeingFilled = false; });
    for (int64_t i = 0; i < rows; ++i) {
      QueueState::Element element;
      for (auto [value, type] : llvm::zip(op.getComponents(), queue.getTypes().getAsValueRange<TypeAttr>())) {
        element.push_back(rowOf(frame.tensor(value), i));
        if (!isOfType(element.back(), type))
          return op.emitOpError("rows of a component have another shape than ")
                 << type << " of queue " << op.getQueueAttr();
      }
      if (failed(put(op, queue, frame, std::move(element))))
        return failure();
    }
    return success();
  });
  table.add<df::DequeueOp>([](df::DequeueOp op, Frame &frame) -> LogicalResult {
    auto taken = take(op, queueOf(op, op.getQueueAttr()), frame, 1, /*orRest=*/false);
    if (failed(taken))
      return failure();
    for (auto [result, component] : llvm::zip(op.getComponents(), taken->front()))
      if (failed(frame.set(result, std::move(component))))
        return failure();
    return success();
  });
  table.add<df::DequeueManyOp>(
      [](df::DequeueManyOp op, Frame &frame) { return dequeueRows(op, frame, /*orRest=*/false); });
  table.add<df::DequeueUpToOp>(
      [](df::DequeueUpToOp op, Frame &frame) { return dequeueRows(op, frame, /*orRest=*/true); });
  table.add<df::QueueCloseOp>([](df::QueueCloseOp op, Frame &frame) -> LogicalResult {
    frame.state.queue(op.getQueue()).closed = true;
    return success();
  });
  table.add<df::QueueSizeOp>([](df::QueueSizeOp op, Frame &frame) {
    auto size = static_cast<int64_t>(frame.state.queue(op.getQueue()).elements.size());
    return frame.set(op.getSize(), Tensor::scalar(size));
  });
  table.add<df::QueueIsClosedOp>([](df::QueueIsClosedOp op, Frame &frame) {
    int64_t closed = frame.state.queue(op.getQueue()).closed;
    return frame.set(op.getClosed(), Tensor::ofIntegers(ElementKind::I1, {}, closed));
  });
}
