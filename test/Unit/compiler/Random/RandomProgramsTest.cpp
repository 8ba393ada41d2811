// Random programs: the interpreter against compiled code, optimized and not, and gradients against finite differences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_random_programs_test [--first=N] [--count=N]   seeds to run (default: 0, 300)
//   mlc_random_programs_test --check=FILE              runs the functions of a module: fails where they disagree
//   mlc_random_programs_test --gpu ...                 either on the emulated GPU: --gtest_filter=*GpuPrograms* of
//   seeds mlc_random_programs_test --print=exact|free|smooth|gradients|half --first=N   writes the module of a seed to
//   stdout mlc_random_programs_test --print=ops               tells what is registered for each op of df
//
#include "RandomProgram.h"
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlc/Interpreter/GradientCheck.h"
#include "mlir/Pass/PassManager.h"
#include "test/Unit/compiler/Execute/Compare.h"
#include "test/Unit/compiler/Execute/CompiledModule.h"
#include "test/Unit/compiler/Execute/Reference.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace mlc;
using namespace mlc::execute;
using namespace mlc::random;
using interp::ElementKind;

namespace {

int64_t firstSeed = 0, numSeeds = 300;
std::string checkedFile, printedMode;
/// All seeds, and files, run on the emulated GPU, and nowhere else.
bool runsOnGpu = false;

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registry.insert<df::DfDialect>();
  df::registerDfDecompositions(registry);
  df::registerDfGradients(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<df::DfDialect>();
  return context;
}

const std::vector<ElementwiseOp> &elementwiseOps() {
  static const std::vector<ElementwiseOp> ops = findElementwiseOps(*makeContext());
  return ops;
}

ElementKind kindOf(mlir::Type type) {
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ElementKind::I1;
  case 8:
    return isUnsigned ? ElementKind::UI8 : ElementKind::I8;
  case 16:
    return isUnsigned ? ElementKind::UI16 : ElementKind::I16;
  case 32:
    return isUnsigned ? ElementKind::UI32 : ElementKind::I32;
  default:
    return isUnsigned ? ElementKind::UI64 : ElementKind::I64;
  }
}

/// Values of the arguments of a function, by name.
TensorMap argumentsOf(df::FunctionOp function, int64_t rows, Mode mode) {
  TensorMap values;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
    std::vector<int64_t> shape;
    for (int64_t size : type.getShape())
      shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    auto name = function.getArgAttrOfType<mlir::StringAttr>(i, df::FunctionOp::kNameAttr);
    // A reduced module has lost arguments; those left, called ...x<place>, keep their values.
    unsigned place = i;
    name.getValue().rsplit('x').second.getAsInteger(10, place);
    values[name.str()] = argumentValue(place, kindOf(type.getElementType()), shape, rows, mode);
  }
  return values;
}

/// What of a gradient is not near the one expected, or nothing. What it is made of is added in another order, and
/// halves are rounded at other places.
std::string differenceOfGradients(const interp::Tensor &expected, const interp::Tensor &found, Mode mode) {
  if (expected.getShape() != found.getShape())
    return "another shape";
  // Halves may overflow where the others do not.
  bool isHalf = mode == Mode::HalfGradients;
  double largest = 1;
  for (int64_t i = 0; i < expected.getNumElements(); ++i)
    if (double value = std::abs(expected.getFloat(i)); std::isfinite(value))
      largest = std::max(largest, value);
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    double x = expected.getFloat(i), y = found.getFloat(i);
    bool isNear = std::isfinite(x) ? std::abs(x - y) <= (isHalf ? 0.1 : 1e-7) * largest
                                   : isHalf || x == y || (std::isnan(x) && std::isnan(y));
    if (!isNear)
      return "element " + std::to_string(i) + " is " + std::to_string(y) + ", expected " + std::to_string(x);
  }
  return "";
}

