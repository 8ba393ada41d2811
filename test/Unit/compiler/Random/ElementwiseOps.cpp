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

/// Whether the result has the type of the operands whatever it is, as the op infers it.
static bool keepsType(mlir::Operation *op) {
  mlir::Builder builder(op->getContext());
  auto type = mlir::RankedTensorType::get({3}, builder.getF16Type());
  mlir::Block block;
  llvm::SmallVector<mlir::Value> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(block.addArgument(type, op->getLoc()));
  llvm::SmallVector<mlir::Type> inferred;
  auto inferring = llvm::cast<mlir::InferTypeOpInterface>(op);
  return mlir::succeeded(inferring.inferReturnTypes(op->getContext(), std::nullopt, operands, {},
                                                    op->getPropertiesStorage(), {}, inferred)) &&
         llvm::all_of(inferred, [&](mlir::Type each) { return each == type; });
}

std::vector<ElementwiseOp> mlc::random::findElementwiseOps(mlir::MLIRContext &context) {
  std::vector<ElementwiseOp> found;
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "df" || !name.hasTrait<mlir::OpTrait::Elementwise>() ||
        !name.hasInterface<mlir::InferTypeOpInterface>())
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
        if (mlir::succeeded(mlir::verify(made, /*verifyRecursively=*/false)) && keepsType(made)) {
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
