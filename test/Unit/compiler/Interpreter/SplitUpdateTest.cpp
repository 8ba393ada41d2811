// df-split-update: the functions over ranges of rows do together what train_apply does, bit by bit, however rows are
// cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Transforms/DfPipeline.h"
#include "dialects/Est/IR/Est.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlc/Interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace mlc;
using namespace mlc::interp;

namespace {

using Values = std::map<std::string, Tensor>;

/// Linear and deep parts with dense weights, tables gathered once in a row, twice, and for rows and values of rows.
std::string specOf(const std::string &linear, const std::string &dnn, const std::string &embedding) {
  return R"(input {
  csv { header: true }
  column { name: ["a", "b", "c", "d"]  dtype: STRING }
  column { name: "tags"  dtype: STRING  multi_value {} }
  column { name: "x"  dtype: FLOAT32  shape: 3 }
  column { name: "y"  dtype: FLOAT32 }
}
feature_column { categorical_with_hash_bucket { key: ["a", "b", "c", "d", "tags"]  hash_bucket_size: 7 } }
feature_column { numeric { key: "x" } }
feature_column { name: "ea"  embedding { categorical_column: "a"  dimension: 2 )" +
         embedding + R"( } }
feature_column { shared_embeddings { categorical_columns: ["b", "tags"]  dimension: 3 } }
feature_column { shared_embeddings { categorical_columns: ["c", "d"]  dimension: 2 } }
model { dnn_linear_combined {
  linear { feature_columns: ["a", "tags", "x"] )" +
         linear + R"( }
  dnn { feature_columns: ["x", "ea", "*_shared_embedding"]  hidden_units: [5, 4] )" +
         dnn + R"( }
} }
head { label: "y"  regression {} }
)";
}

class Fixture {
public:
  Fixture() {
    mlir::DialectRegistry registry;
    df::registerDfDecompositions(registry);
    df::registerDfGradients(registry);
    context.appendDialectRegistry(registry);
  }
  /// Null after a failure of the test.
  static std::unique_ptr<Fixture> create(const std::string &spec) {
    auto fixture = std::make_unique<Fixture>();
    common::MessageList messages;
    fixture->module = frontend::importEstimatorSpec(spec, &fixture->context, {"s.pbtxt", "."}, messages);
    if (!fixture->module) {
      ADD_FAILURE() << messages.format();
      return nullptr;
    }
    mlir::PassManager passes(&fixture->context);
    passes.addPass(createConvertEstToDf());
    return fixture->lower(passes) ? std::move(fixture) : nullptr;
  }
  /// Of a df module as built.
  static std::unique_ptr<Fixture> parse(const std::string &text) {
    auto fixture = std::make_unique<Fixture>();
    fixture->module = parseModule(fixture->context, text);
    if (!fixture->module) {
      ADD_FAILURE() << text;
      return nullptr;
    }
    mlir::PassManager passes(&fixture->context);
    return fixture->lower(passes) ? std::move(fixture) : nullptr;
  }

  df::FunctionOp apply() { return module->lookupSymbol<df::FunctionOp>("train_apply"); }
  size_t count(df::Role role) {
    return llvm::count_if(module->getOps<df::FunctionOp>(), [&](df::FunctionOp f) { return f.getRole() == role; });
  }
  const std::vector<std::string> &getRemarks() const { return remarks; }
  /// Runs the update at once and by ranges and compares.
  void expectSame(unsigned pieces, uint32_t seed);

private:
  bool lower(mlir::PassManager &passes);
  Values makeSums(std::mt19937 &random);
  State makeState(std::mt19937 &random);
  void runShared(df::FunctionOp function, State &state);
  void runRanges(df::FunctionOp function, const State &state, State &updated, unsigned pieces);
  void runRange(df::FunctionOp function, const State &state, State &updated, int64_t begin, int64_t end);
  int64_t rowsOf(df::FunctionOp function, const State &state);
  Tensor entriesOf(const std::string &part, int64_t begin, int64_t end, llvm::ArrayRef<int64_t> shape);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> remarks;
  Values sums, shared, outputs;
};

} // namespace

