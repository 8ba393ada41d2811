// Checks that lower a word in the device's memory, and updates that it holds back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceChecks.h"
#include "dialects/Kern/IR/KernErrorWord.h"
#include "lib/Codegen/ElementLoops.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

static Value i64Constant(OpBuilder &b, Location loc, uint64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(static_cast<int64_t>(value)));
}

static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

static Value emptyLike(OpBuilder &b, Location loc, Value tensor) {
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor), getElementTypeOrSelf(tensor));
}

/// Whether no error is in the word.
static Value isGood(OpBuilder &b, Location loc, Value word) {
  return compare(b, loc, arith::CmpIPredicate::eq, word, i64Constant(b, loc, MLCRT_NO_ERROR));
}

//===-- checks -----------------------------------------------------------------------------===//

std::optional<SmallVector<Value>> mlc::cuda::boundsOf(kern::CheckIndicesOp check) {
  if (auto made = check.getBounds().getDefiningOp<tensor::FromElementsOp>())
    return SmallVector<Value>(made.getElements());
  DenseIntElementsAttr numbers;
  if (!matchPattern(check.getBounds(), m_Constant(&numbers)))
    return std::nullopt;
  OpBuilder b(check);
  SmallVector<Value> bounds;
  for (const APInt &number : numbers)
    bounds.push_back(i64Constant(b, check.getLoc(), number.getZExtValue()));
  return bounds;
}

/// A number that is known, whatever its type was before.
static std::optional<int64_t> known(Value number) {
  while (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    number = cast.getIn();
  return getConstantIntValue(number);
}

namespace {
/// The bodies of the kernels of a check.
struct IndexTest {
  ArrayRef<Value> bounds;
  bool skipNegative;

  /// The bound of the component at hand, which the last dimension numbers.
  Value bound(OpBuilder &b, Location loc, int64_t rank) const {
    Value found = bounds.back();
    if (bounds.size() == 1)
      return found;
    Value component = linalg::IndexOp::create(b, loc, rank - 1);
    for (int64_t c = static_cast<int64_t>(bounds.size()) - 2; c >= 0; --c)
      found = arith::SelectOp::create(
          b, loc, compare(b, loc, arith::CmpIPredicate::eq, component, arith::ConstantIndexOp::create(b, loc, c)),
          bounds[c], found);
    return found;
  }

  /// As unsigned numbers negative ones are beyond every bound.
  Value isWrong(OpBuilder &b, Location loc, Value index, Value bound) const {
    return compare(b, loc, skipNegative ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge, index, bound);
  }

  /// The index, or one that is right. Of a dimension of nothing that is -1 where negative ones mean none.
  Value within(OpBuilder &b, Location loc, Value index, Value bound) const {
    Value last = arith::SubIOp::create(b, loc, bound, i64Constant(b, loc, 1));
    Value most = arith::MinSIOp::create(b, loc, index, last);
    return skipNegative ? most : arith::MaxSIOp::create(b, loc, most, i64Constant(b, loc, 0));
  }
};
} // namespace

/// A dimension of nothing has no element that an index could be moved to: the host, which knows sizes, fails the
/// segment if there is an index. Whoever needs the word stands after that.
static Value failOnNothing(OpBuilder &b, kern::CheckIndicesOp check, ArrayRef<Value> bounds, Value error) {
  Location loc = check.getLoc();
  Value isNothing;
  for (Value bound : bounds) {
    if (std::optional<int64_t> size = known(bound); size && *size > 0)
      continue;
    Value none = compare(b, loc, arith::CmpIPredicate::sle, bound, i64Constant(b, loc, 0));
    isNothing = isNothing ? Value(arith::OrIOp::create(b, loc, isNothing, none)) : none;
  }
  if (!isNothing)
    return error;
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, check.getIndices())) {
    Value elements = getValueOrCreateConstantIndexOp(b, loc, size);
    Value some = compare(b, loc, arith::CmpIPredicate::ne, elements, arith::ConstantIndexOp::create(b, loc, 0));
    isNothing = arith::AndIOp::create(b, loc, isNothing, some);
  }
  auto branch = scf::IfOp::create(
      b, loc, isNothing,
      [&](OpBuilder &then, Location) {
        kern::ReportErrorOp::create(then, loc, MLCRT_INVALID_ARGUMENT, /*row=*/-1,
                                    (check.getWhat() + ": an index into a dimension of size 0").str());
        scf::YieldOp::create(then, loc, error);
      },
      [&](OpBuilder &otherwise, Location) { scf::YieldOp::create(otherwise, loc, error); });
  return branch.getResult(0);
}

