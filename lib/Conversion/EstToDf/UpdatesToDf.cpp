// The pass convert-est-updates-to-df: est.apply_gradients in functions of df become the ops of an optimizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlir/IR/SymbolTable.h"

namespace mlc {
#define GEN_PASS_DEF_CONVERTESTUPDATESTODF
#include "mlc/Conversion/ConversionPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// What `op` moves, in the order of its gradients.
static FailureOr<SmallVector<TrainedVariable>> trainedVariables(est::ApplyGradientsOp op, SymbolTable &symbols) {
  SmallVector<TrainedVariable> trained;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (auto [symbol, gradient] :
       llvm::zip_equal(op.getVariables().getAsRange<FlatSymbolRefAttr>(), op.getGradients())) {
    auto variable = symbols.lookup<df::VariableOp>(symbol.getAttr());
    if (!variable)
      return op.emitOpError() << "names " << symbol << ", which is no variable of the module";
    if (!seen.insert(variable).second)
      return op.emitOpError() << "names " << symbol << " twice";
    RankedTensorType type = variable.getTensorType();
    if (!type.getElementType().isF32()) {
      InFlightDiagnostic error = op.emitOpError()
                                 << "moves " << symbol << " of " << type.getElementType() << "; expected f32";
      error.attachNote(variable.getLoc()) << "the variable is here";
      return error;
    }
    auto rows = dyn_cast<df::RowsType>(gradient.getType());
    if (rows ? rows != df::RowsType::get(op.getContext(), type) : gradient.getType() != type)
      return op.emitOpError() << "has the gradient " << gradient.getType() << " of " << symbol << "; expected " << type
                              << ", or rows of it";
    trained.push_back({variable, /*gathered=*/static_cast<bool>(rows), /*exact=*/!op.getLazy(), /*regularizer=*/{}});
  }
  return trained;
}

/// Declares slots, under the first numbers that are free: an optimizer's first slot of "w" is "w/Adam", its second one
/// "w/Adam_1", as in TensorFlow.
static df::VariableOp declareSlot(SymbolTable &symbols, StringRef base, df::VariableOp variable, const Slot &slot) {
  std::string name = (variable.getSymName() + "/" + base).str();
  for (unsigned count = 1; symbols.lookup(name); ++count)
    name = (variable.getSymName() + "/" + base + "_" + Twine(count)).str();
  OpBuilder builder(variable->getContext());
  Operation *last = variable;
  for (auto next = dyn_cast_or_null<df::VariableOp>(last->getNextNode());
       next && next.getSlotOf() == variable.getSymName(); next = dyn_cast_or_null<df::VariableOp>(last->getNextNode()))
    last = next;
  builder.setInsertionPointAfter(last);
  auto declared = df::VariableOp::create(builder, variable.getLoc(), name, variable.getTensorType(),
                                         df::ConstantInitAttr::get(builder.getContext(), llvm::APFloat(slot.start)),
                                         /*trainable=*/false, df::Lifetime::Train,
                                         FlatSymbolRefAttr::get(builder.getContext(), variable.getSymName()),
                                         builder.getStringAttr(slot.name), /*racy=*/false, /*named_rows=*/ArrayAttr());
  symbols.insert(declared);
  return declared;
}

/// Declares a scalar that an optimizer keeps for all of its variables, beside `variable`, the first of them: a slot of
/// the variable that `step` is read from, so that it begins anew wherever slots do. Of "Nadam/x", that of a second
/// optimizer is "Nadam_1/x", as in TensorFlow.
static df::VariableOp declareScalar(SymbolTable &symbols, df::VariableOp variable, Value step, StringRef name,
                                    double start) {
  auto [base, rest] = name.split('/');
  std::string free = name.str();
  for (unsigned count = 1; symbols.lookup(free); ++count)
    free = (base + "_" + Twine(count) + "/" + rest).str();
  OpBuilder builder(variable->getContext());
  builder.setInsertionPointAfter(variable);
  auto read = step.getDefiningOp<df::ReadOp>();
  auto declared = df::VariableOp::create(
      builder, variable.getLoc(), free, RankedTensorType::get({}, builder.getF32Type()),
      df::ConstantInitAttr::get(builder.getContext(), llvm::APFloat(start)),
      /*trainable=*/false, df::Lifetime::Train, read ? read.getVariableAttr() : FlatSymbolRefAttr(),
      read ? builder.getStringAttr(rest) : StringAttr(), /*racy=*/false, /*named_rows=*/ArrayAttr());
  symbols.insert(declared);
  return declared;
}

namespace {
struct ConvertEstUpdatesToDf : public mlc::impl::ConvertEstUpdatesToDfBase<ConvertEstUpdatesToDf> {
  void runOnOperation() override {
    SmallVector<est::ApplyGradientsOp> updates;
    getOperation()->walk([&](est::ApplyGradientsOp op) { updates.push_back(op); });
    if (updates.empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    for (est::ApplyGradientsOp op : updates)
      if (failed(convert(op, symbols)))
        return signalPassFailure();
  }

  static LogicalResult convert(est::ApplyGradientsOp op, SymbolTable &symbols) {
    FailureOr<SmallVector<TrainedVariable>> trained = trainedVariables(op, symbols);
    if (failed(trained))
      return failure();
    GraphBuilder builder(op.getLoc(), op.getContext());
    builder.setInsertionPoint(op);
    std::string base;
    buildUpdates(
        builder, op.getOptimizer(), *trained, op.getGradients(), op.getStep(), op.getLearningRate(),
        [&](df::VariableOp variable, const Slot &slot) {
          if (base.empty())
            base = slot.suffix.str();
          return declareSlot(symbols, base, variable, slot);
        },
        [&](StringRef name, double start) {
          return declareScalar(symbols, trained->front().variable, op.getStep(), name, start);
        });
    op.erase();
    return success(builder.ok());
  }
};
} // namespace
