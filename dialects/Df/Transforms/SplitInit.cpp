// Initial values of variables as segments over ranges of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/SplitInit.h"
#include "common/checkpoint/NameKey.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlc::df;

namespace {

/// Makes the segment of one variable. Of one that is several tensors it is run for each, and draws the numbers of the
/// tensor's name where `init` draws those of `tensor`, the first one.
class RowsOfInit {
public:
  RowsOfInit(FunctionOp init, StringRef variable, RankedTensorType type, StringRef tensor);

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
  Value seedOf(RandomOp op);

  FunctionOp function;
  StringRef tensor;
  OpBuilder builder;
  Value like; ///< the variable's rows, of which the numbers alone are used
  Value seed, step, firstRow;
  Value seedOfTensor; ///< draws, with the name of `tensor`, the numbers of the tensor that the segment is run for
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

/// Whether two values are computed by the same ops, but that random numbers are of `nameOfX` and of `nameOfY`, or of
/// one name, and that sizes are others.
static bool areAlike(Value x, StringRef nameOfX, Value y, StringRef nameOfY) {
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() || a->getNumOperands() != b->getNumOperands())
    return false;
  if (auto constant = dyn_cast<ConstantOp>(a))
    return cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>() ==
           cast<DenseElementsAttr>(cast<ConstantOp>(b).getValue()).getSplatValue<Attribute>();
  if (auto random = dyn_cast<RandomOp>(a)) {
    auto other = cast<RandomOp>(b);
    return random.getDistribution() == other.getDistribution() &&
           (random.getName() == other.getName() ? random.getName() != nameOfX || nameOfX == nameOfY
                                                : random.getName() == nameOfX && other.getName() == nameOfY);
  }
  return a->getAttrDictionary() == b->getAttrDictionary() &&
         llvm::all_of(llvm::zip_equal(a->getOperands(), b->getOperands()), [&](auto operands) {
           return areAlike(std::get<0>(operands), nameOfX, std::get<1>(operands), nameOfY);
         });
}

/// The value of the first tensor of a variable that is several, whose values are made alike; null if they are not.
static Value firstOfAlike(Value value, ArrayRef<NamedRowsAttr> tensors) {
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat || concat.getAxis() != 0 || concat.getOperands().size() != tensors.size())
    return {};
  Value first = concat.getOperands().front();
  for (auto [part, tensor] : llvm::zip_equal(concat.getOperands(), tensors)) {
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getDimSize(0) != tensor.getRows() || !isOfRows(part, type) ||
        !areAlike(first, tensors.front().getName(), part, tensor.getName()))
      return {};
  }
  return first;
}

RowsOfInit::RowsOfInit(FunctionOp init, StringRef variable, RankedTensorType type, StringRef tensor)
    : tensor(tensor), builder(init) {
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

/// A key is the seed and the fingerprint of a name, by exclusive or; the context has that of the name of the tensor
/// that the segment is run for.
Value RowsOfInit::seedOf(RandomOp op) {
  if (op.getName() != tensor)
    return seed;
  if (!seedOfTensor) {
    auto own = static_cast<int64_t>(mlc::common::nameKey(std::string_view(tensor.data(), tensor.size())));
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    Value without = ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(scalar, own));
    without = BitwiseXorOp::create(builder, op.getLoc(), scalar, seed, without);
    seedOfTensor = BitwiseXorOp::create(builder, op.getLoc(), scalar, without, context("key"));
  }
  return seedOfTensor;
}

/// The numbers of the rows, by the linear index in all of them. An initializer is of step 0.
Value RowsOfInit::draw(RandomOp op) {
  if (!seed) {
    seed = context("seed");
    step = ConstantOp::create(builder, op.getLoc(),
                              DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), int64_t{0}));
  }
  return RandomOp::create(builder, op.getLoc(), withDynamicRows(op.getType()), op.getDistribution(), op.getName(),
                          /*each_step=*/true, like, seedOf(op), step, firstRow, ValueRange());
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
  SymbolTable variables(init->getParentOfType<ModuleOp>());
  SmallVector<FunctionResult> left;
  for (const FunctionResult &result : getFunctionResults(init)) {
    auto binding = cast<BindingAttr>(result.attributes.get(FunctionOp::kBindingAttr));
    auto type = cast<RankedTensorType>(result.value.getType());
    auto variable =
        binding.getKind() == BindingKind::Variable ? variables.lookup<VariableOp>(binding.getName()) : VariableOp();
    SmallVector<NamedRowsAttr> tensors = variable ? variable.getTensors() : SmallVector<NamedRowsAttr>();
    Value value = tensors.empty() ? result.value : firstOfAlike(result.value, tensors);
    // Of several tensors whose numbers do not depend on names.
    if (!value && !tensors.empty() && isa_and_nonnull<ConstantOp>(result.value.getDefiningOp()))
      value = result.value;
    // What init writes of a variable may depend on what it was.
    if (!variable || type.getRank() == 0 || !type.hasStaticShape() || !value ||
        !isOfRows(value, cast<RankedTensorType>(value.getType()))) {
      left.push_back(result);
      continue;
    }
    RowsOfInit rows(init, binding.getName(), type, tensors.empty() ? StringRef() : tensors.front().getName());
    rows.finish(rows.rowsOf(value), binding.getName());
  }
  if (left.empty() && init.getNumResults() > 0)
    return init.erase();
  setFunctionResults(init, left);
  eraseDeadOps(init.getBody().front());
  eraseUnusedArguments(init);
}
