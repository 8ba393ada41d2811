// Runs inside of another program: on its data, in its threads, without its terminal and signals.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/train/EvaluateRun.h"
#include "runtime/src/train/TrainRun.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

extern "C" const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved);

using namespace mlcrt;
using mlc::common::ExitCode;
using mlc::common::MessageList;

namespace {
/// Rows that the fake model learns from.
struct Rows {
  explicit Rows(int rows) {
    uint32_t seed = 1;
    auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < 3; ++k)
        x.push_back(static_cast<float>(next() % 2000) / 1000 - 1);
      const uint32_t key = next() % 5;
      keys.push_back({&"abcde"[key], 1});
      y.push_back(2 * x[3 * i] - x[3 * i + 1] + 0.5f * static_cast<float>(key));
    }
  }

  std::shared_ptr<const MemoryArrays> arrays() const { return arrays(0, static_cast<int64_t>(y.size())); }
  /// Rows [begin, end).
  std::shared_ptr<const MemoryArrays> arrays(int64_t begin, int64_t end) const {
    auto made = std::make_shared<MemoryArrays>();
    made->name = "rows of the test";
    const int64_t count = end - begin;
    auto add = [&](const char *name, mlcrt_dtype dtype, std::vector<int64_t> shape) -> StoredArray & {
      StoredArray array;
      array.name = name;
      array.dtype = dtype;
      array.shape = std::move(shape);
      return made->arrays.emplace_back(std::move(array));
    };
    auto numbers = [&](StoredArray &array, const std::vector<float> &values) {
      const auto width = static_cast<int64_t>(values.size() / y.size());
      array.elementBytes = sizeof(float);
      array.bytes = {reinterpret_cast<const char *>(values.data() + begin * width),
                     static_cast<size_t>(count * width) * sizeof(float)};
    };
    numbers(add("x", MLCRT_F32, {count, 3}), x);
    numbers(add("y", MLCRT_F32, {count}), y);
    add("key", MLCRT_STRING, {count}).texts = keys.data() + begin;
    return made;
  }

  std::vector<float> x, y;
  std::vector<mlcrt_string> keys;
};

/// Batches of `size` rows of passes over all of them.
struct RowStream : BatchStream {
  RowStream(const Rows &rows, int64_t size, int passes, int bad = -1)
      : rows(rows), size(size), passes(passes), bad(bad) {}

  absl::StatusOr<std::shared_ptr<const MemoryArrays>> next() override {
    const auto count = static_cast<int64_t>(rows.y.size());
    if (batches == bad)
      return absl::InternalError("the sensor is off");
    ++batches;
    if (at == count) {
      at = 0;
      ++pass;
    }
    if (pass == passes)
      return nullptr;
    const int64_t begin = at;
    at = std::min(at + size, count);
    return rows.arrays(begin, at);
  }
  std::string name() const override { return "sensor"; }

  const Rows &rows;
  const int64_t size;
  const int passes, bad;
  int pass = 0, batches = 0;
  int64_t at = 0;
};

/// Remembers what it was told.
struct Lines : RunListener {
  void line(std::string_view text) override { lines.emplace_back(text); }
  void message(const mlc::common::Message &message) override { messages.push_back(message.what); }
  void event(std::string_view json) override { events.emplace_back(json); }
  std::vector<std::string> lines, messages, events;
};

class EmbeddingTest : public testing::Test {
protected:
  EmbeddingTest() {
    std::string pattern = testing::TempDir() + "/mlcrt-embedding-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    auto artifact = Artifact::fromTable(mlc_artifact_query(MLCRT_ABI_VERSION, nullptr));
    EXPECT_TRUE(artifact.ok()) << artifact.status();
    artifact_ = *artifact;
  }
  ~EmbeddingTest() override { std::filesystem::remove_all(directory_); }

  struct Run {
    absl::Status status;
    ExitCode code = ExitCode::Success;
    std::optional<RunOutcome> outcome;
    std::shared_ptr<RunObservation> observation;
    Lines listener;
  };

