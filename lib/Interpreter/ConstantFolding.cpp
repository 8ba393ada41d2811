// Constant folding of df ops by the rules of the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/ConstantFolding.h"
#include "Rules.h"
#include "dialects/Df/IR/Df.h"
#include "mlc/Interpreter/Constants.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// The most elements of an operand or result that is not a splat.
static constexpr int64_t kMaxElements = 1024;

DenseElementsAttr mlc::interp::attributeOf(const Tensor &tensor, RankedTensorType type) {
  int64_t count = tensor.getNumElements();
  Type element = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    SmallVector<APFloat> values;
    for (int64_t i = 0; i < count; ++i) {
      APFloat value(tensor.getFloat(i));
      bool losesInfo;
      value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      values.push_back(value);
    }
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt> values;
  for (int64_t i = 0; i < count; ++i)
    values.emplace_back(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(tensor.getInteger(i)),
                        /*isSigned=*/false, /*implicitTrunc=*/true);
  return DenseElementsAttr::get(type, values);
}

/// Whether a value of `type` may become a constant of at most `most` elements.
static bool isSmallNumber(Type type, int64_t most) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isIntOrFloat() && tensor.getNumElements() <= most;
}

/// Runs `op` on `operands`; fails, silently, if it does.
static FailureOr<SmallVector<Tensor>> evaluate(Operation *op, ArrayRef<Tensor> operands) {
  // Of the state the rules of these ops read nothing.
  State state;
  Context context;
  Frame frame(state, context);
  // Passes run on several functions at once: what others say is heard.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler silence(op->getContext(),
                                  [thread](Diagnostic &) { return success(llvm::get_threadid() == thread); });
  for (auto [operand, value] : llvm::zip(op->getOperands(), operands))
    if (failed(frame.set(operand, value)))
      return failure();
  const Rule *rule = ruleTable().lookup(op->getName().getStringRef());
  if (!rule || failed((*rule)(op, frame)))
    return failure();
  SmallVector<Tensor> results;
  for (Value result : op->getResults())
    results.push_back(frame.tensor(result));
  return results;
}

/// An element-wise op of splats is one of numbers.
static Attribute foldSplats(Operation *op, ArrayRef<SplatElementsAttr> splats) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto scalarOf = [](Type t) { return RankedTensorType::get({}, cast<RankedTensorType>(t).getElementType()); };
  Block block;
  SmallVector<Tensor> numbers;
  for (SplatElementsAttr splat : splats) {
    block.addArgument(scalarOf(splat.getType()), op->getLoc());
    FailureOr<Tensor> number = tensorOf(splat.resizeSplat(scalarOf(splat.getType())));
    if (failed(number))
      return {};
    numbers.push_back(std::move(*number));
  }
  Operation *scalar = op->clone();
  block.push_back(scalar);
  scalar->setOperands(block.getArguments());
  scalar->getResult(0).setType(scalarOf(type));
  FailureOr<SmallVector<Tensor>> results = evaluate(scalar, numbers);
  if (failed(results))
    return {};
  return attributeOf(results->front(), scalarOf(type)).resizeSplat(type);
}

namespace {
struct FoldByRules : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const override {
    if (op->getNumRegions() || op->getNumResults() == 0 || !df::isExact(op) || !isMemoryEffectFree(op) ||
        !hasRule(op->getName().getStringRef()))
      return failure();
    SmallVector<SplatElementsAttr> splats;
    SmallVector<Tensor> values;
    bool isSmall = llvm::all_of(op->getResultTypes(), [](Type type) { return isSmallNumber(type, kMaxElements); });
    for (Attribute operand : operands) {
      auto elements = dyn_cast_or_null<ElementsAttr>(operand);
      if (!elements || !isSmallNumber(elements.getType(), std::numeric_limits<int64_t>::max()))
        return failure();
      isSmall &= elements.getNumElements() <= kMaxElements;
      if (auto splat = dyn_cast<SplatElementsAttr>(operand))
        splats.push_back(splat);
    }
    if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && splats.size() == operands.size() &&
        !operands.empty() && isSmallNumber(op->getResult(0).getType(), std::numeric_limits<int64_t>::max()) &&
        splats.front().getNumElements() > 0) {
      Attribute folded = foldSplats(op, splats);
      if (!folded)
        return failure();
      results.push_back(folded);
      return success();
    }
    if (!isSmall)
      return failure();
    for (Attribute operand : operands) {
      FailureOr<Tensor> value = tensorOf(cast<ElementsAttr>(operand));
      if (failed(value))
        return failure();
      values.push_back(std::move(*value));
    }
    FailureOr<SmallVector<Tensor>> evaluated = evaluate(op, values);
    if (failed(evaluated))
      return failure();
    for (auto [value, type] : llvm::zip(*evaluated, op->getResultTypes()))
      results.push_back(attributeOf(value, cast<RankedTensorType>(type)));
    return success();
  }
};
} // namespace

void mlc::interp::registerConstantFolding(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, df::DfDialect *dialect) { dialect->addInterfaces<FoldByRules>(); });
}
