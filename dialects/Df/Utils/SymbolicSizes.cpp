// How the dynamic dimensions of a function's values depend on the rows of the batch and the values of its features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Utils/Symbols.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

//===-- sizes ------------------------------------------------------------------------------===//

SymbolicSize SymbolicSize::ofSymbol(int64_t symbol) {
  SymbolicSize count;
  count.terms.emplace_back(symbol, 1);
  return count;
}

SymbolicSize SymbolicSize::ofFactors(ArrayRef<int64_t> factors) {
  SymbolicSize count;
  for (auto [symbol, factor] : llvm::enumerate(factors))
    if (factor)
      count.terms.emplace_back(symbol, factor);
  return count;
}

SmallVector<int64_t> SymbolicSize::getFactors() const {
  SmallVector<int64_t> factors(terms.empty() ? 0 : terms.back().first + 1);
  for (auto [symbol, factor] : terms)
    factors[symbol] = factor;
  return factors;
}

std::optional<std::pair<int64_t, int64_t>> SymbolicSize::getMultiple() const {
  return terms.size() == 1 ? std::optional(terms.front()) : std::nullopt;
}

SymbolicSize SymbolicSize::plus(const SymbolicSize &other) const {
  if (!isKnown() || !other.isKnown())
    return {};
  SymbolicSize sum;
  const auto *left = terms.begin(), *right = other.terms.begin();
  while (left != terms.end() || right != other.terms.end()) {
    if (right == other.terms.end() || (left != terms.end() && left->first < right->first)) {
      sum.terms.push_back(*left++);
    } else if (left == terms.end() || right->first < left->first) {
      sum.terms.push_back(*right++);
    } else {
      if (int64_t factor = left->second + right->second)
        sum.terms.emplace_back(left->first, factor);
      ++left, ++right;
    }
  }
  return sum;
}

SymbolicSize SymbolicSize::scaled(int64_t numerator, int64_t denominator) const {
  if (numerator == denominator)
    return *this;
  // Tensors without elements say nothing of their rows.
  if (numerator == 0 || denominator == 0)
    return {};
  SymbolicSize result = *this;
  for (auto &[symbol, factor] : result.terms) {
    if (factor * numerator % denominator != 0)
      return {};
    factor = factor * numerator / denominator;
  }
  return result;
}

//===-- sizes of values --------------------------------------------------------------------===//

SymbolicSizes::SymbolicSizes(FunctionOp function)
    : SymbolicSizes(function, llvm::to_vector(function->getParentOfType<ModuleOp>().getOps<DimensionOp>())) {}

SymbolicSizes::SymbolicSizes(FunctionOp function, ArrayRef<DimensionOp> dimensions)
    : module(function->getParentOfType<ModuleOp>()) {
  // At first they may stand anywhere.
  for (DimensionOp dimension : dimensions) {
    lastDimension = dimension;
    if (dimension.getKind() == DimensionKind::Sum)
      sums.try_emplace(static_cast<int64_t>(dimension.getSymbol()), dimension);
  }
  for (DimensionOp dimension : dimensions)
    if (auto symbol = static_cast<int64_t>(dimension.getSymbol()); sums.lookup(symbol) == dimension)
      symbolsOfSums.try_emplace(countOf(symbol), symbol);
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      Counts sizes(type.getRank());
      for (auto [size, symbol] : llvm::zip_equal(sizes, function.getArgSymbols(argument.getArgNumber())))
        if (symbol)
          size = countOf(*symbol);
      set(argument, sizes);
    }
  // Program order: a loop's and a branch's region come before what uses their results.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

