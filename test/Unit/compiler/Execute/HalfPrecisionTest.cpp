// Every case of an op that has f32 also has f16 and bf16 in its place: it verifies, compiled code gives what the
// interpreter gives, and it has a gradient if it has one in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"
#include "CompiledModule.h"
#include "OpAlone.h"
#include "Reference.h"
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/ExpressionBuilder.h"
#include "mlc/Interpreter/Interpreter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using mlir::ModuleOp;
using mlir::Value;

/// Ops that exclude half precision by what they mean.
static const std::map<std::string, std::string> kNotHalf = {
    {"merge_rows", "the sums of shards are of f32"},
    {"candidate_sampler", "counts above 2048 are no f16"},
    {"learned_unigram_sampler", "counts above 2048 are no f16"},
    {"sampled_softmax_loss", "of counts; a case of its own has its floats in half precision"},
    {"nce_loss", "of counts; a case of its own has its floats in half precision"},
    {"random", "rounded to half precision a uniform number may be 1"},
    {"bitcast", "of types of one width; f16 and bf16 have cases of their own"},
    {"edit_distance", "the result is a count of f32"},
    {"string_to_number", "text is read as f32 or f64"},
    {"is_empty", "cells of files are of f32 and f64"},
    {"fingerprint", "cells of files are of f32 and f64"},
    {"setting", "settings are of f32, f64 and i64"}};

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The case with `kind` in the place of f32; none if it has no f32.
static std::optional<OpCase> inHalf(const OpCase &which, ElementKind kind) {
  OpCase half = which;
  bool hasF32 = false;
  for (Argument &argument : half.arguments)
    if (argument.kind == ElementKind::F32) {
      argument.kind = kind;
      hasF32 = true;
    }
  if (!hasF32)
    return std::nullopt;
  std::vector<std::string *> texts = {&half.name, &half.state, &half.body};
  for (std::string &result : half.results)
    texts.push_back(&result);
  for (std::string *text : texts)
    replaceAll(*text, "f32", interp::kindName(kind).str());
  return half;
}

namespace {
/// A context whose df ops have decompositions and gradients, and which keeps what it has to say to itself.
struct Compiler {
  Compiler() {
    mlir::DialectRegistry registry;
    registry.insert<df::DfDialect>();
    df::registerDfDecompositions(registry);
    df::registerDfGradients(registry);
    context.appendDialectRegistry(registry);
    quiet.emplace(&context, [this](mlir::Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
      return mlir::success();
    });
  }

  bool verifies(const OpCase &which) { return static_cast<bool>(interp::parseModule(context, textOf(which))); }
  /// The text of the case with the gradients of the sum of the squares of its results by its arguments as results;
  /// none if there is none.
  std::optional<std::string> differentiate(const OpCase &which, const std::string &name);

  mlir::MLIRContext context;
  std::optional<mlir::ScopedDiagnosticHandler> quiet;
  std::string said;
};
} // namespace

static bool isOfFloats(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::FloatType>(type.getElementType());
}

std::optional<std::string> Compiler::differentiate(const OpCase &which, const std::string &name) {
  auto module = interp::parseModule(context, textOf(which));
  if (!module || !which.state.empty())
    return std::nullopt;
  auto function = module->lookupSymbol<df::FunctionOp>(which.name);
  mlir::Operation *end = function.getBody().front().getTerminator();
  mlir::OpBuilder builder(end);
  df::ExpressionBuilder b(builder, function.getLoc());
  Value loss;
  for (Value result : end->getOperands()) {
    if (!isOfFloats(result))
      continue;
    Value wide = b.cast(result, builder.getF32Type()), sum = b.sumAll(b.mul(wide, wide));
    loss = loss ? b.add(loss, sum) : sum;
  }
  std::vector<Value> by;
  for (Value argument : function.getArguments())
    if (isOfFloats(argument))
      by.push_back(argument);
  if (!loss || by.empty())
    return std::nullopt;
  auto gradients =
      df::GradientsOp::create(builder, b.loc, mlir::ValueRange(by).getTypes(), loss, builder.getArrayAttr({}), by);
  end->setOperands(gradients.getResults());
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), gradients.getResultTypes()));
  std::vector<mlir::Attribute> names;
  for (size_t i = 0; i < by.size(); ++i)
    names.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(df::FunctionOp::kNameAttr, builder.getStringAttr("g" + std::to_string(i)))));
  function.setResAttrsAttr(builder.getArrayAttr(names));
  function.setSymName(name);
  std::string text;
  for (mlir::Operation &op : *module->getBody())
    text += execute::textOf(&op) + "\n";
  mlir::PassManager passes(&context);
  df::DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  passes.addPass(df::createDfDecomposePass(beforeGradients));
  passes.addPass(df::createDfExpandGradientsPass());
  return succeeded(passes.run(*module)) ? std::optional(text) : std::nullopt;
}

