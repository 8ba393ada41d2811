// Which values of an update belong to rows of variables, and which to all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/RowLocality.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlc::df;

using Place = RowLocality::Place;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

//===-- sources ----------------------------------------------------------------------------===//

std::optional<unsigned> RowLocality::findSource(StringRef name) const {
  for (auto [i, source] : llvm::enumerate(sources))
    if (source.name == name)
      return static_cast<unsigned>(i);
  return std::nullopt;
}

/// A variable and the sum of its name are one source: their rows are cut alike. So is what has rows and is returned.
void RowLocality::addSources() {
  auto sourceOf = [&](StringRef name) -> RowSource & {
    if (std::optional<unsigned> known = findSource(name))
      return sources[*known];
    sources.emplace_back().name = name;
    return sources.back();
  };
  llvm::StringMap<BlockArgument> sums;
  for (BlockArgument argument : apply.getArguments())
    if (BindingAttr binding = apply.getArgBinding(argument.getArgNumber());
        binding && binding.getKind() == BindingKind::SumA)
      sums[binding.getName()] = argument;
  for (BlockArgument argument : apply.getArguments()) {
    BindingAttr binding = apply.getArgBinding(argument.getArgNumber());
    StringRef name = binding.getName();
    if (binding.getKind() == BindingKind::Variable && !isScalar(argument))
      sourceOf(name).variable = argument;
    if (binding.getKind() != BindingKind::SumA)
      continue;
    StringRef table = name;
    // The three parts come together or, where one is not used, not at all.
    if (table.consume_back(names::kCount) && sums.contains((table + names::kIds).str()) &&
        sums.contains((table + names::kRows).str())) {
      RowSource &source = sourceOf(table);
      source.count = argument;
      source.ids = sums.lookup((table + names::kIds).str());
      source.rows = sums.lookup((table + names::kRows).str());
    } else if (!isScalar(argument) && cast<RankedTensorType>(argument.getType()).hasStaticShape()) {
      sourceOf(name).dense = argument;
    }
  }
  Operation *terminator = apply.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (BindingAttr binding = apply.getResultBinding(i); binding.getKind() == BindingKind::Variable && !isScalar(value))
      sourceOf(binding.getName());
}

unsigned RowLocality::groupOf(unsigned source) const {
  while (parents[source] != source)
    source = parents[source];
  return source;
}

BlockArgument RowLocality::findLike(unsigned group, ArrayRef<int64_t> shape) const {
  for (auto [i, source] : llvm::enumerate(sources))
    if (!source.reason && groupOf(i) == groupOf(group))
      for (BlockArgument argument : {source.variable, source.dense})
        if (argument && shapeOf(argument) == shape)
          return argument;
  return {};
}

void RowLocality::keepWhole(unsigned source, Operation *op) {
  for (auto [i, other] : llvm::enumerate(sources))
    if (!other.reason && groupOf(i) == groupOf(source)) {
      other.reason = op;
      changed = true;
    }
}

//===-- the walk ---------------------------------------------------------------------------===//

RowLocality::RowLocality(FunctionOp apply) : apply(apply) {
  addSources();
  // What is kept whole may keep others whole.
  do {
    changed = false;
    classify();
  } while (changed);
}

void RowLocality::classify() {
  places.clear();
  crossings.clear();
  needs.clear();
  numStages = 1;
  parents.clear();
  for (auto [i, source] : llvm::enumerate(sources)) {
    parents.push_back(i);
    if (source.reason)
      continue;
    for (BlockArgument argument : {source.variable, source.dense})
      if (argument)
        places[argument] = {Alignment::Rows, static_cast<unsigned>(i), 0};
    if (source.isSparse()) {
      bool isFolded = shapeOf(source.ids).size() > 1;
      places[source.ids] = {Alignment::Ids, static_cast<unsigned>(i), 0, isFolded};
      places[source.rows] = {Alignment::Entries, static_cast<unsigned>(i), 0, isFolded};
      places[source.count] = {Alignment::Count, static_cast<unsigned>(i), 0};
    }
  }
  for (Operation &op : apply.getBody().front()) {
    visit(&op);
    if (changed)
      return;
  }
  for (const Need &need : needs)
    if (!findLike(need.source, need.shape))
      keepWhole(need.source, need.op);
}

