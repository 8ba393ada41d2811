// Checkpoints in a model_dir: save, find, restore, retire, and every kind of damage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckpointFixture.h"
#include "runtime/src/checkpoint/StatusMessage.h"

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

class CheckpointStoreTest : public CheckpointFixture {
protected:
  std::string save(SmallModel &model, int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.seed = 7;
    manifest.epoch = 2;
    manifest.position = 64;
    manifest.dataFiles = {{"a.csv", 10, 11}};
    manifest.settings = {{"model.dnn.hidden_units", "100,50"}, {"train.batch_size", "128"}};
    auto path = CheckpointStore(modelDir_).save(*model.artifact, *model.state, manifest);
    EXPECT_TRUE(path.ok()) << path.status();
    return *path;
  }
  static absl::Status restore(const std::string &directory, SmallModel &model) {
    auto manifest = readManifest(directory);
    return manifest.ok() ? restoreState(directory, *manifest, *model.artifact, *model.state) : manifest.status();
  }
  static std::string shard(const std::string &directory) { return directory + "/ps-00000-of-00001.safetensors"; }
};

TEST_F(CheckpointStoreTest, SaveAndRestore) {
  SmallModel model, other;
  model.fill(1.5f);
  std::string directory = save(model, 2000);
  EXPECT_EQ(directory, modelDir_ + "/ckpt-0000002000");
  auto manifest = readManifest(directory);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->model, "small");
  EXPECT_EQ(manifest->stateFingerprint, "9f3c0001");
  EXPECT_EQ(manifest->epoch, 2);
  EXPECT_EQ(manifest->position, 64);
  EXPECT_EQ(manifest->variables.size(), 3u) << "lifetime eval is not saved";
  EXPECT_EQ(manifest->find("w/Adagrad")->slotOf, "w");
  EXPECT_EQ(manifest->find("w/Adagrad")->slot, "accumulator");
  ASSERT_NE(other.bytes(), model.bytes());
  ASSERT_TRUE(restore(directory, other).ok());
  EXPECT_EQ(other.bytes(), model.bytes());
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), fs::directory_iterator()), 2) << "no temporary is left";
}

TEST_F(CheckpointStoreTest, EqualStatesGiveEqualShards) {
  SmallModel a, b;
  a.fill(3);
  b.fill(3);
  EXPECT_EQ(readFile(shard(save(a, 1))), readFile(shard(save(b, 2))));
  b.fill(4);
  EXPECT_NE(readFile(shard(save(a, 3))), readFile(shard(save(b, 4))));
}

TEST_F(CheckpointStoreTest, NewestComplete) {
  SmallModel model;
  CheckpointStore store(modelDir_);
  EXPECT_FALSE(store.newest()->has_value()) << "no directory";
  save(model, 100);
  save(model, 2000);
  fs::create_directory(modelDir_ + "/ckpt-0000003000"); // never committed
  fs::create_directory(modelDir_ + "/ckpt-12");         // not ours
  fs::create_directory(modelDir_ + "/ckpt-00000x4000");
  fs::create_directory(modelDir_ + "/runs");
  auto newest = store.newest();
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->step, 2000);
  EXPECT_EQ(store.list()->size(), 2u);
  auto removed = store.removeIncomplete();
  EXPECT_THAT(*removed, testing::ElementsAre(modelDir_ + "/ckpt-0000003000"));
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-12"));
  EXPECT_EQ(checkpointName(12345678901), "ckpt-12345678901");
}

TEST_F(CheckpointStoreTest, CompleteCheckpointIsNotOverwritten) {
  SmallModel model;
  model.fill(1);
  std::string directory = save(model, 5);
  std::string before = readFile(shard(directory));
  model.fill(2);
  EXPECT_EQ(save(model, 5), directory);
  EXPECT_EQ(readFile(shard(directory)), before);
  // An incomplete one is.
  fs::remove(directory + "/MANIFEST.json");
  save(model, 5);
  EXPECT_NE(readFile(shard(directory)), before);
}

TEST_F(CheckpointStoreTest, Retention) {
  SmallModel model;
  CheckpointStore store(modelDir_);
  auto steps = [&] {
    std::vector<int64_t> found;
    auto list = store.list();
    for (const CheckpointPath &entry : *list)
      found.push_back(entry.step);
    return found;
  };
  for (int64_t step : {0, 10, 20, 30}) {
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.keep = step == 10;
    ASSERT_TRUE(store.save(*model.artifact, *model.state, manifest).ok());
  }
  ASSERT_TRUE(store.retire(0).ok());
  EXPECT_THAT(steps(), testing::ElementsAre(0, 10, 20, 30));
  ASSERT_TRUE(store.retire(1).ok());
  EXPECT_THAT(steps(), testing::ElementsAre(10, 30));
  EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000000"));
}

