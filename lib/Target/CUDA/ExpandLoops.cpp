// Loops that scatter, and loops that write what a mask leaves, to groups of iterations and sums of marks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExpandLoops.h"
#include "IndexTensors.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "lib/Codegen/ElementLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Iterations that loops of known size have at most: of a scatter, each of whose owners looks at all of them, and of
/// what one thread runs. More are worth the launches of a sort, and of sums of marks.
static constexpr int64_t kMostLooks = 1024, kMostOfOneThread = 64;

/// Iterations of a group that a thread has at hand at once.
static constexpr int64_t kUnrolled = 8;

static Value zeroOf(Indices in, Type type) {
  return arith::ConstantOp::create(in.b, in.loc, cast<TypedAttr>(in.b.getZeroAttr(type)));
}

namespace {
/// Loops from 0 by 1, each of which but the last one holds the next and nothing else.
struct LoopNest {
  SmallVector<scf::ForOp> loops;

  /// That of `outermost`, if its sizes are known before it and it works on single elements.
  static std::optional<LoopNest> find(scf::ForOp outermost) {
    LoopNest nest;
    if (!isElementLoop(outermost))
      return std::nullopt;
    for (scf::ForOp loop = outermost; loop;) {
      if (!isConstantIntValue(loop.getLowerBound(), 0) || !isConstantIntValue(loop.getStep(), 1) ||
          outermost->isAncestor(loop.getUpperBound().getParentRegion()->getParentOp()))
        return std::nullopt;
      nest.loops.push_back(loop);
      Block &body = *loop.getBody();
      auto inner = dyn_cast<scf::ForOp>(body.front());
      if (!inner || inner->getNextNode() != body.getTerminator() ||
          !llvm::equal(inner.getInitArgs(), loop.getRegionIterArgs()) ||
          !llvm::equal(body.getTerminator()->getOperands(), inner.getResults()))
        break;
      loop = inner;
    }
    return nest;
  }

  scf::ForOp outermost() const { return loops.front(); }
  scf::ForOp innermost() const { return loops.back(); }
  ValueRange yielded() const { return innermost().getBody()->getTerminator()->getOperands(); }