bool Fixture::lower(mlir::PassManager &passes) {
  df::buildDfPipeline(passes);
  passes.addPass(df::createDfSplitUpdatePass());
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
      remarks.push_back(diagnostic.str());
    return mlir::success(diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark);
  });
  bool good = succeeded(passes.run(*module));
  EXPECT_TRUE(good) << "the update cannot be split";
  return good;
}

static double uniform(std::mt19937 &random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

static Tensor randomFloats(ElementKind kind, llvm::ArrayRef<int64_t> shape, std::mt19937 &random, double low) {
  Tensor tensor(kind, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFloat(i, uniform(random, low, 1));
  return tensor;
}

static llvm::SmallVector<int64_t> shapeOf(mlir::Type type, int64_t rows) {
  llvm::SmallVector<int64_t> shape(mlir::cast<mlir::RankedTensorType>(type).getShape());
  for (int64_t &size : shape)
    size = mlir::ShapedType::isDynamic(size) ? rows : size;
  return shape;
}
static ElementKind kindOf(mlir::Type type) {
  return *elementKindOf(mlir::cast<mlir::RankedTensorType>(type).getElementType());
}

/// Sums of a step: sparse ones with fewer entries than their buffers hold, after which is what means nothing.
Values Fixture::makeSums(std::mt19937 &random) {
  constexpr int64_t kRows = 6;
  Values made;
  for (unsigned i = 0; i < apply().getNumArguments(); ++i) {
    df::BindingAttr binding = apply().getArgBinding(i);
    if (binding.getKind() != df::BindingKind::SumA)
      continue;
    mlir::Type type = apply().getArgumentTypes()[i];
    ElementKind kind = kindOf(type);
    llvm::SmallVector<int64_t> shape = shapeOf(type, kRows);
    llvm::StringRef name = binding.getName();
    if (isFloatKind(kind)) {
      made[name.str()] = randomFloats(kind, shape, random, name == "batch_mean.count" ? 0.5 : -1);
      continue;
    }
    made[name.str()] = Tensor(kind, shape);
  }
  for (auto &[name, ids] : made) {
    llvm::StringRef table = name;
    if (!table.consume_back(".ids"))
      continue;
    int64_t of = State(*module, 1).lookup(table)->getDimSize(0);
    Tensor &count = made.at((table + ".count").str()), &rows = made.at((table + ".rows").str());
    int64_t n = 0;
    for (int64_t id = 0; id < of && n < ids.getNumElements(); ++id)
      if (random() % 3 != 0)
        ids.setInteger(n++, id);
    count.setInteger(0, n);
    for (int64_t e = n; e < ids.getNumElements(); ++e)
      ids.setInteger(e, std::numeric_limits<int64_t>::max());
    int64_t size = rows.getNumElements() / ids.getNumElements();
    for (int64_t i = n * size; i < rows.getNumElements(); ++i)
      rows.setFloat(i, std::numeric_limits<double>::quiet_NaN());
  }
  return made;
}

State Fixture::makeState(std::mt19937 &random) {
  State state(*module, 1);
  for (auto variable : module->getOps<df::VariableOp>()) {
    const Tensor &value = *state.lookup(variable.getSymName());
    // Slots are positive: squares.
    if (isFloatKind(value.getKind()))
      state.set(variable.getSymName(),
                randomFloats(value.getKind(), value.getShape(), random, variable.getSlotOf() ? 0.125 : -1));
    else
      state.set(variable.getSymName(), Tensor::ofIntegers(value.getKind(), value.getShape(), {3}));
  }
  return state;
}

static Tensor sliceRows(const Tensor &value, int64_t begin, int64_t end) {
  llvm::SmallVector<int64_t> shape(value.getShape());
  int64_t size = value.getRowSize();
  shape[0] = end - begin;
  Tensor slice(value.getKind(), shape);
  slice.copyElements(0, value, begin * size, (end - begin) * size);
  return slice;
}

/// A part of a sparse sum in a range: its entries, ids relative to the range, in buffers as large as they must be.
Tensor Fixture::entriesOf(const std::string &part, int64_t begin, int64_t end, llvm::ArrayRef<int64_t> shape) {
  llvm::StringRef table = llvm::StringRef(part).rsplit('.').first;
  const Tensor &ids = sums.at((table + ".ids").str()), &whole = sums.at(part);
  int64_t count = sums.at((table + ".count").str()).getInteger(0), first = 0;
  while (first < count && ids.getInteger(first) < begin)
    ++first;
  int64_t last = first;
  while (last < count && ids.getInteger(last) < end)
    ++last;
  if (llvm::StringRef(part).ends_with(".count"))
    return Tensor::scalar(last - first);
  int64_t perRow = ids.getRank() > 1 ? ids.getDimSize(1) : 1;
  int64_t size = whole.getNumElements() / ids.getNumElements();
  llvm::SmallVector<int64_t> own(shape);
  own[0] = (last - first + perRow - 1) / perRow + 1;
  Tensor slice(whole.getKind(), own);
  for (int64_t i = 0; i < slice.getNumElements(); ++i)
    if (isFloatKind(slice.getKind()))
      slice.setFloat(i, std::numeric_limits<double>::quiet_NaN());
    else
      slice.setInteger(i, std::numeric_limits<int64_t>::max());
  slice.copyElements(0, whole, first * size, (last - first) * size);
  if (llvm::StringRef(part).ends_with(".ids"))
    for (int64_t e = 0; e < last - first; ++e)
      slice.setInteger(e, slice.getInteger(e) - begin);
  return slice;
}

void Fixture::runShared(df::FunctionOp function, State &state) {
  std::vector<RuntimeValue> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    df::BindingAttr binding = function.getArgBinding(i);
    std::string name = binding.getName().str();
    if (binding.getKind() == df::BindingKind::SumA) {
      arguments.push_back(sums.at(name));
    } else if (binding.getKind() == df::BindingKind::Shared) {
      // Entries of all ranges, in the shape of a sum's parts.
      const Tensor &value = shared.at(name);
      auto type = mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
      int64_t perRow = type.getRank() == 2 && value.getRank() == 1 ? type.getDimSize(1) : 1;
      if (perRow == 1) {
        arguments.push_back(value);
        continue;
      }
      int64_t rows = (value.getNumElements() + perRow - 1) / perRow + 1;
      Tensor folded(value.getKind(), {rows, perRow});
      folded.copyElements(0, value, 0, value.getNumElements());
      arguments.push_back(folded);
    }
  }
  auto results = interpret(function, arguments, state);
  ASSERT_TRUE(succeeded(results)) << function.getSymName().str();
  size_t next = 0;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    df::BindingAttr binding = function.getResultBinding(i);
    if (binding.getKind() != df::BindingKind::Variable)
      (binding.getKind() == df::BindingKind::Output ? outputs : shared)[binding.getName().str()] =
          std::get<Tensor>((*results)[next++]);
  }
}

