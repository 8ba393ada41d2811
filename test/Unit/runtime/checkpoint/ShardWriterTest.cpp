// Checkpoints that several servers wrote: put together as one that one process wrote; damage is found.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/ShardWriter.h"
#include "CheckpointFixture.h"
#include "runtime/src/checkpoint/Convert.h"
#include "runtime/src/checkpoint/Inspect.h"

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
/// Writes a state as servers would that hold rows of "w" and its slot from `cuts` on: the first the scalar, too.
class ShardsOfRows : public ShardWriter {
public:
  ShardsOfRows(const SmallModel &model, std::vector<int64_t> cuts) : model_(model), cuts_(std::move(cuts)) {}
  absl::Status snapshot(int64_t, const std::vector<bool> &) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                               const std::vector<int32_t> &variables) override {
    std::vector<ShardFile> files;
    const auto servers = static_cast<int64_t>(cuts_.size()) - 1;
    for (int64_t k = 0; k < servers; ++k) {
      Tensor value;
      auto rows = [&](int32_t i) {
        if (model_.state->variable(i).value.rank == 0)
          return RowRange{0, k == 0 ? 1 : 0};
        return RowRange{cuts_[k], cuts_[k + 1]};
      };
      auto values = [&](int32_t i) -> const void * {
        EXPECT_TRUE(model_.state->read(i, value).ok());
        return value.as<char>() + (value.elements() > 1 ? rows(i).begin * value.bytes() / 3 : 0);
      };
      const std::string name = shardName(k, servers), temporary = temporaryShardName(name, 77);
      absl::StatusOr<ShardFile> file =
          writeShard(directory + "/" + temporary, *model_.artifact, variables, rows, values);
      if (!file.ok())
        return file.status();
      file->file.path = name;
      file->temporary = temporary;
      files.push_back(*std::move(file));
    }
    if (change)
      change(directory, files);
    if (!failure.ok())
      return failure;
    return files;
  }
  void describe(CheckpointManifest &manifest) const override {
    manifest.servers = static_cast<int64_t>(cuts_.size()) - 1;
    manifest.shards = {"w"};
  }

  std::function<void(const std::string &directory, std::vector<ShardFile> &)> change;
  absl::Status failure;

private:
  const SmallModel &model_;
  const std::vector<int64_t> cuts_;
};

class ShardWriterTest : public CheckpointFixture {
protected:
  ShardWriterTest() { model.fill(3); }
  static CheckpointManifest at(int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    return manifest;
  }
  std::string save(ShardWriter &shards, int64_t step) {
    auto path = CheckpointStore(modelDir_).save(*model.artifact, shards, at(step));
    EXPECT_TRUE(path.ok()) << path.status();
    return path.value_or("");
  }

  SmallModel model;
};
} // namespace

TEST_F(ShardWriterTest, NamesOfFiles) {
  EXPECT_EQ(shardName(1, 12), "ps-00001-of-00012.safetensors");
  EXPECT_TRUE(isShardName(shardName(1, 12)));
  EXPECT_EQ(temporaryShardName("a", 0xabc), "a-0000000000000abc");
  EXPECT_TRUE(isShardName(temporaryShardName(shardName(1, 12), 0xabc)));
  for (const char *name : {"ps-0001-of-00012.safetensors", "ps-00001-of-00012.safetensor", "ps-00001-of-00012",
                           "ps-00001-of-00012.safetensors-", "ps-00001-of-00012.safetensors-000000000000xabc", "",
                           "xps-00001-of-00012.safetensors"})
    EXPECT_FALSE(isShardName(name)) << name;
}

