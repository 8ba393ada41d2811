// Event files of a run, read by a reader that shares no code with their writer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Summaries.h"

#include "TrainerFixture.h"

using namespace mlcrt;
using testing::ElementsAre;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class SummariesTest : public TrainerFixture {
protected:
  /// The events of a directory's files, in order.
  std::vector<Json> events(const std::string &directory) const {
    RunResult result = wait(start(PYTHON, {EVENTS_READER, directory}, "py"), "py");
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.json();
  }
  /// Step and value of a tag.
  static std::vector<std::pair<int, double>> scalars(const std::vector<Json> &events, const std::string &tag) {
    std::vector<std::pair<int, double>> found;
    for (const Json &event : events)
      if (event.contains("values") && event["values"].contains(tag))
        found.emplace_back(event["step"].get<int>(), event["values"][tag].get<double>());
    return found;
  }
  static std::vector<int> steps(const std::vector<Json> &events, const std::string &tag) {
    std::vector<int> found;
    for (const auto &[step, value] : scalars(events, tag))
      found.push_back(step);
    return found;
  }
};

TEST_F(SummariesTest, LossAndPace) {
  auto log = train({"--model_dir=m", "--max_steps=10", "--json", "--set=run_config.save_summary_steps=4",
                    "--set=run_config.log_step_count_steps=1"})
                 .json();
  auto found = events("m");
  EXPECT_EQ(found[0]["file_version"], "brain.Event:2");
  EXPECT_EQ(found[1]["session"], 1);
  EXPECT_EQ(found[1]["step"], 1);
  EXPECT_GT(found[0]["wall_time"], 1.5e9);
  EXPECT_THAT(steps(found, "loss"), ElementsAre(1, 4, 8));
  EXPECT_THAT(steps(found, "global_step/sec"), ElementsAre(4, 8));
  EXPECT_GT(scalars(found, "global_step/sec")[0].second, 0);
  for (const Json &event : log)
    if (event["event"] == "step")
      for (const auto &[step, value] : scalars(found, "loss"))
        if (event["step"] == step)
          EXPECT_EQ(event["loss"].get<float>(), static_cast<float>(value)) << step;
}

TEST_F(SummariesTest, MetricsOfEvalSets) {
  auto log = train({"--model_dir=m", "--max_steps=6", "--json", "--set=run_config.save_checkpoints_steps=3",
                    "--set=eval.files=eval.csv", "--set=eval.cold.files=train.csv"})
                 .json();
  int compared = 0;
  for (const Json &event : log) {
    if (event["event"] != "eval")
      continue;
    auto found = events(event["name"] == "" ? "m/eval" : "m/eval_cold");
    for (const auto &[name, value] : event["metrics"].items()) {
      bool written = false;
      for (const auto &[step, seen] : scalars(found, name))
        if (event["step"] == step) {
          EXPECT_EQ(static_cast<float>(seen), value.get<float>()) << name;
          written = true;
        }
      EXPECT_EQ(written, name != "global_step") << name;
      compared += written;
    }
  }
  EXPECT_GE(compared, 4 * 2) << "four evaluations";
  EXPECT_THAT(steps(events("m/eval"), "loss").size(), testing::Le(2u));
}

TEST_F(SummariesTest, ResumedRunAddsAFile) {
  for (const char *stop : {"--max_steps=5", "--max_steps=9"})
    train({"--model_dir=m", stop, "--set=run_config.save_summary_steps=1"});
  auto found = events("m");
  EXPECT_NE(found.front()["file"], found.back()["file"]);
  EXPECT_THAT(steps(found, "loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9)) << "each step once";
  std::vector<int> starts;
  for (const Json &event : found)
    if (event.contains("session"))
      starts.push_back(event["step"]);
  EXPECT_THAT(starts, ElementsAre(1, 6));
  EXPECT_EQ(stateOf("m"), [&] {
    train({"--model_dir=n", "--max_steps=9", "--set=run_config.save_summary_steps=0"});
    return stateOf("n");
  }()) << "summaries change nothing";
  EXPECT_TRUE(events("n").empty()) << "0 is off";
}

TEST_F(SummariesTest, WrittenWhenARunFails) {
  RunResult result = run({"train", "--model_dir=m", "--train_files=train.csv", "--max_steps=500",
                          "--set=run_config.save_summary_steps=1", "--set=optimizer.learning_rate=1e30"});
  ASSERT_EQ(result.exit, 5);
  auto found = events("m");
  ASSERT_GE(found.size(), 3u);
  EXPECT_TRUE(found.back()["values"]["loss"].is_string()) << "the loss that ended it";
}

TEST_F(SummariesTest, Histograms) {
  Histogram histogram;
  for (double value : {-2.0, 0.5, 0.5, 3.0})
    histogram.add(value);
  {
    auto writer = EventWriter::create(at("h"));
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->write(300, Summary().histogram("w", histogram).scalar("loss", 1.5)).ok());
  }
  auto found = events("h");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1]["step"], 300);
  const Json &w = found[1]["values"]["w"];
  EXPECT_EQ(w["min"], -2);
  EXPECT_EQ(w["max"], 3);
  EXPECT_EQ(w["num"], 4);
  EXPECT_EQ(w["sum"], 2);
  EXPECT_EQ(w["sum_squares"], 4 + 0.25 + 0.25 + 9);
  std::vector<double> counts = w["counts"];
  EXPECT_THAT(counts, ElementsAre(0, 1, 0, 2, 0, 1, 0));
}

TEST_F(SummariesTest, GraphsAndCurves) {
  {
    auto writer = EventWriter::create(at("g"));
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->writeGraph({}).ok());
    const std::vector<GraphNode> nodes = {{"input/x", "Placeholder", {}, std::vector<int64_t>{-1, 3}},
                                          {"dnn/kernel", "VariableV2", {}, std::vector<int64_t>{}},
                                          {"dnn/matmul", "matmul", {0, 1}, std::nullopt}};
    ASSERT_TRUE((*writer)->writeGraph(nodes).ok());
    // Of 4 rows, 2 of class 1: all found, one found, none found.
    ASSERT_TRUE((*writer)->write(7, Summary().precisionRecall("c", {2, 1, 0}, {2, 1, 0}, {0, 1, 2}, {0, 1, 2})).ok());
  }
  auto found = events("g");
  ASSERT_EQ(found.size(), 3u) << "no event of a graph without nodes";
  EXPECT_EQ(found[1]["graph"], Json::parse(R"([{"name":"input/x","op":"Placeholder","inputs":[],"shape":[-1,3]},
                            {"name":"dnn/kernel","op":"VariableV2","inputs":[],"shape":[]},
                            {"name":"dnn/matmul","op":"matmul","inputs":["input/x","dnn/kernel"]}])"));
  EXPECT_EQ(found[2]["step"], 7);
  EXPECT_EQ(found[2]["values"]["c"], Json::parse(R"({"plugin":"pr_curves","thresholds":3,
                            "rows":[[2,1,0],[2,1,0],[0,1,2],[0,1,2],[0.5,0.5,0],[1,0.5,0]]})"));
}