uint64_t DeviceChecks::add(std::string text) {
  const auto number = first + static_cast<int64_t>(texts.size());
  texts.push_back(std::move(text));
  return MLCRT_ERROR(MLCRT_NO_ROW, number);
}

/// The word, lowered if `isWrong`.
static Value lowered(OpBuilder &b, Location loc, Value word, Value isWrong, uint64_t failed) {
  Value found =
      arith::SelectOp::create(b, loc, isWrong, i64Constant(b, loc, failed), i64Constant(b, loc, MLCRT_NO_ERROR));
  return arith::MinUIOp::create(b, loc, word, found);
}

Value DeviceChecks::expand(kern::CheckIndicesOp check, Value error) {
  OpBuilder b(check);
  Location loc = check.getLoc();
  Value indices = check.getIndices();
  const int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  SmallVector<Value> bounds = *boundsOf(check);
  IndexTest test{bounds, check.getSkipNegative() != 0};
  if (!test.skipNegative)
    error = failOnNothing(b, check, bounds, error);
  const uint64_t failed = add((check.getWhat() + ": an index is out of range").str());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> reduced(rank, utils::IteratorType::reduction),
      parallel(rank, utils::IteratorType::parallel);
  error = linalg::GenericOp::create(b, loc, error.getType(), indices, error,
                                    ArrayRef<AffineMap>{identity, AffineMap::get(rank, 0, b.getContext())}, reduced,
                                    [&](OpBuilder &n, Location, ValueRange at) {
                                      Value isWrong = test.isWrong(n, loc, at[0], test.bound(n, loc, rank));
                                      linalg::YieldOp::create(n, loc, lowered(n, loc, at[1], isWrong, failed));
                                    })
              .getResult(0);
  if (!check.getResult(0).use_empty()) {
    auto right = linalg::GenericOp::create(
        b, loc, indices.getType(), indices, emptyLike(b, loc, indices), ArrayRef<AffineMap>{identity, identity},
        parallel, [&](OpBuilder &n, Location, ValueRange at) {
          linalg::YieldOp::create(n, loc, test.within(n, loc, at[0], test.bound(n, loc, rank)));
        });
    check.getResult(0).replaceAllUsesWith(right.getResult(0));
  }
  check.erase();
  return error;
}

/// Whether the op computes numbers of numbers, and nothing else.
static bool isScalarMath(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::all_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

bool mlc::cuda::isContainedReport(scf::IfOp branch) {
  Block &then = *branch.thenBlock();
  auto report = dyn_cast<kern::ReportErrorOp>(then.front());
  return branch.getNumResults() == 0 && branch.getElseRegion().empty() && report &&
         report->getNextNode() == &then.back() && report->hasAttr(kern::kContainedAttr) &&
         report.getCode() == MLCRT_INVALID_ARGUMENT && report.getRow() < 0;
}

bool mlc::cuda::isForReports(Value number) {
  return llvm::all_of(number.getUsers(), [](Operation *user) {
    if (auto branch = dyn_cast<scf::IfOp>(user))
      return isContainedReport(branch);
    return isScalarMath(user) && llvm::all_of(user->getResults(), isForReports);
  });
}

bool mlc::cuda::isOfData(Value number) {
  Operation *op = number.getDefiningOp();
  return op && (isa<tensor::ExtractOp>(op) || (isScalarMath(op) && llvm::any_of(op->getOperands(), isOfData)));
}

/// The number, as it is computed where `b` stands of the elements that it is computed of.
static Value computedIn(OpBuilder &b, Value number, IRMapping &mapping) {
  if (mapping.contains(number) || !isOfData(number))
    return mapping.lookupOrDefault(number);
  Operation *op = number.getDefiningOp();
  if (!isa<tensor::ExtractOp>(op))
    for (Value operand : op->getOperands())
      mapping.map(operand, computedIn(b, operand, mapping));
  b.clone(*op, mapping);
  return mapping.lookup(number);
}

Value DeviceChecks::expandReport(scf::IfOp branch, Value error) {
  OpBuilder b(branch);
  auto report = cast<kern::ReportErrorOp>(branch.thenBlock()->front());
  const uint64_t failed = add(report.getMessage().str());
  Location loc = report.getLoc();
  error = linalg::GenericOp::create(b, loc, error.getType(), ValueRange(), error,
                                    ArrayRef<AffineMap>{AffineMap::get(0, 0, b.getContext())},
                                    ArrayRef<utils::IteratorType>(),
                                    [&](OpBuilder &n, Location, ValueRange at) {
                                      IRMapping mapping;
                                      Value isWrong = computedIn(n, branch.getCondition(), mapping);
                                      linalg::YieldOp::create(n, loc, lowered(n, loc, at[0], isWrong, failed));
                                    })
              .getResult(0);
  branch.erase();
  return error;
}

static bool hasChecks(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto branch = dyn_cast<scf::IfOp>(inner);
        const bool isCheck = isa<kern::CheckIndicesOp>(inner) ||
                             (branch && isContainedReport(branch) && isOfData(branch.getCondition()));
        return isCheck ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Value DeviceChecks::expand(Block &block, Value error) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (hasChecks(&op))
      error = llvm::TypeSwitch<Operation *, Value>(&op).Case<kern::CheckIndicesOp, scf::ForOp, scf::IfOp>(
          [&](auto known) { return expand(known, error); });
    else
      op.walk([&](kern::UpdateRowsOp update) { foundUpdates.emplace_back(update, error); });
  }
  return error;
}