int64_t Fixture::rowsOf(df::FunctionOp function, const State &state) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    df::BindingAttr binding = function.getArgBinding(i);
    if (binding.getKind() == df::BindingKind::Variable)
      return state.lookup(binding.getName())->getDimSize(0);
    // A dense sum, or a part of a sparse one.
    for (llvm::StringRef of : {binding.getName(), binding.getName().rsplit('.').first})
      if (binding.getKind() == df::BindingKind::SumA && state.lookup(of))
        return state.lookup(of)->getDimSize(0);
  }
  ADD_FAILURE() << function.getSymName().str() << " has no rows";
  return 0;
}

void Fixture::runRange(df::FunctionOp function, const State &state, State &updated, int64_t begin, int64_t end) {
  State own;
  std::vector<RuntimeValue> arguments;
  std::string sparse;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    df::BindingAttr binding = function.getArgBinding(i);
    std::string name = binding.getName().str();
    llvm::StringRef table = llvm::StringRef(name).rsplit('.').first;
    switch (binding.getKind()) {
    case df::BindingKind::Variable:
      own.set(name, sliceRows(*state.lookup(name), begin, end));
      break;
    case df::BindingKind::Shared:
      arguments.push_back(shared.at(name));
      break;
    case df::BindingKind::SumA:
      if (sums.count(table.str() + ".count") && !state.lookup(name)) {
        sparse = table.str();
        arguments.push_back(
            entriesOf(name, begin, end, shapeOf(function.getArgumentTypes()[i], mlir::ShapedType::kDynamic)));
      } else {
        arguments.push_back(sliceRows(sums.at(name), begin, end));
      }
      break;
    default:
      ASSERT_TRUE(isBoundToState(binding)) << name;
    }
  }
  auto results = interpret(function, arguments, own);
  ASSERT_TRUE(succeeded(results)) << function.getSymName().str();
  size_t next = 0;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    std::string name = function.getResultBinding(i).getName().str();
    if (function.getResultBinding(i).getKind() == df::BindingKind::Variable) {
      Tensor whole = *updated.lookup(name);
      ASSERT_EQ(own.lookup(name)->getDimSize(0), end - begin);
      whole.copyElements(begin * whole.getRowSize(), *own.lookup(name), 0, (end - begin) * whole.getRowSize());
      updated.set(name, whole);
      continue;
    }
    // Appends the rows, or the entries that count.
    const Tensor &part = std::get<Tensor>((*results)[next++]);
    bool isOfEntries = function.getResultSymbols(i)[0] != function.getArgSymbols(0)[0] || !sparse.empty();
    int64_t count = end - begin;
    if (isOfEntries && !sparse.empty())
      count = entriesOf(sparse + ".count", begin, end, {}).getInteger(0);
    Tensor &all = shared.try_emplace(name, Tensor(part.getKind(), {0})).first->second;
    Tensor longer(part.getKind(), {all.getDimSize(0) + count});
    longer.copyElements(0, all, 0, all.getDimSize(0));
    longer.copyElements(all.getDimSize(0), part, 0, count);
    all = longer;
  }
}

