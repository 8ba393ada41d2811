// What happens to gradients between the loss and the update rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Gradients.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Utils/RowParts.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// From this size on, in bytes of a table, a dense pass over it at every step is worth a warning.
static constexpr int64_t kLargeTable = 4 << 20;

void est2df::warnOfDensePass(df::VariableOp variable, const Twine &why) {
  RankedTensorType type = variable.getTensorType();
  if (type.getNumElements() * type.getElementTypeBitWidth() / 8 < kLargeTable)
    return;
  InFlightDiagnostic warning = mlir::emitWarning(variable.getLoc())
                               << "every step updates all " << type.getDimSize(0) << " rows of ";
  if (SmallVector<df::NamedRowsAttr> tensors = variable.getTensors(); !tensors.empty())
    warning << tensors.size() << " tables, '" << tensors.front().getName() << "' and those like it";
  else
    warning << "'" << variable.getSymName() << "'";
  warning << ", because " << why << "; sparse_update LAZY of an embedding touches only the rows of the batch";
}

//===-- rows --------------------------------------------------------------------===//

static df::UnpackRowsOp unpackRows(GraphBuilder &b, Value gradient) {
  return b.express([&](df::ExpressionBuilder &e) { return df::unpackRows(e, gradient); });
}
static Value rowEnds(GraphBuilder &b, df::UnpackRowsOp parts) {
  return b.express([&](df::ExpressionBuilder &e) { return df::rowEnds(e, parts); });
}

/// The sum of `values`, which has an element, or a row of them, for each row of `parts`, over the rows before the
/// count: in their order, so that it does not depend on how many rows there is room for.
static Value sumRows(GraphBuilder &b, df::UnpackRowsOp parts, Value values) {
  auto type = cast<RankedTensorType>(values.getType());
  Value perRow = b.sum(values, llvm::to_vector(llvm::seq<int64_t>(1, type.getRank())));
  Value sums = b.infer<df::RaggedReduceOp>(df::RowReduction::Sum, perRow, rowEnds(b, parts));
  return b.element(sums, 0);
}

/// The ids of the rows before the count, and -1.
static Value definedIds(GraphBuilder &b, df::UnpackRowsOp parts) {
  Value ids = parts.getIds();
  Value isRow = b.infer<df::RaggedRepeatOp>(b.vector({1, 0}, b.getF32Type()), rowEnds(b, parts), ids);
  return b.select(b.compare(df::Comparison::GT, isRow, b.f32(0)), ids, b.i64(-1));
}

/// Rows like those of `parts`, with other values.
static Value packRows(GraphBuilder &b, Type type, df::UnpackRowsOp parts, Value rows) {
  return df::PackRowsOp::create(b, type, parts.getIds(), rows, parts.getCount());
}

