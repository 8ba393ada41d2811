// df-materialize-initializers: the functions that give variables their first values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFMATERIALIZEINITIALIZERSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {
struct DfMaterializeInitializersPass : mlc::df::impl::DfMaterializeInitializersPassBase<DfMaterializeInitializersPass> {
  void runOnOperation() override;
};
} // namespace

namespace {
/// What gets a first value: a variable, or one of the tensors that it is.
struct Tensor {
  VariableOp variable;
  StringRef name;
  RankedTensorType type;
};
} // namespace

static Value makeSplat(OpBuilder &builder, Location loc, RankedTensorType type, Attribute element) {
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, element));
}

/// scale * (random numbers of the tensor's shape and name) + shift. Narrow floats are drawn as f32 and rounded.
static Value makeRandom(OpBuilder &builder, Tensor tensor, Distribution distribution, double scale, double shift) {
  Location loc = tensor.variable.getLoc();
  RankedTensorType type = tensor.type;
  Type drawn = type.getElementType().isF64() ? builder.getF64Type() : builder.getF32Type();
  auto drawnType = RankedTensorType::get(type.getShape(), drawn);
  Value value = RandomOp::create(builder, loc, drawnType, distribution, tensor.name, /*each_step=*/false, Value(),
                                 Value(), Value(), Value(), ValueRange());
  if (scale != 1)
    value = MulOp::create(builder, loc, drawnType, value,
                          makeSplat(builder, loc, drawnType, builder.getFloatAttr(drawn, scale)));
  if (shift != 0)
    value = AddOp::create(builder, loc, drawnType, value,
                          makeSplat(builder, loc, drawnType, builder.getFloatAttr(drawn, shift)));
  return drawnType == type ? value : CastOp::create(builder, loc, type, value).getResult();
}

static Value makeInitialValue(OpBuilder &builder, Tensor tensor) {
  auto number = [](const APFloat &value) { return value.convertToDouble(); };
  return llvm::TypeSwitch<Attribute, Value>(tensor.variable.getInitializer())
      .Case([&](ConstantInitAttr) {
        return makeSplat(builder, tensor.variable.getLoc(), tensor.type, tensor.variable.getConstantElement());
      })
      .Case([&](UniformInitAttr init) {
        double low = number(init.getLow()), high = number(init.getHigh());
        return makeRandom(builder, tensor, Distribution::Uniform, high - low, low);
      })
      .Case([&](NormalInitAttr init) {
        return makeRandom(builder, tensor, Distribution::Normal, number(init.getStddev()), number(init.getMean()));
      })
      .Case([&](TruncatedNormalInitAttr init) {
        return makeRandom(builder, tensor, Distribution::TruncatedNormal, number(init.getStddev()),
                          number(init.getMean()));
      });
}

/// The first values of all tensors that the variable is, one after another.
static Value makeInitialValue(OpBuilder &builder, VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  // Numbers that do not depend on a name need not be made for each.
  if (!variable.getNamedRows() || isa<ConstantInitAttr>(variable.getInitializer()))
    return makeInitialValue(builder, Tensor{variable, variable.getSymName(), type});
  SmallVector<Value> values;
  SmallVector<int64_t> shape(type.getShape());
  for (NamedRowsAttr rows : variable.getTensors()) {
    shape[0] = rows.getRows();
    values.push_back(makeInitialValue(builder, Tensor{variable, rows.getName(), type.clone(shape)}));
  }
  return ConcatOp::create(builder, variable.getLoc(), type, values, uint64_t{0});
}

/// Assigns each of `variables` its initial value.
static void assignAll(OpBuilder &builder, ArrayRef<VariableOp> variables) {
  for (VariableOp variable : variables)
    AssignOp::create(builder, variable.getLoc(), variable.getSymName(), makeInitialValue(builder, variable));
}

/// Makes the function of `role` assign each of `variables`: at its beginning those that it does not write, or in a new
/// function.
static LogicalResult addFunction(ModuleOp module, StringRef name, Role role, ArrayRef<VariableOp> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (auto function : module.getOps<FunctionOp>()) {
    if (function.getRole() != role)
      continue;
    SymbolSet written = getStateAccess(function).writes;
    SmallVector<VariableOp> left;
    for (VariableOp variable : variables)
      if (!written.contains(variable.getSymNameAttr()))
        left.push_back(variable);
    builder.setInsertionPointToStart(&function.getBody().front());
    assignAll(builder, left);
    return success();
  }
  if (Operation *taken = SymbolTable::lookupSymbolIn(module, name))
    return taken->emitOpError() << "has the name '" << name << "' that the function of role " << stringifyRole(role)
                                << " needs";
  auto function = FunctionOp::create(builder, module.getLoc(), name, builder.getFunctionType({}, {}), role);
  builder.setInsertionPointToEnd(&function.getBody().front());
  assignAll(builder, variables);
  ReturnOp::create(builder, module.getLoc(), ValueRange());
  return success();
}

void DfMaterializeInitializersPass::runOnOperation() {
  ModuleOp module = getOperation();
  bool evaluates = llvm::any_of(module.getOps<FunctionOp>(),
                                [](FunctionOp function) { return function.getRole() == Role::EvalUpdate; });
  SmallVector<VariableOp> train, eval;
  for (auto variable : module.getOps<VariableOp>())
    (!evaluates || variable.getLifetime() == Lifetime::Train ? train : eval).push_back(variable);
  if (failed(addFunction(module, "init", Role::Init, train)) ||
      (evaluates && failed(addFunction(module, "eval_reset", Role::EvalReset, eval))))
    signalPassFailure();
}
