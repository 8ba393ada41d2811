// The verbs on checkpoints, and what they are made of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Commands.h"

#include "CheckpointFixture.h"
#include "common/cli/CommandTable.h"
#include "runtime/src/checkpoint/Inspect.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace mlcrt;
using mlc::common::ExitCode;
using testing::HasSubstr;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class CommandsTest : public CheckpointFixture {
protected:
  std::string save(SmallModel &model, int64_t step, bool keep = false) {
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.keep = keep;
    auto path = CheckpointStore(modelDir_).save(*model.artifact, *model.state, manifest);
    EXPECT_TRUE(path.ok()) << path.status();
    return *path;
  }
  static std::string shard(const std::string &directory) { return directory + "/ps-00000-of-00001.safetensors"; }
  static void flip(const std::string &path, size_t byte, int bit = 0) {
    std::string bytes = readFile(path);
    bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
    writeFile(path, bytes);
  }

  /// Runs "ckpt <words>" as the trainer's and mlc's main do.
  CommandOutput run(std::vector<std::string> words) {
    words.insert(words.begin(), "ckpt");
    mlc::common::CommandLine line;
    mlc::common::MessageList messages;
    EXPECT_TRUE(parseCommandLine(mlc::common::mlcCommands(), words, line, messages)) << messages.format();
    EXPECT_TRUE(isCheckpointCommand(line.verb));
    return runCheckpointCommand(line);
  }
  std::vector<Json> json(const std::vector<std::string> &words) {
    std::vector<std::string> all = words;
    all.push_back("--json");
    std::istringstream text(run(all).text);
    std::vector<Json> lines;
    for (std::string one; std::getline(text, one);)
      lines.push_back(Json::parse(one, nullptr, false));
    return lines;
  }
};

TEST_F(CommandsTest, Ls) {
  SmallModel model;
  EXPECT_EQ(run({"ls", modelDir_}).code, ExitCode::Usage) << "no such directory";
  fs::create_directory(modelDir_);
  EXPECT_EQ(run({"ls", modelDir_}).note, "no checkpoints in " + modelDir_);
  save(model, 10);
  save(model, 20, true);
  fs::create_directory(modelDir_ + "/ckpt-0000000030");
  auto lines = json({"ls", modelDir_});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["step"], 10);
  EXPECT_EQ(lines[0]["committed"], true);
  EXPECT_EQ(lines[0]["fingerprint"], "9f3c0001");
  EXPECT_GT(lines[0]["wall_time"], 1500000000);
  EXPECT_EQ(lines[0]["bytes"], fs::file_size(shard(modelDir_ + "/ckpt-0000000010")) +
                                   fs::file_size(modelDir_ + "/ckpt-0000000010/MANIFEST.json"));
  EXPECT_EQ(lines[1]["kept"], true);
  EXPECT_EQ(lines[2]["committed"], false);
  CommandOutput text = run({"ls", modelDir_});
  EXPECT_EQ(text.code, ExitCode::Success);
  EXPECT_THAT(text.text, HasSubstr("committed, kept"));
  EXPECT_THAT(text.text, HasSubstr("incomplete"));
  flip(modelDir_ + "/ckpt-0000000010/MANIFEST.json", 30);
  text = run({"ls", modelDir_});
  EXPECT_EQ(text.code, ExitCode::Corrupt);
  EXPECT_THAT(text.text, HasSubstr("damaged"));
}

/// What cannot be looked at is told, never passed over, and hides nothing else.
TEST_F(CommandsTest, UnreadableCheckpoints) {
  SmallModel model;
  save(model, 1);
  save(model, 3);
  std::string loop = modelDir_ + "/ckpt-0000000002";
  fs::create_symlink(loop, loop);
  CommandOutput output = run({"ls", modelDir_});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.text, HasSubstr("unreadable"));
  EXPECT_THAT(output.messages.format(), HasSubstr(loop + ": cannot be read: "));
  auto lines = json({"ls", modelDir_});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1]["step"], 2);
  EXPECT_FALSE(lines[1].contains("committed"));
  EXPECT_EQ(lines[2]["committed"], true);
  output = run({"verify", modelDir_});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.text, HasSubstr("ok       " + modelDir_ + "/ckpt-0000000001"));
  EXPECT_THAT(output.text, HasSubstr("damaged  " + loop));
  EXPECT_THAT(output.text, HasSubstr("ok       " + modelDir_ + "/ckpt-0000000003"));
  EXPECT_EQ(output.messages.errorCount(), 1u);
  EXPECT_EQ(run({"show", modelDir_}).code, ExitCode::Success) << "the newest can be read";
  EXPECT_EQ(run({"show", modelDir_, "--step=2"}).code, ExitCode::Corrupt);
  EXPECT_EQ(run({"show", loop}).code, ExitCode::Corrupt);
  fs::remove_all(modelDir_ + "/ckpt-0000000003");
  EXPECT_EQ(run({"show", modelDir_}).code, ExitCode::Corrupt) << "the newest may be whole";
}

