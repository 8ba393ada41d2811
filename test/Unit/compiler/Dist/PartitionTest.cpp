// Programs cut by random placements give the bits of the uncut module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomPlacement.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "mlc/Interpreter/Constants.h"
#include "mlc/Interpreter/Programs.h"
#include "mlir/Pass/PassManager.h"
#include "test/Unit/compiler/Random/RandomProgram.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlc;
using namespace mlc::dist;
using execute::RandomValues;
using interp::ElementKind;
using interp::RuntimeValue;

namespace {

std::vector<std::string> devicesOf(unsigned count) {
  std::vector<std::string> devices = {"/job:worker/task:0/device:CPU:0"};
  for (unsigned i = 1; i < count; ++i)
    devices.push_back("/job:ps/task:" + std::to_string(i - 1) + "/device:CPU:0");
  return devices;
}

mlir::LogicalResult partition(mlir::ModuleOp module, llvm::ArrayRef<std::string> devices) {
  mlir::PassManager passes(module.getContext());
  DistPlacePassOptions options;
  options.devices.assign(devices.begin(), devices.end());
  passes.addPass(createDistPlacePass(options));
  passes.addPass(createDistPartitionPass());
  return passes.run(module);
}

struct Call {
  std::string function;
  std::vector<RuntimeValue> arguments;
};

/// Runs `calls` of a module and of what it is cut into; what differs, or nothing. Each both ways, or neither.
std::string differenceOf(mlir::ModuleOp module, llvm::ArrayRef<Call> calls, unsigned numDevices, uint32_t seed) {
  mlir::OwningOpRef<mlir::ModuleOp> cut = module.clone();
  RandomValues random(seed);
  std::vector<std::string> devices = devicesOf(numDevices);
  markRandomly(*cut, devices, random);
  if (mlir::failed(partition(*cut, devices)))
    return "is not cut";
  interp::Context context;
  context.seed = 77;
  context.step = 3;
  interp::State state(module, /*seed=*/5);
  interp::Programs programs(*cut, /*seed=*/5);
  for (const Call &call : calls) {
    auto expected = interp::interpret(module, call.function, call.arguments, state, context);
    auto found = programs.run({call.function, call.arguments}, context);
    if (mlir::succeeded(expected) != mlir::succeeded(found))
      return "@" + call.function + (mlir::succeeded(found) ? " must fail" : " fails");
    if (mlir::failed(expected))
      return ""; // what was written before is not the same in programs that do not wait for each other
    if (expected->size() != found->size())
      return "@" + call.function + " has " + std::to_string(found->size()) + " results";
    for (size_t i = 0; i < expected->size(); ++i) {
      auto *before = std::get_if<interp::Tensor>(&(*expected)[i]), *after = std::get_if<interp::Tensor>(&(*found)[i]);
      std::string texts[2];
      for (auto [text, values] : {std::pair(&texts[0], &*expected), std::pair(&texts[1], &*found)})
        llvm::raw_string_ostream(*text) << (*values)[i];
      if (before && after ? !before->identical(*after) : texts[0] != texts[1])
        return "@" + call.function + ", result " + std::to_string(i) + ": " + texts[0] + " and " + texts[1];
    }
    auto variables = programs.getVariables();
    if (variables.size() != state.getVariables().size())
      return "there are " + std::to_string(variables.size()) + " variables";
    for (const auto &[name, value] : state.getVariables())
      if (!value.identical(variables.at(name)))
        return "@" + call.function + ": @" + name + " differs";
  }
  return "";
}

int64_t countMessages(mlir::ModuleOp module) {
  int64_t count = 0;
  module.walk([&](SendOp) { ++count; });
  return count;
}

std::string sourcePath(llvm::StringRef path) {
  const char *root = std::getenv("MLC_SOURCE_DIR");
  return (root ? std::string(root) : std::string(".")) + "/" + path.str();
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// All calls that a test of the interpreter makes: functions whose arguments have values.
std::vector<Call> callsOf(mlir::ModuleOp module) {
  std::vector<Call> calls;
  for (auto function : module.getOps<df::FunctionOp>()) {
    Call call{function.getSymName().str(), {}};
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto elements = function.getArgAttrOfType<mlir::ElementsAttr>(i, df::FunctionOp::kValueAttr))
        call.arguments.push_back(*interp::tensorOf(elements));
    bool isBound = false;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      isBound |= function.getArgBinding(i) != nullptr;
    if (call.arguments.size() == function.getNumArguments() && !isBound)
      calls.push_back(std::move(call));
  }
  return calls;
}

} // namespace

/// A share of the seeds, so that several processes run them.
class RandomPlacements : public testing::TestWithParam<int> {};
constexpr int kShares = 4, kSeeds = 160;