void RowLocality::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return visitReturn(op);
  bool isAligned = false;
  unsigned stage = 0;
  forEachUsedValue(op, [&](Value used) {
    isAligned |= !is(used, Alignment::Uniform);
    stage = std::max(stage, get(used).stage);
  });
  Place place;
  std::optional<Place> local;
  if (isAligned && isMemoryEffectFree(op))
    local = visitRowLocal(op);
  if (local) {
    place = *local;
    place.stage = stage;
  } else {
    place.stage = isAligned ? cross(op) : stage;
  }
  numStages = std::max(numStages, place.stage + 1);
  for (Value result : op->getResults())
    places[result] = place;
}

/// Whether a uniform value is one row, or one for each of dimension 0, again and again.
bool RowLocality::isSpread(Value value) const {
  if (!is(value, Alignment::Uniform))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat();
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    // Of rows of a variable along another dimension: what crosses.
    return !broadcast.getLike() && !llvm::is_contained(broadcast.getDimensions(), 0) &&
           (is(broadcast.getOperand(), Alignment::Uniform) || is(broadcast.getOperand(), Alignment::Rows));
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isScalar(operand) ? is(operand, Alignment::Uniform) : isSpread(operand);
         });
}

void RowLocality::crossValue(Operation *op, Value value) {
  Place place = get(value);
  switch (place.alignment) {
  case Alignment::Uniform:
  case Alignment::Count:
    return;
  case Alignment::Rows:
  case Alignment::Entries:
    if (shapeOf(value).size() == 1) {
      crossings.insert(value);
      return;
    }
    [[fallthrough]];
  case Alignment::Ids:
    keepWhole(place.source, op);
  }
}

unsigned RowLocality::cross(Operation *op) {
  unsigned stage = 0;
  forEachUsedValue(op, [&](Value used) {
    Place place = get(used);
    crossValue(op, used);
    bool crosses = place.alignment == Alignment::Rows || place.alignment == Alignment::Entries;
    stage = std::max(stage, place.stage + (crosses ? 1 : 0));
  });
  // The size of the buffers of all entries is told by one that crosses.
  forEachUsedValue(op, [&](Value used) {
    Place place = get(used);
    if (place.alignment == Alignment::Count && used != sources[place.source].count &&
        llvm::none_of(crossings, [&](Value crossing) {
          return is(crossing, Alignment::Entries) && get(crossing).source == place.source;
        }))
      keepWhole(place.source, op);
  });
  return stage;
}

void RowLocality::visitReturn(Operation *op) {
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    BindingAttr binding = apply.getResultBinding(i);
    Place place = get(value);
    std::optional<unsigned> source =
        binding.getKind() == BindingKind::Variable ? findSource(binding.getName()) : std::nullopt;
    if (source && place.alignment == Alignment::Rows && !sources[*source].reason) {
      join(*source, place.source);
      continue;
    }
    if (source && !sources[*source].reason)
      keepWhole(*source, value.getDefiningOp() ? value.getDefiningOp() : op);
    crossValue(op, value);
    if (place.alignment == Alignment::Rows || place.alignment == Alignment::Entries)
      numStages = std::max(numStages, place.stage + 2);
  }
}

//===-- row-local ops ----------------------------------------------------------------------===//

// What ops tell of their dimensions says which work row by row. What is told of single ops here is what they are to
// sources: how ids name rows, which entries of a sparse sum count, and where a shape of all rows is written down.
std::optional<Place> RowLocality::visitRowLocal(Operation *op) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return visitBroadcast(broadcast);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto repeat = dyn_cast<RaggedRepeatOp>(op))
    return visitRaggedRepeat(repeat);
  if (auto update = dyn_cast<UpdateRowsOp>(op))
    return visitUpdateRows(update);
  if (auto gather = dyn_cast<GatherOp>(op); gather && gather.takesRows())
    return visitRows(gather);
  if (auto size = dyn_cast<SizeOp>(op))
    return visitSize(size);
  if (auto select = dyn_cast<SelectOp>(op))
    if (std::optional<Place> ids = visitSelectIds(select))
      return ids;
  if (auto concat = dyn_cast<ConcatOp>(op))
    if (std::optional<Place> ends = visitEnds(concat))
      return ends;
  return visitParallel(op);
}

