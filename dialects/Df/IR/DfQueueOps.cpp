// Verifiers and effects of queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult QueueOp::verify() {
  auto capacity = static_cast<int64_t>(getCapacity()), least = static_cast<int64_t>(getMinAfterDequeue());
  if (capacity < 1)
    return emitOpError("(C1) capacity must be at least 1; found ") << capacity;
  if (getTypes().empty())
    return emitOpError("(C2) needs at least one component");
  for (auto [i, attribute] : llvm::enumerate(getTypes().getAsValueRange<TypeAttr>())) {
    auto type = dyn_cast<RankedTensorType>(attribute);
    if (!type || !(type.getElementType().isIntOrFloat() || isa<StringType>(type.getElementType())))
      return emitOpError("(C2) component ")
             << i << " must be a tensor of numbers, truth values or strings; found " << attribute;
    if (!type.hasStaticShape() && getKind() != QueueKind::PaddingFifo)
      return emitOpError("(C3) component ")
             << i << " of a " << stringifyQueueKind(getKind()) << " queue must be static; found " << attribute;
  }
  if (getKind() == QueueKind::Priority) {
    auto priority = cast<RankedTensorType>(cast<TypeAttr>(getTypes()[0]).getValue());
    if (priority.getRank() != 0 || !priority.getElementType().isSignlessInteger(64))
      return emitOpError("(C4) the first component of a priority queue must be tensor<i64>; found ") << priority;
  }
  if (getKind() != QueueKind::RandomShuffle && (least != 0 || getSeed() != 0))
    return emitOpError("(C5) min_after_dequeue and seed are of a random_shuffle queue alone");
  if (least < 0 || least >= capacity)
    return emitOpError("(C5) min_after_dequeue must be in [0, ") << capacity << "); found " << least;
  return success();
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Other entries change a queue at any time: each op counts as a change, so that two of them are never one.
static void addChange(Effects &effects, SymbolRefAttr queue) {
  effects.emplace_back(MemoryEffects::Read::get(), queue, StateResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), queue, StateResource::get());
}

void EnqueueOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void EnqueueManyOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void DequeueOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void DequeueManyOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void DequeueUpToOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void QueueCloseOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void QueueSizeOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }
void QueueIsClosedOp::getEffects(Effects &effects) { addChange(effects, getQueueAttr()); }

static QueueOp lookupQueue(Operation *op, FlatSymbolRefAttr symbol, SymbolTableCollection &tables) {
  auto queue = tables.lookupNearestSymbolFrom<QueueOp>(op, symbol);
  if (!queue) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "names " << symbol << ", which is not a df.queue";
    attachNearestSymbol<QueueOp>(diagnostic, op, symbol);
  }
  return queue;
}

/// Whether `found` may hold `component`, after a leading dimension of `rows` if that is given (any: kDynamic).
static bool holds(RankedTensorType found, RankedTensorType component, std::optional<int64_t> rows) {
  ArrayRef<int64_t> shape = found.getShape();
  if (found.getElementType() != component.getElementType() ||
      found.getRank() != component.getRank() + static_cast<int64_t>(rows.has_value()))
    return false;
  if (rows) {
    if (!ShapedType::isDynamic(*rows) && shape[0] != *rows)
      return false;
    shape = shape.drop_front();
  }
  return succeeded(verifyCompatibleShape(shape, component.getShape()));
}

