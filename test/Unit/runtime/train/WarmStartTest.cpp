// Initial values from another model: by name, rows by term, and every slip.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/WarmStart.h"
#include "TablesModel.h"
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/Vocabulary.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(VocabularyTest, TermsMatch) {
  Vocabulary before{{"a", "b", "c"}, 2}, now{{"d", "c", "a"}, 2};
  EXPECT_THAT(matchTerms(before, now), ElementsAre(-1, 2, 0, 3, 4));
  now.numOov = 1;
  EXPECT_THAT(matchTerms(before, now), ElementsAre(-1, 2, 0, -1)) << "other buckets hold other terms";
  EXPECT_THAT(matchTerms(before, {{}, 0}), ElementsAre());
}

class WarmStartTest : public TrainerFixture {
protected:
  WarmStartTest() { train({"--model_dir=old", "--max_steps=30", "--seed=3"}); }

  /// Values of a variable in a checkpoint.
  std::vector<float> values(const std::string &checkpoint, const std::string &name) const {
    auto manifest = readManifest(at(checkpoint));
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    auto reader = CheckpointReader::open(at(checkpoint), *manifest);
    Tensor value;
    EXPECT_TRUE(reader->read(*manifest->find(name), value).ok());
    return {value.as<float>(), value.as<float>() + value.elements()};
  }
  /// Trains the other model, whose vocabulary is d, c, a.
  RunResult warm(const std::string &modelDir, std::vector<std::string> more) const {
    std::vector<std::string> args = {"train", "--train_files=train.csv", "--max_steps=1", "--model_dir=" + modelDir};
    args.insert(args.end(), more.begin(), more.end());
    return run(args, OTHER_TRAINER);
  }
  std::string fail(std::vector<std::string> more, int exit = 2) const {
    fs::remove_all(at("x"));
    RunResult result = warm("x", std::move(more));
    EXPECT_EQ(result.exit, exit) << result.err;
    EXPECT_FALSE(fs::exists(at("x/ckpt-0000000000")));
    return result.err;
  }

  const std::string from_ = "--set=train.warm_start.ckpt_to_initialize_from=";
  const std::string only_ = "--set=train.warm_start.vars_to_warm_start=";
  const std::string remap_ = "--set=train.warm_start.vocab_remap.0.";
  const std::string rename_ = "--set=train.warm_start.var_name_to_prev_var_name.0.";
  const std::string load_ = "--set=feature_column.key_embedding.embedding.ckpt_to_load_from=";
  const std::string tensor_ = "--set=feature_column.key_embedding.embedding.tensor_name_in_ckpt=";
};

TEST_F(WarmStartTest, RowsGoToTheirTerms) {
  RunResult result = warm("n", {from_ + "old", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warm start from old/ckpt-0000000030: 2 variables\n"
                                    "  emb: 4 of 5 rows by term, 1 new\n"));
  EXPECT_EQ(result.json()[0]["warm_start"], "old/ckpt-0000000030");
  EXPECT_EQ(nlohmann::json::parse(readFile(at("n/runs/0001/run.json")))["warm_start"], "old/ckpt-0000000030");
  ASSERT_EQ(warm("cold", {}).exit, 0);
  std::vector<float> old = values("old/ckpt-0000000030", "emb"), now = values("n/ckpt-0000000000", "emb");
  std::vector<float> initial = values("cold/ckpt-0000000000", "emb");
  ASSERT_EQ(now.size(), 10u);
  auto row = [](const std::vector<float> &table, int i) { return std::make_pair(table[2 * i], table[2 * i + 1]); };
  EXPECT_EQ(row(now, 0), row(initial, 0)) << "d is new";
  EXPECT_EQ(row(now, 1), row(old, 2)) << "c";
  EXPECT_EQ(row(now, 2), row(old, 0)) << "a";
  EXPECT_EQ(row(now, 3), row(old, 3));
  EXPECT_EQ(row(now, 4), row(old, 4));
  EXPECT_EQ(values("n/ckpt-0000000000", "w"), values("old/ckpt-0000000030", "w"));
  EXPECT_NE(values("cold/ckpt-0000000000", "w"), values("old/ckpt-0000000030", "w"));
  EXPECT_EQ(readManifest(at("n/ckpt-0000000000"))->step, 0) << "the step begins anew";
}

