// Modules under random placements, compiled and run by the runtime with a thread for each device, give the bits of the
// same modules without devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomPlacement.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "runtime/src/core/EntryRunner.h"
#include "test/Unit/compiler/Execute/CompiledModule.h"
#include "test/Unit/compiler/Random/RandomProgram.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlc;
using namespace mlc::dist;
using execute::CompiledModule;
using execute::RandomValues;

namespace {

/// What a run came to: its error, or outputs by name and the state.
struct Outcome {
  absl::Status status;
  std::map<std::string, std::string> values;
};

/// The bytes of a tensor, of strings their texts.
std::string bytesOf(const mlcrt::TensorView &buffer) {
  std::string bytes = mlcrt::describe(buffer) + " ";
  if (buffer.dtype != MLCRT_STRING)
    return bytes.append(static_cast<const char *>(buffer.data), mlcrt::byteCount(buffer));
  for (int64_t i = 0; i < mlcrt::elementCount(buffer); ++i) {
    const mlcrt_string &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
    bytes.append(cell.data, cell.size) += '\0';
  }
  return bytes;
}

/// The arguments of `function` for batches of `rows` rows, and what a batch of an artifact that has them is.
class Arguments {
public:
  Arguments(df::FunctionOp function, int64_t rows) : rows(rows) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      std::vector<int64_t> shape;
      for (int64_t size : tensor.getShape())
        shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
      values.emplace(
          function.getArgAttrOfType<mlir::StringAttr>(i, df::FunctionOp::kNameAttr).str(),
          random::argumentValue(i, *interp::elementKindOf(tensor.getElementType()), shape, rows, random::Mode::Exact));
    }
  }

  /// Memory of the batch stays with this.
  mlcrt::BatchView batchOf(const mlcrt_artifact &table) {
    mlcrt::BatchView batch;
    batch.rows = rows;
    for (int32_t f = 0; f < table.num_features; ++f) {
      const interp::Tensor &value = values.at(table.features[f].name);
      mlcrt::TensorView buffer = {nullptr, table.features[f].dtype,
                                  mlcrt::Dims(value.getShape().begin(), value.getShape().end())};
      if (value.getKind() == interp::ElementKind::String) {
        auto &list = cells.emplace_back();
        for (int64_t i = 0; i < value.getNumElements(); ++i) {
          auto text = value.getString(i);
          list.push_back({text.data(), static_cast<int64_t>(text.size())});
        }
        buffer.data = list.data();
      } else {
        buffer.data = const_cast<char *>(reinterpret_cast<const char *>(value.getBytes().data()));
      }
      batch.features.push_back(buffer);
    }
    return batch;
  }

private:
  int64_t rows;
  std::map<std::string, interp::Tensor> values;
  std::deque<std::vector<mlcrt_string>> cells;
};

/// Runs entry "f" of a compiled module twice.
Outcome runTwice(const CompiledModule &compiled, Arguments &arguments) {
  Outcome outcome;
  auto artifact = mlcrt::Artifact::fromTable(&compiled.artifact());
  if (!artifact.ok())
    return {artifact.status(), {}};
  auto program = mlcrt::Program::create(*artifact);
  mlcrt::ThreadPool pool(2);
  if (!program.ok() || !(*program)->initialize(/*seed=*/5, pool).ok())
    return {absl::InternalError("no initial state"), {}};
  const mlcrt_entry *entry = (*artifact)->entry(std::string_view("f"));
  if (!entry)
    return {absl::InternalError("no entry f"), {}};
  mlcrt::EntryRunner runner(**program, *entry, pool);
  mlcrt::BatchView batch = arguments.batchOf(compiled.artifact());
  for (int64_t call = 0; call < 2 && outcome.status.ok(); ++call)
    outcome.status = runner.run(batch, {/*seed=*/77, /*step=*/3 + call, /*firstRow=*/0});
  for (int32_t i = 0; i < runner.numOutputs() && outcome.status.ok(); ++i)
    outcome.values[runner.outputs().type(i).name] = bytesOf(runner.output(i));
  for (int32_t v = 0; v < compiled.artifact().num_variables && outcome.status.ok(); ++v)
    outcome.values[std::string("@") + compiled.artifact().variables[v].value.name] =
        bytesOf((*program)->state().storage(v));
  return outcome;
}

} // namespace

/// A share of the seeds, so that several processes run them.
class CompiledPlacements : public testing::TestWithParam<int> {};
constexpr int kShares = 2, kSeeds = 24;

TEST_P(CompiledPlacements, RandomProgramsKeepTheirBits) {
  auto context = makePlacementContext();
  const auto ops = random::findElementwiseOps(*context);
  int64_t compared = 0, channels = 0;
  for (int seed = GetParam(); seed < kSeeds; seed += kShares) {
    const std::string text = random::writeProgram(seed, random::Mode::Exact, ops);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    auto whole = CompiledModule::create(text, "x86-64-v3", /*optimize=*/false);
    ASSERT_TRUE(whole);
    const unsigned numDevices = 2 + seed % 2;
    std::vector<std::string> devices;
    for (unsigned i = 0; i < numDevices; ++i)
      devices.push_back("/device:CPU:" + std::to_string(i));
    RandomValues random(100 * seed);
    mlir::OwningOpRef<mlir::ModuleOp> marked = module->clone();
    markRandomly(*marked, devices, random);
    std::string placedText;
    llvm::raw_string_ostream(placedText) << *marked;
    auto placed = CompiledModule::create(placedText, "x86-64-v3", /*optimize=*/false);
    ASSERT_TRUE(placed) << "seed " << seed;
    channels += placed->artifact().num_channels;
    for (int64_t rows : {1, 5}) {
      Arguments arguments(module->lookupSymbol<df::FunctionOp>("f"), rows);
      Outcome expected = runTwice(*whole, arguments), found = runTwice(*placed, arguments);
      // Some programs fail, as on an index out of range: then both do. What was written before may differ.
      ASSERT_EQ(expected.status.ok(), found.status.ok()) << "seed " << seed << ": " << expected.status << found.status;
      if (!expected.status.ok())
        continue;
      ++compared;
      ASSERT_EQ(expected.values.size(), found.values.size()) << "seed " << seed;
      for (const auto &[name, bytes] : expected.values)
        // Sums of anything may be added in another order.
        if (name.rfind("sum", 0) != 0 && name.rfind("magnitude", 0) != 0)
          EXPECT_EQ(bytes, found.values[name]) << "seed " << seed << ", " << rows << " rows: " << name;
    }
  }
  EXPECT_GT(compared, kSeeds / kShares);
  EXPECT_GT(channels, 5 * kSeeds / kShares);
}

INSTANTIATE_TEST_SUITE_P(Shares, CompiledPlacements, testing::Range(0, kShares));
