// A checkpoint as one file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Convert.h"

#include "CheckpointFixture.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/TensorBundle.h"

using namespace mlcrt;
using testing::HasSubstr;

class ConvertTest : public CheckpointFixture {
protected:
  void save(SmallModel &model, int64_t step, int64_t seed) {
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.seed = seed;
    ASSERT_TRUE(CheckpointStore(modelDir_).save(*model.artifact, *model.state, manifest).ok());
  }
};

TEST_F(ConvertTest, EqualValuesGiveEqualBytes) {
  SmallModel model;
  model.fill(1);
  save(model, 1, 7);
  model.fill(2);
  save(model, 2, 7);
  std::string a = directory_ + "/a.safetensors", b = directory_ + "/b.safetensors";
  auto taken = convertCheckpoint(modelDir_, a);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->source, modelDir_ + "/ckpt-0000000002") << "the newest";
  // The same values at another step with another seed.
  save(model, 9, 8);
  ASSERT_TRUE(convertCheckpoint(modelDir_ + "/ckpt-0000000009", b).ok());
  EXPECT_EQ(readFile(a), readFile(b));
  ASSERT_TRUE(convertCheckpoint(modelDir_ + "/ckpt-0000000001", b).ok());
  EXPECT_NE(readFile(a), readFile(b));

  auto reader = SafetensorsReader::open(a);
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(reader->tensors().size(), 3u);
  const TensorInfo *slot = reader->find("w/Adagrad");
  ASSERT_NE(slot, nullptr);
  float values[12];
  ASSERT_TRUE(reader->read(*slot, values).ok());
  EXPECT_EQ(values[11], 2 + 11 + 100);
}

/// To TensorFlow and back all bytes are the same.
TEST_F(ConvertTest, TensorFlowAndBack) {
  SmallModel model;
  model.fill(2);
  save(model, 3, 7);
  const std::string prefix = directory_ + "/tf/model.ckpt-3", back = directory_ + "/back.safetensors";
  std::filesystem::create_directory(directory_ + "/tf");
  ASSERT_TRUE(convertCheckpoint(modelDir_, prefix, {}, WeightFormat::TensorFlow).ok());
  auto bundle = TensorBundleReader::open(prefix);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  std::vector<std::string> names;
  for (const BundleTensor &tensor : bundle->tensors())
    names.push_back(tensor.name);
  EXPECT_THAT(names, testing::ElementsAre("global_step", "training/Adagrad/w/accumulator", "w"));
  auto taken = convertCheckpoint(directory_ + "/tf", back);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->source, prefix);
  ASSERT_TRUE(convertCheckpoint(modelDir_, directory_ + "/a.safetensors").ok());
  EXPECT_EQ(readFile(back), readFile(directory_ + "/a.safetensors"));
  // From a file of tensors it is the same checkpoint.
  ASSERT_TRUE(convertCheckpoint(back, directory_ + "/again", {}, WeightFormat::TensorFlow).ok());
  EXPECT_EQ(readFile(directory_ + "/again.index"), readFile(prefix + ".index"));

  EXPECT_TRUE(absl::IsInvalidArgument(convertCheckpoint(prefix, prefix, {}, WeightFormat::TensorFlow).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(convertCheckpoint(back, back).status()));
  std::string bytes = readFile(prefix + ".data-00000-of-00001");
  bytes[9] = static_cast<char>(bytes[9] ^ 1);
  writeFile(prefix + ".data-00000-of-00001", bytes);
  EXPECT_THAT(
      std::string(convertCheckpoint(prefix, back).status().message()),
      HasSubstr("tensor 'training/Adagrad/w/accumulator' is damaged: its checksum does not fit (bytes 8 to 55"));
}

TEST_F(ConvertTest, Errors) {
  std::string to = directory_ + "/a.safetensors";
  absl::Status status = convertCheckpoint(modelDir_, to).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(exitCodeOf(status), mlc::common::ExitCode::Usage);
  EXPECT_THAT(formatMessage(messageOf(status)), HasSubstr("error[E0401] " + modelDir_ + ": no complete checkpoint"));
  SmallModel model;
  save(model, 1, 7);
  EXPECT_EQ(exitCodeOf(convertCheckpoint(modelDir_, directory_ + "/no/a").status()),
            mlc::common::ExitCode::OutputNotWritable);
  writeFile(modelDir_ + "/ckpt-0000000001/ps-00000-of-00001.safetensors", "");
  EXPECT_TRUE(absl::IsDataLoss(convertCheckpoint(modelDir_, to).status()));
  EXPECT_FALSE(std::filesystem::exists(to));
}