TEST_F(CommandsTest, ShowHasStatisticsOfEveryVariable) {
  SmallModel model;
  model.fill(1);
  Tensor value = *model.state->read("w");
  value.as<float>()[3] = NAN;
  value.as<float>()[4] = -INFINITY;
  ASSERT_TRUE(model.state->write("w", value.buffer()).ok());
  save(model, 7);
  Json object = json({"show", modelDir_}).at(0);
  EXPECT_EQ(object["step"], 7);
  EXPECT_EQ(object["bytes"], 2 * 12 * 4 + 8);
  ASSERT_EQ(object["variables"].size(), 3u);
  const Json &w = object["variables"][0], &slot = object["variables"][1];
  EXPECT_EQ(w["name"], "w");
  EXPECT_EQ(w["dtype"], "f32");
  EXPECT_EQ(w["shape"], (Json{3, 4}));
  EXPECT_EQ(w["nan"], 1);
  EXPECT_EQ(w["min"], "-Infinity");
  EXPECT_EQ(w["max"], 12);
  EXPECT_EQ(slot["slot_of"], "w");
  EXPECT_EQ(slot["slot"], "accumulator");
  EXPECT_EQ(slot["min"], 101);
  EXPECT_EQ(slot["max"], 112);
  EXPECT_EQ(slot["mean"], 106.5);
  std::string text = run({"show", modelDir_ + "/ckpt-0000000007/"}).text;
  EXPECT_THAT(text, HasSubstr("w/Adagrad    f32[3, 4]  w (accumulator)  48 B"));
}

/// Checkpoints of a policy stand beside the others in every verb, and are never taken for one of them.
TEST_F(CommandsTest, PartsOfTheState) {
  SmallModel model;
  model.fill(1);
  std::string whole = save(model, 10);
  CheckpointManifest manifest;
  manifest.step = 20;
  auto part = CheckpointStore(modelDir_, "hot-rows", {0, 2}).save(*model.artifact, *model.state, manifest);
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(*part, modelDir_ + "/hot-rows-0000000020");
  fs::create_directory(modelDir_ + "/backup-2026112100");
  fs::create_directory(modelDir_ + "/slots-0000000001");
  writeFile(shard(modelDir_ + "/slots-0000000001") + ".tmp", "half");
  auto lines = json({"ls", modelDir_});
  ASSERT_EQ(lines.size(), 3u) << "an empty directory is none of ours";
  EXPECT_FALSE(lines[0].contains("policy"));
  EXPECT_EQ(lines[1]["policy"], "hot-rows");
  EXPECT_EQ(lines[1]["step"], 20);
  EXPECT_EQ(lines[1]["committed"], true);
  EXPECT_EQ(lines[2]["policy"], "slots");
  EXPECT_EQ(lines[2]["committed"], false);
  EXPECT_THAT(run({"ls", modelDir_}).text, HasSubstr("\nhot-rows  20    "));
  EXPECT_EQ(json({"show", modelDir_}).at(0)["step"], 10) << "the newest is of all of the state";
  Json shown = json({"show", *part}).at(0);
  EXPECT_EQ(shown["policy"], "hot-rows");
  EXPECT_EQ(shown["variables"].size(), 2u);
  EXPECT_THAT(run({"show", *part}).text, HasSubstr("/hot-rows-0000000020  policy hot-rows  model small"));
  lines = json({"diff", whole, *part});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["change"], "removed");
  EXPECT_EQ(lines[0]["name"], "w/Adagrad");
  EXPECT_EQ(json({"verify", modelDir_}).size(), 2u);
  EXPECT_EQ(run({"convert", *part, "--to", directory_ + "/part.safetensors"}).code, ExitCode::Success);
  auto manifests = readManifest(*part);
  absl::Status refused = restoreState(*part, *manifests, *model.artifact, *model.state);
  EXPECT_EQ(exitCodeOf(refused), ExitCode::Mismatch);
  EXPECT_EQ(messageOf(refused).what, "holds a part of the state alone (train.checkpoint 'hot-rows')");
  // Under the step of another, and damaged.
  fs::copy(*part, modelDir_ + "/hot-rows-0000000021");
  EXPECT_THAT(run({"verify", modelDir_}).messages.format(), HasSubstr("is of step 20, which is not its directory's"));
  fs::remove_all(modelDir_ + "/hot-rows-0000000021");
  flip(shard(*part), safetensorsDataStart(readFile(shard(*part))));
  CommandOutput output = run({"verify", modelDir_});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.text, HasSubstr("ok       " + whole));
  EXPECT_THAT(output.text, HasSubstr("damaged  " + *part));
}

