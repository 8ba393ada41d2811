// The verb evaluate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"
#include "runtime/src/train/Evaluation.h"

#include <cmath>

using namespace mlcrt;
using testing::HasSubstr;

class EvaluateTest : public TrainerFixture {
protected:
  /// Mean of the column y of a file.
  double meanLabel(const std::string &name) const {
    std::ifstream file(at(name));
    double sum = 0;
    int rows = -1;
    for (std::string line; std::getline(file, line); ++rows)
      if (rows >= 0)
        sum += std::stof(line.substr(line.rfind(',') + 1));
    return sum / rows;
  }
};

TEST_F(EvaluateTest, OneObjectWithTheMetricsOnTop) {
  train({"--model_dir=m", "--max_steps=12"});
  RunResult result = run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  auto objects = result.json();
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].size(), 3u);
  EXPECT_NEAR(objects[0]["label/mean"], meanLabel("eval.csv"), 1e-6);
  EXPECT_EQ(objects[0]["examples"], 20);
  EXPECT_EQ(objects[0]["global_step"], 12);
}

TEST_F(EvaluateTest, TableForPeople) {
  train({"--model_dir=m", "--max_steps=2"});
  RunResult result = run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv", "--quiet"});
  EXPECT_THAT(result.out, testing::MatchesRegex("label/mean   [-0-9.]+\nexamples     20\nglobal_step  2\n"));
  EXPECT_EQ(result.err, "");
}

TEST_F(EvaluateTest, SetsByName) {
  train({"--model_dir=m", "--max_steps=2"});
  std::vector<std::string> args = {"evaluate", "--model_dir=m", "--set=eval.files=eval.csv",
                                   "--set=eval.cold.files=train.csv", "--json"};
  auto objects = run(args).json();
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[1]["eval"], "cold");
  EXPECT_EQ(objects[1]["examples"], 95);
  args.insert(args.end(), {"--name=cold", "--max_steps=2", "--batch_size=7"});
  objects = run(args).json();
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0]["examples"], 14);
  RunResult wrong = run({"evaluate", "--model_dir=m", "--name=colt"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("no eval set is called 'colt'\n    expected: one of cold      help: did you mean 'cold'?"));
  // --eval_files with --name goes to that set.
  objects = run({"evaluate", "--model_dir=m", "--name=cold", "--eval_files=eval.csv", "--json"}).json();
  EXPECT_EQ(objects[0]["examples"], 20);
}

TEST_F(EvaluateTest, GivenCheckpoint) {
  train({"--model_dir=m", "--max_steps=9", "--set=run_config.save_checkpoints_steps=4"});
  auto objects = run({"evaluate", "--checkpoint=m/ckpt-0000000004", "--set=eval.files=eval.csv", "--json"}).json();
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0]["global_step"], 4);
  RunResult result = run({"evaluate", "--checkpoint=m/ckpt-0000000005", "--set=eval.files=eval.csv"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("error[E0401] m/ckpt-0000000005: no complete checkpoint\n    expected: one of the "
                                    "steps 0, 4, 8, 9      help: m/ckpt-0000000009"));
}

TEST_F(EvaluateTest, Errors) {
  RunResult result = run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("error[E0401] m: no checkpoint to evaluate"));
  EXPECT_THAT(result.err, HasSubstr("train first: trainer train --model_dir m"));
  EXPECT_FALSE(std::filesystem::exists(at("m"))) << "looking makes nothing";
  EXPECT_EQ(run({"evaluate"}).exit, 2);
  train({"--model_dir=m", "--max_steps=1"});
  result = run({"evaluate", "--model_dir=m"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, HasSubstr("field: eval.files      help: --eval_files GLOB"));
  EXPECT_EQ(run({"evaluate", "--model_dir=m", "--set=eval.files=eval.csv"}, OTHER_TRAINER).exit, 4);
  EXPECT_EQ(run({"evaluate", "--checkpoint=m", "--set=eval.files=eval.csv"}).exit, 2);
}

TEST(Metrics, AsTextAndJson) {
  std::vector<Metric> metrics = {{"auc", "0.5", "0.5000"}, {"label/mean", "0.25", "0.2500"}, {"global_step", "3", "3"}};
  EXPECT_EQ(metricsLine(metrics), "auc 0.5000");
  EXPECT_EQ(metricsJson(metrics, "valid"), "{\"eval\":\"valid\",\"auc\":0.5,\"label/mean\":0.25,\"global_step\":3}");
  metrics.erase(metrics.begin());
  EXPECT_EQ(metricsLine(metrics), "label/mean 0.2500");
  EXPECT_EQ(numberText(0.85384), "0.8538");
  EXPECT_EQ(numberText(61234.5678), "61234.6");
  EXPECT_EQ(numberText(NAN), "NaN");
}