/// (C1) of every op that puts in or takes out. What is taken out has the component's type to the letter.
static LogicalResult verifyComponents(Operation *op, FlatSymbolRefAttr symbol, TypeRange found, bool isResult,
                                      std::optional<int64_t> rows, SymbolTableCollection &tables) {
  QueueOp queue = lookupQueue(op, symbol, tables);
  if (!queue)
    return failure();
  StringRef what = isResult ? "result" : "operand";
  if (found.size() != queue.getTypes().size())
    return op->emitOpError("(C1) ") << symbol << " has " << queue.getTypes().size() << " components; found "
                                    << found.size() << " " << what << "s";
  for (auto [i, type, held] : llvm::enumerate(found, queue.getTypes().getAsValueRange<TypeAttr>())) {
    auto component = cast<RankedTensorType>(held), tensor = cast<RankedTensorType>(type);
    ArrayRef<int64_t> shape = tensor.getShape().drop_front(rows && tensor.getRank() > 0 ? 1 : 0);
    if (!holds(tensor, component, rows) || (isResult && shape != component.getShape()))
      return op->emitOpError("(C1) ") << what << " " << i << " must be " << (rows ? "rows of " : "") << component
                                      << ", component " << i << " of " << symbol << "; found " << type;
  }
  return success();
}

template <typename Op>
static LogicalResult verifyBatch(Op op, std::optional<int64_t> rows, SymbolTableCollection &tables) {
  if (failed(verifyComponents(op, op.getQueueAttr(), op.getResultTypes(), /*isResult=*/true, rows, tables)))
    return failure();
  QueueOp queue = lookupQueue(op, op.getQueueAttr(), tables);
  auto most = static_cast<int64_t>(queue.getCapacity() - queue.getMinAfterDequeue());
  auto count = static_cast<int64_t>(op.getCount());
  if (count < 1 || count > most)
    return op.emitOpError("(C2) count must be in [1, ")
           << most << "], what " << op.getQueueAttr() << " can give at once; found " << count;
  return success();
}

LogicalResult EnqueueOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyComponents(*this, getQueueAttr(), getOperandTypes(), /*isResult=*/false, std::nullopt, tables);
}
LogicalResult EnqueueManyOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyComponents(*this, getQueueAttr(), getOperandTypes(), /*isResult=*/false, ShapedType::kDynamic, tables);
}
Operation *mlc::df::findQueueOp(Operation *root, bool channels) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    if (!namesQueue(op))
      return WalkResult::advance();
    auto queue = SymbolTable::lookupNearestSymbolFrom<QueueOp>(op, op->getAttrOfType<FlatSymbolRefAttr>("queue"));
    if (!channels && queue.getChannel())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult mlc::df::verifySizes(Operation *op, ArrayAttr sizes) {
  if (!sizes)
    return success();
  if (sizes.size() != op->getNumResults())
    return op->emitOpError("(C2) sizes has ") << sizes.size() << " arrays for " << op->getNumResults() << " results";
  for (auto [attribute, type] : llvm::zip(sizes, op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    const size_t rank = tensor ? tensor.getRank() : 1; // of rows: their number
    auto dims = dyn_cast<ArrayAttr>(attribute);
    if (!dims || dims.size() != rank || !llvm::all_of(dims, llvm::IsaPred<DenseI64ArrayAttr>))
      return op->emitOpError("(C2) sizes of ") << type << " must be " << rank << " array<i64>; found " << attribute;
  }
  return success();
}

LogicalResult DequeueOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifySizes(*this, getSizesAttr())))
    return failure();
  return verifyComponents(*this, getQueueAttr(), getResultTypes(), /*isResult=*/true, std::nullopt, tables);
}
LogicalResult DequeueManyOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyBatch(*this, static_cast<int64_t>(getCount()), tables);
}
LogicalResult DequeueUpToOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (Type type : getResultTypes())
    if (auto tensor = cast<RankedTensorType>(type); tensor.getRank() > 0 && !tensor.isDynamicDim(0))
      return emitOpError("(C1) the first dimension of a result must be '?'; found ") << type;
  return verifyBatch(*this, ShapedType::kDynamic, tables);
}
static LogicalResult verifyQueue(Operation *op, FlatSymbolRefAttr symbol, SymbolTableCollection &tables) {
  return success(lookupQueue(op, symbol, tables) != nullptr);
}
LogicalResult QueueCloseOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyQueue(*this, getQueueAttr(), tables);
}
LogicalResult QueueSizeOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyQueue(*this, getQueueAttr(), tables);
}
LogicalResult QueueIsClosedOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyQueue(*this, getQueueAttr(), tables);
}
