// TensorFlow's checkpoints: which one a path means, and what its tensors are called.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/TensorFlowCheckpoint.h"

#include "CheckpointFixture.h"
#include "runtime/src/checkpoint/TensorFlowNames.h"
#include "runtime/src/checkpoint/WeightSource.h"

#include <set>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class TensorFlowCheckpointTest : public CheckpointFixture {
protected:
  /// Writes scalars of these names, whose values are 1, 2, ...
  std::string put(const std::string &name, const std::vector<std::string> &tensors = {"w"}) const {
    std::vector<TensorInfo> infos;
    std::vector<float> values(tensors.size());
    for (const std::string &each : tensors) {
      values[infos.size()] = static_cast<float>(infos.size() + 1);
      infos.push_back({each, MLCRT_F32, {1, 1}});
    }
    EXPECT_TRUE(writeTensorBundle(directory_ + "/" + name, infos, [&](size_t i) -> absl::StatusOr<const void *> {
                  return &values[i];
                }).ok());
    return directory_ + "/" + name;
  }
  std::string problem(const std::string &path, std::optional<int64_t> step = {}) const {
    auto found = findTensorFlowCheckpoint(path, step);
    EXPECT_FALSE(found.ok());
    return std::string(found.status().message());
  }
};

TEST_F(TensorFlowCheckpointTest, PathsThatMeanOne) {
  const std::string a = put("model.ckpt-5"), b = put("model.ckpt-10");
  EXPECT_EQ(**findTensorFlowCheckpoint(a), a);
  EXPECT_EQ(**findTensorFlowCheckpoint(a + ".index"), a);
  EXPECT_FALSE(findTensorFlowCheckpoint(directory_)->has_value()) << "no file tells which";
  EXPECT_THAT(std::string(WeightSource::open(directory_).status().message()),
              HasSubstr("a checkpoint of TensorFlow is named by its prefix: " + directory_ + "/model.ckpt-"));
  ASSERT_TRUE(noteTensorFlowCheckpoint(b).ok());
  ASSERT_TRUE(noteTensorFlowCheckpoint(a).ok());
  EXPECT_EQ(readFile(directory_ + "/checkpoint"), "model_checkpoint_path: \"model.ckpt-5\"\n"
                                                  "all_model_checkpoint_paths: \"model.ckpt-10\"\n"
                                                  "all_model_checkpoint_paths: \"model.ckpt-5\"\n");
  EXPECT_EQ(**findTensorFlowCheckpoint(directory_), a);
  EXPECT_EQ(**findTensorFlowCheckpoint(directory_, 10), b);
  EXPECT_THAT(*listTensorFlowCheckpoints(directory_), ElementsAre(b, a));
  EXPECT_THAT(problem(directory_, 7), HasSubstr("no checkpoint of step 7, expected one of the steps 10, 5"));
  EXPECT_THAT(problem(a, 5), HasSubstr("is one checkpoint"));
  // Absolute names, of a directory that was moved here, in other quotes.
  writeFile(directory_ + "/checkpoint",
            "all_model_checkpoint_paths:'/gone/model.ckpt-5'\r\n"
            "  model_checkpoint_path : \"/gone/model.ckpt-10\"\nlast_preserved_timestamp: 1.5\n");
  EXPECT_EQ(**findTensorFlowCheckpoint(directory_), b);
  writeFile(directory_ + "/checkpoint", "model_checkpoint_path: \"model.ckpt-11\"\n");
  EXPECT_THAT(problem(directory_),
              HasSubstr("names a checkpoint that is not there, expected " + directory_ + "/model.ckpt-11.index"));
  EXPECT_THAT(*listTensorFlowCheckpoints(directory_), ElementsAre());
  writeFile(directory_ + "/checkpoint", "");
  EXPECT_THAT(problem(directory_), HasSubstr("names no checkpoint"));
  fs::create_directories(directory_ + "/saved/variables");
  EXPECT_EQ(**findTensorFlowCheckpoint(put("saved/variables/variables").substr(0, directory_.size() + 6)),
            directory_ + "/saved/variables/variables");
}

