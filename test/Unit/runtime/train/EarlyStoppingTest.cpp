// Early stopping: rules, what resumes, what stays on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EarlyStopping.h"
#include "TrainerFixture.h"
#include "runtime/src/checkpoint/CheckpointStore.h"

using namespace mlcrt;
using mlc::common::EarlyStoppingRule;
using mlc::common::StopIf;
using testing::ElementsAre;
using testing::HasSubstr;

static EarlyStoppingRule makeRule(StopIf stopIf, int64_t steps, double threshold = 0, int64_t minSteps = 0) {
  EarlyStoppingRule rule;
  rule.metric = "auc";
  rule.stopIf = stopIf;
  rule.maxStepsWithout = steps;
  rule.threshold = threshold;
  rule.minSteps = minSteps;
  return rule;
}

static std::vector<Metric> auc(double value) { return {{"auc", "", "", true, {value}}}; }

/// The step at which `values`, of the steps 10, 20, ..., end training; -1 if they do not.
static int64_t stopsAt(EarlyStopping stopping, const std::vector<double> &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t step = 10 * static_cast<int64_t>(i + 1);
    stopping.observe("", step, auc(values[i]));
    if (!stopping.reason().empty())
      return step;
  }
  return -1;
}

TEST(EarlyStoppingRules, NoIncrease) {
  EarlyStoppingRule rule = makeRule(StopIf::NoIncrease, 20);
  EXPECT_EQ(stopsAt(EarlyStopping({rule}), {.5, .6, .59, .6, .9}), 40) << "equal is no increase";
  EXPECT_EQ(stopsAt(EarlyStopping({rule}), {.5, .4, .6, .5, .7}), -1);
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::NoIncrease, 10)}), {.5, .5}), 20);
}

TEST(EarlyStoppingRules, NoDecrease) {
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::NoDecrease, 20)}), {.5, .4, .4, .41, .1}), 40);
}

TEST(EarlyStoppingRules, Thresholds) {
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::Higher, 0, .9)}), {.5, .9, .91}), 30) << "equal is not above";
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::Lower, 0, .2)}), {.5, .2, .3, .1}), 40);
}

TEST(EarlyStoppingRules, MinStepsHideWhatWasBefore) {
  // The best of all is before min_steps and counts for nothing.
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::NoIncrease, 20, 0, 25)}), {.99, .98, .5, .4, .3}), 50);
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::Higher, 0, .9, 25)}), {.99, .98, .5, .95}), 40);
}

TEST(EarlyStoppingRules, NoNumberIsNoBetter) {
  double nan = std::nan("");
  EXPECT_EQ(stopsAt(EarlyStopping({makeRule(StopIf::NoIncrease, 20)}), {nan, .5, nan, .4, .6}), 40);
}

TEST(EarlyStoppingRules, OtherEvalSetsDoNotCount) {
  EarlyStopping stopping({makeRule(StopIf::Higher, 0, .9)});
  EXPECT_FALSE(stopping.observe("cold", 10, auc(.95)));
  EXPECT_EQ(stopping.reason(), "");
  EXPECT_TRUE(stopping.observe("", 10, auc(.95)));
  EXPECT_EQ(stopping.reason(), "auc is 0.9500, above 0.9");
  EXPECT_EQ(stopping.summary(), "best auc 0.9500 at step 10");
}

TEST(EarlyStoppingRules, RecordsGoOn) {
  EarlyStopping first({makeRule(StopIf::NoIncrease, 20)});
  first.observe("", 10, auc(.7));
  first.observe("", 20, auc(.6));
  EarlyStopping second({makeRule(StopIf::NoIncrease, 20)});
  EXPECT_FALSE(second.restore(first.records({""})));
  EXPECT_TRUE(second.isPending(""));
  EXPECT_THAT(second.bestSteps(), ElementsAre(10));
  second.observe("", 30, auc(.65));
  EXPECT_FALSE(second.isPending(""));
  EXPECT_EQ(second.reason(), "auc did not grow for 20 steps: 0.7000 at step 10, 0.6500 at step 30");
  EarlyStopping other({makeRule(StopIf::Higher, 0, .9)});
  EXPECT_TRUE(other.restore(first.records({}))) << "another rule begins anew";
  EXPECT_THAT(other.bestSteps(), ElementsAre());
}