/// What differs between two results of one program, or nothing.
std::string differenceOfResults(const EntryResult &expected, const EntryResult &found, Mode mode) {
  // What the data does wrong fails everywhere; who says so may differ.
  if (expected.code != MLCRT_OK && found.code != MLCRT_OK)
    return "";
  if (found.code != expected.code)
    return "the code is " + std::to_string(found.code) + ", expected " + std::to_string(expected.code);
  for (const auto &[name, value] : expected.outputs) {
    auto it = found.outputs.find(name);
    if (it == found.outputs.end())
      return name + " is missing";
    if (isSmooth(mode)) {
      if (std::string difference = differenceOfGradients(value, it->second, mode); !difference.empty())
        return name + ": " + difference;
      continue;
    }
    Tolerance tolerance;
    if (name.compare(0, 3, "sum") == 0 || name.compare(0, 9, "magnitude") == 0) {
      auto magnitudes = expected.outputs.find("magnitude" + name.substr(name[0] == 's' ? 3 : 9));
      if (magnitudes != expected.outputs.end()) {
        tolerance.magnitudes = &magnitudes->second;
        // No sum has more terms.
        tolerance.perMagnitude = 4096 * (value.getKind() == ElementKind::F64 ? 0x1p-52 : 0x1p-23);
      }
    }
    if (std::string difference = differenceOf(value, it->second, tolerance); !difference.empty())
      return name + ": " + difference;
  }
  return "";
}

constexpr const char *kDoesNotCompile = "it does not compile";
/// What is told of a program that the interpreter refuses for every number of rows: nothing is compared.
constexpr const char *kNeverRuns = "it runs for no number of rows";
/// The rows that every program is run with.
constexpr int64_t kRowCounts[] = {0, 1, 7, 33};

/// Where a program runs, of compiled code.
struct Place {
  const char *name, *cpu;
  bool optimize;
};
constexpr Place kCpuPlaces[] = {{"not optimized", "x86-64-v3", false}, {"optimized", "x86-64-v3", true}};
constexpr Place kGpuPlaces[] = {{"emulated GPU", kCuda, true}};

/// Launches of kernels on the emulated GPU so far.
int64_t numLaunches = 0;

/// Runs each function of `text` at all `places`; by its name what differs, or nothing.
std::map<std::string, std::string> disagreementsOf(const std::string &text, Mode mode, llvm::ArrayRef<Place> places) {
  std::map<std::string, std::string> differences;
  auto context = makeContext();
  auto module = interp::parseModule(*context, text);
  auto reference = module ? Reference::create(text) : nullptr;
  if (!reference)
    return differences;
  const interp::State initial = reference->initialState(/*seed=*/5);
  std::vector<std::unique_ptr<CompiledModule>> compiled;
  for (const Place &place : places)
    compiled.push_back(CompiledModule::create(text, place.cpu, place.optimize));
  bool hasRun = false;
  auto run = [&](df::FunctionOp function, int64_t rows) -> std::string {
    EntryCall call;
    call.entry = function.getSymName().str();
    call.rows = rows;
    call.context.seed = 77;
    call.context.step = 3;
    call.features = argumentsOf(function, rows, mode);
    interp::State expectedState = initial;
    EntryResult expected = reference->run(call, expectedState);
    hasRun |= expected.code == MLCRT_OK;
    for (auto [place, module] : llvm::zip_equal(places, compiled)) {
      std::string where = std::string(place.name) + ", " + std::to_string(rows) + " rows: ";
      if (!module)
        return where + kDoesNotCompile;
      interp::State state = initial;
      RunOptions options;
      options.threads = 1 + rows % 3;
      options.reverse = rows % 2;
      FakeServices services(module->artifact(), options);
      EntryResult found = module->run(call, state, services);
      numLaunches += services.countCalls("device_launch");
      if (std::string difference = differenceOfResults(expected, found, mode); !difference.empty())
        return where + difference;
      if (expected.code != MLCRT_OK)
        continue;
      for (const auto &[name, value] : expectedState.getVariables())
        if (std::string difference = differenceOf(value, *state.lookup(name)); !difference.empty())
          return where + "@" + name + ": " + difference;
    }
    return "";
  };
  for (auto function : module->getOps<df::FunctionOp>()) {
    std::string &worst = differences[function.getSymName().str()];
    hasRun = false;
    for (int64_t rows : kRowCounts)
      if (worst.empty())
        worst = run(function, rows);
    if (worst.empty() && !hasRun)
      worst = kNeverRuns;
  }
  return differences;
}