TEST_F(TensorFlowCheckpointTest, NamesOfSlots) {
  const std::set<std::string, std::less<>> variables = {"dnn/logits/kernel", "dnn/m"};
  const auto has = [&](std::string_view name) { return variables.count(name) > 0; };
  for (const auto &[theirs, ours] :
       {std::pair("training/Adam/dnn/logits/kernel/m", "dnn/logits/kernel/Adam"),
        std::pair("training/Adam/dnn/m/v", "dnn/m/Adam_1"), std::pair("training/Adam/dnn/m/vhat", "dnn/m/Adam_2"),
        std::pair("training/Ftrl/dnn/m/linear", "dnn/m/Ftrl_1"),
        std::pair("training/SGD/dnn/m/momentum", "dnn/m/Momentum"),
        std::pair("training/Nadam/momentum_cache", "dnn/Nadam/momentum_cache")}) {
    EXPECT_EQ(nameFromTensorFlow(theirs, has), ours);
    EXPECT_EQ(nameInTensorFlow(ours, has), theirs);
  }
  EXPECT_EQ(nameFromTensorFlow("Adagrad/dnn/m/accumulator", has), "dnn/m/Adagrad") << "of objects";
  for (const char *same :
       {"training/Adam/other/m", "training/Adam/learning_rate", "dnn/m", "m", "global_step", "training/Adam/m"})
    EXPECT_EQ(nameFromTensorFlow(same, has), same);
  EXPECT_EQ(nameInTensorFlow("other/Adam", has), "other/Adam");
  // The second slot of RMSProp is its momentum, of a centered one the mean of gradients.
  EXPECT_EQ(nameFromTensorFlow("training/RMSprop/dnn/m/momentum", has), "dnn/m/RMSProp_1");
  EXPECT_EQ(nameInTensorFlow("dnn/m/RMSProp_1", has), "training/RMSprop/dnn/m/momentum");
  EXPECT_EQ(nameInTensorFlow("dnn/m/RMSProp_1", has, "mg"), "training/RMSprop/dnn/m/mg");
  const auto isCentered = [&](std::string_view name) {
    return has(name) || name == "dnn/m/RMSProp_2" || name == "training/RMSprop/dnn/m/mg";
  };
  for (const auto &[theirs, ours] :
       {std::pair("mg", "RMSProp_1"), std::pair("momentum", "RMSProp_2"), std::pair("rms", "RMSProp")}) {
    EXPECT_EQ(nameFromTensorFlow(std::string("training/RMSprop/dnn/m/") + theirs, isCentered),
              std::string("dnn/m/") + ours);
    EXPECT_EQ(nameInTensorFlow(std::string("dnn/m/") + ours, isCentered),
              std::string("training/RMSprop/dnn/m/") + theirs);
  }
}

TEST_F(TensorFlowCheckpointTest, PartsAndSlotsByOurNames) {
  const auto source =
      WeightSource::open(put("model", {"t/part_0", "t/part_1", "t/part_3", "u/part_0", "u", "k", "training/Adam/k/m"}));
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(source->names(), ElementsAre("k", "k/Adam", "t", "t/part_3", "u", "u/part_0"));
  Tensor value;
  ASSERT_TRUE(source->read(*source->find("t"), value).ok());
  EXPECT_THAT(value.dims(), ElementsAre(2, 1));
  EXPECT_EQ(value.as<float>()[0], 1);
  EXPECT_EQ(value.as<float>()[1], 2);
  EXPECT_EQ(source->find("training/Adam/k/m"), source->find("k/Adam"));
  EXPECT_EQ(source->find("training/Adam/k/v"), nullptr);
  EXPECT_FALSE(source->step()->has_value());
}
