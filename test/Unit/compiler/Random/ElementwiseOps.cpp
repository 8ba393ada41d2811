// Which ops of df are element-wise, and on which kinds of elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProgram.h"
#include "dialects/Df/IR/Df.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlc;
using namespace mlc::random;
using interp::ElementKind;

static mlir::Type typeOf(ElementKind kind, mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  switch (kind) {
  case ElementKind::F16:
    return builder.getF16Type();
  case ElementKind::BF16:
    return builder.getBF16Type();
  case ElementKind::F32:
    return builder.getF32Type();
  case ElementKind::F64:
    return builder.getF64Type();
  default:
    return mlir::IntegerType::get(&context, interp::integerWidth(kind),
                                  interp::isUnsignedKind(kind) ? mlir::IntegerType::Unsigned
                                                               : mlir::IntegerType::Signless);
  }
}

std::vector<ElementwiseOp> mlc::random::findElementwiseOps(mlir::MLIRContext &context) {
  std::vector<ElementwiseOp> found;
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "df" || !name.hasTrait<mlir::OpTrait::Elementwise>() ||
        !name.hasTrait<df::AgreeingTypes>())
      continue;
    ElementwiseOp op{name.getStringRef().str(), 0, {}, false};
    op.differentiable =
        name.hasInterface<df::DifferentiableOpInterface>() || name.hasInterface<df::DecomposableOpInterface>();
    for (unsigned count = 1; count <= 3 && op.kinds.empty(); ++count)
      for (ElementKind kind : kNumberKinds) {
        auto type = mlir::RankedTensorType::get({3}, typeOf(kind, context));
        mlir::Block block;
        mlir::OperationState state(mlir::UnknownLoc::get(&context), name);
        for (unsigned i = 0; i < count; ++i)
          state.operands.push_back(block.addArgument(type, state.location));
        state.types.push_back(type);
        mlir::Operation *made = mlir::Operation::create(state);
        if (mlir::succeeded(mlir::verify(made, /*verifyRecursively=*/false))) {
          op.numOperands = count;
          op.kinds.push_back(kind);
        }
        made->destroy();
      }
    if (!op.kinds.empty())
      found.push_back(std::move(op));
  }
  return found;
}
