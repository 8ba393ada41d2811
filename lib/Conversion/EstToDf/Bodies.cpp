// The bodies of the model: from feature columns to logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Bodies.h"
#include "dialects/Df/IR/DfActivationOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfNormalizationOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "lib/Conversion/EstToDf/Initializers.h"
#include "lib/Conversion/EstToDf/Layers.h"
#include "lib/Conversion/EstToDf/Recurrent.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Weights of columns under each other, so that one op takes all of them.
static Value concatRows(GraphBuilder &b, ArrayRef<Value> weights) {
  if (weights.size() == 1)
    return weights.front();
  return b.infer<df::ConcatOp>(ValueRange(weights), uint64_t{0});
}

//===-- summaries ---------------------------------------------------------------===//

/// Shows a bias as a number if it is one; its tag begins with `prefix`.
static void summarizeBias(GraphBuilder &b, StringRef prefix, Value bias, SmallVectorImpl<Output> *summaries) {
  bool isSingle = cast<RankedTensorType>(bias.getType()).getNumElements() == 1;
  if (summaries)
    summaries->push_back({(prefix + "bias").str(), isSingle ? b.reshape(bias, {}) : bias});
}

/// What a summary shows of a linear body; tags begin with `prefix`.
static void summarizeLinear(GraphBuilder &b, StringRef prefix, const Part &part, Value bias,
                            SmallVectorImpl<Output> *summaries) {
  if (!summaries)
    return;
  // Zeros of small ones are counted together: counts are whole numbers, so that it is the same sum.
  constexpr int64_t kMostElements = 4096;
  SmallVector<Value> weights, small;
  for (const TrainedVariable &trained : ArrayRef(part.variables).drop_back())
    if (df::VariableOp variable = trained.variable; !trained.isEmbedding)
      (variable.getTensorType().getNumElements() <= kMostElements ? small : weights).push_back(b.read(variable));
  if (!small.empty())
    weights.push_back(concatRows(b, small));
  summarizeBias(b, prefix, bias, summaries);
  summaries->push_back({(prefix + "fraction_of_zero_weights").str(), fractionOfZeros(b, weights)});
}

//===-- baseline ----------------------------------------------------------------===//

/// A tensor of [rows of the batch, width] of f32 whose elements do not matter: broadcasts take their rows from it.
static Value rowsLike(Entry &entry, est::FeatureOp feature, int64_t width) {
  GraphBuilder &b = entry.builder();
  Value cells = feature.getType().isMultiValued() ? entry.ends(feature) : entry.feature(feature);
  auto type = cast<RankedTensorType>(cells.getType());
  if (isa<df::StringType>(type.getElementType()))
    cells = b.infer<df::IsEmptyOp>(cells);
  else if (isa<FloatType>(type.getElementType()))
    cells = b.compare(df::Comparison::EQ, cells, cells);
  cells = b.cast(cells, b.getI64Type());
  if (type.getRank() > 1) {
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
    cells = b.sum(cells, axes);
  }
  auto shape = RankedTensorType::get({ShapedType::kDynamic, width}, b.getF32Type());
  return df::OneHotOp::create(b, shape, cells);
}

static Value lowerBaseline(est::BaselineOp op, Entry &entry, Part &part, SmallVectorImpl<Output> *summaries) {
  GraphBuilder &b = entry.builder();
  b.setLoc(op.getLoc());
  int64_t units = op.getType().getDimension();
  Value bias = readTrained(entry, "baseline/bias", {units}, entry.state().constant(0), part);
  summarizeBias(b, "", bias, summaries);
  return b.broadcast(bias, rowsLike(entry, op.getRows().getDefiningOp<est::FeatureOp>(), units), {1});
}

//===-- linear ------------------------------------------------------------------===//

namespace {
/// A sum of [n, units] tensors, one after another. What lies beside each other in a matrix is added up by one op.
class OrderedSum {
public:
  OrderedSum(GraphBuilder &b, int64_t units) : b(b), units(units) {}

  /// Adds columns [index * units, (index + 1) * units) of `matrix`.
  void add(Value matrix, int64_t index = 0) {
    if (terms.empty() || terms.back().matrix != matrix || terms.back().first + terms.back().count != index)
      terms.push_back({matrix, index, 0});
    ++terms.back().count;
    ++count;
  }

  /// The sum, of one term at least.
  Value get() {
    SmallVector<Value> parts;
    for (const Term &term : terms)
      parts.push_back(take(term.matrix, term.first, term.count));
    if (count > kMostByOne) {
      // A sum over rows whose columns stay apart adds row by row.
      Value all = b.reshape(b.concatColumns(parts), {ShapedType::kDynamic, count, units});
      return b.sum(b.infer<df::TransposeOp>(all, ArrayRef<int64_t>{1, 0, 2}), {0});
    }
    Value sum;
    for (auto [term, part] : llvm::zip_equal(terms, parts))
      for (int64_t i = 0; i < term.count; ++i) {
        Value next = take(part, i, 1);
        sum = sum ? b.add(sum, next) : next;
      }
    return sum;
  }

private:
  struct Term {
    Value matrix;
    int64_t first, count;
  };
  /// So many terms are added in registers, by one loop over the rows.
  static constexpr int64_t kMostByOne = 32;

