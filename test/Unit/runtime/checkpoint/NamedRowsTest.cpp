// Checkpoints of variables that are several tensors: they hold the tensors, whatever variables these are in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckpointFixture.h"
#include "TablesModel.h"
#include "runtime/src/checkpoint/BackgroundSave.h"
#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <set>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
using Storage = TablesModel::Storage;

namespace {

/// Servers that hold the rows of the tables between `cuts`, slots alike; the first has bias and step, too. It may be
/// that one holds no row.
class CutShards : public ShardWriter {
public:
  CutShards(Storage storage, const std::vector<int64_t> &cuts) {
    for (size_t k = 0; k + 1 < cuts.size(); ++k) {
      const RowRange rows = {cuts[k], cuts[k + 1]}, whole = {0, k == 0 ? 2 : 0}, step = {0, k == 0 ? 1 : 0};
      held.push_back({rows, rows, rows, whole, step});
      models.push_back(std::make_unique<TablesModel>(storage, held.back()));
    }
  }
  absl::Status snapshot(int64_t, const std::vector<bool> &) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                               const std::vector<int32_t> &tensors) override {
    std::vector<ShardFile> files;
    const auto count = static_cast<int64_t>(models.size());
    for (int64_t k = 0; k < count; ++k) {
      auto rows = [&](int32_t i) { return held[k][i]; };
      auto values = [&](int32_t i) { return models[k]->state().storage(i).data; };
      auto file = writeShard(directory + "/" + shardName(k, count), *models[k]->artifact, tensors, rows, values);
      if (!file.ok())
        return file.status();
      files.push_back(*std::move(file));
    }
    return files;
  }

  std::vector<std::vector<RowRange>> held;
  std::vector<std::unique_ptr<TablesModel>> models;
};

class NamedRowsTest : public CheckpointFixture {
protected:
  static CheckpointManifest at(int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    return manifest;
  }
  std::string save(TablesModel &model, int64_t step) {
    auto path = CheckpointStore(modelDir_).save(*model.artifact, model.state(), at(step));
    EXPECT_TRUE(path.ok()) << path.status();
    return path.value_or("");
  }
  static absl::Status restore(const std::string &path, TablesModel &model) {
    auto manifest = readManifest(path);
    if (!manifest.ok())
      return manifest.status();
    return restoreState(path, *manifest, *model.artifact, model.state());
  }
  static std::set<std::string> namesIn(const std::string &path) {
    std::set<std::string> names;
    const CheckpointManifest manifest = *readManifest(path);
    for (const VariableRecord &record : manifest.variables)
      names.insert(record.name);
    return names;
  }
};

} // namespace

TEST_F(NamedRowsTest, FilesAreThoseOfSeparateVariables) {
  TablesModel stacked(Storage::Stacked), separate(Storage::Separate);
  stacked.fill(3);
  separate.fill(3);
  const std::string one = save(stacked, 1), other = save(separate, 2);
  EXPECT_EQ(readFile(one + "/" + shardName(0, 1)), readFile(other + "/" + shardName(0, 1)));
  EXPECT_EQ(namesIn(one), std::set<std::string>(TablesModel::names().begin(), TablesModel::names().end()));
  auto manifest = *readManifest(one), expected = *readManifest(other);
  for (const VariableRecord &record : expected.variables) {
    const VariableRecord *found = manifest.find(record.name);
    ASSERT_TRUE(found) << record.name;
    EXPECT_EQ(found->slotOf, record.slotOf);
    EXPECT_EQ(found->slot, record.slot);
    EXPECT_EQ(found->shape, record.shape);
    EXPECT_EQ(found->offset, record.offset);
    EXPECT_EQ(found->crc, record.crc);
    EXPECT_TRUE(found->slices.empty());
  }
  EXPECT_EQ(manifest.find("c/linear")->slotOf, "c");
  auto reader = SafetensorsReader::open(one + "/" + shardName(0, 1));
  ASSERT_TRUE(reader.ok()) << reader.status();
  float b[4];
  ASSERT_TRUE(reader->read(*reader->find("b"), b).ok());
  EXPECT_THAT(b, ElementsAre(103, 104, 105, 106));
}