mlir::LogicalResult expandGradients(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  df::DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  passes.addPass(df::createDfDecomposePass(beforeGradients));
  passes.addPass(df::createDfExpandGradientsPass());
  return passes.run(module);
}

/// Where --check runs a file.
llvm::ArrayRef<Place> checkedPlace() {
  if (runsOnGpu)
    return kGpuPlaces;
  return kCpuPlaces;
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Whether seeds are run, and not one file.
bool runsSeeds() { return checkedFile.empty(); }

/// "df.exp rule gradient dimensions": how the interpreter evaluates each op, and what else it tells of itself.
void printOps() {
  auto context = makeContext();
  for (mlir::RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() != "df")
      continue;
    llvm::outs() << name.getStringRef();
    if (interp::hasRule(name.getStringRef()))
      llvm::outs() << " rule";
    if (name.hasInterface<df::DecomposableOpInterface>())
      llvm::outs() << " decomposition";
    if (name.hasInterface<df::DifferentiableOpInterface>())
      llvm::outs() << " gradient";
    if (name.hasInterface<df::DimensionsOpInterface>())
      llvm::outs() << " dimensions";
    if (name.hasInterface<df::FallibleOpInterface>())
      llvm::outs() << " fallible";
    if (name.hasInterface<df::WorkOpInterface>() || name.hasTrait<mlir::OpTrait::Elementwise>())
      llvm::outs() << " work";
    if (name.hasTrait<df::DoesWork<df::Work::Movement>::Impl>())
      llvm::outs() << " movement";
    if (name.hasInterface<df::MovementOpInterface>())
      llvm::outs() << " moves";
    if (name.hasInterface<df::MeasuringOpInterface>())
      llvm::outs() << " measures";
    if (name.hasInterface<df::StateOpInterface>())
      llvm::outs() << " state";
    if (name.hasInterface<df::IntegerRangeOpInterface>())
      llvm::outs() << " integers";
    if (name.hasInterface<df::RegionSizesOpInterface>())
      llvm::outs() << " regions";
    if (name.hasTrait<df::PreparesFeatures>())
      llvm::outs() << " prepares";
    if (name.hasInterface<mlir::InferTypeOpInterface>())
      llvm::outs() << " infers";
    if (name.hasTrait<df::FreeResultType>())
      llvm::outs() << " free";
    llvm::outs() << '\n';
  }
}

} // namespace

/// Runs seeds from `first` to `last`, some in each module, and tells of each one that differs. Some have an id that no
/// data makes right: code must refuse them, too, and most must not be of that kind.
static void runSeeds(int64_t first, int64_t last, Mode mode, llvm::ArrayRef<Place> places,
                     llvm::function_ref<void(int64_t seed, const std::string &text, const std::string &what)> tell) {
  constexpr int64_t programsPerModule = 10;
  int64_t numRefused = 0;
  for (int64_t from = first; from < last; from += programsPerModule) {
    std::string text;
    int64_t to = std::min(from + programsPerModule, last);
    for (int64_t seed = from; seed < to; ++seed)
      text += writeProgram(seed, mode, elementwiseOps(), "f" + std::to_string(seed));
    auto differences = disagreementsOf(text, mode, places);
    // One that does not compile keeps the others of its module from it: each for itself then.
    if (!differences.empty() && llvm::StringRef(differences.begin()->second).ends_with(kDoesNotCompile)) {
      differences.clear();
      for (int64_t seed = from; seed < to; ++seed)
        differences.merge(
            disagreementsOf(writeProgram(seed, mode, elementwiseOps(), "f" + std::to_string(seed)), mode, places));
    }
    for (int64_t seed = from; seed < to; ++seed) {
      auto it = differences.find("f" + std::to_string(seed));
      if (it == differences.end())
        tell(seed, writeProgram(seed, mode, elementwiseOps()), "it cannot be parsed");
      else if (it->second == kNeverRuns)
        ++numRefused;
      else if (!it->second.empty())
        tell(seed, writeProgram(seed, mode, elementwiseOps()), it->second);
    }
  }
  EXPECT_LE(numRefused, 5 + (last - first) / 5) << "programs that the interpreter refuses";
}