  Value take(Value matrix, int64_t first, int64_t count) {
    if (cast<RankedTensorType>(matrix.getType()).getDimSize(1) == count * units)
      return matrix;
    return df::SliceOp::create(b, matrix, /*axis=*/1, first * units, count * units);
  }

  GraphBuilder &b;
  int64_t units;
  SmallVector<Term> terms;
  int64_t count = 0;
};
} // namespace

static Value lowerLinear(est::LinearOp op, Entry &entry, Columns &columns, Part &part, StringRef prefix,
                         SmallVectorImpl<Output> *summaries) {
  GraphBuilder &b = entry.builder();
  int64_t units = op.getType().getDimension();
  Attribute zeros = entry.state().constant(0);
  auto nameOf = [](Value column) { return ("linear/linear_model/" + est::getColumnName(column) + "/weights").str(); };

  // Weights are all of one kind, but that sums over those of each tensor have their order.
  auto kindOf = [&](Value column, bool isAlike) -> Attribute {
    if (isAlike && part.mayStackTables() && !op.getRegularizerAttr() && !entry.state().backupOf(nameOf(column)))
      return b.getUnitAttr();
    return b.getStringAttr(nameOf(column));
  };
  SmallVector<Value> inputs;
  SmallVector<ColumnTable> ofInputs;
  for (Value column : op.getColumns())
    if (auto dense = dyn_cast<est::DenseType>(column.getType())) {
      inputs.push_back(column);
      ofInputs.push_back({column, nameOf(column), dense.getDimension(), kindOf(column, /*isAlike=*/true)});
    }
  Value logits;
  if (!inputs.empty()) {
    SmallVector<TableStack> stacks = stackTables(ofInputs);
    SmallVector<Value> weights;
    if (!stacks.empty()) {
      auto type = RankedTensorType::get({stacks.front().countRows(), units}, b.getF32Type());
      df::VariableOp all = entry.state().variable(stacks.front().getName(), type, zeros, /*trainable=*/true, part.loc,
                                                  stacks.front().getNamedRows(b.getContext()));
      weights.push_back(readTrained(entry, all, part));
    }
    columns.stackEmbeddings(inputs, part);
    for (const ColumnTable &table : ofInputs) {
      // An embedding's table comes before its weights.
      columns.declareTable(table.column, part);
      b.setLoc(op.getLoc());
      if (!stacks.empty())
        entry.state().takesPlace(table.name);
      else
        weights.push_back(readTrained(entry, table.name, {table.rows, units}, zeros, part, op.getRegularizerAttr()));
      if (units > 1)
        entry.state().standsForClasses(table.name, 1);
    }
    Value x = columns.denseBeside(inputs, part);
    b.setLoc(op.getLoc());
    logits = b.matmul(x, concatRows(b, weights));
  }

  auto declareTable = [&](StringRef name, int64_t rows, ArrayAttr namedRows = {}) {
    auto type = RankedTensorType::get({rows, units}, b.getF32Type());
    df::VariableOp table = entry.state().variable(name, type, zeros, /*trainable=*/true, op.getLoc(), namedRows);
    part.variables.push_back({table, /*gathered=*/true, /*exact=*/true, op.getRegularizerAttr()});
    return table;
  };
  SmallVector<ColumnTable> tables;
  for (Value column : op.getColumns())
    if (auto categorical = dyn_cast<est::CategoricalType>(column.getType()))
      tables.push_back({column, nameOf(column), categorical.getNumBuckets(), kindOf(column, hasOneId(column))});
  llvm::DenseMap<Value, int64_t> placeInStack;
  SmallVector<TableStack> stacks = stackTables(tables);
  for (const TableStack &stack : stacks)
    for (auto [i, table] : llvm::enumerate(stack.tables))
      placeInStack[table.column] = static_cast<int64_t>(i);
  Value stacked;
  OrderedSum sum(b, units);
  if (logits)
    sum.add(logits);
  for (const ColumnTable &table : tables) {
    columns.noteVocabulary(table.name, table.column);
    if (units > 1)
      entry.state().standsForClasses(table.name, 1);
    auto place = placeInStack.find(table.column);
    if (place == placeInStack.end()) {
      sum.add(columns.lookUp(declareTable(table.name, table.rows), table.column, op.getSparseCombiner(),
                             part.absentMovesFirst));
      continue;
    }
    if (!stacked) {
      const TableStack &stack = stacks.front();
      stacked = columns.lookUpAll(declareTable(stack.getName(), stack.countRows(), stack.getNamedRows(b.getContext())),
                                  stack, part.absentMovesFirst);
    }
    entry.state().takesPlace(table.name);
    sum.add(stacked, place->second);
  }
  logits = sum.get();
  Value bias = readTrained(entry, "linear/linear_model/bias_weights", {units}, zeros, part);
  if (units > 1)
    entry.state().standsForClasses("linear/linear_model/bias_weights", 0);
  summarizeLinear(b, prefix, part, bias, summaries);
  return addBias(b, logits, bias);
}

