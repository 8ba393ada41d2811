// The lock and the runs of a model_dir.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelDir.h"

#include "TrainerFixture.h"
#include "runtime/src/checkpoint/StatusMessage.h"

using namespace mlcrt;

class ModelDirTest : public TrainerFixture {};

TEST_F(ModelDirTest, OneOwnerAtATime) {
  {
    auto first = ModelDirLock::acquire(at("m"));
    ASSERT_TRUE(first.ok()) << first.status();
    auto second = ModelDirLock::acquire(at("m"));
    EXPECT_TRUE(absl::IsAlreadyExists(second.status()));
    EXPECT_NE(second.status().message().find("pid " + std::to_string(::getpid())), absl::string_view::npos);
    EXPECT_EQ(exitCodeOf(second.status()), mlc::common::ExitCode::OutputNotWritable);
    auto third = ModelDirLock::acquire(at("m"));
    EXPECT_NE(third.status().message().find("pid " + std::to_string(::getpid())), absl::string_view::npos)
        << "one that was refused left the owner's name alone";
    EXPECT_TRUE(ModelDirLock::acquire(at("n")).ok());
  }
  EXPECT_TRUE(ModelDirLock::acquire(at("m")).ok()) << "released";
}

TEST_F(ModelDirTest, LockOfADeadOwnerIsTakenOver) {
  pid_t child = ::fork();
  if (child == 0) {
    auto lock = ModelDirLock::acquire(at("m"));
    ::_exit(lock.ok() ? 0 : 1); // no destructor runs, as after SIGKILL
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  {
    auto lock = ModelDirLock::acquire(at("m"));
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_EQ(lock->previous(), "host " + hostName() + " pid " + std::to_string(child));
  }
  EXPECT_EQ(ModelDirLock::acquire(at("m"))->previous(), "") << "given back";
}

TEST_F(ModelDirTest, RunsAreNumbered) {
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0001");
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0002");
  std::filesystem::create_directories(at("m/runs/0041"));
  std::filesystem::create_directories(at("m/runs/notes"));
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0042");
}
