// cuda-expand-groups: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExpandLoops.h"
#include "IndexTensors.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAEXPANDGROUPS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

static Value i64Constant(Indices in, int64_t value) {
  return arith::ConstantOp::create(in.b, in.loc, in.b.getI64IntegerAttr(value));
}
static Value at(Indices in, Value tensor, ValueRange place) {
  return tensor::ExtractOp::create(in.b, in.loc, tensor, place);
}
static Value compare(Indices in, arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(in.b, in.loc, predicate, x, y);
}
static Value sizeOf(Indices in, Value vector) { return in.b.createOrFold<tensor::DimOp>(in.loc, vector, 0); }

/// As `generate`, with the builder that the rest of this file asks for numbers.
static Value fill(Indices math, Value out, llvm::function_ref<Value(Indices, Value number)> element) {
  return generate(math.b, math.loc, out,
                  [&](OpBuilder &n, Value number) { return element(Indices{n, math.loc}, number); });
}

/// Whether element `number` of a vector that is sorted is the first of its kind.
static Value isFirst(Indices in, Value keys, Value number) {
  Value isOther =
      compare(in, arith::CmpIPredicate::ne, at(in, keys, in.excess(number, in.constant(1))), at(in, keys, number));
  return arith::OrIOp::create(in.b, in.loc, compare(in, arith::CmpIPredicate::eq, number, in.constant(0)), isOther);
}

namespace {
/// A vector of i64 in ascending order, equal elements in their own.
struct SortedVector {
  Value size;
  Value positions; ///< of the elements in the vector
  Value keys;      ///< the elements

  /// `isUnsigned`: negative numbers come last. Positions go to `out`.
  SortedVector(Indices math, Value vector, bool isUnsigned, Value out) : size(sizeOf(math, vector)) {
    OpBuilder &b = math.b;
    auto scalar = [&](Value number) -> Value {
      return tensor::FromElementsOp::create(b, math.loc, RankedTensorType::get({}, b.getI64Type()), number);
    };
    Value n = scalar(math.toI64(size)), one = scalar(i64Constant(math, 1)), compared = vector;
    // Signed numbers with their sign inverted are in the order of unsigned ones.
    if (isUnsigned)
      compared = generateVector(b, math.loc, size, [&](Indices in, Value number) -> Value {
        return arith::XOrIOp::create(in.b, in.loc, at(in, vector, number),
                                     i64Constant(in, std::numeric_limits<int64_t>::min()));
      });
    positions = kern::SortPositionsOp::create(b, math.loc, compared, MLCRT_I64, one, n, one, /*descending=*/0, n, out)
                    .getResult(0);
    keys = generateVector(b, math.loc, size,
                          [&](Indices in, Value number) { return at(in, vector, in.element(positions, number)); });
  }

  /// How many elements stand before `value`: those for which the comparison with it holds.
  Value countBefore(Indices in, arith::CmpIPredicate predicate, Value value) const {
    return in.search(in.constant(0), size, [&](Indices body, Value middle) {
      return compare(body, predicate, at(body, keys, middle), value);
    });
  }
};

/// The union of two ascending vectors with as many elements as their counts say, equal elements twice.
struct MergedIds {
  Value lhs, rhs, lhsCount, rhsCount;
  Value lhsSize, size;
  Value sources; ///< places of the elements in lhs, or from lhsSize on in rhs
  Value keys;    ///< the elements

  MergedIds(Indices math, Value lhs, Value lhsCount, Value rhs, Value rhsCount)
      : lhs(lhs), rhs(rhs), lhsCount(lhsCount), rhsCount(rhsCount), lhsSize(sizeOf(math, lhs)),
        size(math.add(lhsSize, sizeOf(math, rhs))) {
    sources = generateVector(math.b, math.loc, size, [&](Indices in, Value number) {
      Value left = in.scalar(lhsCount), right = in.scalar(rhsCount);
      return in.either(
          in.isBelow(number, in.add(left, right)),
          [&](Indices there) { return there.toI64(sourceOf(there, number, left, right)); },
          [](Indices none) { return i64Constant(none, 0); });
    });
    keys = generateVector(math.b, math.loc, size, [&](Indices in, Value number) {
      return in.either(
          isThere(in, number),
          [&](Indices there) {
            Value source = there.element(sources, number);
            return there.either(
                there.isBelow(source, lhsSize), [&](Indices then) { return at(then, lhs, source); },
                [&](Indices other) { return at(other, rhs, other.sub(source, lhsSize)); });
          },
          [](Indices none) { return i64Constant(none, -1); });
    });
  }

