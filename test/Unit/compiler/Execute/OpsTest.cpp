// Compiled code against the interpreter, for every op of df.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"
#include "CompiledModule.h"
#include "OpCases.h"
#include "Reference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <optional>
#include <set>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using interp::Tensor;

/// A theme of ops and its cases.
struct Theme {
  const char *name;
  void (*add)(std::vector<OpCase> &);
  /// Whether some cases are large enough for parallel loops.
  bool runsInParallel;
};

static void PrintTo(const Theme &theme, std::ostream *os) { *os << theme.name; }

static const Theme kThemes[] = {{"Contraction", addContractionCases, true},
                                {"ControlFlow", addControlFlowCases, true},
                                {"Elementwise", addElementwiseCases, true},
                                {"Feature", addFeatureCases, true},
                                {"Graph", addGraphCases, true},
                                {"LinearAlgebra", addLinearAlgebraCases, true},
                                {"Loss", addLossCases, true},
                                {"Normalization", addNormalizationCases, true},
                                {"Order", addOrderCases, true},
                                {"Integer", addIntegerCases, true},
                                {"Math", addMathCases, true},
                                {"Indexing", addIndexingCases, true},
                                {"Layout", addLayoutCases, true},
                                {"Ragged", addRaggedCases, true},
                                {"Random", addRandomCases, true},
                                {"Reduction", addReductionCases, true},
                                {"Shape", addShapeCases, true},
                                {"State", addStateCases, true},
                                {"Statistics", addStatisticsCases, true},
                                {"Training", addTrainingCases, true}};

/// Compares the outputs within the bound of a case.
static void compareOutputs(const OpCase &which, const Bound &bound, const EntryCall &call, const EntryResult &expected,
                           const EntryResult &found, const EntryResult &magnitudes) {
  for (const auto &[name, value] : expected.outputs) {
    auto it = found.outputs.find(name);
    ASSERT_NE(it, found.outputs.end()) << name;
    const auto magnitude = magnitudes.outputs.find(name);
    Tolerance tolerance = toleranceOf(bound, call.rows, value.getKind(),
                                      magnitude == magnitudes.outputs.end() ? nullptr : &magnitude->second);
    tolerance.undefinedElements = which.undefinedElements;
    EXPECT_EQ(differenceOf(value, it->second, tolerance), "") << name << " of " << call.rows << " rows";
  }
  EXPECT_EQ(expected.outputs.size(), found.outputs.size());
}

/// Failures of the running test so far.
static int countFailures() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

static const char kBaseline[] = "x86-64-v3";

/// A processor, or a machine with a device, and the cases compiled for it.
struct Place {
  std::string name;
  std::unique_ptr<CompiledModule> compiled;
  int64_t parallelLoops = 0, launches = 0;

  bool isCuda() const { return name == kCuda; }
  bool hasDevice() const { return name == kTwoSpaces || isCuda(); }
};

/// The bound of a case at a place.
static Bound boundAt(const Place &place, const OpCase &which) {
  Bound bound = which.bound;
  if (!place.isCuda() || !(bound.termsOfMatrix || bound.termsOfMatrixRow))
    return bound;
  bound.terms = std::max(bound.terms, bound.termsOfMatrix);
  bound.termsOfRow = std::max(bound.termsOfRow, bound.termsOfMatrixRow);
  // A sum that is rounded to halves may go to the next one.
  bound.ulps = std::max<int64_t>(bound.ulps, 1);
  return bound;
}

static bool isOfStep(const OpCase &which) { return which.name.find("_of_step") != std::string::npos; }

/// The emulator takes a hundred times the time of a CPU: less than a warp and a tile have is enough, and more.
static std::set<int64_t> rowsOfCuda(const OpCase &which) {
  const std::vector<int64_t> &all = which.rows;
  std::set<int64_t> rows(all.begin(), all.end());
  if (all.size() > 2)
    rows = {all[2], llvm::is_contained(all, 33) ? 33 : all.back()};
  // Sorts and searches of nothing, too.
  if ((llvm::is_contained(which.ops, "unique") || isOfStep(which)) && all.front() == 0)
    rows.insert(0);
  return rows;
}

class Ops : public testing::TestWithParam<Theme> {};