//===-- dnn ---------------------------------------------------------------------===//

static Value activate(GraphBuilder &b, est::Activation activation, Value x) {
  switch (activation) {
  case est::Activation::Relu:
    return b.unary<df::ReluOp>(x);
  case est::Activation::Sigmoid:
    return b.unary<df::SigmoidOp>(x);
  case est::Activation::Tanh:
    return b.unary<df::TanhOp>(x);
  case est::Activation::Linear:
    return x;
  case est::Activation::Elu:
    return b.infer<df::EluOp>(x);
  case est::Activation::Selu:
    return b.infer<df::SeluOp>(x);
  case est::Activation::Exponential:
    return b.unary<df::ExpOp>(x);
  case est::Activation::Gelu:
    return b.infer<df::GeluOp>(x);
  case est::Activation::HardSigmoid:
    return b.infer<df::HardSigmoidOp>(x);
  case est::Activation::Mish:
    return b.unary<df::MishOp>(x);
  case est::Activation::Softmax:
    return b.infer<df::SoftmaxOp>(x, /*axis=*/IntegerAttr());
  case est::Activation::Softplus:
    return b.unary<df::SoftplusOp>(x);
  case est::Activation::Softsign:
    return b.unary<df::SoftsignOp>(x);
  case est::Activation::Swish:
    return b.infer<df::SiluOp>(x);
  case est::Activation::Relu6:
    return b.unary<df::Relu6Op>(x);
  case est::Activation::LeakyRelu:
    return b.infer<df::LeakyReluOp>(x, APFloat(0.2));
  }
  llvm_unreachable("all activations are covered");
}

/// Each column of `x`, [n, width], with mean 0 and variance 1, then scaled and moved by trained numbers. Training takes
/// the statistics of the virtual shard's rows and moves the averages over the steps, of which all else takes them.
static Value normalizeBatch(Entry &entry, Value x, StringRef name, bool training, Part &part) {
  constexpr double kMomentum = 0.999, kEpsilon = 1e-3;
  GraphBuilder &b = entry.builder();
  int64_t width = cast<RankedTensorType>(x.getType()).getDimSize(1);
  auto nameOf = [&](StringRef suffix) { return (name + "/" + suffix).str(); };
  auto average = [&](StringRef suffix, double start) {
    return entry.state().variable(nameOf(suffix), RankedTensorType::get({width}, b.getF32Type()),
                                  entry.state().constant(start), /*trainable=*/false, part.loc);
  };
  Value gamma = readTrained(entry, nameOf("gamma"), {width}, entry.state().constant(1), part);
  Value beta = readTrained(entry, nameOf("beta"), {width}, entry.state().constant(0), part);
  df::VariableOp movingMean = average("moving_mean", 0), movingVariance = average("moving_variance", 1);

  FloatAttr epsilon = b.getF64FloatAttr(kEpsilon);
  DenseI64ArrayAttr axes = b.getDenseI64ArrayAttr({0});
  if (!training) {
    Value mean = b.read(movingMean), variance = b.read(movingVariance);
    return b.infer<df::BatchNormInferenceOp>(x, mean, variance, gamma, beta, axes, epsilon);
  }
  auto normalized =
      df::BatchNormTrainingOp::create(b, x.getType(), gamma.getType(), gamma.getType(), x, gamma, beta, axes, epsilon);
  auto overShards = [&](Value value, StringRef suffix) -> Value {
    return b.infer<df::AllReduceOp>(value, nameOf(suffix));
  };
  // A shard may have no rows: its statistics are 0, and so are their sums over its rows.
  Value rows = b.cast(b.countRows(x), b.getF32Type());
  Value total = b.binary<df::MaximumOp>(overShards(rows, "rows"), b.f32(1));
  auto move = [&](df::VariableOp variable, Value ofShard, StringRef suffix) {
    Value old = b.read(variable), now = b.div(overShards(b.mul(ofShard, rows), suffix), total);
    Value updated = b.sub(old, b.mul(b.f32(1 - kMomentum), b.sub(old, now)));
    df::AssignOp::create(b, variable.getSymName(), updated);
  };
  move(movingMean, normalized.getMean(), "sum");
  move(movingVariance, normalized.getVariance(), "sum_of_squares");
  return normalized.getResult();
}