TEST_F(CheckpointStoreTest, RetentionSparesNamedSteps) {
  SmallModel model;
  CheckpointStore store(modelDir_);
  for (int64_t step : {0, 10, 20, 30}) {
    CheckpointManifest manifest;
    manifest.step = step;
    ASSERT_TRUE(store.save(*model.artifact, *model.state, manifest).ok());
  }
  ASSERT_TRUE(store.retire(1, {10}).ok());
  auto list = store.list();
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[0].step, 10);
  EXPECT_EQ((*list)[1].step, 30);
}

TEST_F(CheckpointStoreTest, ForeignFilesStay) {
  SmallModel model;
  CheckpointStore store(modelDir_);
  for (int64_t step : {0, 10}) {
    CheckpointManifest manifest;
    manifest.step = step;
    ASSERT_TRUE(store.save(*model.artifact, *model.state, manifest).ok());
  }
  std::string note = modelDir_ + "/ckpt-0000000000/notes.txt";
  std::ofstream(note) << "mine";
  ASSERT_TRUE(store.retire(1).ok());
  EXPECT_TRUE(fs::exists(note));
  EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000000/MANIFEST.json"));
  auto removed = store.removeIncomplete();
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_THAT(*removed, testing::ElementsAre()) << "the directory stays for its other file";
  EXPECT_TRUE(fs::exists(note));
  // A file is no checkpoint, whatever its name.
  std::ofstream(modelDir_ + "/ckpt-0000000007") << "mine";
  EXPECT_EQ(store.removeIncomplete()->size(), 0u);
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-0000000007"));
}

TEST_F(CheckpointStoreTest, OtherModelIsRefusedWithTheDifference) {
  SmallModel model, other(5, "51aa0002");
  std::string directory = save(model, 2000);
  auto manifest = readManifest(directory);
  EXPECT_TRUE(checkFingerprint(directory, *manifest, *model.artifact, {}).ok());
  absl::Status status = checkFingerprint(directory, *manifest, *other.artifact, {{"model.dnn.hidden_units", "128,64"}});
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(exitCodeOf(status), mlc::common::ExitCode::Mismatch);
  EXPECT_EQ(formatMessage(messageOf(status)),
            "error[E0402] " + directory +
                ": checkpoint of another model (state fingerprint 9f3c.. , this spec 51aa..)\n"
                "    differs: model.dnn.hidden_units [100,50] -> [128,64]      help: --fresh, another --model_dir, or "
                "train.warm_start\n");
  status = checkFingerprint(directory, *manifest, *other.artifact, {});
  EXPECT_THAT(messageOf(status).differs, HasSubstr("variable 'w' f32[3, 4] -> f32[3, 5]"));
  // Even with equal fingerprints shapes are checked.
  status = restoreState(directory, *manifest, *other.artifact, *other.state);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("variable 'w' is f32[3, 4]; this model needs f32[3, 5]"));
}

/// A model that only predicts has no slots, and no step.
TEST_F(CheckpointStoreTest, WhatOnlyReadsMayHaveAPartOfTheState) {
  SmallModel model;
  model.fill(1);
  std::string directory = save(model, 7);
  auto manifest = readManifest(directory);
  const int64_t dims[] = {3, 4};
  mlcrt_variable variables[] = {
      {{"w", MLCRT_F32, 2, dims}, MLCRT_VARIABLE_TRAINABLE, -1, nullptr, 0, nullptr, nullptr}};
  mlcrt_entry entries[] = {{"predict", MLCRT_ROLE_PREDICT, 0, nullptr, 0, 0, nullptr, nullptr},
                           {"init", MLCRT_ROLE_INIT, 0, nullptr, 0, 0, nullptr, nullptr}};
  mlcrt_artifact table = model.artifact->table();
  table.state_fingerprint = "of another state";
  table.num_variables = 1;
  table.variables = variables;
  table.num_entries = 2;
  table.entries = entries;
  auto part = Artifact::fromTable(&table);
  ASSERT_TRUE(part.ok()) << part.status();
  State state(*part);
  // Whether columns and vocabularies may differ, the run says.
  EXPECT_EQ(checkFingerprint(directory, *manifest, **part, {}).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(restoreState(directory, *manifest, **part, state).ok());
  EXPECT_EQ(state.read("w")->as<float>()[5], model.state->read("w")->as<float>()[5]);
  // What it has must be there, in its shape.
  manifest->variables[0].name = "v";
  EXPECT_THAT(std::string(restoreState(directory, *manifest, **part, state).message()),
              HasSubstr("lacks the variable 'w'"));
  // One that trains has all of it.
  entries[0].role = MLCRT_ROLE_TRAIN;
  auto trains = Artifact::fromTable(&table);
  ASSERT_TRUE(trains.ok()) << trains.status();
  manifest = readManifest(directory);
  EXPECT_THAT(std::string(restoreState(directory, *manifest, **trains, state).message()),
              HasSubstr("which this model has not"));
}

TEST_F(CheckpointStoreTest, MissingVariablesAreNamed) {
  SmallModel model;
  std::string directory = save(model, 1);
  auto manifest = readManifest(directory);
  manifest->variables.erase(manifest->variables.begin() + 1);
  absl::Status status = restoreState(directory, *manifest, *model.artifact, *model.state);
  EXPECT_THAT(std::string(status.message()), HasSubstr("lacks the variable 'w/Adagrad'"));
}

TEST_F(CheckpointStoreTest, EveryTruncationOfTheShardIsFound) {
  SmallModel model;
  model.fill(1);
  std::string directory = save(model, 1), bytes = readFile(shard(directory));
  for (size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{100}, bytes.size() - 105,
                      bytes.size() - 104, bytes.size() - 8, bytes.size() - 1}) {
    writeFile(shard(directory), bytes.substr(0, size));
    absl::Status status = restore(directory, model);
    ASSERT_TRUE(absl::IsDataLoss(status)) << size << ": " << status;
    ASSERT_EQ(exitCodeOf(status), mlc::common::ExitCode::Corrupt);
    ASSERT_THAT(std::string(status.message()), HasSubstr("ps-00000-of-00001.safetensors"));
  }
  writeFile(shard(directory), bytes + '\0');
  EXPECT_TRUE(absl::IsDataLoss(restore(directory, model)));
}