  /// Trains, or with `metrics` evaluates, on the rows.
  Run run(RunOptions options, StopToken &stop, std::vector<Metric> *metrics = nullptr,
          std::shared_ptr<BatchStream> stream = nullptr, StepObserver *observer = nullptr,
          const GivenState *given = nullptr) const {
    Run result;
    auto configuration = Configuration::fromArtifact(*artifact_);
    if (!configuration.ok()) {
      result.status = configuration.status();
      return result;
    }
    options.verb = metrics ? "evaluate" : "train";
    options.threads = 1;
    const std::string setting = metrics ? configuration->evalSets().front().prefix + ".files" : "train.files";
    if (stream)
      configuration->useStream(setting, std::move(stream));
    else
      configuration->useArrays(setting, rows_.arrays());
    MessageList messages;
    EXPECT_TRUE(configuration->apply(options, messages)) << messages.format();
    Reporter reporter(result.listener);
    RunContext context{artifact_, *configuration, options, reporter, stop};
    context.observer = observer;
    context.given = given;
    result.status = metrics ? runEvaluate(context, [&](const EvalSet &, const auto &found) { *metrics = found; })
                            : runTrain(context, result.code);
    result.outcome = context.outcome;
    result.observation = context.observation;
    return result;
  }
  RunOptions trainOptions(const std::string &name, int64_t steps) const {
    RunOptions options;
    options.modelDir = directory_ + "/" + name;
    options.maxSteps = steps;
    options.batchSize = 7;
    return options;
  }
  /// The bytes of variable `name` in the checkpoint of a step.
  std::string variable(const std::string &model, int64_t step, const std::string &name) const {
    const std::string path = directory_ + "/" + model + "/" + checkpointName(step);
    auto manifest = readManifest(path);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    auto reader = CheckpointReader::open(path, *manifest);
    EXPECT_TRUE(reader.ok()) << reader.status();
    for (const VariableRecord &variable : manifest->variables) {
      Tensor value;
      if (variable.name != name || !reader->read(variable, value).ok())
        continue;
      return {value.as<char>(), static_cast<size_t>(value.bytes())};
    }
    ADD_FAILURE() << "no variable " << name;
    return "";
  }

  std::string directory_;
  std::shared_ptr<const Artifact> artifact_;
  const Rows rows_{50};
};
} // namespace

TEST_F(EmbeddingTest, TrainsAndEvaluatesOnArrays) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  StopToken stop;
  const Run trained = run(trainOptions("m", 12), stop);
  ASSERT_TRUE(trained.status.ok()) << trained.status;
  ASSERT_TRUE(trained.outcome);
  EXPECT_EQ(trained.outcome->step, 12);
  EXPECT_EQ(trained.outcome->reason, "max_steps");
  EXPECT_THAT(trained.listener.lines, testing::Contains(testing::HasSubstr("done     12 steps")));
  EXPECT_THAT(trained.listener.lines, testing::Each(testing::Not(testing::HasSubstr("next:"))));
  std::vector<Metric> metrics;
  RunOptions options;
  options.modelDir = directory_ + "/m";
  const Run evaluated = run(options, stop, &metrics);
  ASSERT_TRUE(evaluated.status.ok()) << evaluated.status;
  EXPECT_THAT(metrics, testing::Contains(testing::Field(&Metric::name, "global_step")));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(EmbeddingTest, RunsInTwoThreadsAreIndependent) {
  StopToken stop;
  ASSERT_TRUE(run(trainOptions("alone", 40), stop).status.ok());
  StopToken goes, stops;
  stops.raise(SIGINT);
  Run first, second, third;
  std::thread one([&] { first = run(trainOptions("one", 40), goes); });
  std::thread two([&] { second = run(trainOptions("two", 40), goes); });
  std::thread three([&] { third = run(trainOptions("three", 40), stops); });
  one.join();
  two.join();
  three.join();
  ASSERT_TRUE(first.status.ok()) << first.status;
  ASSERT_TRUE(second.status.ok()) << second.status;
  ASSERT_TRUE(third.status.ok()) << third.status;
  EXPECT_EQ(third.code, ExitCode::Interrupted);
  EXPECT_EQ(third.outcome->reason, "interrupted");
  EXPECT_LT(third.outcome->step, 40);
  EXPECT_EQ(first.outcome->reason, "max_steps");
  EXPECT_EQ(second.outcome->step, 40);
  for (const char *model : {"one", "two"})
    EXPECT_EQ(variable(model, 40, "w"), variable("alone", 40, "w"));
}