void Fixture::runRanges(df::FunctionOp function, const State &state, State &updated, unsigned pieces) {
  int64_t rows = rowsOf(function, state), begin = 0;
  for (unsigned piece = 0; piece < pieces; ++piece) {
    // Of different lengths.
    int64_t end = piece + 1 == pieces ? rows : std::min(rows, begin + (rows + piece) / pieces);
    if (begin < end)
      runRange(function, state, updated, begin, end);
    begin = end;
  }
}

void Fixture::expectSame(unsigned pieces, uint32_t seed) {
  SCOPED_TRACE(std::to_string(pieces) + " ranges, seed " + std::to_string(seed));
  std::mt19937 random(seed);
  sums = makeSums(random);
  shared.clear();
  outputs.clear();
  State before = makeState(random), whole = before, ranges = before;
  std::vector<RuntimeValue> arguments;
  for (unsigned i = 0; i < apply().getNumArguments(); ++i)
    if (!isBoundToState(apply().getArgBinding(i)))
      arguments.push_back(sums.at(apply().getArgBinding(i).getName().str()));
  auto results = interpret(apply(), arguments, whole);
  ASSERT_TRUE(succeeded(results));

  for (auto function : module->getOps<df::FunctionOp>()) {
    if (function.getRole() == df::Role::TrainShared)
      runShared(function, ranges);
    else if (function.getRole() == df::Role::TrainPartial || function.getRole() == df::Role::TrainUpdate)
      runRanges(function, before, ranges, pieces);
    if (testing::Test::HasFatalFailure())
      return;
  }
  size_t next = 0;
  for (unsigned i = 0; i < apply().getNumResults(); ++i) {
    df::BindingAttr binding = apply().getResultBinding(i);
    if (binding.getKind() != df::BindingKind::Output)
      continue;
    ASSERT_TRUE(outputs.count(binding.getName().str())) << binding.getName().str();
    EXPECT_TRUE(std::get<Tensor>((*results)[next++]).identical(outputs.at(binding.getName().str())));
  }
  size_t changed = 0;
  for (const auto &[name, value] : whole.getVariables()) {
    EXPECT_TRUE(ranges.lookup(name)->identical(value)) << name;
    changed += !before.lookup(name)->identical(value);
  }
  EXPECT_GE(changed, apply().getNumResults() / 2) << "an update that does nothing";
}

//===-- tests ------------------------------------------------------------------------------===//