/// Over the trainer, whose metrics depend on nothing but the eval set: the first evaluation is the best.
class EarlyStoppingTest : public TrainerFixture {
protected:
  static std::vector<std::string> arguments(const std::string &modelDir, std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"--model_dir=" + modelDir,
                                     "--max_steps=100",
                                     "--set=run_config.save_checkpoints_steps=10",
                                     "--set=eval.files=eval.csv",
                                     "--set=eval.every_n_steps=8",
                                     "--set=train.early_stopping.0.metric=examples",
                                     "--set=train.early_stopping.0.eval=",
                                     "--set=train.early_stopping.0.stop_if=NO_INCREASE",
                                     "--set=train.early_stopping.0.max_steps_without=30"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  std::vector<int64_t> steps(const std::string &modelDir) const {
    std::vector<int64_t> found;
    auto list = CheckpointStore(at(modelDir)).list();
    for (const CheckpointPath &entry : *list)
      found.push_back(entry.step);
    return found;
  }
};

TEST_F(EarlyStoppingTest, StopsSaysSoAndKeepsTheBest) {
  RunResult result = train(arguments("m", {"--json", "--set=run_config.keep_checkpoint_max=2"}));
  // Evaluations at 8, 16, 24, 32, 40: the best is the first.
  nlohmann::json done = result.json().back();
  EXPECT_EQ(done["reason"], "early_stopping");
  EXPECT_EQ(done["step"], 40);
  EXPECT_EQ(done["best"], nlohmann::json::parse(R"([{"metric":"examples","eval":"","value":20.0,"step":8}])"));
  EXPECT_THAT(result.err, HasSubstr("stopping early: examples did not grow for 32 steps: 20.0000 at step 8, 20.0000 at "
                                    "step 40"));
  EXPECT_THAT(result.err, HasSubstr("best examples 20.0000 at step 8, by early_stopping"));
  EXPECT_THAT(steps("m"), ElementsAre(8, 30, 40)) << "that of step 8 was made for being the best";
  // Another start stays where it is.
  RunResult again = train(arguments("m", {"--set=run_config.keep_checkpoint_max=2"}));
  EXPECT_THAT(again.err, HasSubstr("stopping early: "));
  EXPECT_THAT(again.err, HasSubstr("done     40 steps in 0.0 s"));
  EXPECT_THAT(steps("m"), ElementsAre(8, 30, 40));
}

TEST_F(EarlyStoppingTest, ResumedRunStopsWhereOneRunDoes) {
  train(arguments("one"));
  for (const char *stop : {"5", "8", "13", "20", "33"}) {
    std::vector<std::string> args = arguments("many");
    args[1] = std::string("--max_steps=") + stop;
    train(args);
  }
  train(arguments("many"));
  EXPECT_EQ(steps("many").back(), 40);
  EXPECT_EQ(stateOf("many"), stateOf("one"));
}

TEST_F(EarlyStoppingTest, SlipsAreToldBeforeTraining) {
  auto fail = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"train", "--train_files=train.csv", "--model_dir=m", "--max_steps=9"};
    args.insert(args.end(), more.begin(), more.end());
    RunResult result = run(args);
    EXPECT_EQ(result.exit, 2) << result.err;
    return result.err;
  };
  std::string rule = "--set=train.early_stopping.0.";
  EXPECT_THAT(fail({rule + "metric=exampels", rule + "stop_if=LOWER", rule + "threshold=1", rule + "eval="}),
              HasSubstr("error[E0218]: evaluation gives no metric 'exampels'\n"
                        "    field: train.early_stopping.0.metric      expected: one of label/mean, examples"));
  EXPECT_THAT(fail({rule + "metric=examples"}), HasSubstr("early stopping needs 'stop_if'"));
  EXPECT_THAT(fail({rule + "metric=examples", rule + "stop_if=DOWN"}), HasSubstr("one of NO_DECREASE, NO_INCREASE"));
  EXPECT_THAT(fail({rule + "metric=examples", rule + "stop_if=HIGHER", rule + "eval=cold"}),
              HasSubstr("HIGHER needs 'threshold'"));
  EXPECT_THAT(fail({rule + "metric=examples", rule + "stop_if=LOWER", rule + "threshold=1", rule + "eval=warm"}),
              HasSubstr("no eval set is called 'warm'"));
  EXPECT_THAT(fail({rule + "metric=examples", rule + "stop_if=LOWER", rule + "threshold=1", rule + "eval=cold"}),
              HasSubstr("early stopping by 'examples' needs files to evaluate on"));
}