TEST_F(NamedRowsTest, EitherStorageRestoresTheOther) {
  for (Storage from : {Storage::Stacked, Storage::Separate})
    for (Storage to : {Storage::Stacked, Storage::Separate}) {
      TablesModel saved(from), restored(to);
      saved.fill(static_cast<float>(from == to) + 5);
      const std::string path = save(saved, static_cast<int64_t>(from) * 2 + static_cast<int64_t>(to));
      absl::Status status = restore(path, restored);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(restored.bytes(), saved.bytes());
    }
}

TEST_F(NamedRowsTest, ServersThatSplitInsideATensor) {
  TablesModel expected(Storage::Stacked);
  expected.fill(9);
  const std::string path = save(expected, 1);
  int64_t step = 2;
  for (const std::vector<int64_t> &cuts : {std::vector<int64_t>{0, 4, 9}, {0, 1, 7, 9}, {0, 3, 3, 5, 9}, {0, 0, 9}}) {
    CutShards shards(Storage::Stacked, cuts);
    // Servers read their rows of a checkpoint of one process, write them, and others read those.
    for (auto &model : shards.models) {
      absl::Status status = restore(path, *model);
      ASSERT_TRUE(status.ok()) << status;
    }
    auto written = CheckpointStore(modelDir_).save(*expected.artifact, shards, at(step++));
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(namesIn(*written), namesIn(path));
    for (Storage storage : {Storage::Stacked, Storage::Separate}) {
      TablesModel restored(storage);
      absl::Status status = restore(*written, restored);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(restored.bytes(), expected.bytes());
    }
    CutShards others(Storage::Stacked, {0, 2, 6, 9});
    for (size_t k = 0; k < others.models.size(); ++k) {
      absl::Status status = restore(*written, *others.models[k]);
      ASSERT_TRUE(status.ok()) << status;
      for (int32_t v = 0; v < 3; ++v) {
        const RowRange rows = others.held[k][v];
        EXPECT_EQ(std::memcmp(others.models[k]->state().storage(v).data,
                              static_cast<const char *>(expected.state().storage(v).data) + rows.begin * 8,
                              static_cast<size_t>(rows.size()) * 8),
                  0);
      }
    }
  }
  // b has rows [3, 5) of the variable: with the cut at 4 a slice on each server, with others it is whole on one.
  const CheckpointManifest first = *readManifest(modelDir_ + "/" + checkpointName(2));
  EXPECT_EQ(first.find("b")->slices.size(), 2);
  EXPECT_EQ(first.find("a")->slices.size(), 0);
  EXPECT_EQ(first.find("c")->slices.size(), 0);
  const CheckpointManifest second = *readManifest(modelDir_ + "/" + checkpointName(3));
  EXPECT_EQ(second.find("a")->slices.size(), 2);
  EXPECT_EQ(second.find("b")->slices.size(), 0);
  EXPECT_EQ(second.find("c")->slices.size(), 2);
}

TEST_F(NamedRowsTest, APolicyHoldsTensors) {
  TablesModel model(Storage::Stacked);
  model.fill(2);
  const StateTensors &tensors = model.artifact->tensors();
  ThreadPool pool(1);
  LocalShards shards(*model.artifact, model.state(), pool);
  BackgroundSave save(*model.artifact, shards);
  CheckpointStore part(modelDir_, "part", {tensors.find("b"), tensors.find("a/linear")});
  EXPECT_TRUE(part.holds(tensors.find("b")));
  EXPECT_FALSE(part.holds(tensors.find("c")));
  std::vector<SaveJob> jobs(1);
  jobs[0].store = &part;
  jobs[0].manifest = at(4);
  ASSERT_TRUE(save.begin(std::move(jobs)).ok());
  const std::vector<SaveResult> results = save.finish();
  ASSERT_EQ(results.size(), 1);
  ASSERT_TRUE(results[0].path.ok()) << results[0].path.status();
  EXPECT_EQ(namesIn(*results[0].path), (std::set<std::string>{"b", "a/linear"}));
  auto manifest = *readManifest(*results[0].path);
  auto reader = CheckpointReader::open(*results[0].path, manifest);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const char *name : {"b", "a/linear"}) {
    Tensor value;
    ASSERT_TRUE(reader->read(*manifest.find(name), value).ok());
    EXPECT_EQ(std::string(value.as<const char>(), static_cast<size_t>(value.bytes())), model.bytesOf(name));
  }
}