namespace {
struct Case {
  const char *name;
  const char *linear, *dnn, *embedding;
};
class SplitUpdateOf : public testing::TestWithParam<Case> {};
} // namespace

TEST_P(SplitUpdateOf, HasTheBitsOfTheWholeUpdate) {
  auto fixture = Fixture::create(specOf(GetParam().linear, GetParam().dnn, GetParam().embedding));
  ASSERT_TRUE(fixture);
  EXPECT_EQ(fixture->getRemarks(), std::vector<std::string>()) << "all updates are of rows";
  EXPECT_GE(fixture->count(df::Role::TrainUpdate), 13u);
  for (unsigned pieces : {1, 2, 3})
    for (uint32_t seed : {1, 2})
      fixture->expectSame(pieces, seed);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, SplitUpdateOf,
    testing::Values(
        Case{"Sgd", "optimizer { sgd { learning_rate: 0.1 } }", "optimizer { sgd { learning_rate: 0.1 } }", ""},
        Case{"Adagrad", "optimizer { adagrad { learning_rate: 0.1 } }", "optimizer { adagrad { learning_rate: 0.1 } }",
             ""},
        Case{"Momentum", "optimizer { momentum { learning_rate: 0.1 momentum: 0.9 } }",
             "optimizer { momentum { learning_rate: 0.1 momentum: 0.9 use_nesterov: true } }", "sparse_update: EXACT"},
        Case{"MomentumLazy", "optimizer { momentum { learning_rate: 0.1 momentum: 0.9 } }",
             "optimizer { momentum { learning_rate: 0.1 momentum: 0.9 use_nesterov: true } }", "sparse_update: LAZY"},
        Case{"AdamExact", "optimizer { adam { learning_rate: 0.1 } }", "optimizer { adam { learning_rate: 0.1 } }",
             "sparse_update: EXACT"},
        Case{"AdamLazy", "optimizer { adam { learning_rate: 0.1 } }", "optimizer { adam { learning_rate: 0.1 } }",
             "sparse_update: LAZY"},
        Case{"Amsgrad", "optimizer { adam { learning_rate: 0.1 amsgrad: true } }",
             "optimizer { adam { learning_rate: 0.1 amsgrad: true } }", "sparse_update: EXACT"},
        Case{"Adadelta", "optimizer { adadelta { learning_rate: 1 } }", "optimizer { adadelta { learning_rate: 1 } }",
             ""},
        Case{"Adamax", "optimizer { adamax { learning_rate: 0.1 } }", "optimizer { adamax { learning_rate: 0.1 } }",
             ""},
        Case{"NadamExact", "optimizer { nadam { learning_rate: 0.1 } }", "optimizer { nadam { learning_rate: 0.1 } }",
             "sparse_update: EXACT"},
        Case{"NadamLazy", "optimizer { nadam { learning_rate: 0.1 } }",
             "optimizer { nadam { learning_rate: 0.1 schedule_decay: 1 } clip_by_global_norm: 0.5 }",
             "sparse_update: LAZY"},
        Case{"RmsPropExact", "optimizer { rms_prop { learning_rate: 0.1 momentum: 0.5 centered: true } }",
             "optimizer { rms_prop { learning_rate: 0.1 } }", "sparse_update: EXACT"},
        Case{"RmsPropLazy", "optimizer { rms_prop { learning_rate: 0.1 } }",
             "optimizer { rms_prop { learning_rate: 0.1 momentum: 0.5 centered: true } }", "sparse_update: LAZY"},
        Case{"Ftrl",
             "optimizer { ftrl { learning_rate: 0.1 l1_regularization_strength: 0.01 l2_regularization_strength: 0.02 "
             "l2_shrinkage_regularization_strength: 0.03 } }",
             "optimizer { ftrl { learning_rate: 0.1 learning_rate_power: -0.7 beta: 0.5 } }", ""},
        Case{"Schedules",
             "optimizer { sgd { learning_rate: 0.1 } schedule { warmup_steps: 10 cosine_decay { decay_steps: 100 } } }",
             "optimizer { adagrad { learning_rate: 0.1 } schedule { exponential_decay { decay_steps: 10 decay_rate: "
             "0.5 } } }",
             ""},
        Case{"MoreSchedules",
             "optimizer { sgd { learning_rate: 0.1 } schedule { cosine_decay_restarts { first_decay_steps: 2 } } }",
             "optimizer { adamax { learning_rate: 0.1 } schedule { linear_cosine_decay { decay_steps: 10 } } }", ""},
        Case{"ClipByValue", "optimizer { sgd { learning_rate: 0.1 } clip_by_value: 0.01 }",
             "optimizer { adagrad { learning_rate: 0.1 } clip_by_value: 0.01 }", ""},
        Case{"ClipByNorm", "optimizer { sgd { learning_rate: 0.1 } clip_by_norm: 0.25 }",
             "optimizer { adagrad { learning_rate: 0.1 } clip_by_norm: 0.25 }", "sparse_update: EXACT"},
        Case{"ClipByGlobalNorm", "optimizer { sgd { learning_rate: 0.1 } clip_by_global_norm: 0.25 }",
             "optimizer { adam { learning_rate: 0.1 } clip_by_global_norm: 0.5 }", "sparse_update: LAZY"},
        Case{"Regularizers", "optimizer { ftrl { learning_rate: 0.1 } } regularizer { l2: 0.01 }",
             "optimizer { adagrad { learning_rate: 0.1 } } regularizer { l1: 0.01 l2: 0.02 }",
             "sparse_update: EXACT regularizer { l2: 0.05 }"},
        Case{"LazyRegularizer", "optimizer { ftrl { learning_rate: 0.1 } }",
             "optimizer { adagrad { learning_rate: 0.1 } }", "sparse_update: LAZY regularizer { l1: 0.1 l2: 0.05 }"},
        Case{"NormOfRegularized", "optimizer { ftrl { learning_rate: 0.1 } } regularizer { l2: 0.01 }",
             "optimizer { adagrad { learning_rate: 0.1 } clip_by_global_norm: 0.5 } regularizer { l1: 0.01 l2: 0.02 }",
             "sparse_update: LAZY regularizer { l2: 0.05 }"},
        Case{"BatchNorm", "optimizer { sgd { learning_rate: 0.1 } }",
             "optimizer { adagrad { learning_rate: 0.1 } } batch_norm: true dropout: 0.1", ""}),
    [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

/// Updates of a user's own: of a matrix by rows and by what its rows have in common, and of a vector.
static std::string programOf(const std::string &update) {
  return R"(module {
  df.variable @w : tensor<5x3xf32> = #df.constant<1.0> {trainable}
  df.variable @w_slot : tensor<5x3xf32> = #df.constant<1.0> {slot_of = @w, slot = "m"}
  df.variable @b : tensor<3xf32> = #df.constant<1.0> {trainable}
  df.variable @step : tensor<i64> = #df.constant<0.0>
  df.function @train(%x: tensor<?x5xf32> {df.name = "x"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %w = df.read @w : tensor<5x3xf32>
    %m = df.read @w_slot : tensor<5x3xf32>
    %b = df.read @b : tensor<3xf32>
    %y = df.matmul %x, %w : (tensor<?x5xf32>, tensor<5x3xf32>) -> tensor<?x3xf32>
    %bs = df.broadcast %b like %y dimensions = [1] : (tensor<3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %z = df.add %y, %bs : tensor<?x3xf32>
    %t = df.tanh %z : tensor<?x3xf32>
    %each = df.reduce_sum %t {axes = array<i64: 1>} : (tensor<?x3xf32>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw, %db = df.gradients %loss wrt [@w, @b] : (tensor<f32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    %c1 = df.constant dense<1> : tensor<i64>
    df.assign_add @step, %c1 : tensor<i64>
    df.assign_sub @b, %db : tensor<3xf32>
)" + update +
         R"(
    df.return %loss : tensor<f32>
  }
})";
}

TEST(SplitUpdate, TakesAnUpdateOfAnotherKindByRows) {
  // A factor for each row, the ratio of two norms as layer-wise rates have, and a constant matrix of equal elements.
  auto fixture = Fixture::parse(programOf(R"(
    %sq = df.square %dw : tensor<5x3xf32>
    %row = df.reduce_sum %sq {axes = array<i64: 1>} : (tensor<5x3xf32>) -> tensor<5xf32>
    %root = df.sqrt %row : tensor<5xf32>
    %rows = df.broadcast %root dimensions = [0] : (tensor<5xf32>) -> tensor<5x3xf32>
    %half = df.constant dense<5.0e-1> : tensor<5x3xf32>
    %more = df.add %rows, %half : tensor<5x3xf32>
    %scaled = df.div %dw, %more : tensor<5x3xf32>
    %old = df.mul %m, %half : tensor<5x3xf32>
    %new = df.add %old, %scaled : tensor<5x3xf32>
    df.assign @w_slot, %new : tensor<5x3xf32>
    %w2 = df.square %w : tensor<5x3xf32>
    %n2 = df.square %new : tensor<5x3xf32>
    %wn = df.reduce_sum %w2 {axes = array<i64: 0, 1>} : (tensor<5x3xf32>) -> tensor<f32>
    %nn = df.reduce_sum %n2 {axes = array<i64: 0, 1>} : (tensor<5x3xf32>) -> tensor<f32>
    %ratio = df.div %wn, %nn : tensor<f32>
    %ratios = df.broadcast %ratio dimensions = [] : (tensor<f32>) -> tensor<5x3xf32>
    %delta = df.mul %ratios, %new : tensor<5x3xf32>
    df.assign_sub @w, %delta : tensor<5x3xf32>)"));
  ASSERT_TRUE(fixture);
  EXPECT_EQ(fixture->getRemarks(), std::vector<std::string>());
  EXPECT_EQ(fixture->count(df::Role::TrainUpdate), 2u) << "the matrix and its slot, and the vector";
  EXPECT_EQ(fixture->count(df::Role::TrainPartial), 1u);
  EXPECT_EQ(fixture->count(df::Role::TrainShared), 2u);
  for (unsigned pieces : {1, 2, 3, 5})
    fixture->expectSame(pieces, 1);
}

TEST(SplitUpdate, KeepsWholeWhatIsNotOfRows) {
  // A sum over the rows of each column, which every row needs; the vector goes by rows.
  auto fixture = Fixture::parse(programOf(R"(
    %sq = df.square %dw : tensor<5x3xf32>
    %column = df.reduce_sum %sq {axes = array<i64: 0>} : (tensor<5x3xf32>) -> tensor<3xf32>
    %columns = df.broadcast %column dimensions = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
    %scaled = df.div %dw, %columns : tensor<5x3xf32>
    df.assign @w_slot, %scaled : tensor<5x3xf32>
    %sum = df.add %m, %scaled : tensor<5x3xf32>
    df.assign_sub @w, %sum : tensor<5x3xf32>)"));
  ASSERT_TRUE(fixture);
  EXPECT_EQ(fixture->getRemarks(),
            (std::vector<std::string>{"keeps the rows of 'w' together: 'df.reduce_sum' is not computed row by row",
                                      "keeps the rows of 'w_slot' together: 'df.add' is not computed row by row"}));
  EXPECT_EQ(fixture->count(df::Role::TrainUpdate), 1u);
  for (unsigned pieces : {1, 2, 3})
    fixture->expectSame(pieces, 1);
}

TEST(SplitUpdate, GivesOneVariableWholeToTheRowsOfAnother) {
  // The vector stands along the other dimension of the matrix: its rows cross.
  auto fixture = Fixture::parse(programOf(R"(
    %along = df.broadcast %b dimensions = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
    %scaled = df.mul %dw, %along : tensor<5x3xf32>
    df.assign @w_slot, %scaled : tensor<5x3xf32>
    %sum = df.add %m, %scaled : tensor<5x3xf32>
    df.assign_sub @w, %sum : tensor<5x3xf32>)"));
  ASSERT_TRUE(fixture);
  EXPECT_EQ(fixture->getRemarks(), std::vector<std::string>());
  EXPECT_EQ(fixture->count(df::Role::TrainUpdate), 2u);
  EXPECT_EQ(fixture->count(df::Role::TrainPartial), 1u);
  for (unsigned pieces : {1, 2, 3})
    fixture->expectSame(pieces, 1);
}