Value DeviceChecks::expand(scf::ForOp loop, Value error) {
  IRRewriter rewriter(loop.getContext());
  FailureOr<LoopLikeOpInterface> carrying =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(rewriter, error, /*replaceInitOperandUsesInLoop=*/false,
                                       [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
                                         return SmallVector<Value>{expand(*loop.getBody(), carried.front())};
                                       });
  return (*carrying)->getResults().back();
}

Value DeviceChecks::expand(scf::IfOp branch, Value error) {
  if (isContainedReport(branch))
    return expandReport(branch, error);
  OpBuilder b(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(error.getType());
  auto carrying = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(), /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), carrying->getRegions())) {
    to.takeBody(from);
    if (to.empty()) {
      b.createBlock(&to);
      scf::YieldOp::create(b, branch.getLoc(), error);
      continue;
    }
    Value after = expand(to.front(), error);
    Operation *end = to.front().getTerminator();
    end->insertOperands(end->getNumOperands(), after);
  }
  branch.replaceAllUsesWith(carrying.getResults().drop_back());
  branch.erase();
  return carrying.getResults().back();
}

//===-- updates ----------------------------------------------------------------------------===//

Predication::Predication(Block &body, Value error) : body(body), error(error) {
  SmallVector<Operation *> work;
  auto need = [&](Value value) {
    Operation *op = value.getDefiningOp();
    op = op ? op : value.getParentBlock()->getParentOp();
    op = body.findAncestorOpInBlock(*op);
    if (op && needed.insert(op).second)
      work.push_back(op);
  };
  need(error);
  while (!work.empty())
    work.pop_back_val()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        need(operand);
    });
}

/// The body of a generic that selects, with the word and the old element as arguments before those of results.
Value Predication::select(Value value, Value old) {
  OpBuilder b(body.getTerminator());
  Location loc = value.getLoc();
  const int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank), scalar = AffineMap::get(rank, 0, b.getContext());
  return linalg::GenericOp::create(b, loc, value.getType(), ValueRange{error, value, old}, emptyLike(b, loc, old),
                                   ArrayRef<AffineMap>{scalar, identity, identity, identity},
                                   SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
                                   [&](OpBuilder &n, Location, ValueRange at) {
                                     Value kept = arith::SelectOp::create(n, loc, isGood(n, loc, at[0]), at[1], at[2]);
                                     linalg::YieldOp::create(n, loc, kept);
                                   })
      .getResult(0);
}