/// A share of the seeds, so that several processes run them.
class ExactPrograms : public testing::TestWithParam<int> {};
constexpr int kShares = 6;

TEST_P(ExactPrograms, CompiledCodeIsAsTheInterpreterSays) {
  if (!runsSeeds())
    GTEST_SKIP() << "a file is checked";
  EXPECT_GT(elementwiseOps().size(), 50u);
  runSeeds(firstSeed + numSeeds * GetParam() / kShares, firstSeed + numSeeds * (GetParam() + 1) / kShares, Mode::Exact,
           kCpuPlaces, [](int64_t seed, const std::string &text, const std::string &what) {
             ADD_FAILURE() << "seed " << seed << ": " << what << '\n' << text;
           });
}

INSTANTIATE_TEST_SUITE_P(Shares, ExactPrograms, testing::Range(0, kShares));

/// Gradients, of f64 alone and of several kinds of floats: a sixth of the seeds each.
class GradientPrograms : public testing::TestWithParam<std::tuple<Mode, int>> {};

TEST_P(GradientPrograms, CodeIsAsTheInterpreterSays) {
  if (!runsSeeds())
    GTEST_SKIP() << "a file is checked";
  auto [mode, share] = GetParam();
  int64_t count = (numSeeds + 5) / 6;
  runSeeds(firstSeed + count * share / kShares, firstSeed + count * (share + 1) / kShares, mode, kCpuPlaces,
           [](int64_t seed, const std::string &text, const std::string &what) {
             ADD_FAILURE() << "seed " << seed << ": " << what << '\n' << text;
           });
}

INSTANTIATE_TEST_SUITE_P(Shares, GradientPrograms,
                         testing::Combine(testing::Values(Mode::Gradients, Mode::HalfGradients),
                                          testing::Range(0, kShares)));

/// On a GPU, which the emulator of PTX is: a fifteenth of the seeds, or all (--gpu).
class GpuPrograms : public testing::TestWithParam<Mode> {};

TEST_P(GpuPrograms, KernelsAreAsTheInterpreterSays) {
  if (!runsSeeds())
    GTEST_SKIP() << "a file is checked";
  const int64_t before = numLaunches, count = runsOnGpu ? numSeeds : std::max<int64_t>(numSeeds / 15, 1);
  runSeeds(firstSeed, firstSeed + count, GetParam(), kGpuPlaces,
           [](int64_t seed, const std::string &text, const std::string &what) {
             ADD_FAILURE() << "seed " << seed << ": " << what << '\n' << text;
           });
  EXPECT_GT(numLaunches, before);
}

INSTANTIATE_TEST_SUITE_P(Modes, GpuPrograms, testing::Values(Mode::Exact, Mode::Gradients, Mode::HalfGradients),
                         [](const testing::TestParamInfo<Mode> &info) {
                           return std::string(info.param == Mode::Exact       ? "Exact"
                                              : info.param == Mode::Gradients ? "Gradients"
                                                                              : "HalfGradients");
                         });

/// Sums of anything are decided on here: how often results differ is told, and is no failure.
TEST(RandomPrograms, FreeProgramsCompile) {
  if (!runsSeeds())
    GTEST_SKIP() << "a file is checked";
  int64_t differing = 0, programs = std::max<int64_t>(numSeeds / 10, 1);
  runSeeds(firstSeed, firstSeed + programs, Mode::Free, kCpuPlaces,
           [&](int64_t seed, const std::string &, const std::string &what) {
             ++differing;
             std::cout << "free seed " << seed << ": " << what.substr(0, 200) << '\n';
           });
  std::cout << differing << " of " << programs << " free programs differ\n";
}

