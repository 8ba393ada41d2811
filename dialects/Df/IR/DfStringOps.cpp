// Verifiers of the string ops.
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

LogicalResult StringSplitOp::verify() {
  ArrayRef<int64_t> rows = shapeOf(getOperand().getType()), values = shapeOf(getValues().getType());
  if (rows.size() != 1 || !agree(shapeOf(getEnds().getType()), rows) || values.size() != 1 ||
      !ShapedType::isDynamic(values[0]))
    return emitOpError("(C1) the operand must be [n], values [?] and ends [n]; found ")
           << getOperand().getType() << ", " << getValues().getType() << " and " << getEnds().getType();
  if (getDelimiter().empty())
    return emitOpError("(C2) delimiter must not be empty");
  return success();
}

LogicalResult ReduceJoinOp::verify() {
  Type from = getOperand().getType();
  auto axis = static_cast<int64_t>(getAxis());
  if (failed(verifyAxis(*this, from, axis)))
    return failure();
  return verifyTypes(*this, fits(*this, getResult(), withoutAxes(from, axis)),
                     "(C2) the result must have the other dimensions", from, getType());
}

LogicalResult SegmentJoinOp::verify() {
  if (shapeOf(getValues().getType()).size() != 1 || shapeOf(getEnds().getType()).size() != 1 ||
      !agreeInShape(getEnds().getType(), getType()))
    return emitOpError("(C1) values must be [n], ends [m] and the result [m]; found ")
           << getValues().getType() << ", " << getEnds().getType() << " and " << getType();
  return success();
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
