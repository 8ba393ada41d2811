// Runs trainers as child processes on made data. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_TRAIN_TRAINERFIXTURE_H
#define MLC_TEST_UNIT_RUNTIME_TRAIN_TRAINERFIXTURE_H

#include "FakeTrainer.h"
#include "runtime/src/checkpoint/Convert.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mlcrt {

/// What a child process left.
struct RunResult {
  int exit = -1; ///< exit status, or -1 if a signal killed it
  std::string out, err;

  /// The lines of stdout as JSON; fails the test on one that is not.
  std::vector<nlohmann::json> json() const {
    std::vector<nlohmann::json> lines;
    std::istringstream text(out);
    for (std::string line; std::getline(text, line);) {
      lines.push_back(nlohmann::json::parse(line, nullptr, false));
      EXPECT_FALSE(lines.back().is_discarded()) << line;
    }
    return lines;
  }
};

/// A directory with train.csv (95 rows), eval.csv (20 rows) and room for model_dirs.
class TrainerFixture : public testing::Test {
protected:
  explicit TrainerFixture(const std::string &parent = testing::TempDir()) {
    std::string pattern = parent + "/mlcrt-train-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    writeData("train.csv", 95, 1);
    writeData("eval.csv", 20, 2);
  }
  ~TrainerFixture() override { std::filesystem::remove_all(directory_); }

  std::string at(const std::string &name) const { return directory_ + "/" + name; }

  void writeData(const std::string &name, int rows, uint32_t seed) const {
    std::ofstream file(at(name));
    file << "x,key,y\n";
    auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    for (int i = 0; i < rows; ++i) {
      double x[3];
      for (double &value : x)
        value = (next() % 2000) / 1000.0 - 1;
      char key = static_cast<char>('a' + next() % 5);
      file << x[0] << '|' << x[1] << '|' << x[2] << ',' << key << ',' << 2 * x[0] - x[1] + 0.5 * (key - 'a') << '\n';
    }
  }

  static std::string readFile(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  /// Starts `program args...` in the directory, its output in files of the given tag.
  pid_t start(const std::string &program, const std::vector<std::string> &args, const std::string &tag) const {
    pid_t child = ::fork();
    if (child == 0)
      execute(program, args, tag);
    return child;
  }
  /// Becomes that program.
  [[noreturn]] void execute(const std::string &program, const std::vector<std::string> &args,
                            const std::string &tag) const {
    std::string out = at("out" + tag), err = at("err" + tag);
    if (!std::freopen(out.c_str(), "w", stdout) || !std::freopen(err.c_str(), "w", stderr) ||
        ::chdir(directory_.c_str()) != 0)
      ::_exit(99);
    ::setenv("XDG_CACHE_HOME", at("cache").c_str(), 1);
    std::vector<char *> argv = {const_cast<char *>("trainer")};
    for (const std::string &arg : args)
      argv.push_back(const_cast<char *>(arg.c_str()));
    argv.push_back(nullptr);
#ifdef FAKE_TRAINER_FORKED
    // This process has that program, too: runs by the thousand spend no time on loading libraries, most of theirs.
    if (program == FAKE_TRAINER)
      std::exit(fakeTrainerMain(static_cast<int>(args.size()) + 1, argv.data()));
#endif
    ::execv(program.c_str(), argv.data());
    ::_exit(98);
  }
  RunResult wait(pid_t child, const std::string &tag) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(at("out" + tag)), readFile(at("err" + tag))};
  }
  RunResult run(const std::vector<std::string> &args, const char *program = FAKE_TRAINER) const {
    return wait(start(program, args, ""), "");
  }
  /// Trains and expects success.
  RunResult train(std::vector<std::string> args) const {
    args.insert(args.begin(), {"train", "--train_files=train.csv"});
    RunResult result = run(args);
    EXPECT_EQ(result.exit, 0) << result.err;
    return result;
  }

  /// The newest checkpoint of a model_dir as bytes.
  std::string stateOf(const std::string &modelDir) const {
    auto taken = convertCheckpoint(at(modelDir), at("state.safetensors"));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return readFile(at("state.safetensors"));
  }

  std::string directory_;
};

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_TRAIN_TRAINERFIXTURE_H