/// Ops of which each row of the results is made of that row of the operands: the dimension of rows is parallel.
std::optional<Place> RowLocality::visitParallel(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() == 0)
    return std::nullopt;
  std::optional<Place> joined;
  for (Value operand : op->getOperands()) {
    Place place = get(operand);
    if (place.alignment == Alignment::Uniform)
      continue;
    if (place.alignment != Alignment::Rows && place.alignment != Alignment::Entries)
      return std::nullopt;
    if (joined && (joined->alignment != place.alignment ||
                   (place.alignment == Alignment::Entries &&
                    (joined->source != place.source || joined->isFolded != place.isFolded))))
      return std::nullopt;
    if (!joined)
      joined = place;
  }
  if (!joined)
    return std::nullopt;
  DimensionMapping map = getDimensions(op);
  for (Value result : op->getResults())
    for (int64_t d = 0; d <= static_cast<int64_t>(joined->isFolded); ++d)
      if (!isRowByRow(op, map, result, d))
        return std::nullopt;
  auto hasShape = [&](Value other, Value operand) {
    return !is(other, Alignment::Uniform) && shapeOf(other) == shapeOf(operand);
  };
  ArrayRef<Dimension> rows = map.get({op->getResult(0), 0});
  for (Value operand : op->getOperands()) {
    if (is(operand, Alignment::Rows))
      join(get(operand).source, joined->source);
    // The number of rows of a uniform one comes from another value of its shape.
    else if (is(operand, Alignment::Uniform) && llvm::is_contained(rows, Dimension{operand, 0}) &&
             llvm::none_of(op->getOperands(), [&](Value other) { return hasShape(other, operand); }))
      needs.push_back({joined->source, SmallVector<int64_t>(shapeOf(operand)), op});
  }
  return joined;
}

/// Whether dimension `d`, of rows, of a result is parallel, and is dimension `d` of all operands that have it: those of
/// rows, and uniform ones of which each row is the same.
bool RowLocality::isRowByRow(Operation *op, const DimensionMapping &map, Value result, int64_t d) const {
  if (!isa<RankedTensorType>(result.getType()) || !map.isParallel({result, d}))
    return false;
  ArrayRef<Dimension> same = map.get({result, d});
  return llvm::all_of(same, [&](const Dimension &each) { return each.index == d; }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           bool hasRows = llvm::is_contained(same, Dimension{operand, d});
           return is(operand, Alignment::Uniform) ? !hasRows || isSpread(operand) : hasRows;
         });
}

/// The number of entries that the buffers of a range hold.
std::optional<Place> RowLocality::visitSize(SizeOp op) {
  Place place = get(op.getOperand());
  bool hasEntries = place.alignment == Alignment::Entries || place.alignment == Alignment::Ids;
  if (!hasEntries || place.isFolded || op.getDimensions() != ArrayRef<int64_t>{0})
    return std::nullopt;
  return Place{Alignment::Count, place.source, 0};
}

/// Where the entries that count end, and those of the buffers.
std::optional<Place> RowLocality::visitEnds(ConcatOp op) {
  Place first = get(op.getOperands().front());
  for (Value operand : op.getOperands())
    if (!is(operand, Alignment::Count) || get(operand).source != first.source)
      return std::nullopt;
  return first;
}

/// Whether all elements of `value` are one negative number: the id of no row.
static bool isNoId(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return isNoId(broadcast.getOperand());
  DenseIntElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<APInt>().isNegative();
}

/// Ids of the entries that count, the id of no row for others.
std::optional<Place> RowLocality::visitSelectIds(SelectOp op) {
  Place ids = get(op.getTrueValue()), condition = get(op.getCondition());
  if (ids.alignment != Alignment::Ids || condition.alignment != Alignment::Entries || condition.source != ids.source ||
      condition.isFolded != ids.isFolded || !isNoId(op.getFalseValue()))
    return std::nullopt;
  return ids;
}

