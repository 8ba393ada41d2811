// MANIFEST.json: round trip and damage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Manifest.h"

#include "common/checkpoint/Crc32c.h"

#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace mlcrt;
using testing::HasSubstr;

static CheckpointManifest example() {
  CheckpointManifest manifest;
  manifest.model = "small";
  manifest.stateFingerprint = "9f3c";
  manifest.step = 2000;
  manifest.seed = -7;
  manifest.virtualShards = 8;
  manifest.epoch = 3;
  manifest.position = 1280;
  manifest.dataFiles = {{"a \"b\".csv", 123, 0xdeadbeef}};
  manifest.wallTime = 1700000000;
  manifest.files = {{"ps-00000-of-00001.safetensors", 1000, 7}};
  manifest.variables = {{"w", MLCRT_F32, {3, 4}, 0, 128, 48, 0xffffffff, "", "", {}},
                        {"w/Adagrad", MLCRT_F32, {3, 4}, 0, 176, 48, 1, "w", "accumulator", {}}};
  manifest.settings = {{"model.dnn.hidden_units", "100,50"}};
  return manifest;
}

TEST(Manifest, SumsOfAChipAreTold) {
  CheckpointManifest manifest = example();
  EXPECT_EQ(manifestToText(manifest).find("sums"), std::string::npos);
  manifest.sums = "sm_90";
  auto read = manifestFromText(manifestToText(manifest), "M");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->sums, "sm_90");
}

TEST(Manifest, RoundTrip) {
  std::string text = manifestToText(example());
  auto read = manifestFromText(text, "M");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(manifestToText(*read), text);
  EXPECT_EQ(read->seed, -7);
  EXPECT_EQ(read->dataFiles[0].crc, 0xdeadbeefu);
  EXPECT_EQ(read->find("w/Adagrad")->slotOf, "w");
  EXPECT_EQ(read->find("x"), nullptr);
  // The whole file is one JSON object, its last line the checksum.
  EXPECT_TRUE(nlohmann::json::accept(text));
  EXPECT_EQ(text.find("\"crc32c\"", text.rfind('\n', text.size() - 2)), text.rfind('\n', text.size() - 2) + 1);
}

TEST(Manifest, EveryTruncationAndBitFlipIsFound) {
  std::string text = manifestToText(example());
  for (size_t size = 0; size < text.size(); ++size)
    ASSERT_TRUE(absl::IsDataLoss(manifestFromText(text.substr(0, size), "M").status())) << size;
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    absl::Status status = manifestFromText(flipped, "M").status();
    ASSERT_TRUE(absl::IsDataLoss(status)) << "bit " << bit << ": " << status;
    ASSERT_THAT(std::string(status.message()), HasSubstr("M: "));
  }
  EXPECT_FALSE(manifestFromText(text + "x", "M").ok());
}

/// One whose variable "w" is in two files, as two servers wrote it.
static CheckpointManifest slicedExample() {
  CheckpointManifest manifest = example();
  manifest.files = {{"ps-00000-of-00002.safetensors", 1000, 7}, {"ps-00001-of-00002.safetensors", 500, 8}};
  manifest.servers = 2;
  manifest.shards = {"w: [0, 1) on ps 0, [1, 3) on ps 1"};
  manifest.variables[0].slices = {{0, 0, 1, 128, 16, 0xaaaaaaaa}, {1, 1, 3, 64, 32, 0xbbbbbbbb}};
  return manifest;
}

/// A manifest with a piece of text replaced and the checksum made right again: a hostile one.
static absl::Status forged(const std::string &from, const std::string &to,
                           const CheckpointManifest &manifest = example()) {
  std::string text = manifestToText(manifest);
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  size_t lastLine = text.rfind('\n', text.size() - 2) + 1;
  text.resize(lastLine);
  char line[64];
  std::snprintf(line, sizeof(line), "\"crc32c\": \"%08x\"}\n", mlc::common::crc32c(text.data(), text.size()));
  return manifestFromText(text + line, "M").status();
}