/// The dimensions that have been declared since the last time; getSymbol puts them right after the others.
void SymbolicSizes::readNewDimensions() const {
  Block *body = ModuleOp(module).getBody();
  SmallVector<DimensionOp> added;
  for (auto it = lastDimension ? std::next(lastDimension->getIterator()) : body->begin(); it != body->end(); ++it) {
    auto dimension = dyn_cast<DimensionOp>(*it);
    if (!dimension)
      break;
    lastDimension = dimension;
    if (dimension.getKind() == DimensionKind::Sum)
      added.push_back(dimension);
  }
  for (DimensionOp dimension : added)
    sums.try_emplace(static_cast<int64_t>(dimension.getSymbol()), dimension);
  for (DimensionOp dimension : added) {
    auto symbol = static_cast<int64_t>(dimension.getSymbol());
    symbolsOfSums.try_emplace(countOf(symbol), symbol);
  }
}

/// The size of a symbol: sums are written out.
SymbolicSize SymbolicSizes::countOf(int64_t symbol) const {
  auto sum = sums.find(symbol);
  if (sum == sums.end())
    return SymbolicSize::ofSymbol(symbol);
  if (auto known = written.find(symbol); known != written.end())
    return known->second;
  SymbolicSize size;
  for (auto [term, factor] : llvm::enumerate(sum->second.getTerms()))
    if (factor) {
      SymbolicSize part = countOf(static_cast<int64_t>(term)).scaled(factor);
      size = size.isKnown() ? size.plus(part) : part;
    }
  written[symbol] = size;
  return size;
}

SymbolicSize SymbolicSizes::get(Value value, int64_t d) const {
  auto it = counts.find(value);
  return it == counts.end() || d >= static_cast<int64_t>(it->second.size()) ? SymbolicSize() : it->second[d];
}

RankedTensorType SymbolicSizes::getBufferType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  bool others = true;
  for (int64_t d = 1; d < type.getRank(); ++d)
    others &= !type.isDynamicDim(d) || get(value, d).isSymbol();
  if (!others)
    return {};
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return type;
  SymbolicSize rows = get(value, 0);
  if (!rows.isKnown())
    return {};
  auto multiple = rows.getMultiple();
  if (!multiple || multiple->second == 1)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, multiple->second);
  return RankedTensorType::get(shape, type.getElementType());
}

int64_t SymbolicSizes::getSymbol(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && (type.getRank() == 0 || !type.isDynamicDim(0)))
    return 0;
  SymbolicSize rows = get(value, 0);
  if (!rows.isKnown())
    return 0;
  if (auto multiple = rows.getMultiple())
    return multiple->first;
  readNewDimensions();
  if (auto declared = symbolsOfSums.find(rows); declared != symbolsOfSums.end())
    return declared->second;
  ModuleOp top = module;
  int64_t next = getFreeSymbol(top);
  OpBuilder builder(top.getContext());
  if (lastDimension)
    builder.setInsertionPointAfter(lastDimension);
  else
    builder.setInsertionPointToStart(top.getBody());
  DimensionOp::create(builder, value.getLoc(), next, DimensionKind::Sum, rows.getFactors());
  return next;
}

SmallVector<int64_t> SymbolicSizes::getSymbols(Value value) const {
  SmallVector<int64_t> symbols;
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      symbols.push_back(d == 0 ? getSymbol(value) : get(value, d).getMultiple()->first);
  return symbols;
}

SymbolicSizes::Counts SymbolicSizes::copyOf(Value value) const {
  auto it = counts.find(value);
  if (it != counts.end())
    return it->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Counts(type ? type.getRank() : 1);
}

/// Keeps of `values` what `others`, which take the same place, agree with.
void SymbolicSizes::join(ValueRange values, ValueRange others) {
  for (auto [value, other] : llvm::zip(values, others)) {
    Counts joined = copyOf(value), second = copyOf(other);
    for (auto [d, count] : llvm::enumerate(joined))
      if (d < second.size() && !(count == second[d]))
        count = SymbolicSize();
    set(value, joined);
  }
}

/// What an op tells of a size that it makes.
SymbolicSize SymbolicSizes::countOf(const MadeSize &made) const {
  if (made.terms.empty())
    return countOf(made.symbol);
  SymbolicSize sum = get(made.terms.front().value, made.terms.front().index);
  for (const Dimension &term : llvm::drop_begin(made.terms))
    sum = sum.plus(get(term.value, term.index));
  return sum.scaled(made.numerator, made.denominator);
}