TEST_F(EmbeddingTest, RunsInTwoThreadsCountForThemselves) {
  StopToken stop;
  Run first, second;
  auto train = [&](const char *name, int64_t steps, int64_t batch, Run &result) {
    RunOptions options = trainOptions(name, steps);
    options.batchSize = batch;
    options.observation.timeline = directory_ + "/of-" + name;
    options.observation.metricsPort = "auto";
    result = run(options, stop);
  };
  std::thread one([&] { train("one", 40, 7, first); });
  std::thread two([&] { train("two", 25, 5, second); });
  one.join();
  two.join();
  ASSERT_TRUE(first.status.ok()) << first.status;
  ASSERT_TRUE(second.status.ok()) << second.status;
  const TaskMetrics &ofFirst = first.observation->metrics(), &ofSecond = second.observation->metrics();
  EXPECT_EQ(ofFirst.steps.value(), 40);
  EXPECT_EQ(ofSecond.steps.value(), 25);
  EXPECT_EQ(ofFirst.globalStep.value(), 40);
  EXPECT_EQ(ofSecond.globalStep.value(), 25);
  EXPECT_EQ(ofFirst.examples.value(), 250); // of 50 rows the last batch is one
  EXPECT_EQ(ofSecond.examples.value(), 125);
  EXPECT_EQ(ofFirst.stepTime.count(), 40);
  EXPECT_EQ(ofSecond.stepTime.count(), 25);
  for (const TaskMetrics *each : {&ofFirst, &ofSecond}) {
    EXPECT_EQ(each->checkpoints.value(), 2);
    EXPECT_GT(each->inputWait.value(), 0);
    EXPECT_THAT(each->registry.text(), testing::HasSubstr("mlc_task_info{role=\"chief\""));
  }
  EXPECT_EQ(first.observation->timeline(), nullptr);
  for (const auto &[name, steps] : {std::pair{"one", 40}, {"two", 25}}) {
    std::ifstream file(directory_ + "/of-" + name + "/chief-0.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto count = [&text](const std::string &part) {
      int found = 0;
      for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
      return found;
    };
    EXPECT_EQ(count("\"name\":\"step\""), steps);
    EXPECT_EQ(count("\"name\":\"write checkpoint\""), 2);
    EXPECT_EQ(count("{\"name\":\"train\"}"), 1) << "one thread trains";
    EXPECT_EQ(text.substr(text.size() - 3), "\n]\n") << "complete";
  }
}

TEST_F(EmbeddingTest, ResumesInTheSameOrder) {
  StopToken stop;
  ASSERT_TRUE(run(trainOptions("whole", 20), stop).status.ok());
  ASSERT_TRUE(run(trainOptions("parts", 11), stop).status.ok());
  const Run rest = run(trainOptions("parts", 20), stop);
  ASSERT_TRUE(rest.status.ok()) << rest.status;
  EXPECT_EQ(variable("parts", 20, "w"), variable("whole", 20, "w"));
}

/// Notes steps, and suspends after one of them.
struct Suspending : StepObserver {
  Suspending(StopToken &stop, int64_t at) : stop(stop), at(at) {}
  absl::StatusOr<bool> afterStep(int64_t step, const EntryOutputs &, const EntryOutputs *,
                                 ObservedState *state) override {
    steps.push_back(step);
    if (step == at) {
      stop.request(SIGTSTP);
      values = state->read("w")->bytes();
    }
    return true;
  }
  absl::Status beforeSave(int64_t) override { return absl::OkStatus(); }
  absl::StatusOr<bool> afterSave(int64_t) override { return true; }
  bool evaluates(const std::string &) const override { return false; }
  absl::StatusOr<std::vector<Metric>> evaluate(const std::string &, int64_t, const std::string &) override {
    return absl::InternalError("nobody asks");
  }
  StopToken &stop;
  const int64_t at;
  std::vector<int64_t> steps;
  int64_t values = 0;
};

TEST_F(EmbeddingTest, ARunThatIsSuspendedIsSavedAndGoesOn) {
  StopToken stop, again;
  ASSERT_TRUE(run(trainOptions("whole", 20), stop).status.ok());
  Suspending observer(stop, 11);
  const Run first = run(trainOptions("parts", 20), stop, nullptr, nullptr, &observer);
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_EQ(first.code, ExitCode::Success);
  EXPECT_EQ(first.outcome->reason, "suspended");
  EXPECT_EQ(first.outcome->step, 11);
  EXPECT_EQ(observer.steps.size(), 11u);
  EXPECT_GT(observer.values, 0) << "variables can be read after a step";
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/parts/ENDED.json"));
  const Run rest = run(trainOptions("parts", 20), again);
  EXPECT_EQ(rest.outcome->reason, "max_steps");
  EXPECT_EQ(variable("parts", 20, "w"), variable("whole", 20, "w"));
}

/// The variables of a checkpoint, as the caller of an evaluation gives them.
static MemoryArrays arraysOf(const std::string &checkpoint, std::vector<Tensor> &values) {
  auto manifest = readManifest(checkpoint);
  auto reader = CheckpointReader::open(checkpoint, *manifest);
  MemoryArrays arrays;
  values.resize(manifest->variables.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const VariableRecord &variable = manifest->variables[i];
    EXPECT_TRUE(reader->read(variable, values[i]).ok());
    StoredArray &array = arrays.arrays.emplace_back();
    array.name = variable.name;
    array.dtype = static_cast<mlcrt_dtype>(variable.dtype);
    array.shape = variable.shape;
    array.bytes = {values[i].as<char>(), static_cast<size_t>(values[i].bytes())};
  }
  return arrays;
}

