// Verifiers of the cells of recurrent networks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfCellOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// A cell of `blocks` * u columns. `states` and `results` are [n, u], `biases` have one number for each column.
template <typename Op>
static LogicalResult verifyCell(Op op, int64_t blocks, ArrayRef<Value> states, ArrayRef<Value> biases) {
  auto x = cast<RankedTensorType>(op.getX().getType()), h = cast<RankedTensorType>(op.getH().getType());
  Type element = h.getElementType();
  bool c1 = x.getRank() == 2 && h.getRank() == 2 && agree(x.getDimSize(0), h.getDimSize(0)) && !x.isDynamicDim(1) &&
            !h.isDynamicDim(1) && x.getElementType() == element;
  if (c1) {
    int64_t in = x.getDimSize(1), units = h.getDimSize(1), columns = blocks * units;
    c1 = fits(op, op.getKernel(), RankedTensorType::get({in, columns}, element)) &&
         fits(op, op.getRecurrent(), RankedTensorType::get({units, columns}, element));
    for (Value state : states)
      c1 &= fits(op, state, h);
    for (Value bias : biases)
      c1 &= fits(op, bias, RankedTensorType::get({columns}, element));
  }
  if (!c1) {
    InFlightDiagnostic diag = op.emitOpError("(C1) needs x [n, i], states [n, u], a kernel [i, ")
                              << blocks << "u], a recurrent kernel [u, " << blocks << "u] and biases [" << blocks
                              << "u] with static i and u; found ";
    return diag << op->getOperandTypes();
  }
  for (Value result : op->getResults())
    if (failed(verifyTypes(op, fits(op, result, h), "(C2) the results must have the type of h", h, result.getType())))
      return failure();
  return success();
}

LogicalResult RnnCellOp::verify() { return verifyCell(*this, 1, {}, {getBias()}); }
LogicalResult LstmCellOp::verify() { return verifyCell(*this, 4, {getC()}, {getBias()}); }
LogicalResult GruCellOp::verify() { return verifyCell(*this, 3, {}, {getBias(), getRecurrentBias()}); }
