// The demo dialect, a pass, and the entries by which mlc loads them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlcrt/abi.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "DemoDialect.h.inc"
#define GET_OP_CLASSES
#include "DemoOps.h.inc"

using namespace mlir;
using namespace demo;

#include "DemoDialect.cpp.inc"
#define GET_OP_CLASSES
#include "DemoOps.cpp.inc"

void DemoDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "DemoOps.cpp.inc"
      >();
}

//===-- cosine_similarity ----------------------------------------------------------===//

LogicalResult CosineSimilarityOp::inferTypes(mlc::df::TypeInference &infer, Adaptor op) {
  auto type = dyn_cast_or_null<RankedTensorType>(
      infer.join({op.getLhs(), op.getRhs()}, "(C1) operands must agree in shape and element type"));
  if (!type)
    return failure();
  if (type.getRank() == 0)
    return infer.error("(C2) takes rows; found ") << type;
  return infer.result(type.clone(type.getShape().drop_back()),
                      "the result must have the shape without the last dimension");
}

/// Each row of the result is made of those rows of the operands: all dimensions of the result are parallel.
void CosineSimilarityOp::mapDimensions(mlc::df::DimensionMapping &map) {
  map.all(getLhs(), getRhs());
  map.without(getLhs(), {getLhs().getType().getRank() - 1}, getResult());
  map.parallel(getResult());
}

LogicalResult CosineSimilarityOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  mlc::df::ExpressionBuilder b(builder, getLoc());
  const int64_t last = getLhs().getType().getRank() - 1;
  auto norm = [&](Value x) { return b.unary<mlc::df::SqrtOp>(b.sum(b.unary<mlc::df::SquareOp>(x), {last})); };
  Value norms = b.mul(norm(getLhs()), norm(getRhs()));
  Value divisor = b.add(norms, b.splatLike(norms, getEpsilon().convertToDouble()));
  results.push_back(b.div(b.sum(b.mul(getLhs(), getRhs()), {last}), divisor));
  return success();
}

//===-- soft_clip ----------------------------------------------------------------------===//

extern "C" int32_t demo_soft_clip(const mlcrt_buffer *operands, const mlcrt_buffer *results);

/// The same function as bitcode: mlc_add_plugin makes the file.
static const unsigned char kSoftClip[] = {
#include "soft_clip.bc.inc"
};

StringRef SoftClipOp::getCallee() { return "demo_soft_clip"; }
SmallVector<Attribute> SoftClipOp::getParameters() { return {getLimitAttr()}; }
StringRef SoftClipOp::getBitcode() { return {reinterpret_cast<const char *>(kSoftClip), sizeof(kSoftClip)}; }
mlc::df::HostFunction SoftClipOp::getHostFunction() { return demo_soft_clip; }
bool SoftClipOp::isDeterministic() { return true; }
bool SoftClipOp::isThreadSafe() { return true; }

/// With z = y / limit: dy/dx = (1 + (x / limit)^2)^(-3/2) = (1 - z^2) sqrt(1 - z^2).
LogicalResult SoftClipOp::buildGradient(OpBuilder &builder, ValueRange cotangents, MutableArrayRef<Value> gradients) {
  if (!cotangents[0])
    return success();
  mlc::df::ExpressionBuilder b(builder, getLoc());
  Value z = b.div(getResult(), b.splatLike(getResult(), getLimit().convertToFloat()));
  Value rest = b.sub(b.splatLike(getResult(), 1), b.unary<mlc::df::SquareOp>(z));
  gradients[0] = b.mul(cotangents[0], b.mul(rest, b.unary<mlc::df::SqrtOp>(rest)));
  return success();
}

//===-- demo-drop-signs ----------------------------------------------------------------===//

namespace {
/// The cosine of -x and -y is that of x and y, bit by bit.
struct DropSigns : public OpRewritePattern<CosineSimilarityOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CosineSimilarityOp op, PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().getDefiningOp<mlc::df::NegOp>(), rhs = op.getRhs().getDefiningOp<mlc::df::NegOp>();
    if (!lhs || !rhs)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperands({lhs.getOperand(), rhs.getOperand()}); });
    return success();
  }
};

struct DropSignsPass : public PassWrapper<DropSignsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropSignsPass)
  StringRef getArgument() const override { return "demo-drop-signs"; }
  StringRef getDescription() const override { return "takes cosines of what is negated without the signs"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropSigns>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

//===-- entries -----------------------------------------------------------------------===//

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "demo", "0.1", [](DialectRegistry *registry) { registry->insert<DemoDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "demo", "0.1", [] { PassRegistration<DropSignsPass>(); }};
}