void SymbolicSizes::setFromOrigins(Value value) {
  Counts of = Counts(copyOf(value).size());
  for (auto [i, size] : llvm::enumerate(of)) {
    auto d = static_cast<int64_t>(i);
    if (auto origin = sizeOriginOf(value, d))
      size = get(origin->value, origin->index);
    // The sizes of what regions give have origins, or none.
    else if (Operation *op = value.getDefiningOp(); op && op->getNumRegions() == 0)
      if (DimensionMapping map = getDimensions(op); const MadeSize *made = map.getMade({value, d}))
        size = countOf(*made);
  }
  set(value, of);
}

void SymbolicSizes::visit(Operation *op) {
  // What is here beside the default is control flow, whose values are known at its ends alone, and what queues and
  // calls name: all other ops tell where their sizes are from (`DimensionsOpInterface`, `RegionSizesOpInterface`).
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](WhileOp loop) {
        for (ValueRange values :
             {ValueRange(loop.getConditionRegion().getArguments()), ValueRange(loop.getBodyRegion().getArguments()),
              ValueRange(loop.getResults().take_front(loop.getNumCarried()))})
          for (Value value : values)
            setFromOrigins(value);
      })
      .Case([&](ScanOp scan) {
        for (ValueRange values : {ValueRange(scan.getBody().getArguments()),
                                  ValueRange(scan.getResults().take_front(scan.getNumCarried()))})
          for (Value value : values)
            setFromOrigins(value);
      })
      .Case([&](YieldOp yield) {
        if (auto branch = dyn_cast<IfOp>(yield->getParentOp())) {
          if (yield->getParentRegion() != &branch.getThenRegion())
            return join(branch.getResults(), yield.getOperands());
          for (auto [result, value] : llvm::zip(branch.getResults(), yield.getOperands()))
            set(result, copyOf(value));
        } else if (auto loop = dyn_cast<WhileOp>(yield->getParentOp())) {
          join(loop.getResults().take_front(loop.getNumCarried()), yield.getOperands());
        } else if (auto scan = dyn_cast<ScanOp>(yield->getParentOp())) {
          unsigned numCarried = scan.getNumCarried();
          join(scan.getResults().take_front(numCarried), yield.getOperands().take_front(numCarried));
          for (Value stacked : scan.getStacked())
            setFromOrigins(stacked);
        } else if (auto region = dyn_cast<RematOp>(yield->getParentOp())) {
          for (Value result : region.getResults())
            setFromOrigins(result);
        }
      })
      .Case([&](DequeueOp dequeue) {
        if (!dequeue.getSizes())
          return;
        for (auto [result, dims] : llvm::zip_equal(dequeue.getComponents(), dequeue.getSizesAttr())) {
          Counts of;
          for (Attribute factors : cast<ArrayAttr>(dims))
            of.push_back(SymbolicSize::ofFactors(cast<DenseI64ArrayAttr>(factors)));
          set(result, of);
        }
      })
      .Case([&](CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOp>(call, call.getCalleeAttr());
        unsigned next = 0;
        for (unsigned i = 0; callee && i < callee.getNumResults() && next < call.getNumResults(); ++i) {
          BindingAttr binding = callee.getResultBinding(i);
          if (!binding || binding.getKind() != BindingKind::Intermediate)
            continue;
          Counts of;
          for (std::optional<int64_t> symbol : callee.getResultSymbols(i))
            of.push_back(symbol ? countOf(*symbol) : SymbolicSize());
          set(call.getResult(next++), of);
        }
      })
      .Default([&](Operation *other) {
        // What an op with regions makes is known after them.
        if (!isa<IfOp, RematOp>(other))
          for (Value result : other->getResults())
            setFromOrigins(result);
      });
}