/// All places of a theme in one test: the code of the first is what the others are compared with.
TEST_P(Ops, AreAsTheInterpreterSays) {
  std::vector<OpCase> cases;
  GetParam().add(cases);
  std::string text;
  for (const OpCase &which : cases)
    text += textOf(which);
  std::vector<Place> places;
  for (const char *name : {kBaseline, "native", kTwoSpaces, kCuda}) {
    // Where memory lies, LLVM does not decide: what it makes of the code is seen at the other places.
    places.push_back({name, CompiledModule::create(text, name, /*optimize=*/std::string(name) != kTwoSpaces)});
    ASSERT_TRUE(places.back().compiled) << name;
  }
  auto reference = Reference::create(text);
  ASSERT_TRUE(reference);
  const State initial = reference->initialState(/*seed=*/5);
  uint32_t seed = 0;
  for (const OpCase &which : cases) {
    SCOPED_TRACE(which.name);
    int failuresBefore = countFailures();
    const std::set<int64_t> emulated = rowsOfCuda(which);
    for (int64_t rows : which.rows) {
      const EntryCall call = callOf(which, rows, ++seed);
      RunOptions options;
      options.threads = 1 + seed % 4;
      options.reverse = seed % 2;
      options.fill = seed % 3 ? 0xa5 : 0x7f;
      State expectedState = initial, unusedState = initial;
      const EntryResult expected = reference->run(call, expectedState);
      EXPECT_EQ(expected.code, MLCRT_OK) << testing::PrintToString(reference->getErrors());
      std::optional<EntryResult> magnitudes;
      EntryResult first;
      for (Place &place : places) {
        if (place.isCuda() && !emulated.count(rows))
          continue;
        SCOPED_TRACE(place.name);
        State foundState = initial;
        FakeServices services(place.compiled->artifact(), options);
        EntryResult found = place.compiled->run(call, foundState, services);
        place.parallelLoops += services.countCalls("parallel_for");
        place.launches += services.countCalls("device_launch");
        // What a step groups and merges it does where its kernels run; features are prepared by the host.
        if (place.isCuda()) {
          EXPECT_EQ(services.countCalls("unique_values") + services.countCalls("merge_rows_f32"), 0);
          if (isOfStep(which))
            EXPECT_EQ(services.countCalls("unique_ids"), 0);
        }
        EXPECT_EQ(found.code, MLCRT_OK);
        for (const ReportedError &error : services.getErrors())
          ADD_FAILURE() << error.message;
        const Bound bound = boundAt(place, which);
        if (!magnitudes && (bound.terms || bound.termsOfRow))
          magnitudes = reference->run(magnitudesOf(call), unusedState);
        compareOutputs(which, bound, call, expected, found, magnitudes ? *magnitudes : EntryResult());
        for (const auto &[name, value] : expectedState.getVariables())
          EXPECT_EQ(differenceOf(value, *foundState.lookup(name)), "") << "@" << name << ", " << rows << " rows";
        const bool hasOwnOrder =
            place.isCuda() && (which.bound.termsOfMatrix || which.bound.termsOfMatrixRow || which.bound.hasOwnOrder);
        // What is undefined may differ: rows without a group are zeros on a GPU.
        if (&place != &places.front() && !hasOwnOrder && !which.undefinedElements)
          for (const auto &[name, value] : first.outputs)
            EXPECT_EQ(differenceOf(value, found.outputs[name]), "")
                << name << " of " << rows << " rows, of " << places.front().name;
        if (&place == &places.front())
          first = std::move(found);
      }
      if (countFailures() != failuresBefore)
        break; // the next number of rows would fail alike
    }
  }
  // What runs on a device does so whatever it costs.
  for (const Place &place : places) {
    EXPECT_EQ(place.parallelLoops > 0, !place.isCuda() && (GetParam().runsInParallel || place.hasDevice()))
        << place.name;
    EXPECT_EQ(place.launches > 0, place.isCuda()) << place.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, Ops, testing::ValuesIn(kThemes),
                         [](const testing::TestParamInfo<Theme> &info) { return std::string(info.param.name); });

/// Ops without a case, and why.
static const char kQueues[] = "test/Execute/queue-kinds.test runs it beside the interpreter, queues.test in threads";

static const std::map<std::string, std::string> kExemptions = {
    {"call", "test/Execute/placed.test runs it beside a whole loop"},
    {"dequeue", kQueues},
    {"dequeue_many", kQueues},
    {"dequeue_up_to", kQueues},
    {"enqueue", kQueues},
    {"enqueue_many", kQueues},
    {"queue", kQueues},
    {"queue_close", kQueues},
    {"queue_is_closed", kQueues},
    {"queue_size", kQueues},
    {"condition", "ends the condition of every while"},
    {"function", "every case is one"},
    {"gradients", "expanded before code generation; CompiledEntriesTest has steps with them"},
    {"return", "ends every case"},
    {"all_reduce", "gone before code generation; CompiledEntriesTest has steps with them"},
    {"variable", "Variables, below, initializes one of each kind"},
    {"yield", "ends the regions of if, while and apply_rows"}};

TEST(OpCases, CoverEveryOp) {
  std::set<std::string> covered, names;
  for (const Theme &theme : kThemes) {
    std::vector<OpCase> cases;
    theme.add(cases);
    for (const OpCase &which : cases) {
      EXPECT_TRUE(names.insert(which.name).second) << which.name << " is the name of two cases";
      for (const std::string &op : which.ops) {
        covered.insert(op);
        EXPECT_NE((textOf(which) + " ").find("df." + op + " "), std::string::npos) << which.name << " has no df." << op;
      }
    }
  }
  mlir::MLIRContext context;
  context.loadDialect<df::DfDialect>();
  std::set<std::string> ops;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "df")
      ops.insert(name.stripDialect().str());
  EXPECT_GT(ops.size(), 60u);
  for (const std::string &op : ops)
    EXPECT_NE(covered.count(op), kExemptions.count(op)) << "df." << op << " needs a case or a reason to have none";
  EXPECT_TRUE(std::includes(ops.begin(), ops.end(), covered.begin(), covered.end())) << "a case is of no op";
  for (const auto &[op, reason] : kExemptions)
    EXPECT_TRUE(ops.count(op)) << op << " is exempted and is no op";
}

