// Saving while the state goes on to change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/BackgroundSave.h"
#include "CheckpointFixture.h"

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
  BackgroundSave saver(store, *model.artifact, *model.state, pool);
  for (int64_t step : {1, 2, 3}) {
    model.fill(static_cast<float>(step));
    std::string before = model.bytes();
    saver.begin(at(step), /*keepMax=*/2, {});
    EXPECT_TRUE(saver.isRunning());
    model.fill(100.0f * static_cast<float>(step));
    SaveResult result = saver.finish();
    EXPECT_FALSE(saver.isRunning());
    ASSERT_TRUE(result.path.ok()) << result.path.status();
    EXPECT_TRUE(result.retired.ok());
    EXPECT_EQ(bytesOf(*result.path), before);
  }
  EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000001")) << "retired behind the save";
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-0000000002"));
}

TEST_F(BackgroundSaveTest, EqualsASaveInPlace) {
  SmallModel model;
  model.fill(5);
  CheckpointStore here(modelDir_), there(directory_ + "/b");
  ThreadPool pool(1);
  BackgroundSave saver(there, *model.artifact, *model.state, pool);
  saver.begin(at(7), 0, {});
  auto path = here.save(*model.artifact, *model.state, at(7));
  SaveResult result = saver.finish();
  ASSERT_TRUE(path.ok() && result.path.ok());
  EXPECT_EQ(readFile(*path + "/ps-00000-of-00001.safetensors"),
            readFile(*result.path + "/ps-00000-of-00001.safetensors"));
}

TEST_F(BackgroundSaveTest, FailuresAreToldByFinish) {
  SmallModel model;
  writeFile(modelDir_, "in the way");
  CheckpointStore store(modelDir_);
  ThreadPool pool(1);
  BackgroundSave saver(store, *model.artifact, *model.state, pool);
  saver.begin(at(1), 1, {});
  EXPECT_FALSE(saver.finish().path.ok());
  fs::remove(modelDir_);
  saver.begin(at(1), 1, {});
  EXPECT_TRUE(saver.finish().path.ok()) << "the next one is a new attempt";
  // What is not waited for is finished all the same.
  saver.begin(at(2), 5, {});
}