TEST_F(CheckpointStoreTest, EveryBitOfTheDataIsProven) {
  SmallModel model;
  model.fill(1);
  std::string directory = save(model, 1), bytes = readFile(shard(directory));
  int64_t dataStart = safetensorsDataStart(bytes);
  for (size_t byte = dataStart; byte < bytes.size(); ++byte) {
    std::string flipped = bytes;
    flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << byte % 8));
    writeFile(shard(directory), flipped);
    absl::Status status = restore(directory, model);
    ASSERT_TRUE(absl::IsDataLoss(status)) << byte;
    ASSERT_THAT(std::string(status.message()), HasSubstr("tensor '")) << byte;
  }
  // global_step has the largest elements, so it comes first.
  std::string flipped = bytes;
  flipped[dataStart] ^= 1;
  writeFile(shard(directory), flipped);
  EXPECT_THAT(std::string(restore(directory, model).message()), HasSubstr("tensor 'global_step' is damaged"));
}

TEST_F(CheckpointStoreTest, EveryBitOfTheHeaderIsProvenOrHarmless) {
  SmallModel model, other;
  model.fill(1);
  std::string directory = save(model, 1), bytes = readFile(shard(directory));
  for (int64_t byte = 0; byte < safetensorsDataStart(bytes); ++byte) {
    std::string flipped = bytes;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 4);
    writeFile(shard(directory), flipped);
    absl::Status status = restore(directory, other);
    ASSERT_TRUE(absl::IsDataLoss(status)) << byte << ": " << status;
  }
}

TEST_F(CheckpointStoreTest, SwappedAndMissingFiles) {
  SmallModel model;
  model.fill(1);
  std::string first = save(model, 1);
  model.fill(2);
  std::string second = save(model, 2);
  fs::copy_file(shard(first), shard(second), fs::copy_options::overwrite_existing);
  EXPECT_TRUE(absl::IsDataLoss(restore(second, model)));
  fs::remove(shard(second));
  absl::Status status = restore(second, model);
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the file is missing"));
  fs::remove(second + "/MANIFEST.json");
  EXPECT_TRUE(absl::IsNotFound(restore(second, model)));
}

TEST_F(CheckpointStoreTest, DirectoryThatCannotBeMade) {
  SmallModel model;
  writeFile(modelDir_, "a file is in the way");
  absl::Status status = CheckpointStore(modelDir_).save(*model.artifact, *model.state, {}).status();
  EXPECT_EQ(exitCodeOf(status), mlc::common::ExitCode::OutputNotWritable) << status;
}

/// What cannot be looked at may be whole: it is neither passed over nor removed.
TEST_F(CheckpointStoreTest, UnreadableCheckpointIsAnError) {
  SmallModel model;
  save(model, 1);
  std::string loop = modelDir_ + "/ckpt-0000000002";
  fs::create_symlink(loop, loop);
  CheckpointStore store(modelDir_);
  for (const absl::Status &status :
       {store.newest().status(), store.list().status(), store.removeIncomplete().status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("ckpt-0000000002: cannot be read: "));
  }
  EXPECT_TRUE(fs::is_symlink(loop));
}
