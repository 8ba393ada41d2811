// cuda-expand-sorts: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndexTensors.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/KernLoops.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAEXPANDSORTS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

namespace {
/// A tensor seen as [outer, size, inner].
struct Lines {
  Value outer, size, inner;

  /// The place of element `j` of the line on which place `at` of [outer, `length`, inner] lies.
  Value placeOf(Indices &math, Value at, Value length, Value j) const {
    Value line = math.div(at, math.mul(length, inner));
    return math.add(math.mul(math.add(math.mul(line, size), j), inner), math.rem(at, inner));
  }
};

/// Sorts positions by merges of runs that are sorted, each of twice as many elements as the last one: an element of a
/// merged run is found by a search for how many of the left run are before it (merge path; Green et al. 2012).
struct MergeSort {
  kern::SortPositionsOp op;
  Value keys;
  Lines lines;

  Value keyAt(Indices &math, Value positions, Value at) {
    Value position = tensor::ExtractOp::create(math.b, math.loc, positions, at);
    Value index = arith::IndexCastOp::create(math.b, math.loc, math.b.getIndexType(), position);
    return tensor::ExtractOp::create(math.b, math.loc, keys, lines.placeOf(math, at, lines.size, index));
  }

  /// Whether x stands before y, and not only beside it.
  Value isBefore(Indices &math, Value x, Value y) {
    OpBuilder &b = math.b;
    const bool descends = op.getDescending() != 0;
    if (!isa<FloatType>(x.getType()))
      return arith::CmpIOp::create(b, math.loc, descends ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, x, y);
    auto compare = [&](arith::CmpFPredicate predicate, Value l, Value r) -> Value {
      return arith::CmpFOp::create(b, math.loc, predicate, l, r);
    };
    Value isAhead = compare(descends ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x, y);
    Value isNumber = compare(arith::CmpFPredicate::ORD, x, x), isNone = compare(arith::CmpFPredicate::UNO, y, y);
    return arith::OrIOp::create(b, math.loc, isAhead, arith::AndIOp::create(b, math.loc, isNumber, isNone));
  }

  /// Element number `at` of what runs of `length` are merged to.
  Value merged(OpBuilder &b, Value positions, Value length, Value at) {
    Indices math{b, op.getLoc()};
    Value k = math.rem(math.div(at, lines.inner), lines.size);
    Value pair = math.mul(length, math.constant(2)), start = math.mul(math.div(k, pair), pair);
    Value left = math.min(length, math.sub(lines.size, start));
    Value right = math.min(length, math.sub(math.sub(lines.size, start), left));
    k = math.sub(k, start);
    auto placeOf = [&](Indices &in, Value run, Value j) { return lines.placeOf(in, at, lines.size, in.add(run, j)); };
    Value rightStart = math.add(start, left), one = math.constant(1);
    // Of equal ones the left one is first.
    Value i = math.search(math.excess(k, right), math.min(k, left), [&](Indices in, Value middle) {
      Value mine = keyAt(in, positions, placeOf(in, start, middle));
      Value other = keyAt(in, positions, placeOf(in, rightStart, in.sub(in.sub(k, one), middle)));
      return in.isNot(isBefore(in, other, mine));
    });
    // Where a run has ended, its last element is read, and not taken.
    Value j = math.sub(k, i);
    Value hasLeft = math.isBelow(i, left), hasRight = math.isBelow(j, right);
    Value leftAt = placeOf(math, start, math.min(i, math.sub(left, one)));
    Value rightAt = math.select(hasRight, placeOf(math, rightStart, j), leftAt);
    Value isRightFirst = isBefore(math, keyAt(math, positions, rightAt), keyAt(math, positions, leftAt));
    Value both = arith::AndIOp::create(b, op.getLoc(), hasRight, isRightFirst);
    Value takesLeft = math.select(hasLeft, math.isNot(both), hasLeft);
    return tensor::ExtractOp::create(b, op.getLoc(), positions, math.select(takesLeft, leftAt, rightAt));
  }

  /// Sorted positions, [outer * size * inner].
  Value emit(OpBuilder &b) {
    Location loc = op.getLoc();
    Indices math{b, loc};
    Value count = math.mul(math.mul(lines.outer, lines.size), lines.inner);
    Value positions = generateVector(
        b, loc, count, [&](Indices in, Value at) { return in.toI64(in.rem(in.div(at, lines.inner), lines.size)); });
    // As many merges as size - 1 has bits.
    Value merges = math.bits(math.excess(lines.size, math.constant(1)));
    // Two at a time: merging what is one run copies it. What is carried ends in its place.
    auto loop = scf::ForOp::create(
        b, loc, math.constant(0), merges, math.constant(2), positions,
        [&](OpBuilder &n, Location, Value merge, ValueRange carried) {
          Indices in{n, loc};
          Value from = carried[0], length = arith::ShLIOp::create(n, loc, in.constant(1), merge);
          for (int i = 0; i < 2; ++i) {
            from =
                generateVector(n, loc, count, [&](Indices body, Value at) { return merged(body.b, from, length, at); });
            length = in.mul(length, in.constant(2));
          }
          auto copy = linalg::CopyOp::create(n, loc, from, carried[0]);
          scf::YieldOp::create(n, loc, copy.getResult(0));
        });
    loop->setAttr(kern::kMayGoOnAttr, b.getUnitAttr());
    return loop.getResult(0);
  }
};

struct CudaExpandSorts : public mlc::impl::CudaExpandSortsBase<CudaExpandSorts> {
  template <typename Op> static Lines linesOf(Indices &math, Op op) {
    return {math.scalar(op.getOuter()), math.scalar(op.getN()), math.scalar(op.getInner())};
  }

  static void expand(kern::SortPositionsOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Indices math{b, loc};
    const Lines lines = linesOf(math, op);
    Value taken = math.scalar(op.getM());
    Value sorted = MergeSort{op, flat(b, loc, op.getKeys()), lines}.emit(b);
    Value first = generate(b, loc, op.getPositions(), [&](OpBuilder &n, Value at) -> Value {
      Indices in{n, loc};
      Value j = in.rem(in.div(at, lines.inner), taken);
      return tensor::ExtractOp::create(n, loc, sorted, lines.placeOf(in, at, taken, j));
    });
    op.getResult(0).replaceAllUsesWith(first);
    op.erase();
  }

  static void expand(kern::TakeAlongOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Indices math{b, loc};
    const Lines lines = linesOf(math, op);
    Value taken = math.scalar(op.getM()), values = flat(b, loc, op.getValues()),
          positions = flat(b, loc, op.getPositions());
    Value result = generate(b, loc, op.getOut(), [&](OpBuilder &n, Value at) -> Value {
      Indices in{n, loc};
      Value position = tensor::ExtractOp::create(n, loc, positions, at);
      Value j = arith::IndexCastOp::create(n, loc, n.getIndexType(), position);
      return tensor::ExtractOp::create(n, loc, values, lines.placeOf(in, at, taken, j));
    });
    op.getResult(0).replaceAllUsesWith(result);
    op.erase();
  }

  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (df::runsOnHost(segment))
      return;
    segment.walk([](Operation *op) {
      if (auto sort = dyn_cast<kern::SortPositionsOp>(op))
        expand(sort);
      // Strings, which have two cells, stay with the host.
      else if (auto take = dyn_cast<kern::TakeAlongOp>(op);
               take && take.getCellBytes() * 8 ==
                           static_cast<int64_t>(getElementTypeOrSelf(take.getValues()).getIntOrFloatBitWidth()))
        expand(take);
    });
  }
};
} // namespace