std::optional<Place> RowLocality::visitBroadcast(BroadcastOp op) {
  Place place = get(op.getOperand());
  ArrayRef<int64_t> dimensions = op.getDimensions();
  std::optional<Place> like;
  if (op.getLike())
    like = get(op.getLike());
  if (like && like->alignment == Alignment::Ids)
    like->alignment = Alignment::Entries;
  if (place.alignment == Alignment::Uniform) {
    if (!like || like->alignment != Alignment::Entries ||
        llvm::any_of(dimensions, [&](int64_t dimension) { return dimension <= like->isFolded; }))
      return std::nullopt;
    return like;
  }
  if (place.isFolded || (like && like->isFolded))
    return std::nullopt;
  if (dimensions.empty() || dimensions.front() != 0)
    return std::nullopt;
  if (place.alignment == Alignment::Entries && like && like->alignment == Alignment::Entries &&
      like->source == place.source)
    return place;
  // Rows are repeated along other dimensions: the number of rows of a range comes from an argument of that shape.
  if (place.alignment != Alignment::Rows || like || shapeOf(op.getOperand())[0] != shapeOf(op)[0])
    return std::nullopt;
  needs.push_back({place.source, SmallVector<int64_t>(shapeOf(op)), op});
  return place;
}

std::optional<Place> RowLocality::visitReshape(ReshapeOp op) {
  Place place = get(op.getOperand());
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
  bool keepsRows = !from.empty() && !to.empty() && from[0] == to[0];
  switch (place.alignment) {
  case Alignment::Count:
    return place;
  case Alignment::Rows:
    return keepsRows ? std::optional(place) : std::nullopt;
  case Alignment::Entries:
  case Alignment::Ids: {
    if (place.isFolded) {
      // [rows, k, ...] as [n, ...]
      if (to.empty() || to.size() + 1 != from.size() || from.drop_front(2) != to.drop_front())
        return std::nullopt;
      place.isFolded = false;
      return place;
    }
    auto product = [](ArrayRef<int64_t> dims) {
      int64_t of = 1;
      for (int64_t size : dims)
        of *= size;
      return of;
    };
    if (!keepsRows || place.alignment == Alignment::Ids || product(from.drop_front()) != product(to.drop_front()))
      return std::nullopt;
    return place;
  }
  case Alignment::Uniform:
    break;
  }
  return std::nullopt;
}

/// The mask of the entries that count: 1 for the first, `count` ones, another value up to the size of the buffers.
std::optional<Place> RowLocality::visitRaggedRepeat(RaggedRepeatOp op) {
  Place like = get(op.getLike()), ends = get(op.getEnds());
  if (ends.alignment != Alignment::Count || like.source != ends.source || !is(op.getRows(), Alignment::Uniform) ||
      (like.alignment != Alignment::Entries && like.alignment != Alignment::Ids))
    return std::nullopt;
  auto concat = op.getEnds().getDefiningOp<ConcatOp>();
  if (!concat || concat.getOperands().size() != 2)
    return std::nullopt;
  auto withoutReshape = [](Value value) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    return reshape ? reshape.getOperand() : value;
  };
  if (withoutReshape(concat.getOperands()[0]) != sources[ends.source].count ||
      !withoutReshape(concat.getOperands()[1]).getDefiningOp<SizeOp>())
    return std::nullopt;
  return Place{Alignment::Entries, ends.source, 0, like.isFolded};
}

std::optional<Place> RowLocality::visitUpdateRows(UpdateRowsOp op) {
  Place ids = get(op.getIds()), rows = get(op.getRows());
  // The verifier sees to it that neither is folded.
  unsigned source = ids.source;
  if (ids.alignment != Alignment::Ids || op.getCount() != sources[source].count ||
      rows.alignment != Alignment::Entries || rows.source != source)
    return std::nullopt;
  bool isLocal =
      llvm::all_of(op.getTables(), [&](Value table) { return is(table, Alignment::Rows) || isSpread(table); });
  llvm::SmallDenseSet<Value> operands(op->operand_begin(), op->operand_end());
  forEachUsedValue(op, [&](Value used) { isLocal &= operands.contains(used) || is(used, Alignment::Uniform); });
  if (!isLocal)
    return std::nullopt;
  for (Value table : op.getTables())
    if (is(table, Alignment::Rows))
      join(get(table).source, source);
    else
      needs.push_back({source, SmallVector<int64_t>(shapeOf(table)), op});
  return Place{Alignment::Rows, source, 0};
}

std::optional<Place> RowLocality::visitRows(GatherOp op) {
  Place table = get(op.getOperand()), ids = get(op.getIndices());
  if (table.alignment != Alignment::Rows || ids.alignment != Alignment::Ids)
    return std::nullopt;
  join(table.source, ids.source);
  return Place{Alignment::Entries, ids.source, 0};
}