/// A function to run: a case, or the gradients of one.
namespace {
struct Program {
  OpCase which;
  std::string entry;
  bool isGradient;
};
} // namespace

/// 2^-10 or 2^-7, and so many units of f32 are one of the kind.
static double epsilonOf(ElementKind kind) { return kind == ElementKind::F16 ? 0x1p-10 : 0x1p-7; }
static int64_t unitOf(ElementKind kind) { return kind == ElementKind::F16 ? 1 << 13 : 1 << 16; }

static double largestOf(const interp::Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0, n = tensor.getNumElements(); i < n; ++i)
    if (std::isfinite(tensor.getFloat(i)))
      largest = std::max(largest, std::abs(tensor.getFloat(i)));
  return largest;
}

class HalfPrecision : public testing::TestWithParam<std::tuple<OpTheme, ElementKind>> {};

TEST_P(HalfPrecision, IsThatOfF32) {
  auto [theme, kind] = GetParam();
  std::vector<OpCase> cases;
  theme.second(cases);
  std::set<std::string> names;
  for (const OpCase &which : cases)
    names.insert(which.name);
  Compiler compiler;
  std::vector<Program> programs;
  std::string text;
  for (const OpCase &which : cases) {
    std::optional<OpCase> half = inHalf(which, kind);
    // There may be such a case already.
    if (!half || (half->name != which.name && names.count(half->name)))
      continue;
    compiler.said.clear();
    if (!compiler.verifies(*half)) {
      EXPECT_TRUE(llvm::any_of(which.ops, [](const std::string &op) { return kNotHalf.count(op); }))
          << half->name << ": " << compiler.said;
      continue;
    }
    text += textOf(*half);
    programs.push_back({*half, half->name, false});
    // Gradients of loops and branches in half precision are those of random programs.
    const bool hasRegions = theme.second == addControlFlowCases;
    if (hasRegions || !compiler.differentiate(which, which.name))
      continue;
    compiler.said.clear();
    const std::string name = half->name + "_by_arguments";
    if (auto gradient = compiler.differentiate(*half, name)) {
      text += *gradient;
      programs.push_back({*half, name, true});
    } else {
      ADD_FAILURE() << half->name << " has no gradient, but that of f32 has: " << compiler.said;
    }
  }
  if (programs.empty())
    return;
  auto compiled = CompiledModule::create(text, "x86-64-v3", /*optimize=*/false);
  auto reference = Reference::create(text);
  ASSERT_TRUE(compiled && reference);
  const State initial = reference->initialState(/*seed=*/5);
  uint32_t seed = 0;
  for (const Program &run : programs) {
    SCOPED_TRACE(run.entry);
    int64_t left = 2;
    for (int64_t rows : run.which.rows) {
      if (rows == 0 || rows > 64 || left-- == 0)
        continue;
      EntryCall call = callOf(run.which, rows, ++seed);
      call.entry = run.entry;
      State expectedState = initial, foundState = initial;
      EntryResult expected = reference->run(call, expectedState);
      FakeServices services(compiled->artifact(), RunOptions());
      EntryResult found = compiled->run(call, foundState, services);
      EXPECT_EQ(expected.code, MLCRT_OK) << testing::PrintToString(reference->getErrors());
      EXPECT_EQ(found.code, MLCRT_OK);
      ASSERT_EQ(expected.outputs.size(), found.outputs.size());
      const Bound &bound = run.which.bound;
      const bool isExact = !run.isGradient && !bound.ulps && !bound.absolute && !bound.terms && !bound.termsOfRow;
      for (const auto &[name, value] : expected.outputs) {
        Tolerance tolerance;
        tolerance.undefinedElements = run.which.undefinedElements;
        if (!isExact && interp::isFloatKind(value.getKind())) {
          // What is rounded may be rounded the other way.
          tolerance.ulps = 2 * unitOf(kind);
          tolerance.absolute = 2 * epsilonOf(kind) * largestOf(value);
        }
        EXPECT_EQ(differenceOf(value, found.outputs.find(name)->second, tolerance), "") << name << ", " << rows;
      }
      for (const auto &[name, value] : expectedState.getVariables())
        EXPECT_EQ(differenceOf(value, *foundState.lookup(name)), "") << "@" << name;
    }
  }
}

static std::vector<OpTheme> themes() {
  std::vector<OpTheme> all = kOpThemes;
  all.insert(all.end(),
             {{"ControlFlow", addControlFlowCases}, {"Elementwise", addElementwiseCases}, {"State", addStateCases}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Themes, HalfPrecision,
                         testing::Combine(testing::ValuesIn(themes()),
                                          testing::Values(ElementKind::F16, ElementKind::BF16)),
                         [](const testing::TestParamInfo<HalfPrecision::ParamType> &info) {
                           return std::string(std::get<0>(info.param).first) + "_" +
                                  interp::kindName(std::get<1>(info.param)).str();
                         });
