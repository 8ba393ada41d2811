// Tensors that programs save and load.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/SafetensorsFiles.h"

#include "CheckpointFixture.h"

#include <filesystem>

using namespace mlcrt;
using testing::HasSubstr;

namespace {
class SafetensorsFilesTest : public CheckpointFixture {
protected:
  std::string path() const { return directory_ + "/part.safetensors"; }
  static std::vector<NamedTensor> tensors(mlcrt_dtype dtype, const std::vector<int64_t> &dims, const char *name = "w") {
    std::vector<NamedTensor> result(1);
    result[0].name = name;
    result[0].value = Tensor(dtype, dims);
    return result;
  }
};
} // namespace

TEST_F(SafetensorsFilesTest, RoundTrip) {
  std::vector<NamedTensor> saved = tensors(MLCRT_F32, {2}), scalar = tensors(MLCRT_BOOL, {}, "b");
  saved[0].value.as<float>()[1] = 2.5f;
  scalar[0].value.as<uint8_t>()[0] = 1;
  saved.push_back(std::move(scalar[0]));
  ASSERT_TRUE(safetensorsFiles().save(path(), saved).ok());
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
  std::vector<NamedTensor> loaded = tensors(MLCRT_F32, {2}), flag = tensors(MLCRT_BOOL, {}, "b");
  ASSERT_TRUE(safetensorsFiles().load(path(), loaded).ok());
  EXPECT_EQ(loaded[0].value.as<float>()[1], 2.5f);
  ASSERT_TRUE(safetensorsFiles().load(path(), flag).ok());
  EXPECT_EQ(flag[0].value.as<uint8_t>()[0], 1);
}

TEST_F(SafetensorsFilesTest, ErrorsNameFileAndTensor) {
  ASSERT_TRUE(safetensorsFiles().save(path(), tensors(MLCRT_F32, {2})).ok());
  auto error = [&](std::vector<NamedTensor> wanted) {
    absl::Status status = safetensorsFiles().load(path(), wanted);
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(path()));
    return std::string(status.message());
  };
  EXPECT_THAT(error(tensors(MLCRT_F32, {2}, "wx")), HasSubstr("has no tensor 'wx'"));
  EXPECT_THAT(error(tensors(MLCRT_F64, {2})), HasSubstr("tensor 'w' is f32[2]; expected: f64[2]"));
  EXPECT_THAT(error(tensors(MLCRT_F32, {1, 2})), HasSubstr("tensor 'w' is f32[2]; expected: f32[1, 2]"));
  writeFile(path(), "nonsense");
  error(tensors(MLCRT_F32, {2}));
  std::filesystem::remove(path());
  error(tensors(MLCRT_F32, {2}));
}