TEST_F(WarmStartTest, OnlyWhereThereIsNoCheckpoint) {
  ASSERT_EQ(warm("n", {from_ + "old"}).exit, 0);
  RunResult again =
      run({"train", "--train_files=train.csv", "--max_steps=2", "--model_dir=n", from_ + "absent"}, OTHER_TRAINER);
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(again.err.find("warm start from"), std::string::npos);
}

TEST_F(WarmStartTest, SelectedVariables) {
  RunResult result = warm("n", {from_ + "old/ckpt-0000000000", only_ + "w$"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warm start from old/ckpt-0000000000: 1 variables"));
  ASSERT_EQ(warm("cold", {}).exit, 0);
  EXPECT_EQ(values("n/ckpt-0000000000", "emb"), values("cold/ckpt-0000000000", "emb"));
}

TEST_F(WarmStartTest, FromAFileWithItsVocabulary) {
  ASSERT_EQ(run({"ckpt", "convert", "old", "--to", "old.safetensors"}).exit, 0);
  ASSERT_EQ(warm("plain", {from_ + "old.safetensors"}).exit, 0);
  EXPECT_EQ(values("plain/ckpt-0000000000", "emb"), values("old/ckpt-0000000030", "emb"))
      << "a file tells no vocabulary: rows stay where they are";
  std::ofstream(at("old.txt")) << "a\nb\r\nc\nunused\n";
  RunResult result = warm("n", {from_ + "old.safetensors", remap_ + "variable=emb",
                                remap_ + "old_vocabulary_file=old.txt", remap_ + "old_vocabulary_size=3"});
  ASSERT_EQ(result.exit, 0) << result.err;
  ASSERT_EQ(warm("byterm", {from_ + "old"}).exit, 0);
  EXPECT_EQ(values("n/ckpt-0000000000", "emb"), values("byterm/ckpt-0000000000", "emb"));
}

TEST_F(WarmStartTest, FromAVariableOfAnotherName) {
  std::vector<float> emb = values("old/ckpt-0000000030", "emb"), w = values("old/ckpt-0000000030", "w");
  auto file =
      writeSafetensors(at("f.safetensors"), {{"table", MLCRT_F32, {5, 2}}, {"w", MLCRT_F32, {3}}},
                       [&](size_t i) -> absl::StatusOr<const void *> { return i == 0 ? emb.data() : w.data(); });
  ASSERT_TRUE(file.ok()) << file.status();
  RunResult result = warm("n", {from_ + "f.safetensors", rename_ + "variable=emb", rename_ + "previous=table"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(values("n/ckpt-0000000000", "emb"), emb);
  EXPECT_EQ(values("n/ckpt-0000000000", "w"), w);

  // The vocabulary of a variable is that of its new name.
  std::ofstream(at("old.txt")) << "a\nb\nc\n";
  result = warm("byfile", {from_ + "f.safetensors", rename_ + "variable=emb", rename_ + "previous=table",
                           remap_ + "variable=emb", remap_ + "old_vocabulary_file=old.txt"});
  ASSERT_EQ(result.exit, 0) << result.err;
  ASSERT_EQ(warm("byterm", {from_ + "old"}).exit, 0);
  EXPECT_EQ(values("byfile/ckpt-0000000000", "emb"), values("byterm/ckpt-0000000000", "emb"));
}

TEST_F(WarmStartTest, OtherNamesThatMeanNothing) {
  EXPECT_THAT(fail({from_ + "old", rename_ + "variable=enb", rename_ + "previous=emb"}),
              HasSubstr("error[E0219]: 'enb' is not warm started\n"
                        "    field: train.warm_start.var_name_to_prev_var_name.0.variable      expected: w, emb      "
                        "help: did you mean 'emb'?"));
  EXPECT_THAT(fail({from_ + "old", only_ + "w$", rename_ + "variable=emb", rename_ + "previous=emb"}),
              HasSubstr("'emb' is not warm started"));
  EXPECT_THAT(fail({from_ + "old", rename_ + "variable=emb"}), HasSubstr("'emb' has no name"));
  EXPECT_THAT(fail({from_ + "old", rename_ + "variable=emb", rename_ + "previous=tabel"}),
              HasSubstr("the checkpoint to start from lacks 'tabel'"));
}

TEST_F(WarmStartTest, NamesThatMeanNothing) {
  EXPECT_THAT(fail({from_ + "old", only_ + "wx"}),
              HasSubstr("error[E0219]: 'wx' matches no variable of the model\n"
                        "    field: train.warm_start.vars_to_warm_start      expected: w, emb"));
  EXPECT_THAT(fail({from_ + "old", only_ + "w["}), HasSubstr("'w[' is no regular expression: "));
  EXPECT_THAT(
      fail({from_ + "old", remap_ + "variable=enb", remap_ + "old_vocabulary_file=f"}),
      HasSubstr(
          "'enb' is no variable whose rows stand for a vocabulary\n"
          "    field: train.warm_start.vocab_remap.0.variable      expected: emb      help: did you mean 'emb'?"));
  EXPECT_THAT(fail({from_ + "old", only_ + "w$", remap_ + "variable=emb", remap_ + "old_vocabulary_file=f"}),
              HasSubstr("'emb' is not warm started"));
  EXPECT_THAT(fail({from_ + "old", remap_ + "variable=emb", remap_ + "old_vocabulary_file=absent.txt"}),
              HasSubstr("error[E0400] absent.txt: no such file"));
  std::ofstream(at("long.txt")) << "a\nb\nc\nd\ne\nf\n";
  EXPECT_THAT(fail({from_ + "old", remap_ + "variable=emb", remap_ + "old_vocabulary_file=long.txt"}),
              HasSubstr("'long.txt' has 6 terms; 'emb' in old/ckpt-0000000030 has 5 rows"));
}

TEST_F(WarmStartTest, CheckpointsThatDoNotFit) {
  EXPECT_THAT(fail({from_ + "nowhere"}), HasSubstr("error[E0401] nowhere: no complete checkpoint"));
  std::vector<float> zeros(64);
  auto write = [&](const std::vector<TensorInfo> &tensors) {
    auto file = writeSafetensors(at("f.safetensors"), tensors,
                                 [&](size_t) -> absl::StatusOr<const void *> { return zeros.data(); });
    ASSERT_TRUE(file.ok()) << file.status();
  };
  write({{"emb", MLCRT_F32, {5, 2}}});
  EXPECT_THAT(fail({from_ + "f.safetensors"}),
              HasSubstr("error[E0219] f.safetensors: the checkpoint to start from lacks 'w'"));
  write({{"emb", MLCRT_F32, {6, 2}}, {"w", MLCRT_F32, {3}}});
  EXPECT_THAT(fail({from_ + "f.safetensors"}),
              HasSubstr("f.safetensors: variable 'emb' is f32[6, 2] there, f32[5, 2] in this model"));
  write({{"emb", MLCRT_F32, {5, 2}}, {"w", MLCRT_F64, {3}}});
  EXPECT_THAT(fail({from_ + "f.safetensors"}), HasSubstr("variable 'w' is f64[3] there, f32[3] in this model"));
  std::string shard = at("old/ckpt-0000000030/ps-00000-of-00001.safetensors"), bytes = readFile(shard);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(shard, std::ios::binary) << bytes;
  EXPECT_THAT(fail({from_ + "old"}, 3), HasSubstr("is damaged: its checksum does not fit"));
}

TEST_F(WarmStartTest, AnEmbeddingAlone) {
  RunResult result = warm("n", {load_ + "old", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("embedding emb from old/ckpt-0000000030: emb\n"
                                    "  emb: 4 of 5 rows by term, 1 new\n"));
  EXPECT_TRUE(result.json()[0]["warm_start"].is_null());
  ASSERT_EQ(warm("warm", {from_ + "old", only_ + "emb"}).exit, 0);
  ASSERT_EQ(warm("cold", {}).exit, 0);
  EXPECT_EQ(values("n/ckpt-0000000000", "emb"), values("warm/ckpt-0000000000", "emb"));
  EXPECT_NE(values("n/ckpt-0000000000", "emb"), values("cold/ckpt-0000000000", "emb"));
  EXPECT_EQ(values("n/ckpt-0000000000", "w"), values("cold/ckpt-0000000000", "w"));
  RunResult again =
      run({"train", "--train_files=train.csv", "--max_steps=2", "--model_dir=n", load_ + "absent"}, OTHER_TRAINER);
  EXPECT_EQ(again.exit, 0) << "resumed: " << again.err;
}

TEST_F(WarmStartTest, AnEmbeddingFromATensorOfAnotherName) {
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  auto file = writeSafetensors(at("f.safetensors"), {{"table", MLCRT_F32, {5, 2}}, {"short", MLCRT_F32, {4, 2}}},
                               [&](size_t) -> absl::StatusOr<const void *> { return numbers.data(); });
  ASSERT_TRUE(file.ok()) << file.status();
  RunResult result = warm("n", {load_ + "f.safetensors", tensor_ + "table"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(values("n/ckpt-0000000000", "emb"), numbers);
  // Where a warm start names the table too, it wins.
  ASSERT_EQ(warm("both", {load_ + "f.safetensors", tensor_ + "table", from_ + "old"}).exit, 0);
  std::vector<float> both = values("both/ckpt-0000000000", "emb"), old = values("old/ckpt-0000000030", "emb");
  EXPECT_EQ((std::vector<float>{both.begin() + 2, both.begin() + 4}),
            (std::vector<float>{old.begin() + 4, old.begin() + 6}));
  EXPECT_EQ((std::vector<float>{both.begin(), both.begin() + 2}), (std::vector<float>{1, 2})) << "a new term";

  EXPECT_THAT(
      fail({load_ + "f.safetensors"}),
      HasSubstr("error[E0219] f.safetensors: the checkpoint has no tensor 'emb'\n"
                "    field: feature_column.key_embedding.embedding.tensor_name_in_ckpt      expected: short, table"));
  EXPECT_THAT(fail({load_ + "f.safetensors", tensor_ + "short"}),
              HasSubstr("error[E0219] f.safetensors: variable 'short' is f32[4, 2] there, f32[5, 2] in this model\n"
                        "    field: feature_column.key_embedding.embedding.ckpt_to_load_from"));
  EXPECT_THAT(fail({load_ + "nowhere"}), HasSubstr("error[E0401] nowhere: no complete checkpoint"));
  EXPECT_THAT(fail({tensor_ + "table"}),
              HasSubstr("error[E0219]: a tensor is named, but no checkpoint that has it\n"
                        "    field: feature_column.key_embedding.embedding.tensor_name_in_ckpt\n    expected: "
                        "feature_column.key_embedding.embedding.ckpt_to_load_from"));
}

TEST_F(WarmStartTest, DamagedVocabularyIsFound) {
  std::string file = at("old/ckpt-0000000030/vocabularies.safetensors"), bytes = readFile(file);
  ASSERT_FALSE(bytes.empty());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_THAT(fail({from_ + "old"}, 3), HasSubstr("vocabularies.safetensors: is damaged: its checksum does not fit"));
  RunResult verified = run({"ckpt", "verify", "old"});
  EXPECT_EQ(verified.exit, 3);
  EXPECT_THAT(verified.err, HasSubstr("vocabularies.safetensors: is damaged"));
}

/// A model whose tables are one variable, and another's checkpoint, of which they were variables of their own.
class NamedRowsWarmStartTest : public TrainerFixture {
protected:
  static std::string manifest(const std::string &settings) {
    return R"({"vocabularies": [{"variable": "b", "axis": 0, "table": "words"}],
               "embeddings": [{"variable": "c", "setting": "column.c"}], "settings": [)" +
           settings + "]}";
  }
  static std::string setting(const std::string &path, const std::string &value) {
    return R"({"path": ")" + path + R"(", "type": "string", "stage": "start", "origin": "test", "value": )" + value +
           "}";
  }
  static std::string patterns(const std::string &list) {
    return R"({"path": "train.warm_start.vars_to_warm_start", "type": "string", "repeated": true, "stage": "start",
               "origin": "test", "value": )" +
           list + "}";
  }
  NamedRowsWarmStartTest() : old(TablesModel::Storage::Separate, {}, "{}", 2, "yz") {
    old.fill(500);
    CheckpointManifest record;
    record.vocabularies = {{"b", 0, "words"}};
    auto path = CheckpointStore(at("old")).save(*old.artifact, old.state(), record);
    EXPECT_TRUE(path.ok()) << path.status();
    checkpoint = "\"" + path.value_or("") + "\"";
  }
  /// What the start copies of `old` over a state of zeros.
  absl::Status start(TablesModel &model) {
    auto configuration = Configuration::fromArtifact(*model.artifact);
    if (!configuration.ok())
      return configuration.status();
    RunListener nobody;
    Reporter reporter(nobody);
    auto found = findInitialValues(*configuration, *model.artifact, reporter);
    if (!found.ok())
      return found.status();
    StateTarget target(model.state());
    return found->copyTo(target);
  }
  static bool isZero(TablesModel &model, const std::string &name) {
    const std::string bytes = model.bytesOf(name);
    return bytes == std::string(bytes.size(), 0);
  }

  TablesModel old;
  std::string checkpoint;
};

TEST_F(NamedRowsWarmStartTest, OneTensorAlone) {
  TablesModel model(
      TablesModel::Storage::Stacked, {},
      manifest(setting("train.warm_start.ckpt_to_initialize_from", checkpoint) + "," + patterns(R"(["b$"])")));
  absl::Status status = start(model);
  ASSERT_TRUE(status.ok()) << status;
  // Of the terms x and y the old model had y, first.
  const std::string before = old.bytesOf("b");
  EXPECT_EQ(model.bytesOf("b"), std::string(8, 0) + before.substr(0, 8));
  for (const std::string &name : TablesModel::names())
    EXPECT_TRUE(name == "b" || isZero(model, name)) << name;
}

TEST_F(NamedRowsWarmStartTest, AllThatIsTrained) {
  TablesModel model(TablesModel::Storage::Stacked, {},
                    manifest(setting("train.warm_start.ckpt_to_initialize_from", checkpoint)));
  absl::Status status = start(model);
  ASSERT_TRUE(status.ok()) << status;
  for (const char *name : {"a", "c", "bias"})
    EXPECT_EQ(model.bytesOf(name), old.bytesOf(name)) << name;
  EXPECT_TRUE(isZero(model, "a/linear"));
}

TEST_F(NamedRowsWarmStartTest, AnEmbeddingOfAColumn) {
  TablesModel model(TablesModel::Storage::Stacked, {}, manifest(setting("column.c.ckpt_to_load_from", checkpoint)));
  absl::Status status = start(model);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(model.bytesOf("c"), old.bytesOf("c"));
  EXPECT_TRUE(isZero(model, "a"));
  EXPECT_TRUE(isZero(model, "b"));
}

TEST_F(NamedRowsWarmStartTest, NamesAreThoseOfTensors) {
  TablesModel model(
      TablesModel::Storage::Stacked, {},
      manifest(setting("train.warm_start.ckpt_to_initialize_from", checkpoint) + "," + patterns(R"(["tables"])")));
  EXPECT_THAT(std::string(start(model).message()), HasSubstr("'tables' matches no variable of the model"));
}