TEST_F(CommandsTest, StepsThatAreNotThereAreAnsweredWithThoseThatAre) {
  SmallModel model;
  for (int64_t step : {0, 10, 20})
    save(model, step);
  for (auto words : std::vector<std::vector<std::string>>{{"show", modelDir_, "--step=15"},
                                                          {"verify", modelDir_, "--step=15"},
                                                          {"show", modelDir_ + "/ckpt-0000000015"}}) {
    CommandOutput output = run(words);
    EXPECT_EQ(output.code, ExitCode::Usage);
    EXPECT_EQ(output.messages.format(), "error[E0401] " + modelDir_ +
                                            "/ckpt-0000000015: no complete checkpoint\n    expected: one of the steps "
                                            "0, 10, 20      help: " +
                                            modelDir_ + "/ckpt-0000000020\n");
  }
  EXPECT_EQ(run({"show", modelDir_ + "/ckpt-0000000010", "--step=10"}).code, ExitCode::Usage);
  EXPECT_EQ(run({"show", directory_}).code, ExitCode::Usage);
  EXPECT_EQ(run({"show", modelDir_, "--step=10"}).code, ExitCode::Success);
}

TEST_F(CommandsTest, VerifyNamesEveryFault) {
  SmallModel model;
  model.fill(1);
  save(model, 1);
  std::string second = save(model, 2);
  EXPECT_EQ(run({"verify", modelDir_}).code, ExitCode::Success);
  std::string bytes = readFile(shard(second));
  size_t data = safetensorsDataStart(bytes);
  flip(shard(second), data);     // global_step
  flip(shard(second), data + 8); // w
  CommandOutput output = run({"verify", modelDir_});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.text, HasSubstr("ok       " + modelDir_ + "/ckpt-0000000001  3 variables"));
  EXPECT_THAT(output.text, HasSubstr("damaged  " + second));
  std::string range = std::to_string(data + 8) + " to " + std::to_string(data + 8 + 47);
  EXPECT_THAT(output.messages.format(), HasSubstr("tensor 'w' is damaged: its checksum does not fit (bytes " + range));
  EXPECT_THAT(output.messages.format(), HasSubstr("tensor 'global_step' is damaged"));
  EXPECT_EQ(output.messages.errorCount(), 2u) << "the file's checksum says no more";
  auto lines = json({"verify", modelDir_});
  EXPECT_EQ(lines[0]["ok"], true);
  EXPECT_EQ(lines[1]["ok"], false);
  EXPECT_EQ(lines[1]["faults"].size(), 2u);
  EXPECT_EQ(run({"verify", modelDir_, "--step=1"}).code, ExitCode::Success);
  EXPECT_EQ(run({"verify", second}).code, ExitCode::Corrupt);
  EXPECT_EQ(run({"show", second}).code, ExitCode::Corrupt);
}

TEST_F(CommandsTest, CheckpointUnderAnotherStep) {
  SmallModel model;
  std::string directory = save(model, 1), other = modelDir_ + "/ckpt-0000000002";
  fs::copy(directory, other);
  CommandOutput output = run({"verify", other});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.messages.format(), HasSubstr("is of step 1, which is not its directory's"));
  fs::copy(directory, directory_ + "/copy"); // any other name is fine
  EXPECT_EQ(run({"verify", directory_ + "/copy"}).code, ExitCode::Success);
}

