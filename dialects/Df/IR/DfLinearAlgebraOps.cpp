// Verifiers of factorizations and systems of equations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfLinearAlgebraOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// Fails with (C1) unless `type` is [.., n, n] for a static n.
static LogicalResult verifySquare(Operation *op, Type type) {
  ArrayRef<int64_t> shape = shapeOf(type);
  if (shape.size() < 2 || ShapedType::isDynamic(shape.back()) || shape.back() != shape[shape.size() - 2])
    return op->emitOpError("(C1) matrices must be [.., n, n] for a static n; found ") << type;
  return success();
}

/// Infers `count` results [..] of an operand [.., n, n].
static LogicalResult inferOfMatrices(TypeInference &infer, Type operand, unsigned count) {
  ArrayRef<int64_t> shape = shapeOf(operand);
  if (shape.size() < 2 || ShapedType::isDynamic(shape.back()) || shape.back() != shape[shape.size() - 2])
    return infer.error("(C1) matrices must be [.., n, n] for a static n; found ") << operand;
  for (unsigned i = 0; i < count; ++i)
    (void)infer.result(RankedTensorType::get(shape.drop_back(2), elementType(operand)),
                       "(C2) a result must have the operand's leading dimensions and its element type");
  return success();
}

LogicalResult DeterminantOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferOfMatrices(infer, op.getOperand().getType(), 1);
}
LogicalResult SlogdetOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferOfMatrices(infer, op.getOperand().getType(), 2);
}

LogicalResult CholeskyOp::verify() { return verifySquare(*this, getOperand().getType()); }

LogicalResult TriangularSolveOp::verify() {
  Type matrix = getMatrix().getType(), rhs = getRhs().getType();
  if (failed(verifySquare(*this, matrix)))
    return failure();
  bool ok = shapeOf(matrix).size() == shapeOf(rhs).size() && elementType(matrix) == elementType(rhs) &&
            shapeOf(matrix).back() == shapeOf(rhs)[shapeOf(rhs).size() - 2] &&
            agree(shapeOf(matrix).drop_back(), shapeOf(rhs).drop_back());
  return verifyTypes(*this, ok,
                     "(C2) right sides must be [.., n, m] of the matrices' leading dimensions and element type", matrix,
                     rhs);
}
