// Weights of exports, mapped or read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/MappedWeights.h"
#include "TablesModel.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/core/EntryRunner.h"

#include "gmock/gmock.h"

#include <filesystem>
#include <numeric>

using namespace mlcrt;
using testing::HasSubstr;
using Storage = TablesModel::Storage;

namespace {

class MappedWeightsTest : public testing::Test {
protected:
  MappedWeightsTest() {
    std::string pattern = testing::TempDir() + "/mlcrt-weights-XXXXXX";
    directory = ::mkdtemp(pattern.data());
  }
  ~MappedWeightsTest() override { std::filesystem::remove_all(directory); }

  /// Writes all tensors; `isRun`: those of a variable as one run.
  std::string write(TablesModel &model, bool isRun) {
    const StateTensors &tensors = model.artifact->tensors();
    std::vector<TensorInfo> infos;
    for (const StateTensor &tensor : tensors) {
      TensorInfo &info = infos.emplace_back();
      info.name = tensor.value.name;
      info.dtype = static_cast<mlcrt_dtype>(tensor.value.dtype);
      info.shape = tensor.shape();
      if (isRun)
        info.run = tensors[tensors.firstOf(tensor.variable)].value.name;
    }
    const std::string path = directory + (isRun ? "/run" : "/apart");
    std::string bytes;
    auto file = writeSafetensors(path, infos, [&](size_t i) -> absl::StatusOr<const void *> {
      bytes = model.bytesOf(infos[i].name);
      return bytes.data();
    });
    EXPECT_TRUE(file.ok()) << file.status();
    return path;
  }
  /// All rows of the first variable, as predictions read them.
  static std::string predicted(TablesModel &model, const MappedWeights &weights) {
    ThreadPool pool(1);
    EntryRunner runner(*model.program, *model.artifact->entry(MLCRT_ROLE_PREDICT), pool);
    weights.place(runner);
    std::vector<int64_t> ids(9);
    std::iota(ids.begin(), ids.end(), 0);
    BatchView batch;
    batch.rows = 9;
    batch.features = {makeBuffer(ids.data(), MLCRT_I64, {9})};
    absl::Status status = runner.run(batch);
    EXPECT_TRUE(status.ok()) << status;
    return {static_cast<const char *>(runner.output(0).data), static_cast<size_t>(byteCount(runner.output(0)))};
  }
  /// Whether the state has the value: what is mapped stays in the file.
  static bool isInState(TablesModel &model, const std::string &name) {
    const std::string bytes = model.bytesOf(name);
    return bytes != std::string(bytes.size(), 0);
  }

  std::string directory;
};

} // namespace

TEST_F(MappedWeightsTest, AVariableOfSeveralTensorsIsMappedInOnePiece) {
  constexpr int64_t kWidth = int64_t{1} << 15; // 9 rows are mapped, 4 are read
  TablesModel saved(Storage::Stacked, {}, "{}", kWidth);
  saved.fill(1);
  const std::string all = saved.bytesOf("a") + saved.bytesOf("b") + saved.bytesOf("c");
  for (bool isRun : {true, false}) {
    TablesModel model(Storage::Stacked, {}, "{}", kWidth);
    auto weights = MappedWeights::open(write(saved, isRun), *model.artifact, model.state());
    ASSERT_TRUE(weights.ok()) << weights.status();
    EXPECT_TRUE(predicted(model, **weights) == all);
    // Slots lie between the tables unless these are a run.
    EXPECT_EQ(isInState(model, "b"), !isRun);
    EXPECT_TRUE(isInState(model, "bias"));
  }
  TablesModel separate(Storage::Separate, {}, "{}", kWidth);
  auto weights = MappedWeights::open(directory + "/run", *separate.artifact, separate.state());
  ASSERT_TRUE(weights.ok()) << weights.status();
  EXPECT_TRUE(separate.bytes() == saved.bytes());
}

TEST_F(MappedWeightsTest, ErrorsNameTheTensor) {
  TablesModel saved(Storage::Stacked), wide(Storage::Stacked, {}, "{}", 3);
  const std::string path = write(saved, true);
  EXPECT_THAT(std::string(MappedWeights::open(path, *wide.artifact, wide.state()).status().message()),
              HasSubstr("tensor 'a' is f32[3, 2], expected f32[3, 3]"));
}
