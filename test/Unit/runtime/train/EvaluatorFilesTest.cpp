// Evaluations, lease and end of a job as files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluatorFiles.h"

#include "TrainerFixture.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointStore.h"

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class EvaluatorFilesTest : public TrainerFixture {
protected:
  EvaluatorFilesTest() { fs::create_directory(at("m")); }
  void append(const std::string &set, int64_t step, double value) const {
    absl::Status status = appendEvaluation(
        at("m"), {set, step, {{"auc", jsonText(value), "", true, {value}}, {"name", "\"x\"", "", true}}});
    ASSERT_TRUE(status.ok()) << status;
  }
  static std::string jsonText(double value) { return nlohmann::json(value).dump(); }
  static std::vector<int64_t> poll(EvaluationReader &reader) {
    auto records = reader.poll();
    EXPECT_TRUE(records.ok()) << records.status();
    std::vector<int64_t> steps;
    for (const EvaluationRecord &record : *records)
      steps.push_back(record.step);
    return steps;
  }
};

TEST_F(EvaluatorFilesTest, EvaluationsAreReadAsTheyCome) {
  EvaluationReader reader(at("m"));
  EXPECT_THAT(poll(reader), ElementsAre());
  append("valid", 10, 0.1 + 0.2);
  auto records = reader.poll();
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 1u);
  EXPECT_EQ((*records)[0].evalSet, "valid");
  ASSERT_EQ((*records)[0].metrics.size(), 1u) << "what is no number is not read";
  EXPECT_EQ((*records)[0].metrics[0].name, "auc");
  EXPECT_THAT((*records)[0].metrics[0].values, ElementsAre(0.1 + 0.2));
  EXPECT_TRUE(reader.isAnew());
  append("valid", 20, 1);
  append("valid", 30, 1);
  EXPECT_THAT(poll(reader), ElementsAre(20, 30));
  EXPECT_FALSE(reader.isAnew());
  EXPECT_THAT(poll(reader), ElementsAre());
}

TEST_F(EvaluatorFilesTest, WhatAKillLeftOfALineIsCutOff) {
  append("", 10, 1);
  std::ofstream(at("m/evaluations.jsonl"), std::ios::app) << "{\"eval\":\"\",\"st";
  EvaluationReader reader(at("m"));
  EXPECT_THAT(poll(reader), ElementsAre(10));
  append("", 20, 1);
  EXPECT_THAT(poll(reader), ElementsAre(20));
}

TEST_F(EvaluatorFilesTest, EvaluationsBehindAStepAreDropped) {
  for (int64_t step : {10, 20, 30})
    append("", step, 1);
  EvaluationReader reader(at("m"));
  EXPECT_THAT(poll(reader), ElementsAre(10, 20, 30));
  ASSERT_TRUE(dropEvaluationsAfter(at("m"), 30).ok());
  EXPECT_THAT(poll(reader), ElementsAre());
  EXPECT_FALSE(reader.isAnew());
  ASSERT_TRUE(dropEvaluationsAfter(at("m"), 20).ok());
  EXPECT_THAT(poll(reader), ElementsAre(10, 20));
  EXPECT_TRUE(reader.isAnew());
  EXPECT_TRUE(dropEvaluationsAfter(at("none"), 20).ok());
}

TEST_F(EvaluatorFilesTest, DamageIsTold) {
  append("", 10, 1);
  std::ofstream(at("m/evaluations.jsonl"), std::ios::app) << "{\"eval\":\"\",\"step\":-1,\"metrics\":{}}\n";
  absl::Status status = EvaluationReader(at("m")).poll().status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("a line lacks 'step'"));
}

TEST_F(EvaluatorFilesTest, LeaseEndsByTheClockOfItsReader) {
  LeaseReader reader(at("m"));
  LeaseReader::Clock::time_point start;
  EXPECT_FALSE(reader.steps(start));
  std::string left;
  {
    auto lease = Lease::create(at("m"));
    ASSERT_TRUE(lease.ok()) << lease.status();
    EXPECT_THAT(reader.steps(start).value(), ElementsAre());
    ASSERT_TRUE((*lease)->hold({10, 30}).ok());
    EXPECT_THAT(reader.steps(start).value(), ElementsAre(10, 30));
    left = readFile(at("m/evaluator-lease"));
  }
  EXPECT_FALSE(reader.steps(start)) << "given back";
  // That of a process that was killed.
  ASSERT_TRUE(writeFileAtomically(at("m/evaluator-lease"), left).ok());
  EXPECT_TRUE(reader.steps(start));
  EXPECT_TRUE(reader.steps(start + LeaseReader::kExpiry));
  EXPECT_FALSE(reader.steps(start + LeaseReader::kExpiry + std::chrono::seconds(1)));
}

