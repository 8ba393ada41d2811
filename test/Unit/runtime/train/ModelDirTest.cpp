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
    EXPECT_TRUE(ModelDirLock::acquire(at("n")).ok());
  }
  EXPECT_TRUE(ModelDirLock::acquire(at("m")).ok()) << "released";
}

TEST_F(ModelDirTest, RunsAreNumbered) {
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0001");
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0002");
  std::filesystem::create_directories(at("m/runs/0041"));
  std::filesystem::create_directories(at("m/runs/notes"));
  EXPECT_EQ(*makeRunDirectory(at("m")), at("m") + "/runs/0042");
}
