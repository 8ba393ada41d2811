// Type rules and verifiers of the string ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfStringOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult AsStringOp::verify() {
  // More digits than a double has; a text of that many fits any buffer.
  constexpr int64_t kMostDigits = 60;
  if (!getPrecision())
    return success();
  auto precision = static_cast<int64_t>(*getPrecision());
  if (precision < 0 || precision > kMostDigits || !isa<FloatType>(elementType(getOperand().getType())))
    return emitOpError("(C2) precision must be in [0, ")
           << kMostDigits << "] and of floats; found " << precision << " of " << getOperand().getType();
  return success();
}

LogicalResult StringToNumberOp::verify() {
  Type element = elementType(getType());
  if (element.isF16() || element.isBF16())
    return emitOpError("(C2) the result must be of f32, f64 or integers; found ") << getType();
  return success();
}

LogicalResult StringSplitOp::inferTypes(TypeInference &infer, Adaptor op) {
  ArrayRef<int64_t> rows = shapeOf(op.getOperand().getType());
  constexpr StringLiteral constraint = "(C1) the operand must be [n], values [?] and ends [n]";
  if (rows.size() != 1)
    return infer.error() << constraint << "; found " << op.getOperand().getType();
  (void)infer.result(RankedTensorType::get({ShapedType::kDynamic}, infer.string()), constraint);
  return infer.result(RankedTensorType::get(rows, infer.i64()), constraint);
}

LogicalResult StringSplitOp::verify() {
  if (getDelimiter().empty())
    return emitOpError("(C2) delimiter must not be empty");
  return success();
}

LogicalResult ReduceJoinOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type from = op.getOperand().getType();
  if (failed(infer.requireAxis(from, op.getAxis())))
    return failure();
  return infer.result(withoutAxes(from, static_cast<int64_t>(op.getAxis())),
                      "(C2) the result must have the other dimensions");
}

LogicalResult SegmentJoinOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type values = op.getValues().getType(), ends = op.getEnds().getType();
  constexpr StringLiteral constraint = "(C1) values must be [n], ends [m] and the result [m]";
  if (shapeOf(values).size() != 1 || shapeOf(ends).size() != 1)
    return infer.require(false, constraint, values, ends);
  return infer.result(RankedTensorType::get(shapeOf(ends), infer.string()), constraint);
}

FailureOr<SmallVector<std::string>> StringFormatOp::getLiterals() {
  SmallVector<std::string> literals(1);
  StringRef pattern = getPattern();
  while (!pattern.empty()) {
    if (pattern.consume_front("{{"))
      literals.back() += '{';
    else if (pattern.consume_front("}}"))
      literals.back() += '}';
    else if (pattern.consume_front("{}"))
      literals.emplace_back();
    else if (pattern.front() == '{' || pattern.front() == '}')
      return failure();
    else {
      literals.back() += pattern.front();
      pattern = pattern.drop_front();
    }
  }
  return literals;
}

LogicalResult StringFormatOp::verify() {
  FailureOr<SmallVector<std::string>> literals = getLiterals();
  if (failed(literals) || literals->size() != getNumOperands() + 1)
    return emitOpError("(C2) the pattern must have a '{}' for each of ")
           << getNumOperands() << " operands and no brace else ('{{' and '}}' stand for one); found '" << getPattern()
           << "'";
  return success();
}
