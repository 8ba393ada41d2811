// MANIFEST.json: round trip and damage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Manifest.h"

#include "common/Crc32c.h"

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
  manifest.variables = {{"w", MLCRT_F32, {3, 4}, 0, 128, 48, 0xffffffff, "", ""},
                        {"w/Adagrad", MLCRT_F32, {3, 4}, 0, 176, 48, 1, "w", "accumulator"}};
  manifest.settings = {{"model.dnn.hidden_units", "100,50"}};
  return manifest;
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

/// A manifest with a piece of text replaced and the checksum made right again: a hostile one.
static absl::Status forged(const std::string &from, const std::string &to) {
  std::string text = manifestToText(example());
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
  EXPECT_TRUE(absl::IsFailedPrecondition(forged("\"format\": 1", "\"format\": 2")));
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