static Value sumAll(GraphBuilder &b, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return b.sum(value, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

//===-- regularizers ------------------------------------------------------------===//

namespace {
/// l1 |w| + l2 w^2 and its slope.
struct Penalty {
  Penalty(GraphBuilder &b, est::RegularizerAttr attr)
      : l1(readSetting(b, attr.getL1())), l2(readSetting(b, attr.getL2())) {}

  Value of(GraphBuilder &b, Value w) const {
    return b.add(b.mul(l1, b.unary<df::AbsOp>(w)), b.mul(l2, b.unary<df::SquareOp>(w)));
  }
  Value slope(GraphBuilder &b, Value w) const {
    return b.add(b.mul(l1, b.unary<df::SignOp>(w)), b.mul(b.mul(b.f32(2), l2), w));
  }

  Value l1, l2;
};
} // namespace

static Value addTerm(GraphBuilder &b, Value sum, Value term) { return sum ? b.add(sum, term) : term; }

/// Adds to the rows of `gradient` the slope of the penalty on them and returns that penalty.
static Value regularizeRows(GraphBuilder &b, const Penalty &penalty, df::VariableOp table, Value &gradient) {
  df::UnpackRowsOp parts = unpackRows(b, gradient);
  Value weights = df::ReadRowsOp::create(b, parts.getRows().getType(), table.getSymName(), definedIds(b, parts));
  gradient = packRows(b, gradient.getType(), parts, b.add(parts.getRows(), penalty.slope(b, weights)));
  return sumRows(b, parts, penalty.of(b, weights));
}

Value est2df::addRegularizers(GraphBuilder &b, ArrayRef<TrainedVariable> variables, MutableArrayRef<Value> gradients) {
  Value sum;
  for (auto [trained, gradient] : llvm::zip_equal(variables, gradients)) {
    if (!trained.regularizer)
      continue;
    Penalty penalty(b, trained.regularizer);
    df::VariableOp variable = trained.variable;
    if (trained.gathered && !trained.exact) {
      sum = addTerm(b, sum, regularizeRows(b, penalty, variable, gradient));
      continue;
    }
    if (trained.gathered) {
      warnOfDensePass(variable, "its regularizer acts on the whole table");
      gradient = b.infer<df::DensifyRowsOp>(gradient);
    }
    Value weights = b.read(variable);
    gradient = b.add(gradient, penalty.slope(b, weights));
    sum = addTerm(b, sum, sumAll(b, penalty.of(b, weights)));
  }
  return sum;
}

Value est2df::sumRegularizers(GraphBuilder &b, ArrayRef<TrainedVariable> variables) {
  Value sum;
  for (const TrainedVariable &trained : variables)
    if (trained.regularizer)
      sum = addTerm(b, sum, sumAll(b, Penalty(b, trained.regularizer).of(b, b.read(trained.variable))));
  return sum;
}

//===-- clipping ------------------------------------------------------------------===//

/// The sum of the squares of a gradient.
static Value sumSquares(GraphBuilder &b, Value gradient) {
  if (!isa<df::RowsType>(gradient.getType()))
    return sumAll(b, b.unary<df::SquareOp>(gradient));
  df::UnpackRowsOp parts = unpackRows(b, gradient);
  return sumRows(b, parts, b.unary<df::SquareOp>(parts.getRows()));
}

static Value scale(GraphBuilder &b, Value gradient, Value factor) {
  if (isa<df::RowsType>(gradient.getType()))
    return b.infer<df::ScaleRowsOp>(gradient, factor);
  return b.mul(gradient, factor);
}

/// bound / max(bound, root of `squares`).
static Value clipFactor(GraphBuilder &b, Value bound, Value squares) {
  return b.div(bound, b.binary<df::MaximumOp>(bound, b.unary<df::SqrtOp>(squares)));
}

static Value clipElements(GraphBuilder &b, Value gradient, Value bound) {
  auto cut = [&](Value values) {
    return b.binary<df::MaximumOp>(b.binary<df::MinimumOp>(values, bound), b.unary<df::NegOp>(bound));
  };
  if (!isa<df::RowsType>(gradient.getType()))
    return cut(gradient);
  df::UnpackRowsOp parts = unpackRows(b, gradient);
  return packRows(b, gradient.getType(), parts, cut(parts.getRows()));
}

void est2df::clipGradients(GraphBuilder &b, est::OptimizerAttr optimizer, MutableArrayRef<Value> gradients) {
  if (est::SettingAttr setting = optimizer.getClipByValue()) {
    Value bound = readSetting(b, setting);
    for (Value &gradient : gradients)
      gradient = clipElements(b, gradient, bound);
  }
  if (est::SettingAttr setting = optimizer.getClipByNorm()) {
    Value bound = readSetting(b, setting);
    for (Value &gradient : gradients)
      gradient = scale(b, gradient, clipFactor(b, bound, sumSquares(b, gradient)));
  }
  if (est::SettingAttr setting = optimizer.getClipByGlobalNorm(); setting && !gradients.empty()) {
    Value bound = readSetting(b, setting), squares;
    for (Value gradient : gradients)
      squares = addTerm(b, squares, sumSquares(b, gradient));
    Value factor = clipFactor(b, bound, squares);
    for (Value &gradient : gradients)
      gradient = scale(b, gradient, factor);
  }
}