TEST_F(CommandsTest, Diff) {
  SmallModel model, wider(5);
  model.fill(1);
  std::string a = save(model, 1);
  std::string same = save(model, 2);
  CommandOutput output = run({"diff", a, same});
  EXPECT_EQ(output.code, ExitCode::Success);
  EXPECT_EQ(output.text, "");
  Tensor value = *model.state->read("w");
  value.as<float>()[2] += 0.5f;
  value.as<float>()[7] -= 2;
  ASSERT_TRUE(model.state->write("w", value.buffer()).ok());
  std::string b = save(model, 3);
  output = run({"diff", a, b});
  EXPECT_EQ(output.code, ExitCode::Differs);
  EXPECT_EQ(output.text, "changed  w  f32[3, 4]  2 elements, largest difference 2\n");
  value.as<float>()[0] = NAN;
  ASSERT_TRUE(model.state->write("w", value.buffer()).ok());
  auto lines = json({"diff", a, save(model, 4)});
  EXPECT_EQ(lines.at(0)["largest_difference"], "NaN");
  EXPECT_EQ(lines.at(0)["elements"], 3);
  lines = json({"diff", a, save(wider, 5)});
  EXPECT_EQ(lines.at(0), (Json{{"change", "changed"},
                               {"name", "global_step"},
                               {"before", "i64[]"},
                               {"after", "i64[]"},
                               {"elements", 1},
                               {"largest_difference", 10}}));
  EXPECT_EQ(lines.at(1)["change"], "retyped");
  EXPECT_EQ(lines.at(1)["after"], "f32[3, 5]");

  // A variable less, in a manifest that is otherwise as written.
  auto manifest = readManifest(b);
  manifest->variables.erase(manifest->variables.begin() + 1);
  writeFile(b + "/MANIFEST.json", manifestToText(*manifest));
  auto differences = diffCheckpoints(*WeightSource::open(a), *WeightSource::open(b));
  ASSERT_TRUE(differences.ok()) << differences.status();
  EXPECT_EQ(differences->at(1).name, "w/Adagrad");
  EXPECT_EQ(differences->at(1).kind, VariableDifference::Removed);
  EXPECT_EQ(diffCheckpoints(*WeightSource::open(b), *WeightSource::open(a))->at(1).kind, VariableDifference::Added);
  output = run({"verify", b});
  EXPECT_THAT(output.messages.format(), HasSubstr("tensor 'w/Adagrad' is not in the manifest"));
}

TEST_F(CommandsTest, CheckpointsOfTensorFlow) {
  SmallModel model;
  model.fill(1);
  const std::string saved = save(model, 7), tf = directory_ + "/tf", prefix = tf + "/model.ckpt-7";
  fs::create_directory(tf);
  CommandOutput output = run({"convert", modelDir_, "--to", "tf", prefix});
  EXPECT_EQ(output.code, ExitCode::Success) << output.messages.format();
  EXPECT_EQ(output.note, "wrote    " + prefix + ".index from " + saved);
  auto lines = json({"ls", tf});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["step"], 7);
  EXPECT_EQ(lines[0]["path"], prefix);
  EXPECT_EQ(lines[0]["kind"], "tensorflow");
  EXPECT_THAT(run({"ls", tf}).text, HasSubstr("model.ckpt-7  7     "));
  const Json shown = json({"show", tf, "--step=7"}).at(0), &slot = shown["variables"][2];
  EXPECT_EQ(shown["step"], 10) << "global_step";
  EXPECT_EQ(slot["name"], "w/Adagrad");
  EXPECT_EQ(slot["in_tensorflow"], "training/Adagrad/w/accumulator");
  EXPECT_EQ(slot["mean"], 106.5);
  EXPECT_THAT(run({"show", prefix}).text, HasSubstr(prefix + "  of TensorFlow\nstep 10  3 variables  104 B\n"));
  output = run({"diff", modelDir_, tf});
  EXPECT_EQ(output.code, ExitCode::Success);
  EXPECT_EQ(output.note, saved + " and " + prefix + " hold the same values");
  EXPECT_THAT(run({"verify", tf}).text, HasSubstr("ok       " + prefix + "  3 variables"));
  flip(prefix + ".data-00000-of-00001", 9);
  output = run({"verify", prefix});
  EXPECT_EQ(output.code, ExitCode::Corrupt);
  EXPECT_THAT(output.messages.format(), HasSubstr("tensor 'training/Adagrad/w/accumulator' is damaged"));
  EXPECT_EQ(run({"show", prefix}).code, ExitCode::Corrupt);

  output = run({"convert", modelDir_, "--to", "tf"});
  EXPECT_EQ(output.code, ExitCode::Usage);
  EXPECT_THAT(output.messages.format(), HasSubstr("--to tf needs OUTPUT: the prefix to write"));
  output = run({"convert", modelDir_, "--to", "tensorflow", "x"});
  EXPECT_EQ(output.code, ExitCode::Usage);
  EXPECT_THAT(output.messages.format(),
              HasSubstr("'tensorflow' is no format for OUTPUT 'x'; expected: tf or safetensors"));
  EXPECT_EQ(run({"convert", modelDir_, "--to", "safetensors", directory_ + "/x.safetensors"}).code, ExitCode::Success);
  EXPECT_EQ(json({"show", directory_ + "/x.safetensors"}).at(0)["variables"].size(), 3u);
}

