// The dialect's rule for sizes, and types by it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSizeRule.h"
#include "dialects/Df/IR/Df.h"

using namespace mlir;
using namespace mlc::df;

bool mlc::df::hasBoundedSize(Type type) {
  if (auto rows = dyn_cast<RowsType>(type))
    type = rows.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  int64_t elements = 1;
  for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>()) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue; // a tensor without elements has other dimensions, whose products are taken, too
    if (size > kMostElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

LogicalResult mlc::df::verifyBoundedSizes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (hasBoundedSize(type))
      return success();
    return op->emitOpError("has a value of type ") << type << "; the most are " << kMostElements << " elements";
  };
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(check(argument.getType())))
        return failure();
  return success();
}

bool mlc::df::agree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::equal(a, b, [](int64_t x, int64_t y) { return agree(x, y); });
}

bool mlc::df::agree(Type a, Type b) {
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y ? x.getElementType() == y.getElementType() && agree(x.getShape(), y.getShape()) : a == b;
}

bool mlc::df::agree(TypeRange a, TypeRange b) {
  return llvm::equal(a, b, [](Type x, Type y) { return agree(x, y); });
}

bool mlc::df::agreeInShape(Type a, Type b) {
  return agree(cast<RankedTensorType>(a).getShape(), cast<RankedTensorType>(b).getShape());
}

bool mlc::df::fits(Operation *op, Value value, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = cast<RankedTensorType>(value.getType()).getShape();
  if (!agree(found, expected))
    return false;
  const bool isResult = value.getDefiningOp() == op;
  std::optional<DimensionMapping> map;
  for (auto [d, size, computed] : llvm::enumerate(found, expected)) {
    if (size == computed)
      continue;
    if (!map)
      map = getDimensions(op);
    const auto isOfOperand = [&](const Dimension &each) { return each.value.getDefiningOp() != op; };
    if (llvm::count_if(map->get({value, static_cast<int64_t>(d)}), isOfOperand) < (isResult ? 1 : 2))
      return false;
  }
  return true;
}

bool mlc::df::fits(Operation *op, Value value, Type expected) {
  auto found = dyn_cast<RankedTensorType>(value.getType()), tensor = dyn_cast<RankedTensorType>(expected);
  if (!found || !tensor)
    return value.getType() == expected;
  return found.getElementType() == tensor.getElementType() && fits(op, value, tensor.getShape());
}

bool mlc::df::allAgree(ArrayRef<Type> types) {
  Type joined = types.front();
  for (Type type : types.drop_front())
    if (joined)
      joined = joinTypes(joined, type);
  return static_cast<bool>(joined);
}

Type mlc::df::joinTypes(Type a, Type b) {
  if (!agree(a, b))
    return {};
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  if (!x || x == y)
    return a;
  SmallVector<int64_t> shape;
  for (auto [m, n] : llvm::zip_equal(x.getShape(), y.getShape()))
    shape.push_back(joinSizes(m, n));
  return x.clone(shape);
}

ParseResult mlc::df::parseJoinedTypes(OpAsmParser &parser, ArrayRef<Type *> operands, Type &result) {
  llvm::SMLoc at = parser.getCurrentLocation();
  Type parsed;
  if (parser.parseType(parsed))
    return failure();
  auto function = dyn_cast<FunctionType>(parsed);
  if (function && (function.getNumInputs() != operands.size() || function.getNumResults() != 1))
    return parser.emitError(at) << "expected one type, or " << operands.size() << " of operands and one of a result";
  for (auto [i, operand] : llvm::enumerate(operands))
    *operand = function ? function.getInput(i) : parsed;
  result = function ? function.getResult(0) : parsed;
  return success();
}

void mlc::df::printJoinedTypes(OpAsmPrinter &printer, ArrayRef<Type> operands, Type result) {
  if (llvm::all_of(operands, [=](Type type) { return type == result; }))
    printer << result;
  else
    printer << FunctionType::get(result.getContext(), operands, result);
}
