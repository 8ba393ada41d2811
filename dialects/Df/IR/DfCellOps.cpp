// Type rules of the cells of recurrent networks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfCellOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// A cell of `blocks` * u columns. `states` and the results are [n, u], `biases` have one number for each column.
template <typename Adaptor>
static LogicalResult inferCell(TypeInference &infer, Adaptor op, int64_t blocks, ArrayRef<Value> states,
                               ArrayRef<Value> biases) {
  auto x = cast<RankedTensorType>(op.getX().getType()), h = cast<RankedTensorType>(op.getH().getType());
  Type element = h.getElementType();
  bool c1 = x.getRank() == 2 && h.getRank() == 2 && agree(x.getDimSize(0), h.getDimSize(0)) && !x.isDynamicDim(1) &&
            !h.isDynamicDim(1) && x.getElementType() == element;
  Type state = h;
  if (c1) {
    int64_t in = x.getDimSize(1), units = h.getDimSize(1), columns = blocks * units;
    c1 = infer.fits(op.getKernel(), RankedTensorType::get({in, columns}, element)) &&
         infer.fits(op.getRecurrent(), RankedTensorType::get({units, columns}, element));
    SmallVector<int64_t> shape{joinSizes(h.getDimSize(0), x.getDimSize(0)), units};
    state = h.clone(shape);
    for (Value other : states) {
      c1 &= infer.fits(other, state);
      state = c1 ? joinTypes(state, other.getType()) : state;
    }
    for (Value bias : biases)
      c1 &= infer.fits(bias, RankedTensorType::get({columns}, element));
  }
  if (!c1)
    return infer.error("(C1) needs x [n, i], states [n, u], a kernel [i, ")
           << blocks << "u], a recurrent kernel [u, " << blocks << "u] and biases [" << blocks
           << "u] with static i and u; found " << TypeRange(op.getOperands());
  // The output, and each state beside it.
  for (size_t k = 0; k <= states.size(); ++k)
    (void)infer.result(state, "(C2) the results must have the type of h");
  return success();
}

LogicalResult RnnCellOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferCell(infer, op, 1, {}, {op.getBias()});
}
LogicalResult LstmCellOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferCell(infer, op, 4, {op.getC()}, {op.getBias()});
}
LogicalResult GruCellOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferCell(infer, op, 3, {}, {op.getBias(), op.getRecurrentBias()});
}

//===-- work ---------------------------------------------------------------------===//

/// Each row is multiplied with the kernel and with the recurrent kernel.
template <typename Cell> static double cellOperations(Cell cell, const DynamicSizes &sizes) {
  double rows = sizes.sizeOf(shapeOf(cell.getX().getType()).front());
  return 2 * rows * (sizes.elementsOf(cell.getKernel()) + sizes.elementsOf(cell.getRecurrent()));
}

std::optional<double> RnnCellOp::countOperations(const DynamicSizes &sizes) { return cellOperations(*this, sizes); }
std::optional<double> LstmCellOp::countOperations(const DynamicSizes &sizes) { return cellOperations(*this, sizes); }
std::optional<double> GruCellOp::countOperations(const DynamicSizes &sizes) { return cellOperations(*this, sizes); }