TEST(Manifest, ForgedValuesAreRefused) {
  EXPECT_TRUE(forged("\"step\": 2000", "\"step\": 2001").ok()) << "the forgery itself works";
  EXPECT_TRUE(absl::IsFailedPrecondition(forged("\"format\": 1", "\"format\": 3")));
  for (auto [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"format\": 1", "\"format\": 0"},
                                                        {"\"step\": 2000", "\"step\": -1"},
                                                        {"\"step\": 2000", "\"step\": 2000.5"},
                                                        {"\"step\": 2000", "\"step\": 18446744073709551615"},
                                                        {"\"virtual_shards\": 8", "\"virtual_shards\": 0"},
                                                        {"\"keep\": false", "\"keep\": 0"},
                                                        {"\"position\": 1280", "\"position\": \"x\""},
                                                        {"ps-00000-of-00001.safetensors", "../../etc/passwd"},
                                                        {"ps-00000-of-00001.safetensors", ".."},
                                                        {"\"offset\": 128", "\"offset\": 990"},
                                                        {"\"offset\": 128", "\"offset\": 9223372036854775807"},
                                                        {"\"bytes\": 48", "\"bytes\": 52"},
                                                        {"\"dtype\": \"f32\"", "\"dtype\": \"string\""},
                                                        {"\"dtype\": \"f32\"", "\"dtype\": \"f33\""},
                                                        {"\"file\": 0", "\"file\": 1"},
                                                        {"\"crc32c\": \"ffffffff\"", "\"crc32c\": \"ffff\""},
                                                        {"\"100,50\"", "7"}}) {
    absl::Status status = forged(from, to);
    EXPECT_TRUE(absl::IsDataLoss(status)) << from << " -> " << to << ": " << status;
  }
}

TEST(Manifest, SlicesAreOfFormat2) {
  EXPECT_THAT(manifestToText(example()), HasSubstr("\"format\": 1"));
  std::string text = manifestToText(slicedExample());
  EXPECT_THAT(text, HasSubstr("\"format\": 2"));
  auto read = manifestFromText(text, "M");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(manifestToText(*read), text);
  EXPECT_EQ(read->servers, 2);
  EXPECT_EQ(read->shards, slicedExample().shards);
  ASSERT_EQ(read->find("w")->parts().size(), 2u);
  EXPECT_EQ(read->find("w")->parts()[1].begin, 1);
  EXPECT_EQ(read->find("w")->parts()[1].crc, 0xbbbbbbbbu);
  ASSERT_EQ(read->find("w/Adagrad")->parts().size(), 1u);
  EXPECT_EQ(read->find("w/Adagrad")->parts()[0].end, 3);
}

TEST(Manifest, SlicesThatDoNotFitAreRefused) {
  auto withSlices = [](std::vector<SliceRecord> slices, std::vector<int64_t> shape = {3, 4}) {
    CheckpointManifest manifest = slicedExample();
    manifest.variables[0].slices = std::move(slices);
    manifest.variables[0].shape = std::move(shape);
    return std::string(manifestFromText(manifestToText(manifest), "M").status().message());
  };
  EXPECT_EQ(withSlices({{0, 0, 1, 128, 16, 1}, {1, 1, 3, 64, 32, 1}}), "");
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 16, 1}}), HasSubstr("M: variable 'w': rows 1 to 2 are missing"));
  EXPECT_THAT(withSlices({{1, 1, 3, 64, 32, 1}}), HasSubstr("rows 0 to 0 are missing"));
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 16, 1}, {1, 2, 3, 64, 16, 1}}), HasSubstr("rows 1 to 1 are missing"));
  EXPECT_THAT(withSlices({{0, 0, 2, 128, 32, 1}, {1, 1, 3, 64, 32, 1}}), HasSubstr("rows 1 to 1 are there twice"));
  EXPECT_THAT(withSlices({{0, 0, 3, 128, 48, 1}, {1, 0, 3, 64, 48, 1}}), HasSubstr("rows 0 to 2 are there twice"));
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 16, 1}, {1, 1, 4, 64, 48, 1}}), HasSubstr("rows 3 to 3 are beyond its end"));
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 20, 1}, {1, 1, 3, 64, 32, 1}}),
              HasSubstr("the size of rows 0 to 0 does not fit"));
  EXPECT_THAT(withSlices({{0, 0, 0, 128, 0, 1}, {1, 0, 3, 64, 48, 1}}), HasSubstr("a slice without rows"));
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 16, 1}, {2, 1, 3, 64, 32, 1}}), HasSubstr("its file is not there"));
  EXPECT_THAT(withSlices({{0, 0, 1, 128, 16, 1}, {1, 1, 3, 480, 32, 1}}),
              HasSubstr("it lies beyond the end of ps-00001-of-00002.safetensors"));
  EXPECT_FALSE(forged("\"format\": 2", "\"format\": 1", slicedExample()).ok());
  EXPECT_FALSE(forged("\"servers\": 2", "\"servers\": 0", slicedExample()).ok());
}
