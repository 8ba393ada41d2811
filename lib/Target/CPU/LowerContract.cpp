// kern.contract to loops over vectors: products of one column, and by form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ContractLowering.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

/// N = 1 and rows of A contiguous: a dot product for each row.
void ContractLowering::emitDots() {
  const int64_t chunk = tiling.getTaskRows();
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  // As a sum along neighbours: lanes and sets of lanes hold interleaved partials.
  int64_t sets = std::max<int64_t>(1, kSumPartials / lanes);
  if (auto size = known(inner))
    sets = std::clamp<int64_t>((*size + lanes - 1) / lanes, 1, sets);
  int64_t round = sets * lanes;
  Index whole =
      known(inner)
          ? math.constant(*known(inner) / round * round)
          : math.mul(Index(Value(arith::DivUIOp::create(b, loc, math.value(inner), math.value(math.constant(round))))),
                     math.constant(round));
  Index end = math.mul(math.ceilDiv(inner, math.constant(round)), math.constant(round));
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), dotCost() * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    makeLoop(b, loc, begin, math.min(math.add(begin, math.constant(chunk)), rows), 1, [&](OpBuilder &, Index m) {
      Index start = math.add(origins[0], math.mul(m, rowLoops[0].strides[0]));
      auto rounds = [&](Index from, Index to, bool isWhole, ValueRange carried) {
        return makeReduction(b, loc, from, to, round, carried, [&](OpBuilder &, Index k, ValueRange sums) {
          SmallVector<Value> next(sums);
          for (int64_t set = 0; set < sets; ++set) {
            Index at = math.add(k, math.constant(set * lanes)), rest = math.sub(inner, at);
            if (!isWhole && known(rest) && *known(rest) <= 0)
              continue;
            // Unselected lanes add 0 * 0.
            bool isMasked = !isWhole && !(known(rest) && *known(rest) >= lanes);
            Lanes l = isMasked ? Lanes{lanes, maskFor(rest)} : all();
            next[set] = addProduct(loadLhs(l, math.add(start, at)), loadRhs(l, math.add(origins[1], at)), sums[set]);
          }
          return next;
        });
      };
      SmallVector<Value> sums(sets, all().constant(b, loc, zero));
      sums = rounds(math.constant(0), whole, /*isWhole=*/true, sums);
      sums = rounds(whole, end, /*isWhole=*/false, sums);
      Value sum = combineLanes(b, loc, vector::CombiningKind::ADD, sums, known(inner).value_or(kSumPartials));
      SmallVector<Value> results = epilogue({m}, math.constant(0), Lanes(), sum);
      for (auto [i, result] : llvm::enumerate(results))
        Lanes().store(b, loc, result, outs[i].flat, outElement(i, {m}, math.constant(0)));
    });
  });
}

/// N = 1 and columns of A contiguous: lanes are rows, the inner dimension is summed in registers.
void ContractLowering::emitColumns() {
  TypedAttr zero = cast<TypedAttr>(b.getZeroAttr(element()));
  const int64_t chunk = tiling.getRows() * tiling.getTaskRows();
  makeTasks(b, loc, math.ceilDiv(rows, math.constant(chunk)), kFmaCost * chunk * known(inner).value_or(128),
            [&](OpBuilder &, Index task) {
              Index begin = math.mul(task, math.constant(chunk));
              Index end = math.min(math.add(begin, math.constant(chunk)), rows);
              makeLoop(b, loc, begin, end, lanes, [&](OpBuilder &, Index m) {
                Lanes l{lanes, Value()};
                if (!(known(rows) && *known(rows) % lanes == 0))
                  l.mask = maskFor(math.sub(rows, m));
                SmallVector<Value> sums = makeReduction(
                    b, loc, math.constant(0), inner, 1, all().constant(b, loc, zero),
                    [&](OpBuilder &, Index k, ValueRange carried) {
                      Value a = loadLhs(l, math.add(math.add(origins[0], m), math.mul(k, innerLoops[0].strides[0])));
                      Value x = all().splat(
                          b, loc, loadRhs(Lanes(), math.add(origins[1], math.mul(k, innerLoops[0].strides[1]))));
                      return SmallVector<Value>{addProduct(a, x, carried[0])};
                    });
                // The out's rows are neighbours: along m, elements of extras that depend on rows are too, or do not
                // move.
                Block &body = op.getBody().front();
                IRMapping mapping;
                mapping.map(body.getArgument(0), sums[0]);
                for (size_t i = 0; i < extras.size(); ++i) {
                  unsigned operand = extraOperand(i);
                  bool alongRows = known(rowLoops[0].strides[operand]) == 1;
                  Value element = alongRows ? l.load(b, loc, extras[i].flat, math.add(origins[operand], m))
                                            : l.splat(b, loc, Lanes().load(b, loc, extras[i].flat, origins[operand]));
                  mapping.map(body.getArgument(1 + i), element);
                }
                SmallVector<Value> results = cloneBody(b, body, mapping, l);
                for (auto [i, result] : llvm::enumerate(results))
                  l.store(b, loc, result, outs[i].flat, math.add(origins[outOperand(i)], m));
              });
            });
}

LogicalResult ContractLowering::lower() {
  tiling = op.getTilingAttr();
  if (!tiling)
    return op.emitOpError("has no tiling; cpu-plan-contracts gives it one");
  switch (tiling.getForm()) {
  case kern::ContractForm::Panels:
    if (!panelWidth || panelWidth % lanes)
      return op.emitOpError("needs a right side in panels of a multiple of ")
             << lanes << " columns; cpu-pack-contracts packs it";
    emitPanels();
    return success();
  case kern::ContractForm::Dots:
    emitDots();
    return success();
  case kern::ContractForm::Rows:
    emitColumns();
    return success();
  }
  llvm_unreachable("an unknown form");
}

LogicalResult mlc::lowerContract(OpBuilder &b, kern::ContractOp op, int64_t lanes) {
  ContractLowering lowering(b, op, lanes);
  lowering.collect();
  return lowering.lower();
}