TEST_F(NamedRowsTest, WhatDoesNotFitNamesTheTensor) {
  TablesModel stacked(Storage::Stacked);
  const std::string path = save(stacked, 1);
  CheckpointManifest manifest = *readManifest(path);
  // One that trains needs all of a checkpoint.
  mlcrt_artifact table = stacked.artifact->table();
  std::vector<mlcrt_entry> entries(table.entries, table.entries + table.num_entries);
  entries.push_back({"train", MLCRT_ROLE_TRAIN, 0, nullptr, 0, 0, nullptr, nullptr});
  table.num_entries = static_cast<int32_t>(entries.size());
  table.entries = entries.data();
  auto trains = Artifact::fromTable(&table);
  ASSERT_TRUE(trains.ok()) << trains.status();
  auto message = [&] {
    absl::Status status = checkVariables(path, manifest, **trains);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    return std::string(status.message());
  };
  manifest.variables[1].shape[0] = 3;
  EXPECT_THAT(message(), HasSubstr("variable 'b' is f32[3, 2]; this model needs f32[2, 2]"));
  manifest.variables.erase(manifest.variables.begin() + 1);
  EXPECT_THAT(message(), HasSubstr("lacks the variable 'b'"));
  manifest.variables[0].name = "tables";
  EXPECT_THAT(message(), HasSubstr("has the variable 'tables', which this model has not"));
  manifest.stateFingerprint = "other";
  EXPECT_EQ(messageOf(checkFingerprint(path, manifest, **trains, {})).differs,
            "variable 'a' is new, variable 'b' is new, variable 'tables' is gone");
}

TEST_F(NamedRowsTest, DamageIsFoundInTheTensor) {
  TablesModel model(Storage::Stacked);
  model.fill(2);
  const std::string path = save(model, 1), file = path + "/" + shardName(0, 1);
  const VariableRecord b = *readManifest(path)->find("b");
  std::string bytes = readFile(file);
  bytes[static_cast<size_t>(b.offset) + 3] ^= 1;
  writeFile(file, bytes);
  TablesModel restored(Storage::Stacked);
  absl::Status status = restore(path, restored);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("tensor 'b' is damaged"));
}

TEST_F(NamedRowsTest, RowsThatStayOnTheDisk) {
  constexpr int64_t kWidth = int64_t{1} << 19; // more than what is read whole
  TablesModel saved(Storage::Separate, {}, "{}", kWidth), read(Storage::Stacked, {}, "{}", kWidth);
  saved.fill(1);
  const std::string path = save(saved, 1);
  auto manifest = *readManifest(path);
  auto rows = CheckpointRows::restore(path, manifest, *read.artifact, read.state());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_TRUE((*rows)->has(0));
  EXPECT_FALSE((*rows)->has(1)) << "nobody who predicts reads slots";
  const std::string all = saved.bytesOf("a") + saved.bytesOf("b") + saved.bytesOf("c");
  constexpr int64_t kRowBytes = kWidth * 4;
  const std::vector<int64_t> asked = {0, 2, 3, 5, 8};
  std::string found(asked.size() * kRowBytes, 0);
  ASSERT_TRUE((*rows)->readRows(0, asked, found.data()).ok());
  for (size_t i = 0; i < asked.size(); ++i)
    EXPECT_TRUE(found.compare(i * kRowBytes, kRowBytes, all, asked[i] * kRowBytes, kRowBytes) == 0) << asked[i];
  // Over the ends of tensors.
  for (const auto &[offset, bytes] : {std::pair<int64_t, int64_t>{0, 9 * kRowBytes},
                                      {3 * kRowBytes - 5, 10},
                                      {2 * kRowBytes + 3, 4 * kRowBytes},
                                      {8 * kRowBytes, kRowBytes}}) {
    found.assign(static_cast<size_t>(bytes), 0);
    ASSERT_TRUE((*rows)->readBytes(0, offset, bytes, found.data()).ok());
    EXPECT_TRUE(all.compare(offset, bytes, found) == 0) << offset;
  }
}