TEST_P(RandomPlacements, RandomProgramsKeepTheirBits) {
  auto context = makePlacementContext();
  const auto ops = random::findElementwiseOps(*context);
  int64_t ran = 0, messages = 0, inRegions = 0;
  for (int seed = GetParam(); seed < kSeeds; seed += kShares) {
    auto module = interp::parseModule(*context, random::writeProgram(seed, random::Mode::Exact, ops));
    ASSERT_TRUE(module);
    auto function = module->lookupSymbol<df::FunctionOp>("f");
    for (int64_t rows : {1, 5}) {
      Call call{"f", {}};
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
        auto tensor = mlir::cast<mlir::RankedTensorType>(type);
        std::vector<int64_t> shape;
        for (int64_t size : tensor.getShape())
          shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
        call.arguments.push_back(random::argumentValue(i, *interp::elementKindOf(tensor.getElementType()), shape, rows,
                                                       random::Mode::Exact));
      }
      // Some programs fail, as on an index out of range: one side tells, the other must as well.
      mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
      for (unsigned devices : {2, 3}) {
        std::string difference = differenceOf(*module, {call, call}, devices, 100 * seed + devices);
        ASSERT_EQ(difference, "") << "seed " << seed << ", " << devices << " devices, " << rows << " rows";
        ++ran;
      }
    }
    mlir::OwningOpRef<mlir::ModuleOp> cut = module->clone();
    RandomValues random(100 * seed + 2);
    markRandomly(*cut, devicesOf(2), random);
    ASSERT_TRUE(mlir::succeeded(partition(*cut, devicesOf(2))));
    messages += countMessages(*cut);
    cut->walk([&](SendOp send) { inRegions += !mlir::isa<df::FunctionOp>(send->getParentOp()); });
  }
  EXPECT_EQ(ran, kSeeds / kShares * 4);
  EXPECT_GT(messages, ran);
  EXPECT_GT(inRegions, 10); // loops and branches are cut
}

INSTANTIATE_TEST_SUITE_P(Shares, RandomPlacements, testing::Range(0, kShares));

/// The least number of points that meet all of `intervals`, [first, second) each, by trying all sets of points.
static size_t leastPoints(llvm::ArrayRef<std::pair<int64_t, int64_t>> intervals, int64_t end) {
  size_t least = intervals.size();
  for (uint32_t points = 0; points < 1u << end; ++points) {
    bool all = llvm::all_of(intervals, [&](auto interval) {
      for (int64_t at = interval.first; at < interval.second; ++at)
        if (points >> at & 1)
          return true;
      return false;
    });
    if (all)
      least = std::min<size_t>(least, llvm::popcount(points));
  }
  return least;
}

/// Random chains on two devices: what crosses, from after its op until before its first use, in as few messages as
/// any points in between allow; each value once.
TEST(Messages, AreAsFewAsCanBe) {
  auto context = makePlacementContext();
  constexpr int kOps = 12;
  int64_t merged = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomValues random(seed);
    std::string text =
        "df.function @f(%v0: tensor<f32>) -> tensor<f32> attributes {dist.device = \"/device:CPU:0\"} {\n";
    int64_t devices[kOps + 1] = {0}, operands[kOps + 1][2];
    for (int i = 1; i <= kOps; ++i) {
      devices[i] = random.below(2);
      for (int64_t &operand : operands[i])
        operand = random.below(i);
      text += "%v" + std::to_string(i) + " = df.add %v" + std::to_string(operands[i][0]) + ", %v" +
              std::to_string(operands[i][1]) + " {dist.device = \"/device:CPU:" + std::to_string(devices[i]) +
              "\"} : tensor<f32>\n";
    }
    text += "df.return %v" + std::to_string(kOps) + " : tensor<f32>\n}\n";
    auto module = interp::parseModule(*context, text);
    ASSERT_TRUE(module);
    std::vector<std::pair<int64_t, int64_t>> crossing[2]; // by device of the value
    for (int value = 0; value <= kOps; ++value) {
      int64_t first = -1;
      for (int user = kOps; user > value; --user)
        if (devices[user] != devices[value] && llvm::is_contained(operands[user], value))
          first = user;
      if (first < 0 && value == kOps && devices[value] != 0)
        first = kOps + 1;
      if (first >= 0)
        crossing[devices[value]].emplace_back(value, first);
    }
    size_t expected = 0, values = 0;
    for (const auto &intervals : crossing) {
      expected += leastPoints(intervals, kOps + 1);
      values += intervals.size();
    }
    mlir::PassManager passes(context.get());
    passes.addPass(createDistPartitionPass());
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    size_t sent = 0;
    module->walk([&](SendOp send) { sent += send.getValues().size(); });
    EXPECT_EQ(sent, values) << text;
    EXPECT_EQ(static_cast<size_t>(countMessages(*module)), expected) << text;
    merged += static_cast<int64_t>(values) - static_cast<int64_t>(expected);
  }
  EXPECT_GT(merged, 200);
}