TEST_F(EvaluatorFilesTest, LeaseNamesItsHolder) {
  LeaseReader reader(at("m"), kChiefLeaseName, std::chrono::seconds(15));
  EXPECT_FALSE(reader.steps());
  EXPECT_EQ(reader.holder(), "");
  const LeaseReader::Clock::time_point start = LeaseReader::Clock::now();
  {
    auto lease = Lease::create(at("m"), kChiefLeaseName, "0007");
    ASSERT_TRUE(lease.ok()) << lease.status();
    EXPECT_FALSE(LeaseReader(at("m")).steps()) << "the evaluator's is another";
    EXPECT_TRUE(reader.steps(start));
    EXPECT_FALSE(reader.steps(start + std::chrono::seconds(16)));
  }
  EXPECT_FALSE(reader.steps(start));
  EXPECT_THAT(reader.holder(), testing::HasSubstr(" pid " + std::to_string(::getpid())));
  EXPECT_EQ(reader.run(), "0007");
}

TEST_F(EvaluatorFilesTest, AnEndIsOfThisJobIfItCameSinceTheStart) {
  using std::chrono::seconds;
  auto lease = Lease::create(at("m"));
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_FALSE(hasEndedSinceStart(at("m"), seconds(1000))) << "there is none";
  ASSERT_TRUE(writeJobEnd(at("m"), {10, "max_steps", "0001"}).ok());
  // As a file system of another host may stamp both.
  for (seconds skew : {seconds(0), seconds(-86400), seconds(86400)}) {
    fs::last_write_time(at("m/evaluator-lease"), fs::file_time_type::clock::now() + skew);
    fs::last_write_time(at("m/ENDED.json"), fs::file_time_type::clock::now() + skew - seconds(100));
    EXPECT_TRUE(hasEndedSinceStart(at("m"), seconds(200)));
    EXPECT_FALSE(hasEndedSinceStart(at("m"), seconds(50)));
  }
  const auto age = processAge();
  EXPECT_GT(age.count(), 0);
  EXPECT_LT(age, std::chrono::hours(24));
}

TEST_F(EvaluatorFilesTest, LeaseKeepsCheckpoints) {
  auto checkpoints = [&] {
    std::vector<int64_t> steps;
    auto list = CheckpointStore(at("m")).list();
    for (const CheckpointPath &entry : *list)
      steps.push_back(entry.step);
    return steps;
  };
  const std::vector<std::string> few = {"--model_dir=m", "--set=run_config.save_checkpoints_steps=5",
                                        "--set=run_config.keep_checkpoint_max=1"};
  auto until = [&](int steps) {
    std::vector<std::string> args = few;
    args.push_back("--max_steps=" + std::to_string(steps));
    train(args);
  };
  {
    auto lease = Lease::create(at("m"));
    ASSERT_TRUE(lease.ok() && (*lease)->hold({5}).ok());
    until(15);
    EXPECT_THAT(checkpoints(), ElementsAre(5, 15));
  }
  until(20);
  EXPECT_THAT(checkpoints(), ElementsAre(20));
}

TEST_F(EvaluatorFilesTest, EndOfAJob) {
  auto none = readJobEnd(at("m"));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(*none);
  train({"--model_dir=m", "--max_steps=3"});
  auto end = readJobEnd(at("m"));
  ASSERT_TRUE(end.ok() && *end) << end.status();
  EXPECT_EQ((*end)->step, 3);
  EXPECT_EQ((*end)->reason, "max_steps");
  EXPECT_EQ((*end)->run, "0001");
  EXPECT_EQ((*end)->exit, 0);
  EXPECT_TRUE(removeJobEnd(at("m")).ok());
  EXPECT_TRUE(removeJobEnd(at("m")).ok()) << "without one";
  EXPECT_EQ(run({"train", "--train_files=train.csv", "--model_dir=m", "--batch_size=1000",
                 "--set=train.drop_remainder=true", "--max_steps=9"})
                .exit,
            2);
  end = readJobEnd(at("m"));
  ASSERT_TRUE(end.ok() && *end) << end.status();
  EXPECT_EQ((*end)->reason, "error") << "trying again does not help, so nobody comes";
  EXPECT_EQ((*end)->exit, 2);
  std::ofstream(at("m/ENDED.json"), std::ios::app) << " ";
  EXPECT_TRUE(absl::IsDataLoss(readJobEnd(at("m")).status()));
}