  /// Whether `fits` holds of the value, or of one that an iteration computes it of.
  bool reaches(Value value, llvm::function_ref<bool(Value)> fits) const {
    if (fits(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && innermost()->isProperAncestor(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return reaches(operand, fits); });
  }

  /// Whether no op of an iteration but `branch` has regions.
  bool isStraight(Operation *branch) const {
    WalkResult walked = innermost().getBody()->walk([&](Operation *op) {
      return op->getNumRegions() > 0 && op != branch ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !walked.wasInterrupted();
  }

  /// The value, as an iteration computes it, where `b` stands.
  Value compute(OpBuilder &b, Value value, IRMapping &mapping) const {
    Operation *op = value.getDefiningOp();
    if (mapping.contains(value) || !op || !innermost()->isProperAncestor(op))
      return mapping.lookupOrDefault(value);
    for (Value operand : op->getOperands())
      mapping.map(operand, compute(b, operand, mapping));
    b.clone(*op, mapping);
    return mapping.lookup(value);
  }
};

/// How many iterations loops have together.
Value sizeOf(Indices math, ArrayRef<scf::ForOp> loops) {
  Value size = math.constant(1);
  for (scf::ForOp loop : loops)
    size = math.mul(size, loop.getUpperBound());
  return size;
}

/// Whether they are known to be `most` at most.
bool isShort(ArrayRef<scf::ForOp> loops, int64_t most) {
  int64_t size = 1;
  for (scf::ForOp loop : loops) {
    std::optional<int64_t> own = getConstantIntValue(loop.getUpperBound());
    if (!own)
      return false;
    size *= std::min(*own, most + 1);
  }
  return size <= most;
}

/// The digits of a number, of which all but the first are below `sizes`.
SmallVector<Value> digitsOf(Indices in, Value number, ValueRange sizes) {
  SmallVector<Value> digits(sizes.size());
  for (size_t d = sizes.size(); d-- > 1; number = in.div(number, sizes[d]))
    digits[d] = in.rem(number, sizes[d]);
  if (!digits.empty())
    digits.front() = number;
  return digits;
}

/// Has loops be in the iteration of this number.
void enter(Indices in, ArrayRef<scf::ForOp> loops, Value number, IRMapping &mapping) {
  SmallVector<Value> sizes;
  for (scf::ForOp loop : loops)
    sizes.push_back(loop.getUpperBound());
  for (auto [loop, index] : llvm::zip_equal(loops, digitsOf(in, number, sizes)))
    mapping.map(scf::ForOp(loop).getInductionVar(), index);
}

/// Iterations each of which combines one element of what is carried, or none, where data says which.
class Scatter {
public:
  explicit Scatter(LoopNest nest) : nest(std::move(nest)) {}

  bool match() {
    if (nest.innermost().getNumResults() != 1)
      return false;
    carried = nest.innermost().getRegionIterArg(0);
    Value result = nest.yielded()[0];
    auto branch = result.getDefiningOp<scf::IfOp>();
    if (branch) {
      if (branch.getNumResults() != 1)
        return false;
      condition = branch.getCondition();
      skipsThen = branch.thenYield().getOperand(0) == carried;
      Value skipped = (skipsThen ? branch.thenYield() : branch.elseYield()).getOperand(0);
      result = (skipsThen ? branch.elseYield() : branch.thenYield()).getOperand(0);
      if (skipped != carried)
        return false;
    }
    insert = result.getDefiningOp<tensor::InsertOp>();
    return insert && insert.getDest() == carried && nest.isStraight(branch) && findReads() && findColumns() &&
           !isShort(dataLoops(), kMostLooks);
  }

  void expand() {
    OpBuilder b(nest.outermost());
    Location loc = nest.outermost().getLoc();
    Indices math{b, loc};
    Value table = nest.outermost().getInitArgs()[0];
    auto type = cast<RankedTensorType>(table.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizes.push_back(b.createOrFold<tensor::DimOp>(loc, table, d));
    Value iterations = sizeOf(math, dataLoops());
    Value places =
        generateVector(b, loc, iterations, [&](Indices in, Value number) { return placeOf(in, number, sizes); });
    auto empty = [&](ArrayRef<OpFoldResult> shape, Type element) -> Value {
      return tensor::EmptyOp::create(b, loc, shape, element);
    };
    SmallVector<Value> outs(3);
    for (Value &out : outs)
      out = empty({iterations}, b.getI64Type());
    auto groups =
        kern::UniqueIdsOp::create(b, loc, places, outs[0], outs[1], outs[2], empty({}, b.getI64Type())).getResults();
    SmallVector<OpFoldResult> shape = {iterations};
    Value width = math.constant(1);
    for (int64_t d = numDataDims; d < type.getRank(); ++d) {
      shape.push_back(b.getIndexAttr(type.getDimSize(d)));
      width = math.mul(width, sizes[d]);
    }
    Value combined = generate(b, loc, empty(shape, type.getElementType()), [&](OpBuilder &n, Value number) {
      Indices in{n, loc};
      Value k = in.div(number, width);
      return in.either(
          in.isBelow(k, in.scalar(groups[3])),
          [&](Indices there) { return combine(there, table, sizes, groups, k, there.rem(number, width)); },
          [&](Indices none) { return zeroOf(none, type.getElementType()); });
    });
    Value result = update(b, table, groups, combined);
    nest.outermost().getResult(0).replaceAllUsesWith(result);
    nest.outermost().erase();
  }

private:
  /// Finds where the old element is read, and that nothing else of what is carried is.
  bool findReads() {
    for (Operation *user : carried.getUsers()) {
      auto read = dyn_cast<tensor::ExtractOp>(user);
      if (read && llvm::equal(read.getIndices(), insert.getIndices()))
        reads.push_back(read);
      else if (user != insert && !isa<scf::YieldOp>(user))
        return false;
    }
    auto isRead = [&](Value value) { return llvm::is_contained(reads, value.getDefiningOp<tensor::ExtractOp>()); };
    readsOld = nest.reaches(insert.getScalar(), isRead);
    return !(condition && nest.reaches(condition, isRead)) &&
           llvm::none_of(insert.getIndices(), [&](Value index) { return nest.reaches(index, isRead); });
  }

  /// Finds the last dimensions that loops go through whatever data says. False: data says nothing.
  bool findColumns() {
    auto type = cast<RankedTensorType>(carried.getType());
    numDataDims = type.getRank();
    if (numDataDims == 0)
      return false;
    OperandRange at = insert.getIndices();
    columnLoops.resize(type.getRank());
    for (int64_t d = type.getRank() - 1; d > 0; --d) {
      const auto *loop = llvm::find_if(nest.loops, [&](scf::ForOp each) { return each.getInductionVar() == at[d]; });
      if (loop == nest.loops.end() || llvm::is_contained(columnLoops, *loop) || type.isDynamicDim(d) ||
          getConstantIntValue(scf::ForOp(*loop).getUpperBound()) != type.getDimSize(d))
        break;
      columnLoops[d] = *loop;
      numDataDims = d;
    }
    // Columns of which data says something are none, nor are those before them.
    for (int64_t d = numDataDims; d < type.getRank(); ++d) {
      auto isColumn = [&](Value value) { return value == columnLoops[d].getInductionVar(); };
      auto asks = [&](Value value) { return value && nest.reaches(value, isColumn); };
      if (asks(condition) || llvm::any_of(at.take_front(numDataDims), asks)) {
        numDataDims = d + 1;
        std::fill_n(columnLoops.begin(), numDataDims, scf::ForOp());
      }
    }
    return llvm::any_of(at.take_front(numDataDims), [&](Value index) {
      return nest.reaches(index, [](Value value) { return value.getDefiningOp<tensor::ExtractOp>() != nullptr; });
    });
  }

  SmallVector<scf::ForOp> dataLoops() const {
    SmallVector<scf::ForOp> loops;
    llvm::copy_if(nest.loops, std::back_inserter(loops),
                  [&](scf::ForOp loop) { return !llvm::is_contained(columnLoops, loop); });
    return loops;
  }

  /// The number of the row that an iteration combines, as i64; -1 for none.
  Value placeOf(Indices in, Value number, ValueRange sizes) {
    IRMapping mapping;
    enter(in, dataLoops(), number, mapping);
    Value place = in.constant(0);
    for (int64_t d = 0; d < numDataDims; ++d)
      place = in.add(in.mul(place, sizes[d]), nest.compute(in.b, insert.getIndices()[d], mapping));
    place = in.toI64(place);
    if (!condition)
      return place;
    Value none = arith::ConstantOp::create(in.b, in.loc, in.b.getI64IntegerAttr(-1));
    Value isTrue = nest.compute(in.b, condition, mapping);
    return skipsThen ? in.select(isTrue, none, place) : in.select(isTrue, place, none);
  }

  /// What the iterations of group k make of an element of its row, one after the other.
  Value combine(Indices in, Value table, ValueRange sizes, ValueRange groups, Value k, Value column) {
    SmallVector<Value> at = digitsOf(in, in.element(groups[0], k), sizes.take_front(numDataDims));
    IRMapping columns;
    const SmallVector<Value> ofColumns = digitsOf(in, column, sizes.drop_front(numDataDims));
    for (auto [d, index] : llvm::enumerate(ofColumns))
      columns.map(columnLoops[numDataDims + static_cast<int64_t>(d)].getInductionVar(), index);
    llvm::append_range(at, ofColumns);
    Value end = in.element(groups[1], k);
    auto combined = [&](Indices inner, Value j, Value before) {
      IRMapping mapping = columns;
      enter(inner, dataLoops(), inner.element(groups[2], j), mapping);
      if (before)
        for (tensor::ExtractOp read : reads)
          mapping.map(read.getResult(), before);
      return nest.compute(inner.b, insert.getScalar(), mapping);
    };
    // Where the old element is not asked for, the last iteration decides.
    if (!readsOld)
      return combined(in, in.sub(end, in.constant(1)), Value());
    Value begin = in.either(
        arith::CmpIOp::create(in.b, in.loc, arith::CmpIPredicate::eq, k, in.constant(0)),
        [](Indices first) { return first.constant(0); },
        [&](Indices other) { return other.element(groups[1], other.sub(k, other.constant(1))); });
    // Several at a time: what they read is on its way together.
    auto from = [&](Value first, Value last, int64_t step, Value start) {
      return scf::ForOp::create(in.b, in.loc, first, last, in.constant(step), start,
                                [&](OpBuilder &n, Location loc, Value j, ValueRange carried) {
                                  Indices inner{n, loc};
                                  Value element = carried[0];
                                  for (int64_t i = 0; i < step; ++i)
                                    element = combined(inner, inner.add(j, inner.constant(i)), element);
                                  scf::YieldOp::create(n, loc, element);
                                })
          .getResult(0);
    };
    Value rest = in.sub(end, in.rem(in.sub(end, begin), in.constant(kUnrolled)));
    Value old = tensor::ExtractOp::create(in.b, in.loc, table, at);
    return from(rest, end, 1, from(begin, rest, kUnrolled, old));
  }

  /// The table with the rows of groups put there.
  Value update(OpBuilder &b, Value table, ValueRange groups, Value combined) const {
    Location loc = table.getLoc();
    auto type = cast<RankedTensorType>(table.getType());
    SmallVector<ReassociationIndices> rows = {llvm::to_vector(llvm::seq<int64_t>(numDataDims))};
    for (int64_t d = numDataDims; d < type.getRank(); ++d)
      rows.push_back({d});
    const SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, loc, table);
    Value flat = numDataDims == 1 ? table : Value(tensor::CollapseShapeOp::create(b, loc, table, rows));
    auto updated = kern::UpdateRowsOp::create(b, loc, TypeRange(flat.getType()), groups[0], groups[3], combined,
                                              /*grouping=*/ValueRange(), /*scalars=*/ValueRange(), flat,
                                              /*every_row=*/false);
    Type element = type.getElementType();
    {
      OpBuilder::InsertionGuard guard(b);
      Block *body = b.createBlock(&updated.getBody(), {}, {element, element}, {loc, loc});
      kern::YieldOp::create(b, loc, body->getArgument(1));
    }
    Value result = updated.getResult(0);
    return numDataDims == 1 ? result : Value(tensor::ExpandShapeOp::create(b, loc, type, result, rows, shape));
  }

  LoopNest nest;
  Value carried;
  tensor::InsertOp insert;
  Value condition; ///< null: each iteration combines an element
  bool skipsThen = false, readsOld = false;
  SmallVector<tensor::ExtractOp> reads;
  int64_t numDataDims = 0;             ///< the first dimensions, at which data says where an element is
  SmallVector<scf::ForOp> columnLoops; ///< of each dimension; null for the first ones
};

/// Iterations that data chooses, each of which writes the next row.
class Compaction {
public:
  explicit Compaction(LoopNest nest) : nest(std::move(nest)) {}

  bool match() {
    scf::ForOp outermost = nest.outermost(), innermost = nest.innermost();
    if (innermost.getNumResults() != 2 || !outermost.getResult(1).use_empty() ||
        !isConstantIntValue(outermost.getInitArgs()[1], 0) ||
        !outermost.getInitArgs()[0].getDefiningOp<tensor::EmptyOp>())
      return false;
    Value carried = innermost.getRegionIterArg(0), next = innermost.getRegionIterArg(1);
    auto type = dyn_cast<RankedTensorType>(carried.getType());
    auto branch = nest.yielded()[0].getDefiningOp<scf::IfOp>();
    if (!type || type.getRank() != 2 || type.isDynamicDim(1) || !branch || !nest.isStraight(branch) ||
        !llvm::equal(nest.yielded(), branch.getResults()) ||
        !llvm::equal(branch.elseYield().getOperands(), innermost.getRegionIterArgs()))
      return false;
    condition = branch.getCondition();
    row.resize(type.getDimSize(1));
    Value written = branch.thenYield().getOperand(0);
    while (auto insert = written.getDefiningOp<tensor::InsertOp>()) {
      std::optional<int64_t> column = getConstantIntValue(insert.getIndices()[1]);
      if (insert.getIndices()[0] != next || !column || *column < 0 || *column >= type.getDimSize(1) || row[*column])
        return false;
      row[*column] = insert.getScalar();
      written = insert.getDest();
    }
    auto isCarried = [&](Value value) { return llvm::is_contained({carried, next}, value); };
    auto count = branch.thenYield().getOperand(1).getDefiningOp<arith::AddIOp>();
    return written == carried && count && count.getLhs() == next && isConstantIntValue(count.getRhs(), 1) &&
           !nest.reaches(condition, isCarried) &&
           llvm::all_of(row, [&](Value value) { return value && !nest.reaches(value, isCarried); }) &&
           !isShort(nest.loops, kMostOfOneThread);
  }

  void expand() {
    OpBuilder b(nest.outermost());
    Location loc = nest.outermost().getLoc();
    Indices math{b, loc};
    Marks marks(math, sizeOf(math, nest.loops), [&](Indices in, Value number) {
      IRMapping mapping;
      enter(in, nest.loops, number, mapping);
      return nest.compute(in.b, condition, mapping);
    });
    Value out = nest.outermost().getInitArgs()[0];
    Type element = getElementTypeOrSelf(out);
    Value width = math.constant(static_cast<int64_t>(row.size()));
    Value rows = generate(b, loc, out, [&](OpBuilder &n, Value number) {
      Indices in{n, loc};
      Value place = marks.placeOf(in, in.div(number, width));
      return in.either(
          in.isBelow(place, marks.size),
          [&](Indices there) {
            IRMapping mapping;
            enter(there, nest.loops, place, mapping);
            Value column = there.rem(number, width), value = nest.compute(there.b, row.back(), mapping);
            for (size_t d = row.size() - 1; d-- > 0;) {
              Value isIt = arith::CmpIOp::create(there.b, loc, arith::CmpIPredicate::eq, column,
                                                 there.constant(static_cast<int64_t>(d)));
              value = there.select(isIt, nest.compute(there.b, row[d], mapping), value);
            }
            return value;
          },
          [&](Indices none) { return zeroOf(none, element); });
    });
    nest.outermost().getResult(0).replaceAllUsesWith(rows);
    nest.outermost().erase();
  }

private:
  LoopNest nest;
  Value condition;
  SmallVector<Value> row; ///< what is written at each column
};
} // namespace

/// State in the host's memory is updated there.
static bool keepsStateOnHost(func::FuncOp segment) {
  auto isKept = [](DictionaryAttr attributes) { return attributes && attributes.contains(df::kOnHostAttr); };
  return llvm::any_of(llvm::seq(segment.getNumArguments()),
                      [&](unsigned i) { return isKept(segment.getArgAttrDict(i)); }) ||
         llvm::any_of(llvm::seq(segment.getNumResults()),
                      [&](unsigned i) { return isKept(segment.getResultAttrDict(i)); });
}

void mlc::cuda::expandLoops(func::FuncOp segment) {
  if (segment.isDeclaration() || keepsStateOnHost(segment))
    return;
  SmallVector<LoopNest> nests;
  segment.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    std::optional<LoopNest> nest = LoopNest::find(loop);
    if (!nest)
      return WalkResult::advance();
    nests.push_back(*nest);
    return WalkResult::skip();
  });
  for (const LoopNest &nest : nests) {
    if (Scatter scatter(nest); scatter.match())
      scatter.expand();
    else if (Compaction compaction(nest); compaction.match())
      compaction.expand();
  }
}
