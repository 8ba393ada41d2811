// Plans of placed functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/Plan.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

bool mlc::dist::isCut(Operation *op) {
  auto loop = dyn_cast<df::WhileOp>(op);
  return loop ? !loop.hasStacked() : isa<df::IfOp, df::ScanOp, df::RematOp>(op);
}

bool mlc::dist::isPlacedSymbol(Operation *op) { return isa<df::VariableOp, df::QueueOp>(op); }

StringAttr mlc::dist::getDevice(Operation *op) { return op->getAttrOfType<StringAttr>(DistDialect::kDeviceAttr); }

SmallVector<Operation *> mlc::dist::placedSymbolsOf(Operation *op) {
  llvm::SetVector<Operation *> found;
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  auto collect = [&](Operation *inner) {
    if (isa<df::SaveOp, df::RestoreOp>(inner))
      for (df::VariableOp variable :
           df::matchingVariables(inner, inner->getAttrOfType<StringAttr>("pattern").getValue()))
        found.insert(variable);
    for (NamedAttribute attribute : inner->getAttrs()) {
      if (attribute.getName().strref().contains('.') || isPlacedSymbol(inner))
        continue; // of a dialect, or a symbol's own references
      attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
        Operation *named = SymbolTable::lookupSymbolIn(table, symbol);
        if (named && isPlacedSymbol(named))
          found.insert(named);
      });
    }
  };
  if (isCut(op))
    collect(op);
  else
    op->walk(collect);
  return found.takeVector();
}

SmallVector<Value, 2> mlc::dist::madeInside(Operation *op, unsigned index) {
  SmallVector<Value, 2> made;
  for (Region &region : op->getRegions()) {
    auto yield = dyn_cast<df::YieldOp>(region.front().getTerminator());
    if (!yield)
      continue; // the condition of a loop
    Value value = yield.getOperand(index);
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &region.front() && !isa<df::ConstantOp>(def))
      made.push_back(value);
  }
  return made;
}

/// Result of the op that carries `argument` from iteration to iteration, or null: it is no such argument.
static Value resultOfCarried(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  if (isa<df::WhileOp>(op))
    return op->getResult(argument.getArgNumber());
  auto scan = dyn_cast<df::ScanOp>(op);
  if (scan && argument.getArgNumber() < scan.getNumCarried())
    return scan.getResult(argument.getArgNumber());
  return Value();
}

/// The sequence whose row `value` is, or null.
static Value sequenceOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto scan = argument ? dyn_cast<df::ScanOp>(argument.getOwner()->getParentOp()) : df::ScanOp();
  if (!scan || argument.getArgNumber() < scan.getNumCarried())
    return Value();
  return scan.getSequences()[argument.getArgNumber() - scan.getNumCarried()];
}

Plan::Plan(df::FunctionOp function, StringAttr entry) : function(function), entry(entry) {
  Block &body = function.getBody().front();
  addShapes(body);
  devices.insert(entry);
  for (Value argument : body.getArguments())
    devices.insert(homeOf(argument));
  collectParts(body, devices);
  addCounts(body);
  function.walk([&](Block *block) {
    for (auto [i, op] : llvm::enumerate(*block))
      positions[&op] = static_cast<int64_t>(i);
  });
  collectUses(body);
  makeMessages();
}

StringAttr Plan::homeOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (Value result = resultOfCarried(argument))
      return homeOf(result);
    auto device =
        df::FunctionOp(function).getArgAttrOfType<StringAttr>(argument.getArgNumber(), DistDialect::kDeviceAttr);
    return device ? device : entry;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (!isCut(op))
    return getDevice(op);
  StringAttr home;
  for (Value made : madeInside(op, result.getResultNumber())) {
    StringAttr device = homeOf(made);
    if (home && home != device)
      return getDevice(op);
    home = device;
  }
  return home ? home : getDevice(op);
}

/// Which devices have a copy of each op of `block` that is cut.
void Plan::collectParts(Block &block, Devices &parts) {
  for (Operation &op : block.without_terminator()) {
    if (isa<df::ConstantOp>(op))
      continue;
    if (!isCut(&op)) {
      parts.insert(getDevice(&op));
      continue;
    }
    Devices own;
    for (Region &region : op.getRegions())
      collectParts(region.front(), own);
    for (Value result : op.getResults())
      own.insert(homeOf(result));
    parts.insert(own.begin(), own.end());
    partsOf[&op] = std::move(own);
  }
}

bool Plan::takesPart(Operation *op, StringAttr device) const {
  if (isa<df::ConstantOp>(op)) {
    auto it = constants.find(op);
    return it != constants.end() && it->second.contains(device);
  }
  if (!isCut(op))
    return getDevice(op) == device;
  auto it = partsOf.find(op);
  return it != partsOf.end() && it->second.contains(device);
}