TEST(RandomPrograms, GradientsAgreeWithFiniteDifferences) {
  if (!runsSeeds())
    GTEST_SKIP() << "a file is checked";
  auto context = makeContext();
  int64_t compared = 0;
  for (int64_t seed = firstSeed; seed < firstSeed + numSeeds; ++seed) {
    std::string text = writeProgram(seed, Mode::Smooth, elementwiseOps());
    auto module = interp::parseModule(*context, text);
    ASSERT_TRUE(module) << "seed " << seed << ":\n" << text;
    auto function = module->lookupSymbol<df::FunctionOp>("f");
    std::vector<interp::RuntimeValue> arguments;
    TensorMap values = argumentsOf(function, /*rows=*/2, Mode::Smooth);
    interp::GradientCheck check;
    check.function = "f";
    // Errors of a difference grow with the loss, which is about 100 here, over the step.
    check.step = 1e-3;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      arguments.push_back(values.find("f/x" + std::to_string(i))->second);
      if (mlir::isa<mlir::FloatType>(
              mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]).getElementType()))
        check.arguments.push_back(i);
    }
    auto error = interp::checkGradients(*module, check, arguments, interp::State(*module, 1), expandGradients);
    ASSERT_TRUE(succeeded(error)) << "seed " << seed << ":\n" << text;
    if (error->relative >= check.tolerance) {
      // The right step depends on the program: that of the smaller error counts.
      for (double step : {1e-4, 3e-3}) {
        check.step = step;
        auto other = interp::checkGradients(*module, check, arguments, interp::State(*module, 1), expandGradients);
        if (succeeded(other) && other->relative < error->relative)
          error = other;
      }
    }
    ++compared;
    EXPECT_LT(error->relative, check.tolerance)
        << "seed " << seed << ", " << error->where << '[' << error->index << "]: expanded " << error->expanded
        << ", numeric " << error->numeric << '\n'
        << text;
  }
  EXPECT_EQ(compared, numSeeds);
}

/// What --check runs; test/Regressions has files of it, and mlc-reduce asks it.
TEST(RandomPrograms, FileIsAsTheInterpreterSays) {
  if (runsSeeds())
    GTEST_SKIP() << "no --check";
  std::string text = readFile(checkedFile);
  ASSERT_FALSE(text.empty()) << checkedFile;
  auto differences = disagreementsOf(text, Mode::Exact, checkedPlace());
  ASSERT_FALSE(differences.empty()) << "it does not run";
  for (const auto &[name, difference] : differences)
    EXPECT_EQ(difference, "") << '@' << name;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  // The long mode.
  if (const char *count = std::getenv("MLC_TEST_RANDOM_PROGRAMS");
      count && llvm::StringRef(count).getAsInteger(10, numSeeds)) {
    llvm::errs() << "MLC_TEST_RANDOM_PROGRAMS is '" << count << "'; expected a number of seeds\n";
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--check="))
      checkedFile = argument.str();
    else if (argument.consume_front("--print="))
      printedMode = argument.str();
    else if (argument == "--gpu")
      runsOnGpu = true;
    else if (!(argument.consume_front("--first=") && !argument.getAsInteger(10, firstSeed)) &&
             !(argument.consume_front("--count=") && !argument.getAsInteger(10, numSeeds))) {
      llvm::errs() << "unknown argument '" << argv[i] << "'\n";
      return 2;
    }
  }
  if (printedMode == "ops") {
    printOps();
    return 0;
  }
  if (!printedMode.empty()) {
    Mode mode = printedMode == "free"        ? Mode::Free
                : printedMode == "smooth"    ? Mode::Smooth
                : printedMode == "gradients" ? Mode::Gradients
                : printedMode == "half"      ? Mode::HalfGradients
                                             : Mode::Exact;
    llvm::outs() << writeProgram(firstSeed, mode, elementwiseOps());
    return 0;
  }
  return RUN_ALL_TESTS();
}