TEST_F(ShardWriterTest, SlicesArePutTogether) {
  ShardsOfRows one(model, {0, 3}), two(model, {0, 1, 3}), three(model, {0, 1, 2, 3});
  const std::string whole = save(one, 1);
  auto manifest = readManifest(whole);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_TRUE(manifest->find("w")->slices.empty());
  EXPECT_EQ(manifest->servers, 1);
  ASSERT_TRUE(convertCheckpoint(whole, directory_ + "/one.safetensors").ok());
  int64_t step = 2;
  for (ShardWriter *shards : {static_cast<ShardWriter *>(&two), static_cast<ShardWriter *>(&three)}) {
    const std::string path = save(*shards, step++);
    manifest = readManifest(path);
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_EQ(manifest->files.size(), static_cast<size_t>(manifest->servers));
    EXPECT_EQ(manifest->find("w")->slices.size(), manifest->files.size());
    EXPECT_TRUE(manifest->find("global_step")->slices.empty());
    SmallModel other;
    ASSERT_TRUE(restoreState(path, *manifest, *other.artifact, *other.state).ok());
    EXPECT_EQ(other.bytes(), model.bytes());
    EXPECT_TRUE(diffCheckpoints(*WeightSource::open(whole), *WeightSource::open(path))->empty());
    CheckpointProof proof = verifyCheckpoint(path);
    EXPECT_TRUE(proof.faults.empty());
    EXPECT_EQ(proof.variables, 3);
    ASSERT_TRUE(convertCheckpoint(path, directory_ + "/many.safetensors").ok());
    EXPECT_EQ(readFile(directory_ + "/many.safetensors"), readFile(directory_ + "/one.safetensors"));
    for (const auto &entry : fs::directory_iterator(path))
      EXPECT_THAT(entry.path().filename().string(), testing::MatchesRegex("MANIFEST.json|ps-.*safetensors"));
  }
  // All of it is retired.
  ASSERT_TRUE(CheckpointStore(modelDir_).retire(1).ok());
  EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000002"));
  EXPECT_TRUE(fs::exists(modelDir_ + "/ckpt-0000000003"));
}

TEST_F(ShardWriterTest, DamageOfASliceIsFound) {
  ShardsOfRows two(model, {0, 1, 3});
  const std::string path = save(two, 1), shard = path + "/" + shardName(1, 2), bytes = readFile(shard);
  auto manifest = readManifest(path);
  ASSERT_TRUE(manifest.ok());
  auto restored = [&] {
    SmallModel other;
    return restoreState(path, *manifest, *other.artifact, *other.state);
  };
  const int64_t start = safetensorsDataStart(bytes);
  for (int64_t at = start; at < static_cast<int64_t>(bytes.size()); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    writeFile(shard, flipped);
    absl::Status status = restored();
    ASSERT_TRUE(absl::IsDataLoss(status)) << at;
    ASSERT_THAT(std::string(status.message()), HasSubstr(shardName(1, 2)));
    ASSERT_EQ(verifyCheckpoint(path).faults.size(), 1u);
  }
  writeFile(shard, bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(absl::IsDataLoss(restored()));
  // The file of another server in its place.
  fs::copy_file(path + "/" + shardName(0, 2), shard, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(absl::IsDataLoss(restored()));
  fs::remove(shard);
  EXPECT_TRUE(absl::IsDataLoss(restored()));
  writeFile(shard, bytes);
  EXPECT_TRUE(restored().ok());
}

TEST_F(ShardWriterTest, FailedWriteLeavesNothing) {
  ShardsOfRows good(model, {0, 3}), bad(model, {0, 1, 3});
  save(good, 1);
  auto fails = [&](const std::string &what) {
    auto path = CheckpointStore(modelDir_).save(*model.artifact, bad, at(2));
    ASSERT_FALSE(path.ok());
    EXPECT_THAT(std::string(path.status().message()), HasSubstr(what));
    EXPECT_FALSE(fs::exists(modelDir_ + "/ckpt-0000000002")) << what;
    EXPECT_EQ(CheckpointStore(modelDir_).newest()->value().step, 1);
  };
  bad.failure = absl::UnavailableError("ps 1 is gone");
  fails("ps 1 is gone");
  bad.failure = absl::OkStatus();
  bad.change = [](const std::string &directory, std::vector<ShardFile> &files) {
    fs::remove(directory + "/" + files[1].temporary);
  };
  fails("cannot rename the file");
  bad.change = [](const std::string &directory, std::vector<ShardFile> &files) {
    fs::resize_file(directory + "/" + files[1].temporary, 10);
  };
  fails("has 10 bytes");
  bad.change = [](const std::string &, std::vector<ShardFile> &files) { files[1].parts.pop_back(); };
  fails("are missing");
  bad.change = [](const std::string &, std::vector<ShardFile> &files) { files[1].parts.front().rows.begin = 0; };
  fails("are there twice");
  bad.change = [](const std::string &, std::vector<ShardFile> &files) { files.clear(); };
  fails("nobody wrote the variable 'w'");
}

TEST_F(ShardWriterTest, WhatARunLeftIsRemoved) {
  const std::string path = modelDir_ + "/ckpt-0000000004";
  fs::create_directories(path);
  writeFile(path + "/" + temporaryShardName(shardName(0, 2), 5) + ".tmp", "half");
  writeFile(path + "/" + temporaryShardName(shardName(1, 2), 5), "whole");
  auto removed = CheckpointStore(modelDir_).removeIncomplete();
  ASSERT_TRUE(removed.ok());
  EXPECT_THAT(*removed, testing::ElementsAre(path));
}
