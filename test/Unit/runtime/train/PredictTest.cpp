// The verb predict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"

using namespace mlcrt;
using testing::HasSubstr;

class PredictTest : public TrainerFixture {
protected:
  void SetUp() override {
    train({"--model_dir=m", "--max_steps=30"});
    // No label: prediction does not read one.
    std::ofstream file(at("new.csv"));
    file << "key,x\n";
    for (int i = 0; i < 25; ++i)
      file << "abcde"[i % 5] << "," << i * 0.01 << "|0|0\n";
  }
};

TEST_F(PredictTest, OneObjectPerRowInOrder) {
  RunResult result = run({"predict", "--model_dir=m", "--predict_files=new.csv", "--json", "--batch_size=4"});
  ASSERT_EQ(result.exit, 0) << result.err;
  auto rows = result.json();
  ASSERT_EQ(rows.size(), 25u);
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(rows[i].size(), 2u);
    if (i % 5 < 3) {
      EXPECT_EQ(rows[i]["id"], i % 5) << "the vocabulary is a, b, c";
    }
    // w[0] is positive after training: with equal keys the prediction grows with x[0].
    if (i >= 5) {
      EXPECT_GT(rows[i]["prediction"], rows[i - 5]["prediction"]);
    }
  }
  EXPECT_EQ(result.out.find("{\"prediction\":"), 0u) << "keys in the order of the entry";
  EXPECT_EQ(run({"predict", "--model_dir=m", "--predict_files=new.csv", "--threads=1", "--batch_size=4"}).out,
            result.out);
}

TEST_F(PredictTest, Csv) {
  RunResult result = run({"predict", "--model_dir=m", "--predict_files=new.csv", "--format=csv", "-o", "p.csv"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out, "");
  std::istringstream text(readFile(at("p.csv")));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "prediction,id");
  int rows = 0;
  while (std::getline(text, line)) {
    EXPECT_THAT(line, testing::MatchesRegex("-?[0-9.e-]+,[0-9]"));
    ++rows;
  }
  EXPECT_EQ(rows, 25);
}

TEST_F(PredictTest, Keys) {
  RunResult result = run({"predict", "--model_dir=m", "--predict_files=new.csv", "--keys=id"});
  EXPECT_EQ(result.out.find("{\"id\":0}\n{\"id\":1}\n"), 0u) << result.out;
  result = run({"predict", "--model_dir=m", "--predict_files=new.csv", "--keys=predicton"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("expected: one of prediction, id      help: did you mean 'prediction'?"));
}

TEST_F(PredictTest, Errors) {
  EXPECT_EQ(run({"predict", "--model_dir=none", "--predict_files=new.csv"}).exit, 2);
  EXPECT_EQ(run({"predict", "--model_dir=m"}).exit, 2);
  std::ofstream(at("bad.csv")) << "key,x\na,1|2|3\nb,1|z|3\n";
  RunResult result = run({"predict", "--model_dir=m", "--predict_files=bad.csv", "-o", "p.csv"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("bad.csv:3:2"));
  EXPECT_FALSE(std::filesystem::exists(at("p.csv"))) << "no half output";
  EXPECT_EQ(run({"predict", "--model_dir=m", "--predict_files=new.csv", "-o", "no/p.csv"}).exit, 6);
}

TEST_F(PredictTest, InfoAndConvertAndHelp) {
  RunResult result = run({"info", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  nlohmann::json info = result.json().at(0);
  EXPECT_EQ(info["name"], "fake");
  EXPECT_EQ(info["trainable_parameters"], 13);
  EXPECT_EQ(info["features"][0], (nlohmann::json{{"name", "x"}, {"dtype", "f32"}, {"shape", {nullptr, 3}}}));
  EXPECT_THAT(run({"info"}).out, HasSubstr("train.batch_size = 10  # fake.pbtxt:9"));
  EXPECT_EQ(run({"ckpt", "convert", "m", "--to=m.safetensors"}).exit, 0);
  EXPECT_EQ(readFile(at("m.safetensors")), stateOf("m"));
  EXPECT_EQ(run({"ckpt", "convert", "m"}).exit, 2);
  EXPECT_EQ(run({"ckpt", "convert", "none", "--to=x"}).exit, 2);
  result = run({"train", "--help"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, HasSubstr("--virtual_shards N"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr("abi 3."));
}