Value Predication::keep(linalg::GenericOp generic, unsigned result, Value old) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  AffineMap map = generic.getIndexingMapsArray()[generic.getNumDpsInputs() + result];
  AffineMap scalar = AffineMap::get(generic.getNumLoops(), 0, b.getContext());
  SmallVector<Value> inputs(generic.getInputs());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  Block *block = generic.getBody();
  auto argumentOf = [&](Value value, AffineMap by) -> Value {
    for (auto [i, input] : llvm::enumerate(inputs))
      if (input == value && maps[i] == by)
        return block->getArgument(i);
    maps.insert(maps.begin() + static_cast<int64_t>(inputs.size()), by);
    inputs.push_back(value);
    return block->insertArgument(static_cast<unsigned>(inputs.size() - 1), getElementTypeOrSelf(value), loc);
  };
  Value word = argumentOf(error, scalar), element = argumentOf(old, map);
  Operation *end = block->getTerminator();
  OpBuilder n(end);
  end->setOperand(result, arith::SelectOp::create(n, loc, isGood(n, loc, word), end->getOperand(result), element));
  auto knowing = linalg::GenericOp::create(b, loc, generic.getResultTypes(), inputs, generic.getOutputs(), maps,
                                           generic.getIteratorTypesArray());
  knowing->setDiscardableAttrs(generic->getDiscardableAttrDictionary());
  knowing.getRegion().takeBody(generic.getRegion());
  generic.replaceAllUsesWith(knowing.getResults());
  generic.erase();
  return knowing.getResult(result);
}

/// The number of rows that are updated, or 0 where the word is lowered.
static void updateNone(kern::UpdateRowsOp update, Value word) {
  OpBuilder b(update);
  Location loc = update.getLoc();
  Value count = update.getCount();
  AffineMap scalar = AffineMap::get(0, 0, b.getContext());
  auto counted = linalg::GenericOp::create(
      b, loc, count.getType(), ValueRange{word, count}, emptyLike(b, loc, count),
      ArrayRef<AffineMap>{scalar, scalar, scalar}, ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &n, Location, ValueRange at) {
        Value none = i64Constant(n, loc, 0);
        linalg::YieldOp::create(n, loc,
                                arith::SelectOp::create(n, loc, isGood(n, loc, at[0]), at[1], none).getResult());
      });
  update.getCountMutable().assign(counted.getResult(0));
}

void Predication::holdBack(kern::UpdateRowsOp update, Value word) {
  if (done.insert(update).second)
    updateNone(update, word);
}

Value Predication::keep(kern::UpdateRowsOp update, unsigned result, Value old) {
  OpOperand &out = update.getOutsMutable()[result];
  out.set(keep(out.get(), old));
  if (!done.insert(update).second)
    return update.getResult(result);
  updateNone(update, error);
  if (!update.getEveryRow())
    return update.getResult(result);
  // Rows without an id change, too.
  OpBuilder b(update);
  Location loc = update.getLoc();
  update.getScalarsMutable().append(error);
  Block &rows = update.getBody().front();
  Value word = rows.addArgument(b.getI64Type(), loc);
  Operation *end = rows.getTerminator();
  OpBuilder n(end);
  Value good = isGood(n, loc, word);
  for (OpOperand &operand : end->getOpOperands())
    operand.set(arith::SelectOp::create(n, loc, good, operand.get(), rows.getArgument(operand.getOperandNumber())));
  return update.getResult(result);
}

/// A loop over elements puts back what it finds.
Value Predication::keep(scf::ForOp loop, unsigned result, Value old) {
  OpOperand &start = loop.getInitArgsMutable()[result];
  start.set(keep(start.get(), old));
  if (done.insert(loop).second)
    loop.walk([&](tensor::InsertOp insert) {
      OpBuilder n(insert);
      Location loc = insert.getLoc();
      Value found = tensor::ExtractOp::create(n, loc, insert.getDest(), insert.getIndices());
      Value good = isGood(n, loc, tensor::ExtractOp::create(n, loc, error, ValueRange()));
      insert.getScalarMutable().assign(arith::SelectOp::create(n, loc, good, insert.getScalar(), found).getResult());
    });
  return loop.getResult(result);
}

Value Predication::keep(Value value, Value old) {
  if (value == old)
    return value;
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != &body || needed.contains(maker))
    return select(value, old);
  const unsigned result = cast<OpResult>(value).getResultNumber();
  if (auto generic = dyn_cast<linalg::GenericOp>(maker);
      generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
      generic.getIndexingMapsArray()[generic.getNumDpsInputs() + result].isPermutation())
    return keep(generic, result, old);
  if (auto update = dyn_cast<kern::UpdateRowsOp>(maker))
    return keep(update, result, old);
  if (auto loop = dyn_cast<scf::ForOp>(maker); loop && isElementLoop(loop))
    return keep(loop, result, old);
  return select(value, old);
}
