// Recurrent bodies: from sequences to logits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Recurrent.h"
#include "dialects/Df/IR/DfCellOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "lib/Conversion/EstToDf/Layers.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
/// A cell, read once before the loop: its step goes from an input [n, width] and its state to the next state, whose
/// first tensor, [n, units], is the output.
class Cell {
public:
  Cell(Entry &entry, est::Cell kind, StringRef name, int64_t width, int64_t units, Part &part);

  /// How many tensors the state is.
  unsigned stateSize() const { return kind == est::Cell::Lstm ? 2 : 1; }
  int64_t outputSize() const { return units; }
  SmallVector<Value> step(GraphBuilder &b, Value input, ValueRange state) const;

private:
  est::Cell kind;
  int64_t units;
  Value kernel, recurrent;
  /// Of a GRU those of the input and of the state.
  SmallVector<Value, 2> biases;
};

/// The steps of all sequences and the context as one tensor.
struct Input {
  /// [longest, n, width] of f32, zeros after a row's last step.
  Value steps;
  /// [n] of i64.
  Value lengths;
  /// The feature that has a value for each step.
  est::FeatureOp feature;
};
} // namespace

/// Products of a step that a kernel makes beside each other.
static int64_t blocksOf(est::Cell kind) {
  switch (kind) {
  case est::Cell::SimpleRnn:
    return 1;
  case est::Cell::Lstm:
    return 4;
  case est::Cell::Gru:
    return 3;
  }
  llvm_unreachable("all cells are covered");
}

/// The name of a cell's scope.
static StringRef scopeOf(est::Cell kind) {
  switch (kind) {
  case est::Cell::SimpleRnn:
    return "simple_rnn_cell";
  case est::Cell::Lstm:
    return "lstm_cell";
  case est::Cell::Gru:
    return "gru_cell";
  }
  llvm_unreachable("all cells are covered");
}

Cell::Cell(Entry &entry, est::Cell kind, StringRef name, int64_t width, int64_t units, Part &part)
    : kind(kind), units(units) {
  GraphBuilder &b = entry.builder();
  MLIRContext *context = b.getContext();
  const int64_t columns = blocksOf(kind) * units;
  Attribute glorot = est::GlorotUniformAttr::get(context);
  Attribute orthogonal = est::OrthogonalAttr::get(context, b.getF64FloatAttr(1));
  kernel = readWeights(entry, (name + "/kernel").str(), {width, columns}, glorot, part);
  recurrent = readWeights(entry, (name + "/recurrent_kernel").str(), {units, columns}, orthogonal, part);
  const std::string biasName = (name + "/bias").str();
  if (kind == est::Cell::Gru) {
    Value both = readTrained(entry, biasName, {2, columns}, entry.state().constant(0), part);
    biases = {b.row(both, 0), b.row(both, 1)};
    return;
  }
  biases = {readTrained(entry, biasName, {columns}, entry.state().constant(0), part)};
  if (kind != est::Cell::Lstm)
    return;
  // The forget gate begins open.
  SmallVector<float> start(columns, 0.0f);
  std::fill_n(start.begin() + units, units, 1.0f);
  df::VariableOp bias = part.variables.back().variable;
  entry.state().startsAs(bias, DenseElementsAttr::get(bias.getTensorType(), ArrayRef<float>(start)));
}

SmallVector<Value> Cell::step(GraphBuilder &b, Value input, ValueRange state) const {
  switch (kind) {
  case est::Cell::SimpleRnn:
    return {b.infer<df::RnnCellOp>(input, state[0], kernel, recurrent, biases[0])};
  case est::Cell::Lstm: {
    Type type = state[0].getType();
    auto cell = df::LstmCellOp::create(b, TypeRange{type, type}, input, state[0], state[1], kernel, recurrent,
                                       biases[0], /*forget_bias=*/b.getF64FloatAttr(0));
    return {cell.getNextH(), cell.getNextC()};
  }
  case est::Cell::Gru:
    return {b.infer<df::GruCellOp>(input, state[0], kernel, recurrent, biases[0], biases[1])};
  }
  llvm_unreachable("all cells are covered");
}

static Input buildInput(est::RnnOp op, Entry &entry, Columns &columns, Part &part) {
  GraphBuilder &b = entry.builder();
  SmallVector<Steps> sequences;
  for (Value column : op.getSequences())
    sequences.push_back(columns.sequence(column, part));
  const Steps first = sequences.front();
  if (!op.getContextColumns().empty()) {
    columns.stackEmbeddings(op.getContextColumns(), part);
    Value context = columns.denseBeside(op.getContextColumns(), part);
    Value repeated = b.infer<df::RaggedRepeatOp>(context, first.ends, first.values);
    sequences.push_back({repeated, first.ends, first.feature});
  }
  b.setLoc(op.getLoc());
  Input input;
  input.feature = first.feature;
  SmallVector<Value> parts;
  llvm::SmallPtrSet<Operation *, 4> checked;
  for (ArrayRef<Steps> rest = sequences; !rest.empty();) {
    // Neighbors of one feature have as many steps in all, and are padded together.
    est::FeatureOp feature = rest.front().feature;
    ArrayRef<Steps> run = rest.take_while([&](const Steps &steps) { return steps.feature == feature; });
    rest = rest.drop_front(run.size());
    Value values = b.concatColumns(llvm::map_to_vector(run, [](const Steps &steps) { return steps.values; }));
    int64_t width = cast<RankedTensorType>(values.getType()).getDimSize(1);
    auto padded = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic, width}, b.getF32Type());
    auto counts = RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type());
    auto dense = df::RaggedToDenseOp::create(b, TypeRange{padded, counts}, values, first.ends, b.f32(0));
    parts.push_back(dense.getPadded());
    if (!input.lengths)
      input.lengths = dense.getLengths();
    if (checked.insert(feature).second && feature != first.feature)
      checkLengths(entry, feature, "steps", input.lengths, first.feature);
  }
  Value all = parts.size() == 1 ? parts.front() : b.infer<df::ConcatOp>(ValueRange(parts), uint64_t{2});
  input.steps = b.infer<df::TransposeOp>(all, ArrayRef<int64_t>{1, 0, 2});
  return input;
}

