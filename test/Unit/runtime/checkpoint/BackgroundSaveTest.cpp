// Saving while the state goes on to change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/BackgroundSave.h"
#include "CheckpointFixture.h"
#include "runtime/src/checkpoint/Inspect.h"

using namespace mlcrt;
namespace fs = std::filesystem;

class BackgroundSaveTest : public CheckpointFixture {
protected:
  static CheckpointManifest at(int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    return manifest;
  }
  /// The variables of a checkpoint as SmallModel::bytes.
  static std::string bytesOf(const std::string &directory) {
    SmallModel model;
    auto manifest = readManifest(directory);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_TRUE(restoreState(directory, *manifest, *model.artifact, *model.state).ok());
    return model.bytes();
  }
};

TEST_F(BackgroundSaveTest, HoldsTheStateOfItsBeginning) {
  SmallModel model;
  CheckpointStore store(modelDir_);
  ThreadPool pool(3);
  LocalShards shards(*model.artifact, *model.state, pool);
  BackgroundSave saver(*model.artifact, shards);
  for (int64_t step : {1, 2, 3}) {
    model.fill(static_cast<float>(step));
    std::string before = model.bytes();
    ASSERT_TRUE(saver.begin({{&store, at(step), /*keepMax=*/2, {}}}).ok());
    EXPECT_TRUE(saver.isRunning());
    model.fill(100.0f * static_cast<float>(step));
    SaveResult result = saver.finish().at(0);
    EXPECT_FALSE(saver.isRunning());
    ASSERT_TRUE(result.path.ok()) << result.path.status();
    EXPECT_TRUE(result.retired.ok());
    EXPECT_EQ(bytesOf(*result.path), before);
  }
  EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000001")) << "retired after the save";
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-0000000002"));
}

TEST_F(BackgroundSaveTest, JobsOfOneSaveHoldOneState) {
  SmallModel model;
  model.fill(1);
  CheckpointStore whole(modelDir_), part(modelDir_, "part", {1});
  ThreadPool pool(2);
  LocalShards shards(*model.artifact, *model.state, pool);
  BackgroundSave saver(*model.artifact, shards);
  ASSERT_TRUE(saver.begin({{&whole, at(1), 1, {}}, {&part, at(1), 1, {}}}).ok());
  model.fill(2);
  std::vector<SaveResult> results = saver.finish();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(*results[0].path, modelDir_ + "/ckpt-0000000001");
  EXPECT_EQ(*results[1].path, modelDir_ + "/part-0000000001");
  auto differences = diffCheckpoints(*WeightSource::open(*results[0].path), *WeightSource::open(*results[1].path));
  ASSERT_TRUE(differences.ok()) << differences.status();
  ASSERT_EQ(differences->size(), 2u) << "the slot is in both and the same";
  for (const VariableDifference &difference : *differences)
    EXPECT_EQ(difference.kind, VariableDifference::Removed) << difference.name;
  // Only what the job holds is copied; what is from the copy before is not taken.
  ASSERT_TRUE(saver.begin({{&part, at(2), 1, {}}}).ok());
  std::string slot = *saver.finish().at(0).path;
  EXPECT_EQ(diffCheckpoints(*WeightSource::open(*results[0].path), *WeightSource::open(slot))->size(), 3u);
  EXPECT_FALSE(fs::exists(modelDir_ + "/part-0000000001")) << "each has its own retention";
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-0000000001"));
  // What comes after a failure is not tried.
  writeFile(directory_ + "/file", "in the way");
  CheckpointStore bad(directory_ + "/file");
  ASSERT_TRUE(saver.begin({{&bad, at(3), 1, {}}, {&part, at(3), 1, {}}}).ok());
  EXPECT_EQ(saver.finish().size(), 1u);
  EXPECT_FALSE(fs::exists(modelDir_ + "/part-0000000003"));
}

TEST_F(BackgroundSaveTest, EqualsASaveInPlace) {
  SmallModel model;
  model.fill(5);
  CheckpointStore here(modelDir_), there(directory_ + "/b");
  ThreadPool pool(1);
  LocalShards shards(*model.artifact, *model.state, pool);
  BackgroundSave saver(*model.artifact, shards);
  ASSERT_TRUE(saver.begin({{&there, at(7), 0, {}}}).ok());
  auto path = here.save(*model.artifact, *model.state, at(7));
  SaveResult result = saver.finish().at(0);
  ASSERT_TRUE(path.ok() && result.path.ok());
  EXPECT_EQ(readFile(*path + "/ps-00000-of-00001.safetensors"),
            readFile(*result.path + "/ps-00000-of-00001.safetensors"));
}

TEST_F(BackgroundSaveTest, FailuresAreToldByFinish) {
  SmallModel model;
  writeFile(modelDir_, "in the way");
  CheckpointStore store(modelDir_);
  ThreadPool pool(1);
  LocalShards shards(*model.artifact, *model.state, pool);
  BackgroundSave saver(*model.artifact, shards);
  ASSERT_TRUE(saver.begin({{&store, at(1), 1, {}}}).ok());
  EXPECT_FALSE(saver.finish().at(0).path.ok());
  fs::remove(modelDir_);
  ASSERT_TRUE(saver.begin({{&store, at(1), 1, {}}}).ok());
  EXPECT_TRUE(saver.finish().at(0).path.ok()) << "the next one is a new attempt";
  // What is not waited for is finished all the same.
  ASSERT_TRUE(saver.begin({{&store, at(2), 5, {}}}).ok());
}