  /// Whether there is an element of this number.
  Value isThere(Indices in, Value number) const {
    return in.isBelow(number, in.add(in.scalar(lhsCount), in.scalar(rhsCount)));
  }

private:
  /// Where element `number` comes from. Of equal ones the left one is first.
  Value sourceOf(Indices in, Value number, Value left, Value right) const {
    Value i = in.search(in.excess(number, right), in.min(number, left), [&](Indices body, Value middle) {
      Value other = at(body, rhs, body.sub(body.sub(number, body.constant(1)), middle));
      return compare(body, arith::CmpIPredicate::sle, at(body, lhs, middle), other);
    });
    Value j = in.sub(number, i), fromRight = in.add(lhsSize, j);
    return in.either(
        in.isBelow(i, left),
        [&](Indices hasLeft) {
          return hasLeft.either(
              hasLeft.isBelow(j, right),
              [&](Indices both) {
                Value isLeft = compare(both, arith::CmpIPredicate::sle, at(both, lhs, i), at(both, rhs, j));
                return both.select(isLeft, i, fromRight);
              },
              [&](Indices) { return i; });
        },
        [&](Indices) { return fromRight; });
  }
};

struct CudaExpandGroups : public mlc::impl::CudaExpandGroupsBase<CudaExpandGroups> {
  static void expand(kern::UniqueIdsOp op) {
    OpBuilder b(op);
    Indices math{b, op.getLoc()};
    SortedVector sorted(math, op.getIds(), /*isUnsigned=*/true, op.getOrder());
    Marks marks(math, sorted.size, [&](Indices in, Value number) { return isFirst(in, sorted.keys, number); });
    Value count = fill(math, op.getCount(), [&](Indices in, Value) {
      Value kept = sorted.countBefore(in, arith::CmpIPredicate::sge, i64Constant(in, 0));
      return marks.countUpTo(in, kept);
    });
    auto ofGroups = [&](Value out, int64_t none, llvm::function_ref<Value(Indices, Value k)> element) {
      return fill(math, out, [&](Indices in, Value k) {
        return in.either(
            in.isBelow(k, in.scalar(count)), [&](Indices there) { return element(there, k); },
            [&](Indices otherwise) { return i64Constant(otherwise, none); });
      });
    };
    Value unique =
        ofGroups(op.getUnique(), -1, [&](Indices in, Value k) { return at(in, sorted.keys, marks.placeOf(in, k)); });
    // After the last group are negative ids, which are marked, too, or none.
    Value ends = ofGroups(op.getEnds(), 0,
                          [&](Indices in, Value k) { return in.toI64(marks.placeOf(in, in.add(k, in.constant(1)))); });
    op.replaceAllUsesWith(ValueRange{unique, ends, sorted.positions, count});
    op.erase();
  }

  static void expand(kern::UniqueValuesOp op) {
    OpBuilder b(op);
    Indices math{b, op.getLoc()};
    const bool isSorted = op.getSorted() != 0;
    Value vector = op.getIn();
    Value out = tensor::EmptyOp::create(b, math.loc, tensor::getMixedSizes(b, math.loc, vector), b.getI64Type());
    SortedVector sorted(math, vector, /*isUnsigned=*/false, out);
    // The sorted element that is the first of those which equal element `number` of the vector.
    auto firstOf = [&](Indices in, Value number) {
      return sorted.countBefore(in, arith::CmpIPredicate::slt, at(in, vector, number));
    };
    // Elements that are marked, and which one an element equals: of the sorted vector, or of the vector itself.
    Value firsts = generateVector(b, math.loc, sorted.size, [&](Indices in, Value number) -> Value {
      Value first = firstOf(in, number);
      return isSorted ? in.toI64(first) : at(in, sorted.positions, first);
    });
    Marks marks(math, sorted.size, [&](Indices in, Value number) {
      return isSorted ? isFirst(in, sorted.keys, number)
                      : compare(in, arith::CmpIPredicate::eq, in.element(firsts, number), number);
    });
    Value count = fill(math, op.getCount(), [&](Indices in, Value) { return marks.countUpTo(in, marks.size); });
    auto ofGroups = [&](Value to, llvm::function_ref<Value(Indices, Value k)> element) {
      return fill(math, to, [&](Indices in, Value k) {
        return in.either(
            in.isBelow(k, in.scalar(count)), [&](Indices there) { return element(there, k); },
            [](Indices none) { return i64Constant(none, 0); });
      });
    };
    Value values = ofGroups(op.getValues(), [&](Indices in, Value k) {
      return at(in, isSorted ? sorted.keys : vector, marks.placeOf(in, k));
    });
    Value inverse = fill(math, op.getInverse(), [&](Indices in, Value number) -> Value {
      Value group = at(in, marks.sums, in.element(firsts, number));
      return arith::SubIOp::create(in.b, in.loc, group, i64Constant(in, 1));
    });
    Value counts = ofGroups(op.getCounts(), [&](Indices in, Value k) {
      Value value = at(in, values, k);
      return in.toI64(in.sub(sorted.countBefore(in, arith::CmpIPredicate::sle, value),
                             sorted.countBefore(in, arith::CmpIPredicate::slt, value)));
    });
    op.replaceAllUsesWith(ValueRange{values, inverse, counts, count});
    op.erase();
  }

