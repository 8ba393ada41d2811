// Initial values of variables as segments over ranges of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/SplitInit.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlc::df;

namespace {

/// Makes the segment of one variable.
class RowsOfInit {
public:
  RowsOfInit(FunctionOp init, StringRef variable, RankedTensorType type);

  /// The rows of a value that isOfRows.
  Value rowsOf(Value value);
  void finish(Value rows, StringRef variable) {
    setFunctionResults(function, boundResult(rows, BindingKind::Variable, variable));
  }

private:
  Value context(StringRef name) {
    return AppendedArguments(function).append(RankedTensorType::get({}, builder.getI64Type()), BindingKind::Context,
                                              name, function.getLoc());
  }
  Value draw(RandomOp op);

  FunctionOp function;
  OpBuilder builder;
  Value like; ///< the variable's rows, of which the numbers alone are used
  Value seed, step, firstRow;
  IRMapping mapping;
};

} // namespace

static RankedTensorType withDynamicRows(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = ShapedType::kDynamic;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// Whether the numbers are of the run's seed and the linear index alone.
static bool isInitializer(RandomOp op) {
  auto seed = dyn_cast_if_present<BlockArgument>(op.getSeed());
  auto function = seed ? dyn_cast<FunctionOp>(seed.getOwner()->getParentOp()) : FunctionOp();
  return function && function.getArgBinding(seed.getArgNumber()).getKind() == BindingKind::Context && !op.isOfStep() &&
         op.getIterations().empty();
}

/// Whether element i of `value`, which has the shape of `type`, is made of elements i alone.
static bool isOfRows(Value value, RankedTensorType type) {
  auto tensor = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || tensor.getShape() != type.getShape())
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto random = dyn_cast<RandomOp>(op))
    return isInitializer(random);
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         isMemoryEffectFree(op) && llvm::all_of(op->getOperands(), [&](Value used) { return isOfRows(used, type); });
}

RowsOfInit::RowsOfInit(FunctionOp init, StringRef variable, RankedTensorType type) : builder(init) {
  builder.setInsertionPointAfter(init);
  function = FunctionOp::create(builder, init.getLoc(), (init.getSymName() + "." + variable).str(),
                                builder.getFunctionType({}, {}), init.getRole());
  function.setSegment(SegmentKind::Step);
  function.setEntry(init.getEntry().value_or(init.getSymName()));
  builder.setInsertionPointToEnd(&function.getBody().front());
  ReturnOp::create(builder, init.getLoc(), ValueRange());
  builder.setInsertionPoint(getReturn(function));
  like = AppendedArguments(function).append(withDynamicRows(type), BindingKind::Variable, variable, init.getLoc());
  firstRow = context("first_row");
}

/// The numbers of the rows, by the linear index in all of them. An initializer is of step 0.
Value RowsOfInit::draw(RandomOp op) {
  if (!seed) {
    seed = context("seed");
    step = ConstantOp::create(builder, op.getLoc(),
                              DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), int64_t{0}));
  }
  return RandomOp::create(builder, op.getLoc(), withDynamicRows(op.getType()), op.getDistribution(), op.getName(),
                          /*each_step=*/true, like, seed, step, firstRow, ValueRange());
}

Value RowsOfInit::rowsOf(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value made;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto scalar = RankedTensorType::get({}, constant.getType().getElementType());
    Value splat =
        ConstantOp::create(builder, op->getLoc(), cast<DenseElementsAttr>(constant.getValue()).resizeSplat(scalar));
    made =
        BroadcastOp::create(builder, op->getLoc(), withDynamicRows(value.getType()), splat, like, ArrayRef<int64_t>{});
  } else if (auto random = dyn_cast<RandomOp>(op)) {
    made = draw(random);
  } else {
    IRMapping local;
    for (Value operand : op->getOperands())
      local.map(operand, rowsOf(operand));
    Operation *copy = builder.clone(*op, local);
    copy->getResult(0).setType(withDynamicRows(value.getType()));
    made = copy->getResult(0);
  }
  mapping.map(value, made);
  return made;
}

void mlc::df::splitInit(FunctionOp init) {
  if (init.getSegment() != SegmentKind::Step)
    return;
  SmallVector<FunctionResult> left;
  for (const FunctionResult &result : getFunctionResults(init)) {
    auto binding = cast<BindingAttr>(result.attributes.get(FunctionOp::kBindingAttr));
    auto type = cast<RankedTensorType>(result.value.getType());
    // What init writes of a variable may depend on what it was.
    if (binding.getKind() != BindingKind::Variable || type.getRank() == 0 || !type.hasStaticShape() ||
        !isOfRows(result.value, type)) {
      left.push_back(result);
      continue;
    }
    RowsOfInit rows(init, binding.getName(), type);
    rows.finish(rows.rowsOf(result.value), binding.getName());
  }
  if (left.empty() && init.getNumResults() > 0)
    return init.erase();
  setFunctionResults(init, left);
  eraseDeadOps(init.getBody().front());
  eraseUnusedArguments(init);
}