TEST_F(EmbeddingTest, EvaluatesVariablesThatAreGiven) {
  StopToken stop;
  ASSERT_TRUE(run(trainOptions("m", 12), stop).status.ok());
  std::vector<Metric> expected, found;
  RunOptions options;
  options.modelDir = directory_ + "/m";
  ASSERT_TRUE(run(options, stop, &expected).status.ok());
  std::vector<Tensor> values;
  MemoryArrays arrays = arraysOf(directory_ + "/m/" + checkpointName(12), values);
  GivenState given{std::make_shared<MemoryArrays>(arrays), 77};
  const Run evaluated = run({}, stop, &found, nullptr, nullptr, &given);
  ASSERT_TRUE(evaluated.status.ok()) << evaluated.status;
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].json, found[i].name == "global_step" ? "77" : expected[i].json) << found[i].name;
  const std::string name = arrays.arrays.back().name;
  arrays.arrays.back().shape.push_back(2);
  given.values = std::make_shared<MemoryArrays>(arrays);
  EXPECT_THAT(std::string(run({}, stop, &found, nullptr, nullptr, &given).status.message()),
              testing::HasSubstr("variable '" + name + "' of what is given"));
  arrays.arrays.pop_back();
  given.values = std::make_shared<MemoryArrays>(arrays);
  EXPECT_THAT(std::string(run({}, stop, &found, nullptr, nullptr, &given).status.message()),
              testing::HasSubstr("variable '" + name + "' of what is given: there is none of that name"));
}

TEST_F(EmbeddingTest, StreamsTrainAsTheirRows) {
  StopToken stop;
  RunOptions options = trainOptions("arrays", 20);
  options.set = {"train.shuffle=false"};
  ASSERT_TRUE(run(options, stop).status.ok());
  // Three passes in batches of 7 have 24.
  options.modelDir = directory_ + "/stream";
  const auto stream = std::make_shared<RowStream>(rows_, 7, 3);
  ASSERT_TRUE(run(options, stop, nullptr, stream).status.ok());
  EXPECT_EQ(variable("stream", 20, "w"), variable("arrays", 20, "w"));
  EXPECT_EQ(stream->batches, 20);
  // Without a limit to its end; the size of a batch is the stream's.
  options.modelDir = directory_ + "/end";
  options.maxSteps.reset();
  Run ended = run(options, stop, nullptr, std::make_shared<RowStream>(rows_, 30, 2));
  ASSERT_TRUE(ended.status.ok()) << ended.status;
  EXPECT_EQ(ended.outcome->step, 4);
  EXPECT_EQ(ended.outcome->reason, "epochs");
  ended = run(options, stop, nullptr, std::make_shared<RowStream>(rows_, 50, 3));
  ASSERT_TRUE(ended.status.ok()) << ended.status;
  EXPECT_EQ(ended.outcome->step, 7) << "it goes on with a stream from its begin";
  std::vector<Metric> metrics, expected;
  RunOptions evaluation;
  evaluation.modelDir = directory_ + "/end";
  ASSERT_TRUE(run(evaluation, stop, &metrics, std::make_shared<RowStream>(rows_, 10, 1)).status.ok());
  evaluation.batchSize = 10;
  ASSERT_TRUE(run(evaluation, stop, &expected).status.ok());
  ASSERT_EQ(metrics.size(), expected.size());
  for (size_t i = 0; i < metrics.size(); ++i)
    EXPECT_EQ(metrics[i].json, expected[i].json) << metrics[i].name;
}

TEST_F(EmbeddingTest, EndsOfStreams) {
  StopToken stop;
  RunOptions options = trainOptions("m", 0);
  options.maxSteps.reset();
  Run broken = run(options, stop, nullptr, std::make_shared<RowStream>(rows_, 7, 1'000'000, /*bad=*/9));
  EXPECT_THAT(std::string(broken.status.message()), testing::HasSubstr("the sensor is off"));
  // Without end, until it is stopped.
  Run stopped;
  std::thread endless(
      [&] { stopped = run(options, stop, nullptr, std::make_shared<RowStream>(rows_, 7, 1'000'000'000)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  stop.raise(SIGTERM);
  endless.join();
  ASSERT_TRUE(stopped.status.ok()) << stopped.status;
  EXPECT_EQ(stopped.code, ExitCode::Terminated);
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/m/" + checkpointName(stopped.outcome->step)));
}

TEST_F(EmbeddingTest, LeavesSignalsAlone) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) {
    struct sigaction before = {}, after = {};
    sigaction(signal, nullptr, &before);
    StopToken stop;
    ASSERT_TRUE(run(trainOptions("m" + std::to_string(signal), 2), stop).status.ok());
    sigaction(signal, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler) << signal;
  }
}

TEST_F(EmbeddingTest, ArraysTakeThePlaceOfFiles) {
  StopToken stop;
  RunOptions options = trainOptions("m", 2);
  options.trainFiles = {"no-such-file.csv"};
  const Run run = this->run(options, stop);
  EXPECT_TRUE(run.status.ok()) << run.status;
}