  static void expand(kern::MergeRowsF32Op op) {
    OpBuilder b(op);
    Indices math{b, op.getLoc()};
    MergedIds merged(math, op.getAIds(), op.getACount(), op.getBIds(), op.getBCount());
    Marks marks(math, merged.size, [&](Indices in, Value number) -> Value {
      return arith::AndIOp::create(in.b, in.loc, merged.isThere(in, number), isFirst(in, merged.keys, number));
    });
    Value count = fill(math, op.getOutCount(), [&](Indices in, Value) { return marks.countUpTo(in, marks.size); });
    // Where the rows of the union begin among the merged ones; after the last one, the size.
    Value capacity = sizeOf(math, op.getOutIds());
    Value places =
        generateVector(b, math.loc, capacity, [&](Indices in, Value k) { return in.toI64(marks.placeOf(in, k)); });
    auto ofUnion = [&](Value out, Value width, llvm::function_ref<Value(Indices, Value place, Value column)> element,
                       llvm::function_ref<Value(Indices)> none) {
      return fill(math, out, [&](Indices in, Value number) {
        Value place = in.element(places, in.div(number, width));
        return in.either(
            in.isBelow(place, merged.size),
            [&](Indices there) { return element(there, place, there.rem(number, width)); }, none);
      });
    };
    Value ids = ofUnion(
        op.getOutIds(), math.constant(1), [&](Indices in, Value place, Value) { return at(in, merged.keys, place); },
        [](Indices none) { return i64Constant(none, -1); });
    Value width = math.constant(op.getRowElems());
    Value left = flat(b, math.loc, op.getARows()), right = flat(b, math.loc, op.getBRows());
    auto rowOf = [&](Indices in, Value rows, Value row, Value column) {
      return at(in, rows, in.add(in.mul(row, width), column));
    };
    Type element = getElementTypeOrSelf(op.getOutRows());
    Value rows = ofUnion(
        op.getOutRows(), width,
        [&](Indices in, Value place, Value column) {
          Value source = in.element(merged.sources, place), next = in.add(place, in.constant(1));
          return in.either(
              in.isBelow(source, merged.lhsSize),
              [&](Indices then) {
                Value x = rowOf(then, left, source, column);
                // The next one is the same row of the right, if that has it.
                Value isInBoth = then.either(
                    merged.isThere(then, next),
                    [&](Indices there) { return there.isNot(isFirst(there, merged.keys, next)); },
                    [](Indices none) -> Value {
                      return arith::ConstantOp::create(none.b, none.loc, none.b.getBoolAttr(false));
                    });
                return then.either(
                    isInBoth,
                    [&](Indices both) -> Value {
                      Value other = both.sub(both.element(merged.sources, next), merged.lhsSize);
                      return arith::AddFOp::create(both.b, both.loc, x, rowOf(both, right, other, column));
                    },
                    [&](Indices) { return x; });
              },
              [&](Indices other) { return rowOf(other, right, other.sub(source, merged.lhsSize), column); });
        },
        [&](Indices none) -> Value {
          return arith::ConstantOp::create(none.b, none.loc, none.b.getFloatAttr(element, 0.0));
        });
    op.replaceAllUsesWith(ValueRange{ids, rows, count});
    op.erase();
  }

  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (df::runsOnHost(segment))
      return;
    expandLoops(segment);
    segment.walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<kern::UniqueIdsOp, kern::UniqueValuesOp, kern::MergeRowsF32Op>(
          [](auto group) { expand(group); });
    });
  }
};
} // namespace