class Variables : public testing::TestWithParam<const char *> {};

TEST_P(Variables, StartAsTheInterpreterSays) {
  std::string text;
  auto add = [&](const std::string &name, ElementKind kind, const std::string &shape, const std::string &initializer) {
    text += "df.variable @" + name + "_" + interp::kindName(kind).str() + " : tensor<" + shape +
            interp::kindName(kind).str() + "> = #df." + initializer + "\n";
  };
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64}) {
    add("constant", kind, "3x5x", "constant<1.0e-01>");
    add("uniform", kind, "70x", "uniform<-3.0e-01, 1.7>");
    add("uniform_unit", kind, "9x3x", "uniform<0.0, 1.0>");
    add("normal", kind, "33x", "normal<1.0e-01, 7.0e-01>");
    add("normal_unit", kind, "5x", "normal<0.0, 1.0>");
    add("truncated", kind, "4x2x9x", "truncated_normal<-2.5e-01, 3.0e-01>");
    add("scalar", kind, "", "truncated_normal<0.0, 1.0>");
  }
  for (ElementKind kind : {ElementKind::I8, ElementKind::I16, ElementKind::I32, ElementKind::I64})
    add("constant", kind, "3x", "constant<-7.0>");
  for (ElementKind kind :
       {ElementKind::UI8, ElementKind::UI16, ElementKind::UI32, ElementKind::UI64, ElementKind::F16, ElementKind::BF16})
    add("constant", kind, "3x", "constant<200.0>");
  add("constant", ElementKind::I1, "3x", "constant<1.0>");
  text += "df.function @none() {\n  df.return\n}\n";
  auto compiled = CompiledModule::create(text, GetParam());
  auto reference = Reference::create(text);
  ASSERT_TRUE(compiled && reference);
  for (uint64_t seed : {uint64_t(0), uint64_t(1), uint64_t(0xfedcba9876543210)}) {
    const State expected = reference->initialState(seed);
    State found;
    for (const auto &[name, value] : expected.getVariables())
      found.set(name, Tensor(value.getKind(), value.getShape()));
    EntryCall call;
    call.entry = "init";
    call.context.seed = seed;
    EXPECT_EQ(compiled->run(call, found).code, MLCRT_OK);
    for (const auto &[name, value] : expected.getVariables())
      EXPECT_EQ(differenceOf(value, *found.lookup(name)), "") << name << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, Variables, testing::Values(kBaseline, "native", kTwoSpaces), [](const auto &info) {
  return info.index == 0 ? "Baseline" : info.index == 1 ? "Native" : "TwoSpaces";
});