/// x / (1 - rate) with probability 1 - rate, else 0: df.dropout with a rate that is known when a trainer starts. The
/// factor is computed in f64 and rounded once, as for a rate that is compiled in.
static Value dropOut(GraphBuilder &b, Value x, const Twine &name, est::SettingAttr setting) {
  auto scalar = RankedTensorType::get({}, b.getF64Type());
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Value rate = df::SettingOp::create(b, scalar, setting.getPath(), setting.getValue(), StringAttr());
  Value factor = b.cast(b.div(b.scalar(1, b.getF64Type()), b.sub(b.scalar(1, b.getF64Type()), rate)), element);
  Value drawn = df::RandomOp::create(b, x.getType(), df::Distribution::Uniform, name.str(), /*each_step=*/false, x,
                                     Value(), Value(), Value(), ValueRange());
  Value isKept = b.compare(df::Comparison::GE, drawn, b.cast(rate, element));
  return b.select(isKept, b.mul(x, factor), b.scalar(0, element));
}

static Value lowerDnn(est::DnnOp op, Entry &entry, Columns &columns, bool training, Part &part,
                      SmallVectorImpl<Output> *summaries) {
  GraphBuilder &b = entry.builder();
  columns.stackEmbeddings(op.getColumns(), part);
  b.setLoc(op.getLoc());
  Value x = columns.denseBeside(op.getColumns(), part);

  auto layer = [&](const Twine &name, int64_t units) {
    return denseLayer(entry, name.str(), x, units, op.getKernelInitializer(), part, op.getRegularizerAttr());
  };
  for (auto [i, units] : llvm::enumerate(op.getHiddenUnits())) {
    x = activate(b, op.getActivation(), layer("dnn/hiddenlayer_" + Twine(i), units));
    if (training && op.getDropout())
      x = dropOut(b, x, "dropout_" + Twine(i), *op.getDropout());
    if (op.getBatchNorm())
      x = normalizeBatch(entry, x, ("dnn/hiddenlayer_" + Twine(i) + "/batchnorm_" + Twine(i)).str(), training, part);
    summarizeLayer(b, "dnn/hiddenlayer_" + Twine(i), x, summaries);
  }
  int64_t units = op.getType().getDimension();
  noteClasses(entry.state(), "dnn/logits", units);
  Value logits = layer("dnn/logits", units);
  summarizeLayer(b, "dnn/logits", logits, summaries);
  return logits;
}

/// Whether a gradient of zeros changes a row that would stay as it is without one: by a momentum, by slots that decay,
/// or as Ftrl, which computes a weight anew from its sums, 0 from fresh ones.
static bool movesByZeros(est::OptimizerAttr optimizer) {
  auto rmsProp = dyn_cast<est::RmsPropAttr>(optimizer.getRule());
  return isa<est::FtrlAttr, est::MomentumAttr, est::AdadeltaAttr, est::AdamaxAttr, est::NadamAttr>(
             optimizer.getRule()) ||
         (rmsProp && rmsProp.getMomentum());
}

Logits est2df::lowerBodies(Entry &entry, ValueRange logits, bool training, SmallVectorImpl<Part> &parts,
                           SmallVectorImpl<Output> *summaries) {
  auto addPart = [&](est::OptimizerAttr optimizer, Location loc, StringRef name) -> Part & {
    parts.push_back({optimizer, loc, {}, name, training && movesByZeros(optimizer)});
    return parts.back();
  };
  Columns columns(entry);
  Logits sum;
  for (Value body : logits) {
    Value one;
    if (auto baseline = body.getDefiningOp<est::BaselineOp>()) {
      Part &part = addPart(baseline.getOptimizer(), baseline.getLoc(), "baseline");
      one = lowerBaseline(baseline, entry, part, summaries);
    } else if (auto linear = body.getDefiningOp<est::LinearOp>()) {
      Part &part = addPart(linear.getOptimizer(), linear.getLoc(), "linear");
      one = lowerLinear(linear, entry, columns, part, logits.size() > 1 ? "linear/" : "", summaries);
    } else if (auto rnn = body.getDefiningOp<est::RnnOp>()) {
      Part &part = addPart(rnn.getOptimizer(), rnn.getLoc(), "rnn");
      sum = lowerRnn(rnn, entry, columns, part, summaries); // it is the only one
      continue;
    } else {
      auto dnn = cast<est::DnnOp>(body.getDefiningOp());
      Part &part = addPart(dnn.getOptimizer(), dnn.getLoc(), "dnn");
      one = lowerDnn(dnn, entry, columns, training, part, summaries);
    }
    sum.values = sum.values ? entry.builder().add(sum.values, one) : one;
  }
  return sum;
}