TEST_F(CommandsTest, StatisticsOfOtherDtypes) {
  uint16_t halves[] = {0x3C00, 0xC100};
  EXPECT_EQ(statisticsOf(makeBuffer(halves, MLCRT_F16, {2})).mean, -0.75);
  int64_t large[] = {INT64_C(1) << 60, 2};
  EXPECT_EQ(statisticsOf(makeBuffer(large, MLCRT_I64, {2})).max, std::ldexp(1.0, 60));
  uint8_t bytes[] = {255, 1};
  EXPECT_EQ(statisticsOf(makeBuffer(bytes, MLCRT_U8, {2})).mean, 128);
  EXPECT_TRUE(std::isnan(statisticsOf(makeBuffer(bytes, MLCRT_U8, {0})).mean));
}

/// Checkpoints of a few 4 KiB blocks, whose every damage has to be found by verify and by reading.
class DamageTest : public CommandsTest {
protected:
  DamageTest() : model_(3000) {
    model_.fill(1);
    saved_ = save(model_, 5);
    paths_ = {shard(saved_), saved_ + "/MANIFEST.json"};
  }
  void expectFound(const std::string &what) {
    CheckpointProof proof = verifyCheckpoint(saved_);
    ASSERT_FALSE(proof.faults.empty()) << what;
    for (const absl::Status &fault : proof.faults)
      ASSERT_EQ(exitCodeOf(fault), ExitCode::Corrupt) << what << ": " << fault;
    auto manifest = readManifest(saved_);
    absl::Status status =
        manifest.ok() ? restoreState(saved_, *manifest, *model_.artifact, *model_.state) : manifest.status();
    ASSERT_TRUE(absl::IsDataLoss(status)) << what << ": " << status;
  }

  SmallModel model_;
  std::string saved_;
  std::vector<std::string> paths_;
};

TEST_F(DamageTest, EveryTruncationAtABlock) {
  for (const std::string &path : paths_) {
    std::string bytes = readFile(path);
    ASSERT_GT(fs::file_size(paths_[0]), 65536u);
    for (size_t size = 0; size < bytes.size(); size += 4096) {
      writeFile(path, bytes.substr(0, size));
      expectFound(path + " of " + std::to_string(size) + " bytes");
    }
    writeFile(path, bytes.substr(0, bytes.size() - 1));
    expectFound(path + " without its last byte");
    writeFile(path, bytes);
  }
  EXPECT_TRUE(verifyCheckpoint(saved_).faults.empty());
}

TEST_F(DamageTest, RandomBits) {
  std::mt19937 random(1);
  for (const std::string &path : paths_) {
    std::string bytes = readFile(path);
    for (int i = 0; i < 200; ++i) {
      // Half of them at the beginning: the header.
      size_t offset = random() % (i % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 400));
      int bit = static_cast<int>(random() % 8);
      flip(path, offset, bit);
      expectFound(path + " byte " + std::to_string(offset) + " bit " + std::to_string(bit));
      writeFile(path, bytes);
    }
  }
}

TEST_F(DamageTest, ZeroedBlocks) {
  for (const std::string &path : paths_) {
    std::string bytes = readFile(path);
    for (size_t start = 0; start < bytes.size(); start += 4096) {
      std::string zeroed = bytes;
      std::fill_n(zeroed.begin() + static_cast<int64_t>(start), std::min<size_t>(4096, bytes.size() - start), '\0');
      writeFile(path, zeroed);
      expectFound(path + " block at " + std::to_string(start));
    }
    writeFile(path, bytes);
  }
}
