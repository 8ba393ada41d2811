// Types of results, inferred by the ops: one statement of each op's type rule, for builders and verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfInference.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

TypeInference::TypeInference(Operation *op)
    : location(op->getLoc()), context(op->getContext()), name(op->getName().getStringRef()), op(op) {}

InFlightDiagnostic TypeInference::error(const Twine &message) const {
  if (op)
    return op->emitOpError(message);
  if (!location)
    return {};
  return emitError(*location, Twine("'") + name + "' op " + message);
}

LogicalResult TypeInference::require(bool ok, StringRef constraint, Type found, Type other) const {
  if (ok)
    return success();
  return error() << constraint << ": found " << found << " and " << other;
}

LogicalResult TypeInference::requireAxes(Type type, ArrayRef<int64_t> axes) const {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (axis <= last || axis >= static_cast<int64_t>(shapeOf(type).size()))
      return error("(C1) axes must be strictly ascending dimensions of ") << type << "; found " << axis;
    last = axis;
  }
  return success();
}

LogicalResult TypeInference::requireAxis(Type type, std::optional<uint64_t> axis, StringRef constraint) const {
  uint64_t rank = shapeOf(type).size();
  if (rank == 0)
    return error() << constraint << " needs an axis; found " << type;
  if (axis && *axis >= rank)
    return error() << constraint << " axis " << static_cast<int64_t>(*axis) << " is no dimension of " << type;
  return success();
}

Type TypeInference::string() const { return StringType::get(context); }

LogicalResult TypeInference::unknown() {
  if (!op)
    return error("has no types that its operands and regions tell");
  for (Type type : op->getResultTypes())
    results.push_back({type, ""});
  return success();
}

bool TypeInference::fits(Value operand, Type type) const {
  return op ? df::fits(op, operand, type) : agree(operand.getType(), type);
}

LogicalResult TypeInference::result(Type type, StringRef constraint) {
  results.push_back({type, constraint});
  return success();
}

Type TypeInference::join(ArrayRef<Value> values, StringRef constraint) const {
  if (values.empty()) {
    (void)(error() << constraint << "; found no operand that tells it");
    return {};
  }
  Type type = values.front().getType();
  for (Value value : values.drop_front()) {
    Type both = joinTypes(type, value.getType());
    if (!both) {
      (void)(error() << constraint << "; found " << type << " and " << value.getType());
      return {};
    }
    type = both;
  }
  return type;
}

LogicalResult TypeInference::joined(ArrayRef<Value> values, StringRef constraint) {
  Type type = join(values, constraint);
  return type ? result(type, constraint) : failure();
}

LogicalResult TypeInference::sameShape(ArrayRef<Value> values, Type element, StringRef constraint) {
  if (values.empty())
    return error() << constraint << "; found no operand that tells it";
  SmallVector<int64_t> shape(shapeOf(values.front().getType()));
  for (Value value : values.drop_front()) {
    ArrayRef<int64_t> other = shapeOf(value.getType());
    if (!agree(shape, other))
      return error() << constraint << "; found " << values.front().getType() << " and " << value.getType();
    for (auto [size, known] : llvm::zip_equal(shape, other))
      size = joinSizes(size, known);
  }
  return result(RankedTensorType::get(shape, element), constraint);
}

LogicalResult mlc::df::detail::verifyResults(Operation *op, const TypeInference &inferred) {
  ArrayRef<TypeInference::Result> expected = inferred.getResults();
  if (expected.size() != op->getNumResults()) {
    InFlightDiagnostic diagnostic = op->emitOpError();
    if (!expected.empty())
      diagnostic << expected[std::min<size_t>(op->getNumResults(), expected.size() - 1)].constraint << "; ";
    return diagnostic << "needs " << expected.size() << " results, found " << op->getNumResults();
  }
  for (auto [result, each] : llvm::zip_equal(op->getResults(), expected))
    if (!fits(op, result, each.type))
      return op->emitOpError() << each.constraint << "; expected " << each.type << ", found " << result.getType();
  return success();
}