/// The output of the last cell at each row's last step, [n, units], zeros of a row without steps; or, with `eachStep`,
/// after each step, [longest, n, units]: after a row's last step it stays.
static Value runCells(GraphBuilder &b, ArrayRef<Cell> cells, const Input &input, bool eachStep) {
  // No id is hot: zeros, as many rows as there are lengths.
  auto zeros = [&, ids = b.repeat(b.i64(-1), input.lengths)](int64_t units) -> Value {
    return df::OneHotOp::create(b, RankedTensorType::get({ShapedType::kDynamic, units}, b.getF32Type()), ids);
  };
  SmallVector<Value> inits{b.i64(0)};
  for (const Cell &cell : cells)
    inits.append(cell.stateSize(), zeros(cell.outputSize()));
  SmallVector<Type> carried = llvm::to_vector(ValueRange(inits).getTypes()), results = carried;
  if (eachStep)
    results.push_back(
        RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic, cells.back().outputSize()}, b.getF32Type()));
  auto loop = df::ScanOp::create(b, results, inits, ValueRange{input.steps}, /*count=*/Value(), /*reverse=*/false,
                                 /*parallel_iterations=*/IntegerAttr());
  SmallVector<Type> types = carried;
  auto steps = cast<RankedTensorType>(input.steps.getType());
  types.push_back(RankedTensorType::get(steps.getShape().drop_front(), steps.getElementType()));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBody(), {}, types, SmallVector<Location>(types.size(), b.getLoc()));
  ValueRange old = body->getArguments().drop_back().drop_front();
  Value time = body->getArgument(0), x = body->getArguments().back();
  // Rows that have ended keep their state.
  Value goes = b.compare(df::Comparison::LT, b.repeat(time, input.lengths), input.lengths);
  SmallVector<Value> next{b.add(time, b.i64(1))};
  for (const Cell &cell : cells) {
    ValueRange state = old.take_front(cell.stateSize());
    old = old.drop_front(cell.stateSize());
    SmallVector<Value> stepped = cell.step(b, x, state);
    x = stepped.front();
    for (auto [now, before] : llvm::zip_equal(stepped, state))
      next.push_back(b.select(b.broadcast(goes, now, {0}), now, before));
  }
  const size_t output = carried.size() - cells.back().stateSize();
  if (eachStep)
    next.push_back(next[output]);
  df::YieldOp::create(b, next);
  return eachStep ? loop.getResults().back() : loop.getResult(output);
}

Logits est2df::lowerRnn(est::RnnOp op, Entry &entry, Columns &columns, Part &part, SmallVectorImpl<Output> *summaries) {
  GraphBuilder &b = entry.builder();
  Input input = buildInput(op, entry, columns, part);
  const std::string scope = op.getUnits().size() > 1 ? "rnn_model/rnn/stacked_rnn_cells/" : "rnn_model/rnn/";
  SmallVector<Cell> cells;
  int64_t width = cast<RankedTensorType>(input.steps.getType()).getDimSize(2);
  for (auto [i, units] : llvm::enumerate(op.getUnits())) {
    std::string name = scope + scopeOf(op.getCell()).str() + (i > 0 ? "_" + std::to_string(i) : "");
    cells.emplace_back(entry, op.getCell(), name, width, units, part);
    width = units;
  }
  const bool eachStep = isa<est::StepLogitsType>(op.getType());
  Value outputs = runCells(b, cells, input, eachStep);
  Logits logits;
  if (eachStep) {
    // [n * longest, width].
    auto flat = RankedTensorType::get({ShapedType::kDynamic, width}, b.getF32Type());
    outputs = df::DynamicReshapeOp::create(b, flat, b.infer<df::TransposeOp>(outputs, ArrayRef<int64_t>{1, 0, 2}),
                                           b.vector({-1, static_cast<double>(width)}, b.getI64Type()));
    logits.lengths = input.lengths;
    logits.longest = b.countRows(input.steps);
    logits.feature = input.feature;
  }
  int64_t units = est::getDimension(op.getType());
  noteClasses(entry.state(), "rnn_model/logits", units);
  logits.values =
      denseLayer(entry, "rnn_model/logits", outputs, units, est::GlorotUniformAttr::get(b.getContext()), part);
  if (summaries)
    summaries->push_back({"sequence_length", b.cast(input.lengths, b.getF32Type())});
  summarizeLayer(b, "rnn_model/logits", logits.values, summaries);
  return logits;
}