bool Plan::hasRows(df::ScanOp scan, unsigned index, StringAttr device) const {
  auto it = rows.find(scan.getBody().getArgument(scan.getNumCarried() + index));
  return it != rows.end() && it->second.contains(device);
}

/// A dimension of a value as a scalar, computed where the value is; on `other` if it is everywhere.
Value Plan::addSize(OpBuilder &builder, Value value, int64_t dimension, StringAttr other) {
  // Rows, and rows of rows, are where the sequence is.
  Value from = value;
  while (Value sequence = sequenceOf(from))
    from = sequence;
  auto size = df::SizeOp::create(builder, value.getLoc(), RankedTensorType::get({}, builder.getI64Type()), value,
                                 builder.getDenseI64ArrayAttr({dimension}));
  const bool isConstant = from.getDefiningOp() && isa<df::ConstantOp>(from.getDefiningOp());
  size->setAttr(DistDialect::kDeviceAttr, isConstant ? other : homeOf(from));
  return size;
}

/// The count of each scan that several devices run: its operand, or the size of a sequence.
void Plan::addCounts(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isCut(&op))
      continue;
    for (Region &region : op.getRegions())
      addCounts(region.front());
    auto scan = dyn_cast<df::ScanOp>(op);
    if (!scan || scan.getCount() || partsOf[scan].size() < 2 || !ShapedType::isDynamic(scan.getNumRows()))
      continue;
    OpBuilder builder(scan);
    counts[scan] = addSize(builder, scan.getSequences().front(), 0, getDevice(scan));
    for (Operation *around = scan->getParentOp(); around != function; around = around->getParentOp())
      partsOf[around].insert(getDevice(counts[scan].getDefiningOp()));
  }
}

/// Where a scan makes no row, the sizes of the rows of a stacked result follow from values outside of it, which the
/// part that has the result may not see: it receives the rows within the loop. Then it gets a mask of their shape from
/// outside, and what it yields is selected by that: the row, as large as the mask.
void Plan::addShape(df::ScanOp scan, unsigned index) {
  Value row = scan.getYield().getOperand(index);
  auto type = cast<RankedTensorType>(row.getType());
  if (type.hasStaticShape())
    return;
  StringAttr device = homeOf(scan.getResult(index));
  auto isElsewhere = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return !(def && isa<df::ConstantOp>(def)) && !sequenceOf(value) && homeOf(value) != device;
  };
  SmallVector<std::optional<df::Dimension>> origins;
  bool isSeen = true;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    origins.emplace_back();
    if (!type.isDynamicDim(d))
      continue;
    origins.back() = df::traceSize(row, d, scan.getBody());
    if (!origins.back())
      return; // nothing tells it in the uncut function either
    std::optional<df::Dimension> at = df::Dimension{row, d};
    for (; at && scan.getBody().isAncestor(at->value.getParentRegion()); at = df::sizeOriginOf(at->value, at->index))
      isSeen &= !isElsewhere(at->value);
  }
  if (isSeen)
    return;
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Value> sizes;
  for (auto [d, origin] : llvm::enumerate(origins))
    sizes.push_back(
        origin ? addSize(builder, origin->value, origin->index, device)
               : df::ConstantOp::create(builder, loc, scalar, DenseElementsAttr::get(scalar, type.getDimSize(d))));
  auto rank = static_cast<int64_t>(sizes.size());
  auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
  auto oneType = RankedTensorType::get({}, builder.getI1Type());
  auto shape = df::StackOp::create(builder, loc, RankedTensorType::get({rank}, builder.getI64Type()), sizes,
                                   /*axis=*/0);
  auto one = df::ConstantOp::create(builder, loc, oneType, DenseElementsAttr::get(oneType, true));
  auto mask = df::DynamicBroadcastOp::create(builder, loc, maskType, one, shape, ArrayRef<int64_t>());
  builder.setInsertionPoint(scan.getYield());
  auto selected = df::SelectOp::create(builder, loc, type, mask, row, row);
  for (Operation *made : {shape.getOperation(), mask.getOperation(), selected.getOperation()})
    made->setAttr(DistDialect::kDeviceAttr, device);
  scan.getYield()->setOperand(index, selected);
}

void Plan::addShapes(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isCut(&op))
      continue;
    for (Region &region : op.getRegions())
      addShapes(region.front());
    if (auto scan = dyn_cast<df::ScanOp>(op))
      for (unsigned i = scan.getNumCarried(); i < scan.getNumResults(); ++i)
        addShape(scan, i);
  }
}

