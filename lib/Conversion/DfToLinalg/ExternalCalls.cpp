// Ops that C functions compute, of any dialect: calls of functions that the module carries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "mlc/Target/Artifact/ElementType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

namespace {

/// The kern.external_function of an op's callee, made for its first call; null after an error.
struct ExternalCallPattern : public OpInterfaceConversionPattern<df::ExternalCallOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  static LogicalResult declare(df::ExternalCallOpInterface op, ConversionPatternRewriter &rewriter) {
    auto module = op->getParentOfType<ModuleOp>();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    Operation *known = SymbolTable::lookupSymbolIn(module, op.getCallee());
    if (!known) {
      kern::ExternalFunctionOp::create(rewriter, op.getLoc(), op.getCallee(), op.getBitcode(), op.isThreadSafe());
      return success();
    }
    auto function = dyn_cast<kern::ExternalFunctionOp>(known);
    if (!function)
      return op->emitOpError("is computed by the function '") << op.getCallee() << "', the name of something else";
    if (function.getBitcode() != op.getBitcode() || function.getThreadSafe() != op.isThreadSafe())
      return op->emitOpError("is computed by the function '")
             << op.getCallee() << "', of which another op brings other code";
    return success();
  }

  LogicalResult matchAndRewrite(df::ExternalCallOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int32_t> dtypes;
    for (Type type : op->getOperandTypes())
      dtypes.push_back(*dtypeOf(cast<RankedTensorType>(type).getElementType()));
    SmallVector<Value> ins(operands);
    for (Attribute parameter : op.getParameters()) {
      DenseElementsAttr elements = df::tensorOfParameter(parameter);
      dtypes.push_back(*dtypeOf(elements.getElementType()));
      ins.push_back(arith::ConstantOp::create(rewriter, loc, elements));
    }
    const df::DimensionMapping map = df::getDimensions(op);
    SmallVector<Value> outs;
    for (Value result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      dtypes.push_back(*dtypeOf(type.getElementType()));
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d) {
        if (!type.isDynamicDim(d))
          continue;
        std::optional<df::Dimension> of = df::operandDimensionOf(op, map, result, d);
        if (!of)
          return op->emitOpError("has a result whose dimension ")
                 << d << " is of unknown size: its dimensions tell no operand's that is as large";
        const int64_t number = std::distance(op->operand_begin(), llvm::find(op->getOperands(), of->value));
        sizes.push_back(tensor::DimOp::create(rewriter, loc, operands[number], of->index));
      }
      auto stored = cast<RankedTensorType>(getTypeConverter()->convertType(type));
      outs.push_back(tensor::EmptyOp::create(rewriter, loc, stored, sizes));
    }
    if (failed(declare(op, rewriter)))
      return failure();
    auto code = RankedTensorType::get({}, rewriter.getI32Type());
    outs.push_back(tensor::EmptyOp::create(rewriter, loc, code, ValueRange()));
    auto call = kern::ExternalCallOp::create(rewriter, loc, TypeRange(ValueRange(outs)), op.getCallee(),
                                             ValueRange(ins), ValueRange(outs), dtypes, op.isDeterministic());
    Value returned = tensor::ExtractOp::create(rewriter, loc, call.getResults().back(), ValueRange());
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
    Value good = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, returned, zero);
    emitRequire(rewriter, op, good, ("its function '" + op.getCallee() + "' failed").str());
    rewriter.replaceOp(op, call.getResults().drop_back());
    return success();
  }
};

} // namespace

void mlc::populateExternalCallPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<ExternalCallPattern>(types, patterns.getContext());
}