TEST(Programs, TellWhatACallLacks) {
  auto context = makePlacementContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    dist.program @p on "/device:CPU:0" {
      df.variable @v : tensor<f32> = #df.constant<2.0>
      df.function @f(%b: tensor<f32> {dist.argument = 1 : i64}) -> tensor<f32> {
        %a = dist.recv from @q channel 0 : tensor<f32>
        %v = df.read @v : tensor<f32>
        %ab = df.sub %a, %b : tensor<f32>
        %y = df.mul %ab, %v : tensor<f32>
        df.return %y : tensor<f32>
      }
    }
    dist.program @q on "/device:CPU:1" {
      df.function @f(%a: tensor<f32> {dist.argument = 0 : i64}) {
        dist.send %a to @p channel 0 : tensor<f32>
        df.return
      }
    })",
                                                        context.get());
  ASSERT_TRUE(module);
  std::vector<std::string> told;
  mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
    told.push_back(diagnostic.str());
    return mlir::success();
  });
  EXPECT_TRUE(interp::Programs::isPartitioned(*module));
  interp::Programs programs(*module, /*seed=*/0);
  EXPECT_EQ(programs.getEntries(), std::vector<std::string>({"f"}));
  RuntimeValue seven = interp::Tensor::scalar(ElementKind::F32, 7), four = interp::Tensor::scalar(ElementKind::F32, 4);
  auto results = programs.run({"f", {seven, four}});
  ASSERT_TRUE(mlir::succeeded(results));
  EXPECT_EQ(std::get<interp::Tensor>(results->front()).getFloat(0), 6);
  EXPECT_EQ(programs.lookup("v")->getFloat(0), 2);
  EXPECT_EQ(programs.lookup("w"), nullptr);
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(mlir::failed(programs.run({"g", {}})));
  EXPECT_TRUE(mlir::failed(programs.run({"f", {seven}})));
  EXPECT_TRUE(mlir::failed(programs.run({"f", {seven, four, four}})));
  EXPECT_EQ(told, std::vector<std::string>({"no program has a df.function @g",
                                            "'df.function' op needs argument 1 of @f; there are 1",
                                            "'df.function' op and its other parts take 2 arguments; found 3"}));
}

class TestFiles : public testing::TestWithParam<const char *> {};

TEST_P(TestFiles, KeepTheirBits) {
  auto context = makePlacementContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      readFile(sourcePath(std::string("test/Interpret/") + GetParam() + ".mlir")), context.get());
  ASSERT_TRUE(module);
  // Segments bound to state are beyond this stage.
  for (auto function : llvm::make_early_inc_range(module->getOps<df::FunctionOp>()))
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgBinding(i)) {
        function.erase();
        break;
      }
  std::vector<Call> calls = callsOf(*module);
  // Split files hold functions that fail: those are for other tests.
  llvm::erase_if(calls, [&](const Call &call) {
    mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
    interp::State state(*module, /*seed=*/5);
    return mlir::failed(interp::interpret(*module, call.function, call.arguments, state));
  });
  ASSERT_FALSE(calls.empty());
  for (uint32_t seed = 0; seed < 12; ++seed)
    EXPECT_EQ(differenceOf(*module, calls, 2 + seed % 2, seed), "") << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Interpret, TestFiles,
                         testing::Values("control-flow", "scan", "state", "training", "queues", "save", "random",
                                         "composite", "order", "strings", "ragged", "feature", "indexing",
                                         "statistics"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Trains an example for some steps and evaluates it.
static void runExample(std::string text, llvm::ArrayRef<Call> calls, unsigned placements) {
  auto context = makePlacementContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  ASSERT_TRUE(module);
  mlir::PassManager passes(context.get());
  df::DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  passes.addPass(df::createDfDecomposePass(beforeGradients));
  passes.addPass(df::createDfExpandGradientsPass());
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  for (uint32_t seed = 0; seed < placements; ++seed)
    EXPECT_EQ(differenceOf(*module, calls, 2 + seed % 2, seed), "") << "seed " << seed;
}

TEST(Examples, MultilayerPerceptronKeepsItsBits) {
  // Smaller, so that many placements are run.
  std::string text = readFile(sourcePath("examples/df/mlp.mlir"));
  for (auto [from, to] : {std::pair("784", "12"), std::pair("128", "8")})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, 3, to);
  RandomValues random(1);
  RuntimeValue images = random.floats(ElementKind::F32, {5, 12}, 0, 1);
  RuntimeValue digits = random.integers(ElementKind::I64, {5}, 0, 10);
  runExample(text,
             {{"train", {images, digits}},
              {"train", {images, digits}},
              {"eval_update", {images, digits}},
              {"eval_result", {}},
              {"predict", {images}}},
             /*placements=*/20);
}

TEST(Examples, RecurrentNetworkKeepsItsBits) {
  std::string text = readFile(sourcePath("examples/df/char_rnn.mlir"));
  for (auto [from, to] :
       {std::pair("1024", "16"), std::pair("256", "4"), std::pair("512", "8"), std::pair("768", "12")})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  RandomValues random(2);
  RuntimeValue windows = random.integers(ElementKind::I64, {2, 65}, 0, 65);
  runExample(text, {{"train", {windows}}, {"train", {windows}}}, /*placements=*/8);
}