/// `user` on `device` needs `value`.
void Plan::use(Value value, StringAttr device, Operation *user) {
  if (Operation *def = value.getDefiningOp(); def && isa<df::ConstantOp>(def)) {
    constants[def].insert(device);
    return;
  }
  if (Value sequence = sequenceOf(value)) {
    if (rows[value].insert(device))
      use(sequence, device, cast<BlockArgument>(value).getOwner()->getParentOp());
    return;
  }
  if (homeOf(value) == device)
    return;
  int64_t position = positions.at(value.getParentBlock()->findAncestorOpInBlock(*user));
  auto [it, isNew] = first.try_emplace({value, device}, position);
  if (!isNew)
    it->second = std::min(it->second, position);
}

void Plan::collectUses(df::ScanOp scan) {
  auto sequences = scan.getSequences();
  for (StringAttr device : partsOf[scan]) {
    if (scan.getCount())
      use(scan.getCount(), device, scan);
    bool hasSequence = false, hasStacked = false;
    for (size_t i = 0; i < sequences.size(); ++i)
      hasSequence |= hasRows(scan, i, device);
    for (Value stacked : scan.getStacked())
      hasStacked |= homeOf(stacked) == device;
    if (hasSequence || sequences.empty() || !ShapedType::isDynamic(scan.getNumRows()))
      continue;
    // Stacked results have as many rows as sequences do; without them a count will do.
    if (hasStacked)
      use(scan.getBody().getArgument(scan.getNumCarried()), device, scan.getYield());
    else if (Value count = countOf(scan))
      use(count, device, scan);
  }
}

/// From the inside out: which rows a scan needs is known when its body is.
void Plan::collectUses(Block &block) {
  for (Operation &op : block) {
    if (isa<df::ReturnOp>(op)) {
      for (Value value : op.getOperands())
        use(value, entry, &op);
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<df::ConstantOp>(op))
      continue;
    if (!isCut(&op)) {
      df::forEachUsedValue(&op, [&](Value value) { use(value, getDevice(&op), &op); });
      continue;
    }
    for (Region &region : op.getRegions())
      collectUses(region.front());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      StringAttr home = homeOf(result);
      for (Region &region : op.getRegions())
        if (auto yield = dyn_cast<df::YieldOp>(region.front().getTerminator()))
          use(yield.getOperand(i), home, yield);
      // Initial values of loops are operands of the numbers of their results.
      auto scan = dyn_cast<df::ScanOp>(op);
      if (isa<df::WhileOp>(op) || (scan && i < scan.getNumCarried()))
        use(op.getOperand(i), home, &op);
    }
    for (StringAttr device : partsOf[&op]) {
      if (auto branch = dyn_cast<df::IfOp>(op))
        use(branch.getCondition(), device, &op);
      if (auto loop = dyn_cast<df::WhileOp>(op)) {
        Operation *condition = loop.getConditionRegion().front().getTerminator();
        use(condition->getOperand(0), device, condition);
      }
    }
    if (auto scan = dyn_cast<df::ScanOp>(op))
      collectUses(scan);
  }
}

ArrayRef<Message> Plan::getMessages(Block *block) const {
  auto it = messages.find(block);
  return it == messages.end() ? ArrayRef<Message>() : ArrayRef<Message>(it->second);
}

/// The least number of messages: a value may be sent from where it is known until it is used first, and one message
/// carries all values of one direction whose times have a moment in common. The next message goes when the first of
/// those left is needed, with all that are known by then.
void Plan::makeMessages() {
  struct Waiting {
    Value value;
    int64_t known, needed;
  };
  llvm::DenseMap<Block *, llvm::MapVector<std::pair<StringAttr, StringAttr>, SmallVector<Waiting>>> waiting;
  for (auto [key, needed] : first) {
    auto [value, to] = key;
    Operation *def = value.getDefiningOp();
    waiting[value.getParentBlock()][{homeOf(value), to}].push_back({value, def ? positions.at(def) : -1, needed});
  }
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (waiting.contains(&block))
          blocks.push_back(&block);
  });
  for (Block *block : blocks) {
    SmallVector<Message> &made = messages[block];
    for (auto &[direction, values] : waiting[block]) {
      llvm::stable_sort(values, [](const Waiting &a, const Waiting &b) {
        return std::tie(a.needed, a.known) < std::tie(b.needed, b.known);
      });
      while (!values.empty()) {
        Message message{direction.first, direction.second, {}, -1, values.front().needed};
        SmallVector<Waiting> sent, later;
        for (const Waiting &each : values)
          (each.known < message.awaited ? sent : later).push_back(each);
        llvm::stable_sort(sent, [](const Waiting &a, const Waiting &b) { return a.known < b.known; });
        for (const Waiting &each : sent)
          message.values.push_back(each.value);
        message.sent = sent.back().known;
        made.push_back(std::move(message));
        values = std::move(later);
      }
    }
    llvm::stable_sort(made, [](const Message &a, const Message &b) {
      return std::tie(a.sent, a.awaited) < std::tie(b.sent, b.awaited);
    });
  }
}
